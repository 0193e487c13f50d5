// SPDX-License-Identifier: GPL-2.0
/* Holds calls in the kernel, and sends interrupts to another CPU. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interleave.h"
#include "platform.h"

#define PARAMETERS	"/sys/module/arm_syspmu_interleave/parameters"

/**
 * interleave_exists() - whether the module is loaded
 *
 * Return: true if it is.
 */
bool interleave_exists(void)
{
	return !access(PARAMETERS "/hold", W_OK);
}

/**
 * call_hold() - make the next call of a kernel function wait
 * @function: its name; it must be able to sleep
 *
 * Return: 0 or a negative errno.
 */
int call_hold(const char *function)
{
	return write_text(PARAMETERS "/hold", function);
}

/**
 * call_is_held() - whether a task waits in this call
 *
 * Return: true if so.
 */
bool call_is_held(void)
{
	char text[16];

	return read_text(PARAMETERS "/hold", text, sizeof(text)) > 0 && !strncmp(text, "held", 4);
}

/**
 * call_await() - wait until a task waits in this call
 * @caller: process that will make the call
 *
 * Return: false if the process has ended without making it.
 */
bool call_await(pid_t caller)
{
	do {
		if (call_is_held())
			return true;
		usleep(1000);
	} while (!process_has_ended(caller));
	return call_is_held();
}

/**
 * call_release() - release the call, or cancel call_hold()
 */
void call_release(void)
{
	write_text(PARAMETERS "/release", "1");
}

/**
 * irq_send_to() - send an interrupt to a CPU, even if user space may not set its affinity
 * @irq: Linux's number
 * @cpu: the CPU
 *
 * Return: 0 or a negative errno.
 */
int irq_send_to(int irq, int cpu)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, cpu);
	return write_text(PARAMETERS "/affinity", text);
}

/**
 * irq_share() - let another driver request an interrupt
 * @irq: Linux's number
 * @sharing: how
 *
 * Return: 0 or a negative errno.
 */
int irq_share(int irq, enum irq_sharing sharing)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, sharing);
	return write_text(PARAMETERS "/share", text);
}

/**
 * irq_share_end() - let the other driver free the interrupt, if it has one
 */
void irq_share_end(void)
{
	write_text(PARAMETERS "/share", "-");
}

/**
 * call_fail() - make the next call of a kernel function fail
 * @function: its name, which returns a negative errno on failure; "": none fails
 *
 * Return: 0 or a negative errno.
 */
int call_fail(const char *function)
{
	return write_text(PARAMETERS "/fail", *function ? function : "\n");
}

/**
 * call_has_failed() - whether the call has been made
 *
 * Return: true if it has, or if there was no call_fail().
 */
bool call_has_failed(void)
{
	char text[16];

	return read_text(PARAMETERS "/fail", text, sizeof(text)) > 0 && !strncmp(text, "free", 4);
}
