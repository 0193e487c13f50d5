// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a CoreSight PMU in sysfs: names, formats and events are those of the kernel's own
 * driver in Linux 7.3.
 */
#include <arpa/inet.h>

#include "apmt.h"
#include "coresight_fixture.h"
#include "peripheral_id.h"

/* Those of known products and of the 64-bit extension have other fields. */
TEST_F(injected, format)
{
	expect_attribute("format/event", "config:0-32");
	expect_attribute("format/filter", "config1:0-31");
	expect_attribute("format/filter2", "config2:0-31");
}

/* No other field, and no other event: the meaning of event numbers is IMPLEMENTATION DEFINED. */
TEST_F(injected, cycles_are_the_only_event_of_an_unknown_product)
{
	struct coresight_hardware coresight = coresight_of(machine);

	EXPECT_EQ(3, pmu_files_in(pmu, "format"));
	if (coresight.cycle_counter)
		expect_attribute("events/cycles", "event=0x100000000");
	EXPECT_EQ(coresight.cycle_counter, pmu_files_in(pmu, "events"));
}

TEST_F(injected, identifier)
{
	__u32 iidr = stimulus_peek32(stimulus, PMIIDR);

	expect_attribute("identifier", "%x", iidr ? iidr : peripheral_iidr(stimulus));
}

/* What only PMCGs have is not there. */
TEST_F(injected, caps)
{
	unsigned int counters = usable_counters();

	/* A monitor that is no event counter may have no bit to interrupt by (rule YCLQB). */
	if (pmu_can_interrupt(pmu))
		counters = monitors_in(PMINTENSET(0));
	expect_caps(counters);
	EXPECT_EQ(3, pmu_files_in(pmu, "caps"));
}

/* PMAUTHSTATUS.NSNID may explain a count of zero. */
TEST_F(injected, says_that_debug_is_disabled)
{
	bool disabled = (stimulus_peek32(stimulus, PMAUTHSTATUS) >> 2 & 3) == 2;

	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	mark_log();
	bind_again();
	EXPECT_EQ(disabled, messages_with(pmu->name, "monitors of up to",
					  ", Non-secure non-invasive debug disabled,"));
}

/* Without affinity in firmware, all CPUs. */
TEST_F(pmu, associated_cpus_have_the_owner)
{
	__u64 cpus = associated_cpus(pmu);

	EXPECT_TRUE(cpus >> pmu->cpu & 1)
		TH_LOG("associated_cpus are %#llx, the owner %d", cpus, pmu->cpu);
}

/* The number of the CPU whose node in the devicetree has a handle, or -1 if Linux has none. */
static int cpu_of_handle(__u32 handle)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	char value[8];

	for (cpu = 0; cpu < number; cpu++) {
		if (read_text(path_of("/sys/devices/system/cpu/cpu%d/of_node/phandle", cpu), value,
			      sizeof(value)) == sizeof(handle) &&
		    !memcmp(value, &(__be32){ htonl(handle) }, sizeof(handle)))
			return cpu;
	}
	return -1;
}

/* The CPUs in the devicetree, a bit for each. Returns false if it does not say which. */
static bool cpus_in_tree(const char *device, __u64 *cpus)
{
	unsigned int n;
	__u32 handle;
	int cpu;

	*cpus = 0;
	if (!device_property_exists(device, "cpus"))
		return false;
	for (n = 0; (handle = device_property(device, "cpus", n, ~0U)) != ~0U; n++) {
		cpu = cpu_of_handle(handle);
		if (cpu >= 0)
			*cpus |= 1ULL << cpu;
	}
	return true;
}

/* Those in the devicetree, except CPUs that do not exist. */
TEST_F(pmu, associated_cpus_of_the_devicetree)
{
	__u64 expected;

	if (!cpus_in_tree(pmu->device, &expected))
		SKIP(return, "the devicetree does not name CPUs");
	EXPECT_NE(0, expected);
	EXPECT_EQ(expected, associated_cpus(pmu));
}

/*
 * In devicetree, PMUs are numbered as by the kernel's own driver, also after they were bound again.
 */
TEST_F(injected, is_numbered_by_its_node)
{
	struct pmu found;
	__u64 page;

	if (!device_property_exists(pmu->device, "reg"))
		SKIP(return, "no devicetree");
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	page = device_nth_compatible("arm,coresight-pmu",
				     strtoul(strrchr(pmu->name, '_') + 1, NULL, 10));
	EXPECT_EQ(page, pmu->page);
	bind_again();
	EXPECT_EQ(0, pmu_find(&found, pmu->name));
}

/* Without the address of page 1 from firmware, a driver cannot use it. */
static bool lacks_page_1(struct stimulus *stimulus, const char *device)
{
	__u64 page = stimulus_page_0(stimulus, stimulus->instance);
	struct apmt_node node;

	if (apmt_find(page, &node))
		return stimulus_page_1(stimulus, stimulus->instance) &&
		       !(node.flags & APMT_DUAL_PAGE);
	return stimulus_page_1(stimulus, stimulus->instance) &&
	       device_property_exists(device, "reg") &&
	       device_property(device, "reg", 4, ~0U) == ~0U;
}

/* A PMU of CPUs that do not work is not to be used. */
static bool lacks_cpus(const char *device)
{
	__u64 cpus;

	return cpus_in_tree(device, &cpus) && !cpus;
}

static bool is_usable(struct stimulus *stimulus, const char *device)
{
	struct pmu_hardware hardware;

	coresight_family.identify(stimulus, &hardware);
	return hardware.sane && hardware.bits >= 32 && !lacks_page_1(stimulus, device) &&
	       !lacks_cpus(device);
}

/* Whether the tests can tell if it is usable: not newer than IHI 0091 A.a, and of this family. */
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
			TH_LOG("block at %#llx, PMCFGR is %#x", page,
			       stimulus_peek32(&stimulus, PMCFGR));
	}
}

/* The message about a block that cannot be used has the register and its value. */
static void reason_of(struct stimulus *stimulus, const char *device, char *reason, size_t size)
{
	struct coresight_hardware coresight;
	struct pmu_hardware hardware;

	coresight_read_hardware(stimulus, &coresight);
	coresight_family.identify(stimulus, &hardware);
	if (lacks_cpus(device))
		snprintf(reason, size, "cpus: none of the 1 CPUs exists");
	else if (!coresight.cfgr || coresight.cfgr == ~0U)
		snprintf(reason, size, "PMCFGR is 0x%x:", coresight.cfgr);
	else if (stimulus_defect(stimulus) == STIMULUS_SHARED_STORAGE)
		snprintf(reason, size, "share storage");
	else if (coresight.page_1)
		snprintf(reason, size, "PMOVS does not keep the ones");
	else if (stimulus_defect(stimulus))
		snprintf(reason, size, "PMINTEN is 0 after ones were written");
	else if (hardware.sane)
		snprintf(reason, size, "all %u monitors have fewer than 32 bits",
			 coresight_field(coresight.cfgr, PMCFGR_N) + 1);
	else
		snprintf(reason, size, "PMCFGR 0x%x: SIZE %u is reserved", coresight.cfgr,
			 coresight_field(coresight.cfgr, PMCFGR_SIZE));
}

TEST(unusable_block_is_refused_with_a_reason)
{
	char device[64], prefix[80], reason[96];
	const char *words[3] = { prefix };
	struct stimulus stimulus;
	unsigned int number = 0;
	int mark, second;
	struct pmu pmu;
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
		/* Probe again to get the message. */
		mark = kmsg_mark();
		second = kmsg_mark();
		ASSERT_LE(0, mark);
		EXPECT_NE(0, device_bind(pmu.driver, device))
			TH_LOG("%s was bound", device);
		snprintf(prefix, sizeof(prefix), " %s: ", device);
		reason_of(&stimulus, device, reason, sizeof(reason));
		words[1] = NULL;
		EXPECT_EQ(1, kmsg_count(second, words))
			TH_LOG("messages about %s", device);
		words[1] = reason;
		EXPECT_TRUE(kmsg_count(mark, words))
			TH_LOG("no message about %s has \"%s\"", device, reason);
		close(mark);
		close(second);
	}
	if (!number)
		SKIP(return, "all blocks of this machine can be used");
}

TEST_HARNESS_MAIN
