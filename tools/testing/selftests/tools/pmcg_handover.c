// SPDX-License-Identifier: GPL-2.0
/*
 * What a driver leaves to the next kernel. No test by itself, since that kernel has to be
 * booted in between:
 *
 *	pmcg_handover leave	leave events open and counting on every PMCG
 *	pmcg_handover check	see, before any driver is there, that every PMCG is quiet
 */
#include <kselftest.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform.h"
#include "pmcg.h"
#include "stimulus.h"

/* Opens an event for each counter; they see what happens, on a wire of their own. */
static bool counts(struct stimulus *stimulus, const struct pmu *pmu,
		   const struct pmu_hardware *hardware)
{
	int fds[PMU_MAX_COUNTERS];
	unsigned int n;

	stimulus_traffic(stimulus, false);
	for (n = 0; n < hardware->counters; n++) {
		fds[n] = pmu_open_pinned(pmu, PMCG_EVENT_TRANSACTION);
		if (fds[n] < 0) {
			ksft_print_msg("%s: %s\n", pmu->name, strerror(-fds[n]));
			return false;
		}
	}
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
	for (n = 0; n < hardware->counters; n++)
		if (pmu_value(fds[n]) != 5)
			return false;
	return true;
}

static void leave(struct stimulus *stimulus)
{
	static struct pmu list[PMU_MAX];
	struct pmu_hardware hardware;
	int i, number = pmu_list(list, PMU_MAX);

	ksft_set_plan(number);
	for (i = 0; i < number; i++) {
		if (cpu_pin(list[i].cpu) || stimulus_choose(stimulus, list[i].page))
			ksft_exit_fail_msg("%s: no such CPU or instance\n", list[i].name);
		pmcg_family.identify(stimulus, &hardware);
		ksft_test_result(counts(stimulus, &list[i], &hardware), "%s counts\n",
				 list[i].name);
	}
	/* The events live as long as this. */
	fflush(stdout);
	if (!fork())
		for (;;)
			pause();
}

static void check(struct stimulus *stimulus)
{
	struct pmu_hardware hardware;
	__u32 control, interrupt;
	__u64 enabled, page;
	unsigned int i;

	ksft_set_plan(stimulus->instances);
	for (i = 0; i < stimulus->instances; i++) {
		page = stimulus_page_0(stimulus, i);
		pmcg_family.identify(stimulus, &hardware);
		if (!hardware.sane) {
			ksft_test_result_skip("the one at %#llx: no driver takes it\n", page);
			continue;
		}
		control = stimulus_peek32(stimulus, PMCG_CR);
		interrupt = stimulus_peek32(stimulus, PMCG_IRQ_CTRL);
		enabled = stimulus_peek(stimulus, PMCG_CNTENSET0);
		ksft_print_msg("CR %#x, IRQ_CTRL %#x, CNTENSET0 %#llx\n", control, interrupt,
			       enabled);
		ksft_test_result(!(control & PMCG_CR_E) && !(interrupt & PMCG_IRQ_CTRL_IRQEN) &&
				 !enabled,
				 "the one at %#llx is quiet\n", page);
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
		ksft_exit_fail_msg("usage: pmcg_handover leave | check\n");
	ksft_finished();
}
