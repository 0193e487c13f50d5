/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two fixtures with one variant for each PMCG of the machine: "pmcg" runs
 * anywhere, "injected" needs the stimulus page. Included once by each test.
 */
#ifndef ARM_SYSPMU_PMCG_FIXTURE_H
#define ARM_SYSPMU_PMCG_FIXTURE_H

#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "kmsg.h"
#include "pmcg.h"
#include "stimulus.h"

#define NO_PMCG	"no SMMUv3 PMCG for this test: no PMU is named smmuv3_pmcg_*"

/* Emulation is slow: a test may take its time, and only a hang may end it. */
#define SLOW	120

struct pmcg_machine {
	struct pmcg pmcg;
	struct stimulus stimulus;
	struct pmcg_hardware hardware;
	int mark;
};

FIXTURE(pmcg) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(pmcg) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE(injected) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(injected) {
	char name[PMCG_NAME_LENGTH];
};

/* The in-tree driver's group check counts the leader twice. */
static bool refuses_every_event(const struct pmcg *pmcg, const struct pmcg_hardware *hardware)
{
	return pmcg->in_tree && hardware->counters == 1;
}

/* Every test starts from here, whatever an earlier one died of. */
static void machine_setup(struct __test_metadata *_metadata, struct pmcg_machine *machine,
			  const char *name, bool need_stimulus)
{
	struct stimulus *stimulus = &machine->stimulus;
	int error = stimulus_open(stimulus);

	if (!name)
		SKIP(return, NO_PMCG);
	if (error && need_stimulus)
		SKIP(return, "%s", stimulus->missing);
	machine->mark = kmsg_mark();
	ASSERT_EQ(0, pmcg_find(&machine->pmcg, name));
	ASSERT_EQ(0, pmcg_pin(machine->pmcg.cpu));
	if (error)
		return;
	ASSERT_EQ(0, stimulus_choose(stimulus, machine->pmcg.page));
	pmcg_hardware(stimulus, &machine->hardware);
	if (refuses_every_event(&machine->pmcg, &machine->hardware))
		SKIP(return, "in-tree driver: refuses every event of a PMCG with one counter");
	stimulus_hold(stimulus, false);
	stimulus_tear(stimulus, 0, 0, 0);
	stimulus_traffic(stimulus, false);
}

static void machine_teardown(struct __test_metadata *_metadata, struct pmcg_machine *machine)
{
	char line[256] = "";

	if (machine->stimulus.page) {
		stimulus_hold(&machine->stimulus, false);
		stimulus_tear(&machine->stimulus, 0, 0, 0);
		stimulus_traffic(&machine->stimulus, true);
	}
	if (machine->mark < 0 || machine->pmcg.in_tree)
		return;
	EXPECT_FALSE(kmsg_find_trouble(machine->mark, line, sizeof(line)))
		TH_LOG("the kernel says: %s", line);
}

FIXTURE_SETUP(pmcg)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, false);
}

FIXTURE_TEARDOWN(pmcg)
{
	machine_teardown(_metadata, &self->machine);
}

FIXTURE_SETUP(injected)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(injected)
{
	machine_teardown(_metadata, &self->machine);
}

/*
 * Gives a fixture a variant for each PMCG, or for those whose hardware is wanted.
 * Never for a PMU that a driver has registered for a block which is not one
 * (powered down, kept by Secure software): no count can be expected of that.
 */
static void add_variants(struct __fixture_metadata *fixture,
			 bool (*wanted)(const struct pmcg_hardware *hardware))
{
	struct __fixture_variant_metadata *variants = calloc(PMCG_MAX, sizeof(*variants));
	struct pmcg *list = calloc(PMCG_MAX, sizeof(*list));
	struct pmcg_hardware hardware;
	struct stimulus stimulus;
	int i, number;

	if (!variants || !list)
		abort();
	stimulus_open(&stimulus);
	number = pmcg_list(list, PMCG_MAX);
	for (i = 0; i < number; i++) {
		if (stimulus.page && !stimulus_choose(&stimulus, list[i].page)) {
			pmcg_hardware(&stimulus, &hardware);
			if (!hardware.sane || (wanted && !wanted(&hardware)))
				continue;
		}
		variants[i].name = list[i].name;
		variants[i].data = list[i].name;
		__register_fixture_variant(fixture, &variants[i]);
	}
	stimulus_close(&stimulus);
}

/* Later than the harness's own constructors, so that the fixtures are there. */
#define LATER	__attribute__((constructor(KSELFTEST_PRIO_XFAIL)))

static void LATER add_pmcg_variants(void)
{
	add_variants(&_pmcg_fixture_object, NULL);
	add_variants(&_injected_fixture_object, NULL);
}

/* Opens as perf does; a refusal ends the test. */
static inline int must_open(struct __test_metadata *_metadata, const struct pmcg *pmcg,
			    unsigned int event, const struct pmcg_filter *filter, int group_fd)
{
	int fd = pmcg_open_filtered(pmcg, event, filter, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("opening event %#x: %s", event, strerror(-fd));
	return fd;
}

/* Opens the leader of a group that is read as a whole. */
static inline int must_open_leader(struct __test_metadata *_metadata, const struct pmcg *pmcg,
				   unsigned int event, const struct pmcg_filter *filter)
{
	struct perf_event_attr attr;
	int fd;

	ASSERT_EQ(0, pmcg_describe(pmcg, &attr, event, filter));
	attr.read_format = PERF_FORMAT_GROUP;
	fd = pmcg_open_attr(pmcg, &attr, -1);
	ASSERT_LE(0, fd)
		TH_LOG("opening event %#x: %s", event, strerror(-fd));
	return fd;
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

/* The n-th event number of CEID that can be filtered; the last ones repeat. */
static inline unsigned int filterable_event(const struct pmcg_hardware *hardware, unsigned int n)
{
	unsigned int event, found = 0, last = PMCG_EVENT_TRANSACTION;

	for (event = 1; event < 128; event++) {
		if (!(hardware->ceid[event / 64] >> event % 64 & 1))
			continue;
		last = event;
		if (found++ == n)
			break;
	}
	return last;
}

#endif
