/* SPDX-License-Identifier: GPL-2.0 */
/* Fixtures and filters for tests of PMCGs. Included once by each test. */
#ifndef ARM_SYSPMU_PMCG_FIXTURE_H
#define ARM_SYSPMU_PMCG_FIXTURE_H

#include "fixture.h"
#include "pmcg.h"

/* Properties that only a PMCG has. The machine has the stimulus page. */
static inline struct pmcg_hardware pmcg_of(const struct machine *machine)
{
	struct stimulus stimulus = machine->stimulus;
	struct pmcg_hardware hardware;

	pmcg_read_hardware(&stimulus, &hardware);
	return hardware;
}

/* Opens an event as perf does; a refusal ends the test. */
static inline int must_open_filtered(unsigned int event, const struct pmcg_filter *filter,
				     int group_fd)
{
	int fd = pmcg_open_filtered(pmu, event, filter, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("opening event %#x: %s", event, strerror(-fd));
	return fd;
}

/* The requester ID of a PCI device, by its name: bus, device and function. */
static inline bool requester_id(const char *device, __u32 *id)
{
	unsigned int domain, bus, slot, function;

	if (sscanf(device, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return false;
	*id = bus << 8 | slot << 3 | function;
	return true;
}

/* A StreamID filter, as on perf's command line. */
static inline struct pmcg_filter exactly(__u32 stream_id)
{
	return (struct pmcg_filter){ .enable = true, .stream_id = stream_id };
}

static inline struct pmcg_filter spanning(__u32 stream_id)
{
	return (struct pmcg_filter){ .enable = true, .span = true, .stream_id = stream_id };
}

#endif
