// SPDX-License-Identifier: GPL-2.0
/*
 * What a CoreSight PMU shows in sysfs: names, formats and events as the kernel's own driver
 * shows them in Linux 7.3.
 */
#include <dirent.h>

#include "coresight_fixture.h"

TEST_F(pmu, format)
{
	static const char * const expected[][2] = {
		{ "event", "config:0-32" },
		{ "filter", "config1:0-31" },
		{ "filter2", "config2:0-31" },
	};
	char file[64], text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		snprintf(file, sizeof(file), "format/%s", expected[i][0]);
		ASSERT_EQ(0, pmu_attribute(&self->machine.pmu, file, text, sizeof(text)))
			TH_LOG("%s", file);
		EXPECT_STREQ(expected[i][1], text)
			TH_LOG("%s", file);
	}
}

static unsigned int files_in(const struct pmu *pmu, const char *name)
{
	unsigned int number = 0;
	struct dirent *entry;
	char path[128];
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu->name, name);
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		number += entry->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return number;
}

/* No other field, and no other event: what numbers mean is IMPLEMENTATION DEFINED. */
TEST_F(injected, cycles_are_the_only_event_of_an_unknown_product)
{
	struct coresight_hardware coresight = coresight_of(&self->machine);
	struct pmu *pmu = &self->machine.pmu;
	char text[64];
	int error;

	EXPECT_EQ(3, files_in(pmu, "format"));
	error = pmu_attribute(pmu, "events/cycles", text, sizeof(text));
	EXPECT_EQ(coresight.cycle_counter ? 0 : -ENOENT, error);
	if (!error)
		EXPECT_STREQ("event=0x100000000", text);
	EXPECT_EQ(coresight.cycle_counter, files_in(pmu, "events"));
}

/**
 * struct id_part - a field of a peripheral ID register, and its place in PMIIDR
 * @offset: of the register
 * @mask: of the field
 * @shift: of its lowest bit in PMIIDR
 */
struct id_part {
	__u32 offset;
	__u32 mask;
	unsigned int shift;
};

/* PMIIDR, or what it would be from the peripheral ID registers (§3.25). */
static __u32 identity(struct stimulus *stimulus)
{
	static const struct id_part parts[] = {
		{ PMPIDR1, PMPIDR1_DES_0, 0 },
		{ PMPIDR2, PMPIDR2_DES_1, 4 },
		{ PMPIDR4, PMPIDR4_DES_2, 8 },
		{ PMPIDR3, PMPIDR3_REVAND, 12 },
		{ PMPIDR2, PMPIDR2_REVISION, 16 },
		{ PMPIDR0, PMPIDR0_PART_0, 20 },
		{ PMPIDR1, PMPIDR1_PART_1, 28 },
	};
	__u32 iidr = stimulus_peek32(stimulus, PMIIDR);
	unsigned int i;

	for (i = 0; !stimulus_peek32(stimulus, PMIIDR) && i < ARRAY_SIZE(parts); i++)
		iidr |= coresight_field(stimulus_peek32(stimulus, parts[i].offset),
					parts[i].mask) << parts[i].shift;
	return iidr;
}

TEST_F(injected, identifier)
{
	char text[64], expected[32];

	ASSERT_EQ(0, pmu_attribute(&self->machine.pmu, "identifier", text, sizeof(text)));
	snprintf(expected, sizeof(expected), "%x", identity(&self->machine.stimulus));
	EXPECT_STREQ(expected, text);
}

/* A monitor that is no event counter may have no bit to interrupt by (rule YCLQB). */
static unsigned int interrupting_monitors(struct stimulus *stimulus)
{
	unsigned int word, number = 0;

	for (word = 0; word < CORESIGHT_MONITORS / 32; word++)
		number += __builtin_popcount(stimulus_peek32(stimulus, PMINTENSET(word)));
	return number;
}

/* What only PMCGs have is not there. */
TEST_F(injected, caps)
{
	unsigned int counters = usable_counters(&self->machine);

	if (pmu_can_interrupt(&self->machine.pmu))
		counters = interrupting_monitors(&self->machine.stimulus);
	expect_caps(_metadata, &self->machine, counters);
	EXPECT_EQ(3, files_in(&self->machine.pmu, "caps"));
}

/* Without affinity in firmware or PMDEVAFF, all CPUs. */
TEST_F(pmu, associated_cpus_have_the_owner)
{
	char text[256], owner[16], *rest = text, *range;
	struct pmu *pmu = &self->machine.pmu;
	int first, last;
	bool found = false;

	ASSERT_EQ(0, pmu_attribute(pmu, "associated_cpus", text, sizeof(text)));
	ASSERT_EQ(0, pmu_attribute(pmu, "cpumask", owner, sizeof(owner)));
	while ((range = strsep(&rest, ","))) {
		if (sscanf(range, "%d-%d", &first, &last) == 1)
			last = first;
		found |= first <= pmu->cpu && pmu->cpu <= last;
	}
	EXPECT_TRUE(found)
		TH_LOG("associated_cpus is \"%s\", cpumask is \"%s\"", text, owner);
}

/* As the kernel's own driver numbers those of a devicetree, also after they were bound anew. */
TEST_F(injected, is_numbered_by_its_node)
{
	struct pmu *pmu = &self->machine.pmu;
	struct pmu found;
	__u64 page;

	if (!device_property_exists(pmu->device, "reg"))
		SKIP(return, "no devicetree");
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	page = device_nth_compatible("arm,coresight-pmu",
				     strtoul(strrchr(pmu->name, '_') + 1, NULL, 10));
	EXPECT_EQ(page, pmu->page);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	EXPECT_EQ(0, pmu_find(&found, pmu->name));
}

/* Firmware says where page 1 is, or a driver cannot know. */
static bool lacks_page_1(struct stimulus *stimulus, const char *device)
{
	return stimulus_page_1(stimulus, stimulus->instance) &&
	       device_property_exists(device, "reg") &&
	       device_property(device, "reg", 4, ~0U) == ~0U;
}

static bool is_usable(struct stimulus *stimulus, const char *device)
{
	struct pmu_hardware hardware;

	coresight_family.identify(stimulus, &hardware);
	return hardware.sane && !lacks_page_1(stimulus, device);
}

/* Whether the tests know what is usable: not beyond IHI 0091 A.a, and not of another family. */
static bool is_known(struct stimulus *stimulus)
{
	struct coresight_hardware coresight;

	coresight_read_hardware(stimulus, &coresight);
	return stimulus_family(stimulus) == STIMULUS_CORESIGHT &&
	       (coresight.cfgr == ~0U || !coresight.wide_registers);
}

TEST(every_usable_block_has_a_pmu)
{
	static struct pmu list[PMU_MAX];
	struct stimulus stimulus;
	char device[64];
	int n, number;
	__u64 page;
	__u32 i;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	number = pmu_list(list, PMU_MAX);
	if (!number)
		SKIP(return, NO_PMU);
	for (i = 0; i < stimulus.instances; i++) {
		page = stimulus_page_0(&stimulus, i);
		if (!is_known(&stimulus) || device_at(page, device, sizeof(device)))
			continue;
		for (n = 0; n < number && list[n].page != page; n++)
			;
		EXPECT_EQ(is_usable(&stimulus, device), n < number)
			TH_LOG("block at %#llx, PMCFGR is %#x", (unsigned long long)page,
			       stimulus_peek32(&stimulus, PMCFGR));
	}
}

TEST(unusable_block_is_refused_with_a_reason)
{
	const char *words[2] = { NULL };
	struct stimulus stimulus;
	unsigned int number = 0;
	char device[64];
	struct pmu pmu;
	int mark;
	__u32 i;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	if (!pmu_list(&pmu, 1))
		SKIP(return, NO_PMU);
	for (i = 0; i < stimulus.instances; i++) {
		if (device_at(stimulus_page_0(&stimulus, i), device, sizeof(device)) ||
		    !is_known(&stimulus) || is_usable(&stimulus, device))
			continue;
		number++;
		/* Probing again tells the reason again. */
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		EXPECT_NE(0, device_bind(pmu.driver, device))
			TH_LOG("%s was bound", device);
		words[0] = device;
		EXPECT_TRUE(kmsg_find(mark, words))
			TH_LOG("no message about %s", device);
		close(mark);
	}
	if (!number)
		SKIP(return, "all blocks of this machine can be used");
}

TEST_HARNESS_MAIN
