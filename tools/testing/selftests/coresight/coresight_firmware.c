// SPDX-License-Identifier: GPL-2.0
/*
 * CoreSight PMUs that are described by ACPI: those with a correct description have the names that
 * the kernel's own driver of Linux 7.3 gives them. Those with an incorrect one are refused, or used
 * if possible, with one message that names the error; refused ones leave nothing behind.
 */
#include <ctype.h>

#include "apmt.h"
#include "coresight_fixture.h"
#include "mmio.h"

/* Less than half of the range of the narrowest monitor that is used first */
#define MANY	10003ULL

/* Errors in a node because of which its PMU cannot be used. */
enum defect {
	NONE,
	TOO_SHORT,
	NOT_A_HID,
	PAGE_1_AT_0,
	PAGE_TWICE,
	PAGE_1_LEFT_OUT,
	PAGE_1_INVENTED,
	OTHER_REGISTERS,
	TOO_NARROW,
};

/* What the tests work on. */
static struct {
	struct apmt_node nodes[APMT_NODES];	/* of APMT */
	int number;	/* of nodes */
	struct stimulus stimulus;
	char driver[PMU_NAME_LENGTH];	/* that is bound to PMUs */
} firmware;

FIXTURE(apmt) {
};

FIXTURE_VARIANT(apmt) {
	enum defect defect;
};

FIXTURE_VARIANT_ADD(apmt, too_short) { .defect = TOO_SHORT };
FIXTURE_VARIANT_ADD(apmt, not_a_hid) { .defect = NOT_A_HID };
FIXTURE_VARIANT_ADD(apmt, page_1_at_0) { .defect = PAGE_1_AT_0 };
FIXTURE_VARIANT_ADD(apmt, page_twice) { .defect = PAGE_TWICE };
FIXTURE_VARIANT_ADD(apmt, page_1_left_out) { .defect = PAGE_1_LEFT_OUT };
FIXTURE_VARIANT_ADD(apmt, page_1_invented) { .defect = PAGE_1_INVENTED };
FIXTURE_VARIANT_ADD(apmt, other_registers) { .defect = OTHER_REGISTERS };
FIXTURE_VARIANT_ADD(apmt, too_narrow) { .defect = TOO_NARROW };

static void setup(struct __test_metadata *test)
{
	struct pmu pmu;

	report_to(test);
	firmware.number = apmt_read(firmware.nodes);
	if (!firmware.number)
		SKIP(return, "no APMT");
	if (!pmu_list(&pmu, 1))
		SKIP(return, NO_PMU);
	if (stimulus_open(&firmware.stimulus))
		SKIP(return, "%s", firmware.stimulus.missing);
	snprintf(firmware.driver, sizeof(firmware.driver), "%s", pmu.driver);
}

FIXTURE_SETUP(apmt)
{
	setup(_metadata);
}

FIXTURE_TEARDOWN(apmt)
{
}

static bool is_hid(__u64 primary)
{
	char hid[9] = "";
	unsigned int i;

	memcpy(hid, &primary, sizeof(primary));
	for (i = 0; hid[i]; i++)
		if (!isalnum((unsigned char)hid[i]))
			return false;
	return i;
}

static bool has_page_of_another(const struct apmt_node *nodes, int index)
{
	int i;

	for (i = 0; i < index; i++)
		if (nodes[i].page[0] == nodes[index].page[0])
			return true;
	return false;
}

static bool is_usable(struct stimulus *stimulus)
{
	struct coresight_hardware coresight;
	struct pmu_hardware hardware;

	coresight_read_hardware(stimulus, &coresight);
	coresight_family.identify(stimulus, &hardware);
	/* The tests cannot check these. */
	if (coresight.wide_registers)
		hardware.sane = coresight.cfgr && coresight.cfgr != ~0U;
	return hardware.sane;
}

static enum defect defect_of(int index)
{
	const struct apmt_node *node = &firmware.nodes[index];
	bool dual_page = node->flags & APMT_DUAL_PAGE;
	struct stimulus *stimulus = &firmware.stimulus;
	bool has_page_1;

	if (node->length < APMT_NODE_LENGTH)
		return TOO_SHORT;
	if (dual_page && !node->page[1])
		return PAGE_1_AT_0;
	if (node->type == APMT_ACPI_DEVICE && !is_hid(node->primary))
		return NOT_A_HID;
	if (has_page_of_another(firmware.nodes, index))
		return PAGE_TWICE;
	if (stimulus_choose(stimulus, node->page[0]) || !is_usable(stimulus))
		return OTHER_REGISTERS;
	/* PMIIDR is optional, and PMCFGR may be false. */
	has_page_1 = stimulus_page_1(stimulus, stimulus->instance) &&
		     (stimulus_peek32(stimulus, STIMULUS_PAGE_1 | PMCFGR) ||
		      stimulus_peek32(stimulus, STIMULUS_PAGE_1 | PMIIDR));
	if (has_page_1 == dual_page)
		return coresight_field(stimulus_peek32(stimulus, PMCFGR), PMCFGR_SIZE) < 31 ?
		       TOO_NARROW : NONE;
	return has_page_1 ? PAGE_1_LEFT_OUT : PAGE_1_INVENTED;
}

static unsigned int lines_with(const char *path, const char *device)
{
	FILE *file = fopen(path, "r");
	unsigned int number = 0;
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		number += has_word(line, device);
	if (file)
		fclose(file);
	return number;
}

/* Makes the driver probe a node again. Returns two marks in the log before its messages. */
static int probe_again(const struct apmt_node *node, int marks[2])
{
	if (device_is_bound(node->device))
		ASSERT_EQ(0, device_unbind(firmware.driver, node->device));
	marks[0] = kmsg_mark();
	marks[1] = kmsg_mark();
	ASSERT_LE(0, marks[0]);
	ASSERT_LE(0, marks[1]);
	return device_bind(firmware.driver, node->device);
}

/* The driver prints this many messages about the device, and one of them has all the words. */
static void expect_messages(const struct apmt_node *node, const int marks[2], unsigned int number,
			    const char * const *words)
{
	const char *all[8] = { NULL };
	char prefix[80];
	unsigned int i;

	snprintf(prefix, sizeof(prefix), " %s: ", node->device);
	all[0] = prefix;
	EXPECT_EQ(number, kmsg_count(marks[0], all))
		TH_LOG("messages about%s", prefix);
	for (i = 0; words[i]; i++)
		all[i + 1] = words[i];
	EXPECT_EQ(1, kmsg_count(marks[1], all))
		TH_LOG("no message about%shas \"%s\"", prefix, words[0]);
	close(marks[0]);
	close(marks[1]);
}

static void expect_refusal(const struct apmt_node *node, const char * const *words)
{
	unsigned int regions = lines_with("/proc/iomem", node->device);
	static struct pmu list[PMU_MAX];
	int marks[2], number = pmu_list(list, PMU_MAX);

	EXPECT_FALSE(device_is_bound(node->device));
	EXPECT_NE(0, probe_again(node, marks));
	expect_messages(node, marks, 1, words);
	EXPECT_EQ(number, pmu_list(list, PMU_MAX));
	EXPECT_EQ(regions, lines_with("/proc/iomem", node->device));
	EXPECT_EQ(0, lines_with("/proc/interrupts", node->device));
}

static void expect_refusal_of(int index)
{
	const struct apmt_node *node = &firmware.nodes[index];
	const char *words[4] = { NULL };
	char id[32], value[64];

	snprintf(id, sizeof(id), "APMT node %u:", node->id);
	words[0] = id;
	words[1] = value;
	switch (defect_of(index)) {
	case TOO_SHORT:
		snprintf(value, sizeof(value), "length is %u, not 56", node->length);
		break;
	case NOT_A_HID:
		snprintf(value, sizeof(value), "instance 0x%llx is not the HID", node->primary);
		break;
	case PAGE_1_AT_0:
		words[1] = "address of page 1 is 0";
		break;
	case PAGE_TWICE:
		words[0] = "page 0";
		snprintf(value, sizeof(value), "0x%016llx", node->page[0]);
		words[2] = "twice";
		break;
	case PAGE_1_LEFT_OUT:
	case PAGE_1_INVENTED:
		words[0] = "PMOVS";
		words[1] = "second page";
		break;
	case TOO_NARROW:
		words[0] = "fewer than 32 bits";
		words[1] = NULL;
		break;
	default:
		/* coresight_sysfs checks what the message says. */
		words[0] = "firmware";
		words[1] = NULL;
		break;
	}
	expect_refusal(node, words);
}

TEST_F_TIMEOUT(apmt, is_refused_with_one_message, SLOW)
{
	int i, found = 0;

	for (i = 0; i < firmware.number; i++) {
		if (!firmware.nodes[i].device[0] || defect_of(i) != variant->defect)
			continue;
		found++;
		expect_refusal_of(i);
	}
	if (!found)
		SKIP(return, "no node of this machine has this error");
}

FIXTURE(nodes) {
};

FIXTURE_SETUP(nodes)
{
	setup(_metadata);
}

FIXTURE_TEARDOWN(nodes)
{
}

/* Finds the PMU of a device. */
static bool find_pmu(const char *device, struct pmu *pmu)
{
	static struct pmu list[PMU_MAX];
	int i, number = pmu_list(list, PMU_MAX);

	for (i = 0; i < number && strcmp(list[i].device, device); i++)
		;
	if (i < number)
		*pmu = list[i];
	return i < number;
}

static void name_of(const struct apmt_node *node, char *name, size_t size)
{
	static const char * const types[] = { "mc", "smmu", "pcie", "acpi", "cache" };
	char hid[9] = "";

	memcpy(hid, &node->primary, sizeof(node->primary));
	if (node->type == APMT_ACPI_DEVICE)
		snprintf(name, size, "arm_cspmu_acpi_%s_%u", hid, node->secondary);
	else if (node->type > APMT_CACHE)
		snprintf(name, size, "arm_cspmu_%u_%u", node->type, node->id);
	else
		snprintf(name, size, "arm_cspmu_%s_%llu", types[node->type],
			 node->type == APMT_MEMORY_CONTROLLER ? node->id :
			 node->type == APMT_CACHE ? node->secondary : node->primary);
}

static bool is_named_twice(int index)
{
	char name[PMU_NAME_LENGTH], other[PMU_NAME_LENGTH];
	int i;

	name_of(&firmware.nodes[index], name, sizeof(name));
	for (i = 0; i < index; i++) {
		if (defect_of(i) != NONE)
			continue;
		name_of(&firmware.nodes[i], other, sizeof(other));
		if (!strcmp(name, other))
			return true;
	}
	return false;
}

/* A processor container is above its CPUs in the namespace of ACPI. */
static bool is_near(const struct apmt_node *node, int cpu)
{
	const char *hid = node->flags & APMT_CONTAINER ? "ACPI0010\n" : "ACPI0007\n";
	char place[128], text[32];

	snprintf(place, sizeof(place), "/sys/devices/system/cpu/cpu%d/firmware_node", cpu);
	while (read_text(path_of("%s/hid", place), text, sizeof(text)) > 0) {
		if (!strcmp(text, hid) &&
		    read_text(path_of("%s/uid", place), text, sizeof(text)) > 0 &&
		    strtoul(text, NULL, 10) == node->affinity)
			return true;
		strncat(place, "/..", sizeof(place) - strlen(place) - 1);
	}
	return false;
}

/* The CPUs that the affinity names, a bit for each */
static __u64 cpus_of(const struct apmt_node *node)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	__u64 cpus = 0;

	for (cpu = 0; cpu < number; cpu++)
		cpus |= (__u64)is_near(node, cpu) << cpu;
	return cpus;
}

/* If the affinity names no CPU, all CPUs are associated. Names of NVIDIA have the NUMA node. */
static void expect_cpus(const struct apmt_node *node, const struct pmu *pmu)
{
	__u64 cpus = cpus_of(node) ?: ~0ULL >> (64 - sysconf(_SC_NPROCESSORS_CONF));
	const char *number = strstr(pmu->name, "_pmu_");

	EXPECT_EQ(cpus, associated_cpus(pmu))
		TH_LOG("%s", pmu->name);
	if (!strncmp(pmu->name, "nvidia_", strlen("nvidia_")))
		EXPECT_EQ(0, access(path_of("/sys/devices/system/cpu/cpu%d/node%d",
					    __builtin_ctzll(cpus), atoi(number + 5)), F_OK))
			TH_LOG("the name of %s", pmu->name);
}

static void expect_pmu(int index)
{
	const struct apmt_node *node = &firmware.nodes[index];
	struct stimulus *stimulus = &firmware.stimulus;
	char name[PMU_NAME_LENGTH];
	struct pmu pmu;
	int fd;

	ASSERT_TRUE(find_pmu(node->device, &pmu))
		TH_LOG("%s (node %u) has no PMU", node->device, node->id);
	EXPECT_EQ(node->page[0], pmu.page);
	expect_cpus(node, &pmu);
	if (node->implementation && !pmu_attribute(&pmu, "identifier", name, sizeof(name)))
		EXPECT_EQ(node->implementation, strtoul(name, NULL, 16));
	if (is_known_product(&pmu))
		return;
	name_of(node, name, sizeof(name));
	if (is_named_twice(index))
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "_%llx",
			 node->page[0] >> 12);
	EXPECT_STREQ(name, pmu.name);
	ASSERT_EQ(0, cpu_pin(pmu.cpu));
	ASSERT_EQ(0, stimulus_choose(stimulus, pmu.page));
	fd = pmu_open(&pmu, CORESIGHT_EVENT, -1);
	ASSERT_LE(0, fd)
		TH_LOG("%s: %s", pmu.name, strerror(-fd));
	stimulus_traffic(stimulus, false);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, MANY);
	EXPECT_EQ(MANY, pmu_value(fd))
		TH_LOG("%s", pmu.name);
	stimulus_traffic(stimulus, true);
	close(fd);
}

/* Correct nodes work, regardless of the others. */
TEST_F_TIMEOUT(nodes, those_that_are_sound_count, SLOW)
{
	int i, sound = 0;

	for (i = 0; i < firmware.number; i++) {
		if (!firmware.nodes[i].device[0] || defect_of(i) != NONE)
			continue;
		sound++;
		expect_pmu(i);
	}
	EXPECT_LT(0, sound);
}

/* Probes a usable node again, and expects one message in addition to the one with its name. */
static void expect_warning(int index, const char *word)
{
	const struct apmt_node *node = &firmware.nodes[index];
	const char *words[3] = { NULL };
	char id[32];
	int marks[2];

	snprintf(id, sizeof(id), "APMT node %u:", node->id);
	words[0] = id;
	words[1] = word;
	EXPECT_EQ(0, probe_again(node, marks));
	expect_messages(node, marks, 2, words);
	expect_pmu(index);
}

TEST_F_TIMEOUT(nodes, affinity_to_no_cpu, SLOW)
{
	struct apmt_node *node;
	int i, found = 0;
	char word[64];

	for (i = 0; i < firmware.number; i++) {
		node = &firmware.nodes[i];
		if (!node->device[0] || defect_of(i) != NONE || cpus_of(node))
			continue;
		found++;
		snprintf(word, sizeof(word), "%s UID %u:", node->flags & APMT_CONTAINER ?
			 "container" : "processor", node->affinity);
		expect_warning(i, word);
	}
	if (!found)
		SKIP(return, "all nodes of this machine name CPUs that exist");
}

/*
 * The kernel accepts one trigger for each interrupt: the second node with another trigger gets
 * none.
 */
TEST_F_TIMEOUT(nodes, interrupt_with_two_triggers, SLOW)
{
	struct apmt_node *node;
	struct pmu pmu, holder;
	int i, j, found = 0;
	char word[64];

	for (i = 0; i < firmware.number; i++) {
		node = &firmware.nodes[i];
		if (!node->device[0] || defect_of(i) != NONE || !node->interrupt ||
		    !find_pmu(node->device, &pmu) || !pmu_interrupt_is(&pmu, "timer"))
			continue;
		for (j = 0; j < i && firmware.nodes[j].interrupt != node->interrupt; j++)
			;
		if (j == i)
			continue;
		found++;
		snprintf(word, sizeof(word), "interrupt %u,", node->interrupt);
		expect_warning(i, word);
		ASSERT_TRUE(find_pmu(node->device, &pmu));
		EXPECT_TRUE(pmu_interrupt_is(&pmu, "timer"));
		ASSERT_TRUE(find_pmu(firmware.nodes[j].device, &holder));
		EXPECT_TRUE(pmu_interrupt_is(&holder, "wired"));
	}
	if (!found)
		SKIP(return, "no nodes of this machine disagree about an interrupt");
}

/* The address of the second PMU with a name is appended to its name, with a message. */
TEST_F_TIMEOUT(nodes, two_with_the_same_name, SLOW)
{
	const char *words[2] = { NULL };
	char name[PMU_NAME_LENGTH];
	struct apmt_node *node;
	int i, marks[2], found = 0;

	for (i = 0; i < firmware.number; i++) {
		node = &firmware.nodes[i];
		if (!node->device[0] || defect_of(i) != NONE || !is_named_twice(i))
			continue;
		found++;
		name_of(node, name, sizeof(name));
		snprintf(name + strlen(name), sizeof(name) - strlen(name), " already: ");
		words[0] = name;
		EXPECT_EQ(0, probe_again(node, marks));
		expect_messages(node, marks, 2, words);
		expect_pmu(i);
	}
	if (!found)
		SKIP(return, "all PMUs of this machine have a name of their own");
}

/* What PMIRQCR1 and PMIRQCR2 keep */
struct messages {
	bool read_only;
	bool enabled;
	bool can_be_enabled;
};

/* No driver is bound to the device. */
static bool try_messages(__u64 page_0, struct messages *messages)
{
	void *page = page_map(page_0);
	__u32 data;

	if (!page)
		return false;
	data = mmio_read32(page, PMIRQCR1);
	mmio_write32(page, PMIRQCR1, data ^ 1);
	messages->read_only = mmio_read32(page, PMIRQCR1) == data;
	messages->enabled = mmio_read32(page, PMIRQCR2) & PMIRQCR2_MSIEN;
	mmio_write32(page, PMIRQCR2, PMIRQCR2_MSIEN);
	messages->can_be_enabled = mmio_read32(page, PMIRQCR2) & PMIRQCR2_MSIEN;
	mmio_write32(page, PMIRQCR2, 0);
	page_unmap(page);
	return true;
}

/* The wired interrupt never comes: a timer must notice each wrap before the next one. */
static void expect_polled_wraps(struct stimulus *stimulus, const struct pmu *pmu)
{
	struct pmu_hardware hardware;
	int fd, wraps, wait;

	coresight_family.identify(stimulus, &hardware);
	fd = pmu_open(pmu, CORESIGHT_EVENT, -1);
	ASSERT_LE(0, fd);
	stimulus_traffic(stimulus, false);
	stimulus_hold(stimulus, true);
	for (wraps = 0; wraps < 3; wraps++) {
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << hardware.bits);
		for (wait = 0; pmu_overflow_status(stimulus, &hardware) && wait < 1000; wait++)
			usleep(10000);
		EXPECT_EQ(0, pmu_overflow_status(stimulus, &hardware))
			TH_LOG("%s: wrap %d is not noticed", pmu->name, wraps);
	}
	EXPECT_EQ(3ULL << hardware.bits, pmu_value(fd));
	close(fd);
	stimulus_hold(stimulus, false);
	stimulus_traffic(stimulus, true);
}

/*
 * MSIs that the driver cannot disable may be sent instead of the wired interrupt. That it cannot
 * enable them does not mean that they are enabled: Secure software may own them.
 */
TEST_F_TIMEOUT(nodes, messages_beside_an_interrupt, SLOW)
{
	const char *words[2] = { "the device does not assert it" };
	struct stimulus *stimulus = &firmware.stimulus;
	struct messages messages;
	struct apmt_node *node;
	int i, marks[2], found = 0;
	struct pmu pmu;
	bool works;

	for (i = 0; i < firmware.number; i++) {
		node = &firmware.nodes[i];
		if (!node->device[0] || !node->interrupt || defect_of(i) != NONE)
			continue;
		ASSERT_EQ(0, stimulus_choose(stimulus, node->page[0]));
		if (!(stimulus_peek32(stimulus, PMCFGR) & PMCFGR_MSI))
			continue;
		found++;
		ASSERT_EQ(0, device_unbind(firmware.driver, node->device));
		if (!try_messages(node->page[0], &messages))
			SKIP(return, "the kernel does not let /dev/mem map the registers");
		EXPECT_EQ(0, probe_again(node, marks));
		ASSERT_TRUE(find_pmu(node->device, &pmu));
		works = messages.read_only ? !messages.enabled : messages.can_be_enabled;
		EXPECT_TRUE(pmu_interrupt_is(&pmu, works ? "wired" : "timer"))
			TH_LOG("node %u", node->id);
		expect_messages(node, marks, works ? 1 : 2, words + works);
		expect_pmu(i);
		if (messages.read_only)
			expect_polled_wraps(stimulus, &pmu);
	}
	if (!found)
		SKIP(return, "no PMU of this machine has both");
}

TEST_HARNESS_MAIN
