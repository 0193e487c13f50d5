// SPDX-License-Identifier: GPL-2.0
/*
 * The state in which the drivers leave PMUs for the next kernel. This is not a test by itself,
 * since that kernel has to be booted in between:
 *
 *	syspmu_handover leave	leave events open and counting on every PMU
 *	syspmu_handover check	check, before any driver is loaded, that every PMU is quiet
 */
#include <errno.h>
#include <kselftest.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "platform.h"
#include "pmu.h"
#include "stimulus.h"

/* Opens an event for each counter that can count it, since the counters of a PMU may differ. */
static int count(const struct pmu *pmu, const struct pmu_hardware *hardware)
{
	struct perf_event_attr attr;
	unsigned int number;
	int fd;

	for (number = 0; number < hardware->counters; number++) {
		/* An event that gets no counter is in error state then. */
		pmu_describe(pmu, &attr, pmu->event);
		attr.pinned = 1;
		fd = pmu_open_attr(pmu, &attr, -1);
		if (fd < 0)
			return fd;
		if (pmu_value(fd) == PMU_NO_VALUE)
			break;
	}
	return number;
}

static void leave(struct stimulus *stimulus)
{
	static struct pmu list[PMU_MAX];
	struct pmu_hardware hardware;
	int i, counting, number = pmu_list(list, PMU_MAX);

	ksft_set_plan(number);
	for (i = 0; i < number; i++) {
		if (cpu_pin(list[i].cpu) || stimulus_choose(stimulus, list[i].page))
			ksft_exit_fail_msg("%s: no such CPU or instance\n", list[i].name);
		pmu_identify(&list[i], stimulus, &hardware);
		if (!pmu_has_counters(&list[i])) {
			ksft_test_result_skip("%s: its counters cannot be used\n", list[i].name);
			continue;
		}
		counting = count(&list[i], &hardware);
		if (counting < 0)
			ksft_print_msg("%s: %s\n", list[i].name, strerror(-counting));
		ksft_test_result(counting > 0 && list[i].family->not_quiet(stimulus),
				 "%s counts\n", list[i].name);
	}
	/* The events stay open while this process runs. */
	fflush(stdout);
	if (!fork())
		for (;;)
			pause();
}

static void check(struct stimulus *stimulus)
{
	const struct pmu_family *family;
	struct pmu_hardware hardware;
	char device[PMU_NAME_LENGTH];
	const char *name;
	unsigned int i;
	__u64 page;

	ksft_set_plan(stimulus->instances);
	for (i = 0; i < stimulus->instances; i++) {
		page = stimulus_page_0(stimulus, i);
		family = pmu_families[stimulus_family(stimulus)];
		family->identify(stimulus, &hardware);
		/* Linux 6.1 has no devices for the nodes of APMT. */
		if (!hardware.sane || device_at(page, device, sizeof(device))) {
			ksft_test_result_skip("the one at %#llx: no driver takes it\n", page);
			continue;
		}
		name = family->not_quiet(stimulus);
		if (name)
			ksft_print_msg("%s is not 0\n", name);
		ksft_test_result(!name, "the one at %#llx is quiet\n", page);
	}
}

int main(int number, char **arguments)
{
	struct stimulus stimulus;

	ksft_print_header();
	if (stimulus_open(&stimulus))
		ksft_exit_skip("%s\n", stimulus.missing);
	if (number == 2 && !strcmp(arguments[1], "leave"))
		leave(&stimulus);
	else if (number == 2 && !strcmp(arguments[1], "check"))
		check(&stimulus);
	else
		ksft_exit_fail_msg("usage: syspmu_handover leave | check\n");
	ksft_finished();
}
