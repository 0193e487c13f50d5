// SPDX-License-Identifier: GPL-2.0
/* Holds calls in the kernel, and sends interrupts to another CPU. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interleave.h"
#include "platform.h"

#define PARAMETERS	"/sys/module/arm_syspmu_interleave/parameters"

/* Whether the module is loaded. */
bool interleave_exists(void)
{
	return !access(PARAMETERS "/hold", W_OK);
}

/* Make the next call of a kernel function wait. It must be able to sleep. */
int call_hold(const char *function)
{
	return write_text(PARAMETERS "/hold", function);
}

/* Whether a task waits in this call. */
bool call_is_held(void)
{
	char text[16];

	return read_text(PARAMETERS "/hold", text, sizeof(text)) > 0 && !strncmp(text, "held", 4);
}

/* Wait until a task waits in this call; false if the process has ended without making it. */
bool call_await(pid_t caller)
{
	do {
		if (call_is_held())
			return true;
		usleep(1000);
	} while (!process_has_ended(caller));
	return call_is_held();
}

/* Release the call, or cancel call_hold(). */
void call_release(void)
{
	write_text(PARAMETERS "/release", "1");
}

/* Send an interrupt to a CPU, even if user space may not set its affinity. */
int irq_send_to(int irq, int cpu)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, cpu);
	return write_text(PARAMETERS "/affinity", text);
}

/* Let another driver request an interrupt. */
int irq_share(int irq, enum irq_sharing sharing)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, sharing);
	return write_text(PARAMETERS "/share", text);
}

/* Let the other driver free the interrupt, if it has one. */
void irq_share_end(void)
{
	write_text(PARAMETERS "/share", "-");
}

/* Make the next call of a kernel function return -EINVAL; "": of none. */
int call_fail(const char *function)
{
	return write_text(PARAMETERS "/fail", *function ? function : "\n");
}

/* Whether the call has been made, or there was no call_fail(). */
bool call_has_failed(void)
{
	char text[16];

	return read_text(PARAMETERS "/fail", text, sizeof(text)) > 0 && !strncmp(text, "free", 4);
}
