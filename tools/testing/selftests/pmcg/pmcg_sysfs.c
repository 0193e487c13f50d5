// SPDX-License-Identifier: GPL-2.0
/* The files of a PMCG in sysfs, compared with its identification registers. */
#include <dirent.h>

#include "peripheral_id.h"
#include "pmcg_fixture.h"

static const char *any_pmu(struct pmu *pmu)
{
	struct pmu list[PMU_MAX];
	int number = pmu_list(list, PMU_MAX);

	if (!number)
		return NULL;
	*pmu = list[0];
	return pmu->name;
}

TEST_F(pmu, format)
{
	char text[16];

	expect_attribute("format/event", "config:0-15");
	expect_attribute("format/filter_stream_id", "config1:0-31");
	/* Elsewhere, there may be PMCGs that have no spans. */
	if (stimulus->page || !pmu_attribute(pmu, "format/filter_span", text, sizeof(text)))
		expect_attribute("format/filter_span", "config1:32");
	expect_attribute("format/filter_enable", "config1:33");
}

/* IMPLEMENTATION DEFINED ones are those of a product, see pmcg_caps. */
TEST_F(pmu, every_event_name_below_0x80_is_an_architected_one)
{
	char file[300], text[64], expected[32];
	struct dirent *entry;
	unsigned int event;
	DIR *directory;

	directory = opendir(path_of("/sys/bus/event_source/devices/%s/events", pmu->name));
	ASSERT_NE(NULL, directory);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "events/%s", entry->d_name);
		ASSERT_EQ(0, pmu_attribute(pmu, file, text, sizeof(text)));
		if (sscanf(text, "event=%x", &event) == 1 && event >= PMCG_ARCHITECTED_EVENTS)
			continue;
		for (event = 0; event < PMCG_ARCHITECTED_NAMES; event++)
			if (!strcmp(entry->d_name, pmcg_event_names[event]))
				break;
		ASSERT_GT(PMCG_ARCHITECTED_NAMES, event)
			TH_LOG("unknown event %s", entry->d_name);
		snprintf(expected, sizeof(expected), "event=0x%02x", event);
		EXPECT_STREQ(expected, text)
			TH_LOG("%s", entry->d_name);
	}
	closedir(directory);
}

TEST_F(injected, events_are_those_of_ceid)
{
	struct pmcg_hardware pmcg = pmcg_of(machine);
	unsigned int event;

	for (event = 0; event < PMCG_ARCHITECTED_NAMES; event++) {
		EXPECT_EQ(pmcg_implements(&pmcg, event), pmcg_has_event(pmu, event))
			TH_LOG("%s, CEID0 is %#llx", pmcg_event_names[event], pmcg.ceid[0]);
	}
}

TEST_F(injected, name_is_the_page_number)
{
	char expected[64];

	pmcg_name(expected, sizeof(expected), stimulus_page_0(stimulus, stimulus->instance));
	EXPECT_STREQ(expected, pmu->name);
}

static bool has_coresight_ids(void)
{
	return stimulus_peek32(stimulus, PMCG_CIDR0) == PMCG_CIDR0_PREAMBLE &&
	       stimulus_peek32(stimulus, PMCG_CIDR1) == PMCG_CIDR1_CLASS_PREAMBLE &&
	       stimulus_peek32(stimulus, PMCG_CIDR2) == PMCG_CIDR2_PREAMBLE &&
	       stimulus_peek32(stimulus, PMCG_CIDR3) == PMCG_CIDR3_PREAMBLE;
}

TEST_F(injected, identifier)
{
	__u32 iidr = stimulus_peek32(stimulus, PMCG_IIDR);
	char compatible[256], text[64];
	ssize_t length;

	if (!iidr && has_coresight_ids()) {
		length = read_text(path_of("/sys/bus/platform/devices/%s/of_node/compatible",
					   pmu->device), compatible, sizeof(compatible));
		if (reference_has(pmu, REFERENCE_READS_ID_OF_MMU_600_ONLY) &&
		    (length <= 0 || !memmem(compatible, length, "arm,mmu-600-pmcg", 16)))
			SKIP(return, "reference driver: reads the ID registers of an MMU-600 only");
		iidr = peripheral_iidr(stimulus);
	}

	if (!iidr) {
		EXPECT_EQ(-ENOENT, pmu_attribute(pmu, "identifier", text, sizeof(text)));
		return;
	}
	expect_attribute("identifier", "0x%08x", iidr);
}

/* SPI if the output is not connected. */
#define NO_IRQ		(~0U)

static bool firmware_has_interrupt(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	__u64 page = stimulus_page_0(stimulus, stimulus->instance);
	char device[64];

	if (device_at(page, device, sizeof(device)))
		return true;
	if (!device_property_exists(device, ""))
		return hardware->msi || stimulus_irq(stimulus) != NO_IRQ;
	return device_property_exists(device, "interrupts") ||
	       device_property_exists(device, "msi-parent");
}

TEST(every_usable_pmcg_has_a_pmu)
{
	bool needs_interrupt;
	struct pmu_hardware hardware;
	struct stimulus stimulus;
	struct pmu pmu;
	char name[64];
	__u32 i;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	needs_interrupt = any_pmu(&pmu) && reference_has(&pmu, REFERENCE_NEEDS_AN_INTERRUPT);
	for (i = 0; i < stimulus.instances; i++) {
		pmcg_name(name, sizeof(name), stimulus_page_0(&stimulus, i));
		pmcg_family.identify(&stimulus, &hardware);
		if (!hardware.sane ||
		    (needs_interrupt && !firmware_has_interrupt(&stimulus, &hardware)))
			continue;
		EXPECT_EQ(0, pmu_find(&pmu, name))
			TH_LOG("no PMU %s, CFGR is %#x", name,
			       stimulus_peek32(&stimulus, PMCG_CFGR));
	}
}

/* The reason why an unusable block must be refused. */
static const char *reason_to_refuse(struct stimulus *stimulus, __u32 cfgr)
{
	static const char * const defects[] = {
		[STIMULUS_KEEPS_NOTHING] = "keep nothing",
		[STIMULUS_SHARED_STORAGE] = "share storage",
	};
	__u32 defect = stimulus_defect(stimulus);

	if (cfgr == ~0U)
		return "all ones";
	if (!cfgr)
		return "NSRA";
	return defect ? defects[defect] : "SIZE";
}

static void expect_refusal(struct stimulus *stimulus, const char *driver)
{
	const char *words[3] = { NULL };
	struct pmu_hardware hardware;
	char device[64], name[64];
	struct pmu pmu;
	__u64 page;
	__u32 cfgr;
	int mark;

	page = stimulus_page_0(stimulus, stimulus->instance);
	cfgr = stimulus_peek32(stimulus, PMCG_CFGR);
	pmcg_family.identify(stimulus, &hardware);
	if (hardware.sane || stimulus_family(stimulus) != STIMULUS_PMCG)
		return;
	pmcg_name(name, sizeof(name), page);
	EXPECT_NE(0, pmu_find(&pmu, name))
		TH_LOG("%s exists, CFGR is %#x", name, cfgr);

	/* Probe again to get the message. */
	ASSERT_EQ(0, device_at(page, device, sizeof(device)))
		TH_LOG("no platform device at %#llx", page);
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	EXPECT_NE(0, device_bind(driver, device))
		TH_LOG("%s was bound, CFGR is %#x", device, cfgr);
	words[0] = device;
	words[1] = reason_to_refuse(stimulus, cfgr);
	EXPECT_TRUE(kmsg_count(mark, words))
		TH_LOG("no message about %s says \"%s\"", words[0], words[1]);
	close(mark);
}

TEST(unusable_pmcg_is_refused_with_a_reason)
{
	struct stimulus stimulus;
	const char *reason;
	struct pmu pmu;
	__u32 i;

	report_to(_metadata);
	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	if (!any_pmu(&pmu))
		SKIP(return, NO_PMU);
	reason = reference_exception(&pmu, _metadata->fixture->name, _metadata->name);
	if (reason)
		SKIP(return, "reference driver: %s", reason);
	for (i = 0; i < stimulus.instances; i++) {
		stimulus.instance = i;
		expect_refusal(&stimulus, pmu.driver);
	}
}

TEST_HARNESS_MAIN
