// SPDX-License-Identifier: GPL-2.0
/* What a PMCG shows in sysfs, against its identification registers. */
#include "pmcg_fixture.h"

#include <dirent.h>

static const char *any_pmu(struct pmcg *pmcg)
{
	struct pmcg list[PMCG_MAX];
	int number = pmcg_list(list, PMCG_MAX);

	if (!number)
		return NULL;
	*pmcg = list[0];
	return pmcg->name;
}

TEST_F(pmcg, format)
{
	static const char * const expected[][2] = {
		{ "event", "config:0-15" },
		{ "filter_stream_id", "config1:0-31" },
		{ "filter_span", "config1:32" },
		{ "filter_enable", "config1:33" },
	};
	char file[64], text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		snprintf(file, sizeof(file), "format/%s", expected[i][0]);
		ASSERT_EQ(0, pmcg_attribute(&self->machine.pmcg, file, text, sizeof(text)))
			TH_LOG("%s", file);
		EXPECT_STREQ(expected[i][1], text)
			TH_LOG("%s", file);
	}
}

/* Two fields in one bit would make one of them uncontrollable. */
TEST_F(pmcg, format_fields_do_not_overlap)
{
	__u64 used[3] = { 0 }, mask;
	char path[128], word[16];
	struct dirent *entry;
	unsigned int index;
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/format",
		 self->machine.pmcg.name);
	directory = opendir(path);
	ASSERT_NE(NULL, directory);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		ASSERT_EQ(0, pmcg_format_bits(&self->machine.pmcg, entry->d_name, word, &mask))
			TH_LOG("format/%s", entry->d_name);
		index = word[6] ? word[6] - '0' : 0;
		ASSERT_GT(ARRAY_SIZE(used), index)
			TH_LOG("format/%s is in %s", entry->d_name, word);
		EXPECT_EQ(0, used[index] & mask)
			TH_LOG("format/%s overlaps", entry->d_name);
		used[index] |= mask;
	}
	closedir(directory);
}

TEST_F(pmcg, belongs_to_its_device)
{
	char path[PATH_MAX], parent[PATH_MAX], device[PATH_MAX];

	/* "perf: Allow a PMU to have a parent" */
	if (kernel_is_before(6, 7))
		SKIP(return, "before 6.7 a PMU has no parent");
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/..",
		 self->machine.pmcg.name);
	ASSERT_NE(NULL, realpath(path, parent));
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s", self->machine.pmcg.device);
	ASSERT_NE(NULL, realpath(path, device));
	EXPECT_STREQ(device, parent);
}

TEST_F(pmcg, cpumask_is_one_online_cpu)
{
	char text[64], expected[16];

	ASSERT_EQ(0, pmcg_attribute(&self->machine.pmcg, "cpumask", text, sizeof(text)));
	ASSERT_EQ(0, pmcg_read_cpu(&self->machine.pmcg))
		TH_LOG("cpumask is \"%s\"", text);
	snprintf(expected, sizeof(expected), "%d", self->machine.pmcg.cpu);
	EXPECT_STREQ(expected, text);
	EXPECT_TRUE(cpu_is_online(self->machine.pmcg.cpu));
}

TEST_F(pmcg, every_event_name_is_an_architected_one)
{
	char path[128], file[300], text[64], expected[32];
	struct dirent *entry;
	unsigned int event;
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events",
		 self->machine.pmcg.name);
	directory = opendir(path);
	ASSERT_NE(NULL, directory);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		for (event = 0; event < PMCG_ARCHITECTED_NAMES; event++)
			if (!strcmp(entry->d_name, pmcg_event_names[event]))
				break;
		ASSERT_GT(PMCG_ARCHITECTED_NAMES, event)
			TH_LOG("unknown event %s", entry->d_name);
		snprintf(file, sizeof(file), "events/%s", entry->d_name);
		ASSERT_EQ(0, pmcg_attribute(&self->machine.pmcg, file, text, sizeof(text)));
		snprintf(expected, sizeof(expected), "event=0x%02x", event);
		EXPECT_STREQ(expected, text)
			TH_LOG("%s", entry->d_name);
	}
	closedir(directory);
}

TEST_F(injected, events_are_those_of_ceid)
{
	const struct pmcg_hardware *hardware = &self->machine.hardware;
	unsigned int event;

	for (event = 0; event < PMCG_ARCHITECTED_NAMES; event++) {
		EXPECT_EQ(hardware->ceid[0] >> event & 1,
			  pmcg_has_event(&self->machine.pmcg, event))
			TH_LOG("%s, CEID0 is %#llx", pmcg_event_names[event], hardware->ceid[0]);
	}
}

TEST_F(injected, name_is_the_page_number)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	char expected[64];

	snprintf(expected, sizeof(expected), "smmuv3_pmcg_%llx",
		 stimulus_page_0(stimulus, stimulus->instance) >> 12);
	EXPECT_STREQ(expected, self->machine.pmcg.name);
}

static __u32 field(__u32 value, unsigned int high, unsigned int low)
{
	return value >> low & ((1U << (high - low + 1)) - 1);
}

static bool has_coresight_ids(struct stimulus *stimulus)
{
	return stimulus_peek32(stimulus, PMCG_CIDR0) == 0x0d &&
	       stimulus_peek32(stimulus, PMCG_CIDR1) == 0x90 &&
	       stimulus_peek32(stimulus, PMCG_CIDR2) == 0x05 &&
	       stimulus_peek32(stimulus, PMCG_CIDR3) == 0xb1;
}

/* IIDR as the peripheral ID registers spell it, IHI 0070 §10.5.2.15 and §10.5.2.29. */
static __u32 iidr_from_peripheral_id(struct stimulus *stimulus)
{
	__u32 pidr0 = stimulus_peek32(stimulus, PMCG_PIDR0);
	__u32 pidr1 = stimulus_peek32(stimulus, PMCG_PIDR1);
	__u32 pidr2 = stimulus_peek32(stimulus, PMCG_PIDR2);
	__u32 pidr3 = stimulus_peek32(stimulus, PMCG_PIDR3);
	__u32 pidr4 = stimulus_peek32(stimulus, PMCG_PIDR4);

	return field(pidr1, 3, 0) << 28 | field(pidr0, 7, 0) << 20 |
	       field(pidr2, 7, 4) << 16 | field(pidr3, 7, 4) << 12 |
	       field(pidr4, 3, 0) << 8 | field(pidr2, 2, 0) << 4 | field(pidr1, 7, 4);
}

TEST_F(injected, identifier)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmcg *pmcg = &self->machine.pmcg;
	__u32 iidr = stimulus_peek32(stimulus, PMCG_IIDR);
	char path[PATH_MAX], compatible[256] = "", text[64], expected[32];
	ssize_t length;
	int fd;

	if (!iidr && has_coresight_ids(stimulus)) {
		snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/of_node/compatible",
			 pmcg->device);
		fd = open(path, O_RDONLY);
		length = read(fd, compatible, sizeof(compatible));
		close(fd);
		if (pmcg->in_tree &&
		    (length <= 0 || !memmem(compatible, length, "arm,mmu-600-pmcg", 16)))
			SKIP(return, "in-tree driver: reads the ID registers of an MMU-600 only");
		iidr = iidr_from_peripheral_id(stimulus);
	}

	if (!iidr) {
		EXPECT_EQ(-ENOENT, pmcg_attribute(pmcg, "identifier", text, sizeof(text)));
		return;
	}
	ASSERT_EQ(0, pmcg_attribute(pmcg, "identifier", text, sizeof(text)));
	snprintf(expected, sizeof(expected), "0x%08x", iidr);
	EXPECT_STREQ(expected, text);
}

/* An MSI if the block and firmware have one, else a wire, else a timer if one is needed. */
TEST_F(injected, interrupt)
{
	const struct pmcg_hardware *hardware = &self->machine.hardware;
	const struct pmcg *pmcg = &self->machine.pmcg;
	const char *expected;
	char text[32];

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: does not say");
	if (!device_property_exists(pmcg->device, ""))
		SKIP(return, "no devicetree node to compare with");
	/* A wired interrupt cannot get lost: it comes first. */
	if (device_property_exists(pmcg->device, "interrupts"))
		expected = "wired";
	else if (hardware->msi && device_property_exists(pmcg->device, "msi-parent"))
		expected = "msi";
	else
		expected = hardware->bits == 64 ? "none" : "timer";
	ASSERT_EQ(0, pmcg_attribute(pmcg, "interrupt", text, sizeof(text)));
	EXPECT_STREQ(expected, text);
}

TEST_F(injected, reading_sysfs_touches_no_register)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
	__u64 writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	unsigned int event;
	char text[64];

	pmcg_attribute(&self->machine.pmcg, "cpumask", text, sizeof(text));
	pmcg_attribute(&self->machine.pmcg, "identifier", text, sizeof(text));
	for (event = 0; event < PMCG_ARCHITECTED_NAMES; event++)
		pmcg_has_event(&self->machine.pmcg, event);

	EXPECT_EQ(reads, stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS));
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
}

/* The in-tree driver does without MSIs, but not without any interrupt. */
/* What SPI reads where the output is connected to nothing. */
#define NO_LINE		(~0U)

static bool firmware_has_interrupt(struct stimulus *stimulus,
				   const struct pmcg_hardware *hardware)
{
	__u64 page = stimulus_page_0(stimulus, stimulus->instance);
	char device[64];

	if (device_at(page, device, sizeof(device)))
		return true;
	if (!device_property_exists(device, ""))
		return hardware->msi || stimulus_line(stimulus) != NO_LINE;
	return device_property_exists(device, "interrupts") ||
	       device_property_exists(device, "msi-parent");
}

TEST(every_usable_pmcg_has_a_pmu)
{
	bool in_tree;
	struct pmcg_hardware hardware;
	struct stimulus stimulus;
	struct pmcg pmcg;
	char name[64];
	__u32 i;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	in_tree = any_pmu(&pmcg) && pmcg.in_tree;
	for (i = 0; i < stimulus.instances; i++) {
		snprintf(name, sizeof(name), "smmuv3_pmcg_%llx",
			 stimulus_page_0(&stimulus, i) >> 12);
		pmcg_hardware(&stimulus, &hardware);
		if (!hardware.sane ||
		    (in_tree && !firmware_has_interrupt(&stimulus, &hardware)))
			continue;
		EXPECT_EQ(0, pmcg_find(&pmcg, name))
			TH_LOG("no PMU %s, CFGR is %#x", name, hardware.cfgr);
	}
}

/* The reason for which a block that cannot be used must be refused. */
static const char *reason_to_refuse(const struct pmcg_hardware *hardware)
{
	static const char * const defects[] = {
		[STIMULUS_KEEPS_NOTHING] = "keep nothing",
		[STIMULUS_SHARED_STORAGE] = "share storage",
	};

	if (hardware->cfgr == ~0U)
		return "all ones";
	if (!hardware->cfgr)
		return "NSRA";
	return hardware->defect ? defects[hardware->defect] : "SIZE";
}

static void expect_refusal(struct __test_metadata *_metadata, struct stimulus *stimulus,
			   const char *driver)
{
	const char *words[3] = { NULL };
	struct pmcg_hardware hardware;
	char device[64], name[64];
	struct pmcg pmcg;
	__u64 page;
	int mark;

	page = stimulus_page_0(stimulus, stimulus->instance);
	pmcg_hardware(stimulus, &hardware);
	if (hardware.sane)
		return;
	snprintf(name, sizeof(name), "smmuv3_pmcg_%llx", page >> 12);
	EXPECT_NE(0, pmcg_find(&pmcg, name))
		TH_LOG("%s exists, CFGR is %#x", name, hardware.cfgr);

	/* Probing again tells the reason again. */
	ASSERT_EQ(0, device_at(page, device, sizeof(device)))
		TH_LOG("no platform device at %#llx", page);
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	EXPECT_NE(0, device_bind(driver, device))
		TH_LOG("%s was bound, CFGR is %#x", device, hardware.cfgr);
	words[0] = device;
	words[1] = reason_to_refuse(&hardware);
	EXPECT_TRUE(kmsg_find(mark, words))
		TH_LOG("no message about %s says \"%s\"", words[0], words[1]);
	close(mark);
}

TEST(unusable_pmcg_is_refused_with_a_reason)
{
	struct stimulus stimulus;
	struct pmcg pmcg;
	__u32 i;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	if (!any_pmu(&pmcg))
		SKIP(return, NO_PMCG);
	if (pmcg.in_tree)
		SKIP(return, "in-tree driver: registers a PMU for a block it cannot use");
	for (i = 0; i < stimulus.instances; i++) {
		stimulus.instance = i;
		expect_refusal(_metadata, &stimulus, pmcg.driver);
	}
}

TEST_HARNESS_MAIN
