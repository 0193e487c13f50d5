// SPDX-License-Identifier: GPL-2.0
/* Holds calls in the kernel, and delivers interrupts to another CPU. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interleave.h"
#include "platform.h"

#define PARAMETERS	"/sys/module/arm_syspmu_interleave/parameters"

/**
 * interleave_exists() - whether the module is there
 *
 * Return: true if it is.
 */
bool interleave_exists(void)
{
	return !access(PARAMETERS "/hold", W_OK);
}

/**
 * call_hold() - have the next call of a function of the kernel wait
 * @function: its name; one that may sleep
 *
 * Return: 0 or a negative errno.
 */
int call_hold(const char *function)
{
	return write_text(PARAMETERS "/hold", function);
}

/**
 * call_is_held() - whether a task waits in that call
 *
 * Return: true if so.
 */
bool call_is_held(void)
{
	char text[16];

	return read_text(PARAMETERS "/hold", text, sizeof(text)) > 0 && !strncmp(text, "held", 4);
}

/**
 * call_await() - wait until a task waits in that call
 * @caller: process that is to make it
 *
 * Return: false if that process has ended without having made it.
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
 * call_release() - release the call, or let no call wait
 */
void call_release(void)
{
	write_text(PARAMETERS "/release", "1");
}

/**
 * irq_send_to() - deliver an interrupt to a CPU, also one that user space may not move
 * @irq: Linux's number
 * @cpu: where to
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
 * call_fail() - have the next call of a function of the kernel fail
 * @function: its name, which returns a negative errno when it fails; "": none fails
 *
 * Return: 0 or a negative errno.
 */
int call_fail(const char *function)
{
	return write_text(PARAMETERS "/fail", *function ? function : "\n");
}

/**
 * call_has_failed() - whether that call has come
 *
 * Return: true if so, or if there was no call_fail().
 */
bool call_has_failed(void)
{
	char text[16];

	return read_text(PARAMETERS "/fail", text, sizeof(text)) > 0 && !strncmp(text, "free", 4);
}
