// SPDX-License-Identifier: GPL-2.0
/*
 * Known products: their filters have names, and select everything if nothing is chosen. The
 * registers get the values that the kernel's own driver of Linux 7.3 gives them, and count so.
 */
#include <ctype.h>

#include "coresight_fixture.h"
#include "mmio.h"
#include "refusal.h"

#define MANY	1000003ULL

/* Where the address of an event is in what is injected: in the place of the StreamID. */
#define ADDRESS_SHIFT	26

/* In the machine with errors, firmware describes addresses for a PMU that has no bits for them. */
static bool has_six_root_ports(const struct machine *machine)
{
	return !strcmp(machine->pmu.name, "nvidia_pcie_tgt_pmu_0_rc_6");
}

static bool is_product(const struct machine *machine)
{
	return is_known_product(&machine->pmu) && !has_six_root_ports(machine);
}

PMU_FIXTURE(product, is_product, true)

#define MAX_FIELDS	4

/* The PMU with 8 destinations and addresses. */
#define TARGET	"nvidia_pcie_tgt_pmu__rc_"
#define VERA_TARGET_IIDR	0x1070036bU

/* Fields of an event, and what they make of the filters. */
struct setting {
	const char *product;	/* name of the PMU without digits */
	const char *field[MAX_FIELDS];	/* fields of the event; NULL: no more */
	__u64 value[MAX_FIELDS];	/* of these fields */
	__u32 filter;	/* PMEVFILTR */
	__u32 filter2;	/* PMEVFILT2R */
};

static const struct setting settings[] = {
	{ "nvidia_pcie_pmu_", { NULL }, { 0 }, 0x3ff, 0 },
	{ "nvidia_pcie_pmu_", { "root_port" }, { 0x205 }, 0x205, 0 },
	{ "nvidia_nvlink_cc_pmu_", { NULL }, { 0 }, 0x3, 0 },
	{ "nvidia_nvlink_cc_pmu_", { "port" }, { 0x2 }, 0x2, 0 },
	{ "nvidia_cnvlink_pmu_", { NULL }, { 0 }, 0xf, 0 },
	{ "nvidia_cnvlink_pmu_", { "rem_socket" }, { 0x9 }, 0x9, 0 },
	{ "nvidia_scf_pmu_", { NULL }, { 0 }, 0, 0 },
	{ "nvidia_uncore_pmu_", { NULL }, { 0 }, 0xffffffff, 0xffffffff },
	{ "nvidia_uncore_pmu_", { "filter" }, { 0x80000001 }, 0x80000001, 0xffffffff },
	{ "nvidia_uncore_pmu_", { "filter2" }, { 0x6 }, 0xffffffff, 0x6 },
	{ "nvidia_ucf_pmu_", { NULL }, { 0 }, 0xf07, 0 },
	{ "nvidia_ucf_pmu_", { "src_rem" }, { 1 }, 0xf04, 0 },
	{ "nvidia_ucf_pmu_", { "src_loc_noncpu", "src_loc_cpu" }, { 1, 1 }, 0xf03, 0 },
	{ "nvidia_ucf_pmu_", { "dst_loc_cmem" }, { 1 }, 0x107, 0 },
	{ "nvidia_ucf_pmu_", { "dst_loc_gmem", "dst_loc_other" }, { 1, 1 }, 0x607, 0 },
	{ "nvidia_ucf_pmu_", { "src_loc_cpu", "dst_rem" }, { 1, 1 }, 0x802, 0 },
	{ "nvidia_pcie_pmu__rc_", { NULL }, { 0 }, 0xff, 0x1f },
	{ "nvidia_pcie_pmu__rc_", { "src_rp_mask" }, { 0x81 }, 0x81, 0x1f },
	{ "nvidia_pcie_pmu__rc_", { "src_bdf", "src_bdf_en" }, { 0x108, 1 }, 0x1010800, 0x1f },
	{ "nvidia_pcie_pmu__rc_", { "dst_loc_gmem", "dst_rem" }, { 1, 1 }, 0xff, 0x12 },
	{ "nvidia_pcie_pmu__rc_", { "src_rp_mask", "dst_loc_cmem", "dst_loc_pcie_cxl" },
	  { 0x2, 1, 1 }, 0x2, 0x9 },
	{ TARGET, { NULL }, { 0 }, 0, 0xff },
	{ TARGET, { "dst_rp_mask" }, { 0x42 }, 0, 0x42 },
	/* Without dst_addr_en, an address means nothing. */
	{ TARGET, { "dst_addr_base", "dst_addr_mask" }, { ~0ULL, ~0ULL }, 0,
	  0xff },
	{ "ampere_mcu_pmu_", { NULL }, { 0 }, 0, 0 },
	{ }
};

static bool is_of(const char *name, const char *product)
{
	for (; *name; name++) {
		if (isdigit((unsigned char)*name))
			continue;
		if (*name != *product++)
			return false;
	}
	return !*product;
}

/* The one monitor that is enabled; the cycle counter is another one. */
static unsigned int only_monitor(void)
{
	unsigned int n;

	EXPECT_EQ(1, enabled_monitors());
	for (n = 0; n < CORESIGHT_MONITORS && !is_enabled(n); n++)
		;
	return n;
}

static int open_with(const struct setting *setting, int leader)
{
	struct perf_event_attr attr = attr_of(CORESIGHT_EVENT);
	unsigned int i;

	for (i = 0; i < MAX_FIELDS && setting->field[i]; i++) {
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, setting->field[i], setting->value[i]))
			TH_LOG("%s has no field %s", pmu->name, setting->field[i]);
	}
	return pmu_open_attr(pmu, &attr, leader);
}

static int must_open_with(const struct setting *setting, int leader)
{
	int fd = open_with(setting, leader);

	ASSERT_LE(0, fd)
		TH_LOG("%s=%#llx: %s", setting->field[0], setting->value[0], strerror(-fd));
	return fd;
}

/* What the model counts: a bit is a source, and a destination; no filter lets all pass. */
static bool passes(__u32 filter, __u32 number, unsigned int numbers)
{
	return !filter || filter >> number % numbers & 1;
}

static void expect_filtered_counts(const struct setting *setting, int fd)
{
	unsigned int destinations = is_of(pmu->name, TARGET) ? 8 : 32;
	struct stimulus_event event = { .event = CORESIGHT_EVENT };
	__u64 expected = 0;
	__u32 n;

	for (n = 0; n < 64; n++) {
		event.stream_id = n;
		event.partid = n * 5 % 32;
		stimulus_inject_event(stimulus, &event, MANY + n);
		if (passes(setting->filter, n, 32) &&
		    passes(setting->filter2, event.partid, destinations))
			expected += MANY + n;
		EXPECT_EQ(expected, pmu_value(fd))
			TH_LOG("source %u, destination %u", n, event.partid);
	}
}

/* Twice: the second time, the registers have what the first has left. */
TEST_F_TIMEOUT(product, filters, SLOW)
{
	const struct setting *setting;
	unsigned int round, n, found = 0;
	int fd;

	for (round = 0; round < 2; round++) {
		for (setting = settings; setting->product; setting++) {
			if (!is_of(pmu->name, setting->product))
				continue;
			found++;
			fd = must_open_with(setting, -1);
			n = only_monitor();
			EXPECT_EQ(CORESIGHT_EVENT, stimulus_peek32(stimulus, PMEVTYPER(n)));
			EXPECT_EQ(setting->filter, stimulus_peek32(stimulus, PMEVFILTR(n)))
				TH_LOG("%s=%#llx", setting->field[0], setting->value[0]);
			EXPECT_EQ(setting->filter2, stimulus_peek32(stimulus, PMEVFILT2R(n)))
				TH_LOG("%s=%#llx", setting->field[0], setting->value[0]);
			expect_filtered_counts(setting, fd);
			close(fd);
		}
	}
	EXPECT_LT(0, found)
		TH_LOG("nothing is known of %s", pmu->name);
}

static bool is_vera_pcie(const struct machine *machine)
{
	return is_of(machine->pmu.name, "nvidia_pcie_pmu__rc_");
}

PMU_FIXTURE(vera, is_vera_pcie, true)

static const struct setting requester = {
	.field = { "src_bdf", "src_bdf_en" }, .value = { 0x108, 1 },
};

/* The bits of PMEVFILTR that the filter of one monitor sets for all. */
#define SHARED_FILTER	0x1ffff00U

/* What unused monitors have counts, too; the kernel's own driver leaves what was there before. */
static void expect_requester(unsigned int events, __u32 filter)
{
	unsigned int n;
	__u32 value;

	EXPECT_EQ(events, enabled_monitors());
	for (n = 0; n < hardware->counters; n++) {
		value = stimulus_peek32(stimulus, PMEVFILTR(n)) & SHARED_FILTER;
		if (is_enabled(n) || (value && !pmu->reference))
			EXPECT_EQ(filter, value)
				TH_LOG("monitor %u", n);
	}
}

/*
 * There is one requester for all monitors: a member of a group has that of the leader. Nothing of
 * it is left for the next event.
 */
TEST_F(vera, the_requester_of_a_group)
{
	static const struct setting none = { .field = { NULL } };
	static const struct setting others[] = {
		{ .field = { "src_bdf", "src_bdf_en" }, .value = { 0x110, 1 } },
		{ .field = { "src_rp_mask" }, .value = { 0x1 } },
		{ .field = { "src_bdf", "src_bdf_en", "src_rp_mask" }, .value = { 0x108, 1, 1 } },
	};
	unsigned int i;
	int leader = must_open_with(&requester, -1), member = must_open_with(&none, leader);

	expect_requester(2, 0x1010800);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		EXPECT_EQ(-EINVAL, open_with(&others[i], leader))
			TH_LOG("%u", i);
	}
	close(member);
	close(leader);
	must_open_with(&none, -1);
	expect_requester(1, 0);
}

/* The filter of the cycle counter, which may have fewer bits, is that of its own event. */
TEST_F(vera, cycles_beside_a_requester)
{
	int leader = must_open_with(&requester, -1);

	must_open(pmu->clock, leader);
	EXPECT_EQ(0xff, stimulus_peek32(stimulus, PMCCFILTR));
}

/* Events with different requesters take turns: never both are enabled. */
TEST_F(vera, two_requesters_are_not_counted_at_once)
{
	static const struct setting other = {
		.field = { "src_bdf", "src_bdf_en" }, .value = { 0x110, 1 },
	};
	int first, second;

	first = must_open_with(&requester, -1);
	second = must_open_with(&other, -1);
	EXPECT_EQ(1, enabled_monitors());
	close(first);
	ASSERT_EQ(0, ioctl(second, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(second, PERF_EVENT_IOC_ENABLE, 0));
	expect_requester(1, 0x1011000);
}

/* After a reset, monitors that are not used have any filter. */
TEST_F_TIMEOUT(vera, the_requester_after_a_reset, SLOW)
{
	unsigned int round;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	must_open_with(&requester, -1);
	for (round = 0; round < 3; round++) {
		stimulus_lose_state(stimulus, 400 + round);
		ASSERT_EQ(0, power_suspend());
		expect_requester(1, 0x1010800);
	}
}

static bool is_vera_target(const struct machine *machine)
{
	return is_of(machine->pmu.name, TARGET) && !has_six_root_ports(machine);
}

PMU_FIXTURE(target, is_vera_target, true)

static struct setting of_address(__u64 base, __u64 mask)
{
	return (struct setting){
		.field = { "dst_addr_en", "dst_addr_base", "dst_addr_mask" },
		.value = { 1, base, mask },
	};
}

static void inject_at(__u64 address, __u16 port, __u64 n)
{
	const struct stimulus_event event = {
		.event = CORESIGHT_EVENT, .stream_id = address >> ADDRESS_SHIFT, .partid = port,
	};

	stimulus_inject_event(stimulus, &event, n);
}

/* Base and mask have 64 bits; each bit of both counts. */
TEST_F_TIMEOUT(target, addresses, SLOW)
{
	struct setting setting;
	unsigned int bit;
	__u64 base;
	int fd;

	for (bit = ADDRESS_SHIFT; bit < 58; bit++) {
		base = 0x2a5a5a580000000ULL ^ 1ULL << bit;
		setting = of_address(base, 0x3fffffffc000000);
		fd = must_open_with(&setting, -1);
		inject_at(base, 3, MANY);
		inject_at(base ^ 1ULL << bit, 3, 1);
		EXPECT_EQ(MANY, pmu_value(fd))
			TH_LOG("bit %u of the base", bit);
		close(fd);
		setting = of_address(base, ~(1ULL << bit));
		fd = must_open_with(&setting, -1);
		inject_at(base, 3, MANY);
		inject_at(base ^ 1ULL << bit, 3, MANY);
		inject_at(base ^ (bit > 30 ? 1ULL << 29 : 1ULL << 31), 3, 1);
		EXPECT_EQ(2 * MANY, pmu_value(fd))
			TH_LOG("bit %u of the mask", bit);
		close(fd);
	}
}

/* With root ports, both must match. */
TEST_F(target, an_address_and_root_ports)
{
	struct setting setting = of_address(0x40000000, ~0ULL << ADDRESS_SHIFT);
	int fd;

	setting.field[3] = "dst_rp_mask";
	setting.value[3] = 0x4;
	fd = must_open_with(&setting, -1);
	inject_at(0x40000000, 2, MANY);
	inject_at(0x40000000, 3, 1);
	inject_at(0x80000000, 2, 1);
	EXPECT_EQ(MANY, pmu_value(fd));
}

/* Beside events without one, which are on the other monitors. */
TEST_F_TIMEOUT(target, eight_addresses_at_once, SLOW)
{
	static const struct setting none = { .field = { NULL } };
	__u64 values[10], expected[10] = { 0 };
	struct setting setting;
	int leader, n;

	ASSERT_EQ(10, coresight_of(machine).monitors);
	leader = must_open_leader(CORESIGHT_EVENT);
	must_open_with(&none, leader);
	for (n = 2; n < 10; n++) {
		setting = of_address((__u64)n << ADDRESS_SHIFT, ~0ULL << ADDRESS_SHIFT);
		must_open_with(&setting, leader);
	}
	for (n = 0; n < 12; n++) {
		inject_at((__u64)n << ADDRESS_SHIFT, n % 8, MANY + n);
		expected[0] += MANY + n;
		expected[1] += MANY + n;
		if (n >= 2 && n < 10)
			expected[n] += MANY + n;
	}
	ASSERT_EQ(0, pmu_read_group(leader, values, 10));
	for (n = 0; n < 10; n++) {
		EXPECT_EQ(expected[n], values[n])
			TH_LOG("event %d", n);
	}
}

/*
 * A pinned event that came while others had the monitors without a slot, and is not
 * moved later, is not in the way of an address.
 */
TEST_F(target, eight_addresses_beside_a_pinned_event)
{
	static const struct setting none = { .field = { NULL } };
	int others[2], pinned, fds[8], n;
	struct setting setting;

	others[0] = must_open_with(&none, -1);
	others[1] = must_open_with(&none, -1);
	pinned = must_open_pinned(CORESIGHT_EVENT);
	close(others[0]);
	close(others[1]);
	for (n = 0; n < 8; n++) {
		setting = of_address((__u64)n << ADDRESS_SHIFT, ~0ULL << ADDRESS_SHIFT);
		fds[n] = must_open_with(&setting, -1);
	}
	EXPECT_EQ(9, enabled_monitors());
	for (n = 0; n < 8; n++)
		inject_at((__u64)n << ADDRESS_SHIFT, n, MANY + n);
	for (n = 0; n < 8; n++) {
		EXPECT_EQ(MANY + n, pmu_value(fds[n]))
			TH_LOG("address %d", n);
	}
	EXPECT_EQ(8 * MANY + 28, pmu_value(pinned));
}

/* A ninth one has no monitor in a group of addresses, be they the same or not. */
TEST_F(target, no_ninth_address)
{
	struct setting setting = of_address(0, ~0ULL);
	int leader = -1, fd, n;

	for (n = 0; n < 8; n++) {
		fd = must_open_with(&setting, leader);
		leader = leader < 0 ? fd : leader;
	}
	EXPECT_EQ(-EINVAL, open_with(&setting, leader));
}

/* Registers of slot n: bit 0 enables it. */
#define SLOT_CONTROL(n)	(0xd38U + 20 * (n))

/* The firmware of the VM gives its second device of this kind the window. */
#define WINDOW_DEVICE	"SPMU0003:01"

TEST_F(target, no_slot_is_left_enabled)
{
	struct setting setting = of_address(0x40000000, ~0ULL << ADDRESS_SHIFT);
	__u64 address;
	void *window;
	int fds[3], n;

	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "this driver cannot be unbound");
	for (n = 0; n < 3; n++)
		fds[n] = must_open_with(&setting, -1);
	for (n = 0; n < 3; n++)
		close(fds[n]);
	must_unbind();
	ASSERT_EQ(0, device_address(WINDOW_DEVICE, &address));
	window = page_map(address);
	for (n = 0; window && n < 8; n++) {
		EXPECT_EQ(0, mmio_read32(window, SLOT_CONTROL(n)) & 1)
			TH_LOG("slot %d", n);
	}
	if (window)
		page_unmap(window);
	EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
}

/* Cycles are event 4, whatever else is chosen. */
TEST_F(target, cycles)
{
	struct perf_event_attr attr;
	unsigned int ports;
	int fd;

	for (ports = 0; ports < 4; ports += 3) {
		attr = attr_of(4);
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "dst_rp_mask", ports));
		fd = must_open_attr(&attr, -1);
		EXPECT_EQ(CORESIGHT_CYCLE_COUNTER, only_monitor());
		EXPECT_EQ(0, stimulus_peek32(stimulus, PMCCFILTR));
		stimulus_inject(stimulus, 0x11, SOURCE, MANY);
		EXPECT_LE(MANY, pmu_value(fd));
		close(fd);
	}
}

PMU_FIXTURE(few_ports, has_six_root_ports, true)

/* An event that selects what no monitor has would count nothing. */
TEST_F(few_ports, others_are_refused)
{
	struct setting address = of_address(0, 0), ports = { .field = { "dst_rp_mask" } };
	unsigned int port;
	int fd;

	for (port = 0; port < 8; port++) {
		ports.value[0] = 1U << port;
		fd = open_with(&ports, -1);
		if (port >= 6) {
			EXPECT_EQ(-EINVAL, fd);
			continue;
		}
		ASSERT_LE(0, fd);
		inject_at(0, port, MANY);
		EXPECT_EQ(MANY, pmu_value(fd));
		close(fd);
	}
	EXPECT_EQ(-EINVAL, open_with(&address, -1));
}

/* A devicetree does not describe the ACPI device that has the address filters. */
static bool has_no_slots(const struct machine *machine)
{
	struct stimulus stimulus = machine->stimulus;

	return !is_product(machine) && !has_six_root_ports(machine) && machine->stimulus.page &&
	       stimulus_peek32(&stimulus, PMIIDR) == VERA_TARGET_IIDR;
}

PMU_FIXTURE(slotless, has_no_slots, true)

TEST_F_TIMEOUT(slotless, counts_by_root_ports_only, SLOW)
{
	static const struct setting ports = { .field = { "dst_rp_mask" }, .value = { 0x4 } };
	struct refusal refusal;
	int fd;

	allow_messages();
	refusal = refusal_of(CORESIGHT_EVENT, "dst_addr_en");
	ASSERT_EQ(0, pmu_set_field(pmu, &refusal.attr, "dst_addr_en", 1));
	expect_message(&refusal);
	fd = must_open_with(&ports, -1);
	inject_at(0x40000000, 2, MANY);
	inject_at(0x40000000, 3, 1);
	EXPECT_EQ(MANY, pmu_value(fd));
}

static bool is_ampere(const struct machine *machine)
{
	return is_of(machine->pmu.name, "ampere_mcu_pmu_");
}

PMU_FIXTURE(ampere, is_ampere, true)

/* Three registers for all monitors, written when an event is programmed. */
TEST_F(ampere, threshold_rank_and_bank)
{
	static const struct setting all = {
		.field = { "threshold", "rank", "bank" }, .value = { 0xa5, 0x8001, 0x80000001 },
	};
	static const struct setting none = { .field = { NULL } };
	static const struct setting others[] = {
		{ .field = { NULL } },
		{ .field = { "threshold", "rank", "bank" }, .value = { 0xa4, 0x8001, 0x80000001 } },
		{ .field = { "threshold", "rank", "bank" }, .value = { 0xa5, 0x8002, 0x80000001 } },
		{ .field = { "threshold", "rank", "bank" }, .value = { 0xa5, 0x8001, 0x80000000 } },
	};
	unsigned int i, round;
	int fd, second;

	for (round = 0; round < 2; round++) {
		fd = must_open_with(&all, -1);
		EXPECT_EQ(0xa5, stimulus_peek32(stimulus, PMIMPDEF(0)));
		EXPECT_EQ(0x8001, stimulus_peek32(stimulus, PMIMPDEF(1)));
		EXPECT_EQ(0x80000001, stimulus_peek32(stimulus, PMIMPDEF(2)));
		second = must_open_with(&all, fd);
		for (i = 0; i < ARRAY_SIZE(others); i++) {
			EXPECT_EQ(-EINVAL, open_with(&others[i], fd))
				TH_LOG("%u", i);
		}
		close(second);
		close(fd);
		fd = must_open_with(&none, -1);
		for (i = 0; i < 3; i++)
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMIMPDEF(i)));
		close(fd);
	}
}

static void bind_in_order(const struct pmu *pmus[2])
{
	char name[PMU_NAME_LENGTH], device[PMU_NAME_LENGTH];
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, device_unbind(pmus[i]->driver, pmus[i]->device));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, device_bind(pmus[i]->driver, pmus[i]->device));
		snprintf(name, sizeof(name), "ampere_mcu_pmu_%d", i);
		ASSERT_EQ(0, device_of_pmu(name, device, sizeof(device)))
			TH_LOG("%s", name);
		EXPECT_STREQ(pmus[i]->device, device);
	}
}

/* Firmware does not number the PMUs of this product: a PMU has the lowest free number. */
TEST_F_TIMEOUT(ampere, is_numbered_as_it_is_bound, SLOW)
{
	struct pmu first, second;
	int fd;

	if (pmu_find(&first, "ampere_mcu_pmu_0") || pmu_find(&second, "ampere_mcu_pmu_1"))
		SKIP(return, "this needs two PMUs of the product");
	allow_messages();
	bind_in_order((const struct pmu *[]){ &second, &first });
	bind_in_order((const struct pmu *[]){ &first, &second });
	/* The number of a PMU that was unbound is free when its last event is closed. */
	fd = pmu_open(&first, CORESIGHT_EVENT, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_unbind(first.driver, first.device));
	ASSERT_EQ(0, device_unbind(second.driver, second.device));
	EXPECT_EQ(0, device_bind(second.driver, second.device));
	EXPECT_EQ(0, pmu_find(&second, "ampere_mcu_pmu_1"));
	close(fd);
	EXPECT_EQ(0, device_bind(first.driver, first.device));
	EXPECT_EQ(0, pmu_find(&first, "ampere_mcu_pmu_0"));
}

TEST_HARNESS_MAIN
