// SPDX-License-Identifier: GPL-2.0
/*
 * PMU snapshots of QEMU's CPU (Arm ARM D13.9, D24.5) as software at EL1, EL2 or EL3 sees them: a
 * program that runs without an operating system, and prints TAP by semihosting. EL is the highest
 * Exception level of the machine; at EL1 it has two CPUs. FGT2, RESERVED_SSE, NC_WRITES, COMPLETES
 * and CPUS are properties of the device, and ABSENT says that there is none.
 */
#include "bare.h"

#ifndef FGT2
#define FGT2	0
#endif
#ifndef RESERVED_SSE
#define RESERVED_SSE	0
#endif
#ifndef NC_WRITES
#define NC_WRITES	0
#endif
#ifndef COMPLETES
#define COMPLETES	0
#endif
#ifndef CPUS
#define CPUS	3
#endif
#ifndef ABSENT
#define ABSENT	0
#endif

#define PMSSCR		"S3_0_C9_C13_3"
#define PMECR		"S3_0_C9_C14_5"
#define PMCCNTSVR	"S2_0_C14_C11_7"
#define PMICNTSVR	"S2_0_C14_C12_0"
#define PMEVCNTSVR0	"S2_0_C14_C8_0"
#define PMEVCNTSVR5	"S2_0_C14_C8_5"
#define PMEVCNTSVR6	"S2_0_C14_C8_6"
#define HDFGRTR2	"S3_4_C3_C1_0"
#define HDFGWTR2	"S3_4_C3_C1_1"
#define OSLAR		"S2_0_C1_C0_4"

#define SS		0x1ULL
#define NC		0x100000000ULL

/* Events, and the filter that lets them count at EL2, too */
#define SW_INCR		0x0
#define CYCLES		0x11
#define SNAPSHOT	0x8127
#define NSH		BIT(27)

#define PMCR_E		BIT(0)
#define PMCR_RESET	(3ULL << 1)
#define PMCR_LC		BIT(6)
#define CYCLE_COUNTER	BIT(31)

#define MDCR_TPM	BIT(6)
#define MDCR_EL3_ENPM2	BIT(7)
#define MDCR_EL3_SPME	BIT(17)
#define MDCR_EL3_ENPMSS	BIT(44)
#define MDCR_EL3_USUAL	(MDCR_EL3_ENPM2 | MDCR_EL3_SPME | MDCR_EL3_ENPMSS)

#define COUNTERS	6

/* Registers of the device's page, of a CPU. */
enum {
	PMSSE, DELAY, CAPTURE, RESET, OVERFLOW, READS, WRITES, CAPTURES, LIVE_READS, INCREMENT,
	STEP,
};

#define PAGE		((volatile uint64_t *)0x0b010000)
#define PAGE_OF_1	((volatile uint64_t *)0x0b010080)

enum captures { DISABLED, PROHIBITED, ALLOWED };

static uint64_t captured(unsigned int n)
{
	switch (n) {
	case 0:
		return READ(PMEVCNTSVR0);
	case 1:
		return READ("S2_0_C14_C8_1");
	case 2:
		return READ("S2_0_C14_C8_2");
	case 3:
		return READ("S2_0_C14_C8_3");
	case 4:
		return READ("S2_0_C14_C8_4");
	default:
		return READ(PMEVCNTSVR5);
	}
}

static uint64_t live(unsigned int n)
{
	WRITE("PMSELR_EL0", n);
	return READ("PMXEVCNTR_EL0");
}

/* The counters are zero and count this event. */
static void count(uint64_t event)
{
	unsigned int n;

	WRITE("PMCNTENCLR_EL0", ~0ULL);
	for (n = 0; n < COUNTERS; n++) {
		WRITE("PMSELR_EL0", n);
		WRITE("PMXEVTYPER_EL0", event | NSH);
	}
	WRITE("PMCCFILTR_EL0", NSH);
	WRITE("PMCR_EL0", PMCR_LC | PMCR_RESET);
	WRITE("PMOVSCLR_EL0", ~0ULL);
	WRITE("PMCNTENSET_EL0", CYCLE_COUNTER | ((1 << COUNTERS) - 1));
	WRITE("PMCR_EL0", PMCR_LC | PMCR_E);
}

static void control(unsigned int el3, unsigned int el2, unsigned int sse)
{
	if (EL == 3)
		WRITE("MDCR_EL3", MDCR_EL3_USUAL | (uint64_t)el3 << 30);
	else
		PAGE[PMSSE] = el3;
	if (EL >= 2)
		WRITE("MDCR_EL2", COUNTERS | (uint64_t)el2 << 30);
	WRITE(PMECR, sse << 3);
}

static void control_as_usual(void)
{
	control(1, 1, 3);
	WRITE(OSLAR, 0);
	PAGE[DELAY] = 0;
}

static void capture(void)
{
	WRITE(PMSSCR, NC | SS);
}

/* Table D13-10 from top to bottom, and the reserved value of SSE. */
static enum captures table(unsigned int el3, unsigned int el2, unsigned int sse)
{
	static const enum captures by_level[] = { DISABLED, DISABLED, PROHIBITED, ALLOWED };

	if (el3 != 1)
		return by_level[el3];
	if (EL >= 2 && el2 != 1)
		return by_level[el2];
	return sse == 1 ? by_level[RESERVED_SSE] : by_level[sse];
}

/* Runs first: NC is set, and the OS Lock is locked, which prohibits a capture. */
static void reset(void)
{
	EXPECT_EQ(NC, READ(PMSSCR));
	control(1, 1, 3);
	WRITE(PMSSCR, 0);
	EXPECT_EQ(0, READ(PMSSCR));
	WRITE(PMSSCR, SS);
	EXPECT_EQ(NC, READ(PMSSCR));
	EXPECT_EQ(0, PAGE[CAPTURES]);
	WRITE(OSLAR, 0);
	WRITE(PMSSCR, NC | SS);
	EXPECT_EQ(0, READ(PMSSCR));
	EXPECT_EQ(1, PAGE[CAPTURES]);
}

/* Other fields are as before, for example PMUVer and PARange. */
static void identification(void)
{
	EXPECT_EQ(1, READ("ID_AA64DFR0_EL1") >> 16 & 0xf);
	EXPECT_TRUE(READ("ID_AA64DFR0_EL1") >> 8 & 0xf);
	EXPECT_TRUE(READ("ID_AA64MMFR0_EL1") & 0xf);
	if (FGT2)
		EXPECT_EQ(2, READ("ID_AA64MMFR0_EL1") >> 56 & 0xf);
}

/* One row, by software or by an external request, from either value of NC. */
static void ending(unsigned int el3, unsigned int el2, unsigned int sse, unsigned int i)
{
	enum captures expected = table(el3, el2, sse);
	uint64_t nc = i & 1 ? NC : 0, one = expected == ALLOWED, before, captures, after;

	count(SW_INCR);
	control_as_usual();
	capture();
	WRITE(PMSSCR, nc);
	before = captured(0);
	captures = PAGE[CAPTURES];
	WRITE("PMSWINC_EL0", 1);
	control(el3, el2, sse);
	if (i & 2)
		PAGE[CAPTURE] = 1;
	else
		WRITE(PMSSCR, nc | SS);
	after = expected == DISABLED ? nc : expected == PROHIBITED ? NC : 0;
	if (!EXPECT_EQ(after, READ(PMSSCR)) || !EXPECT_EQ(before + one, captured(0)) ||
	    !EXPECT_EQ(captures + one, PAGE[CAPTURES])) {
		print("# row ");
		print_number(el3 << 8 | el2 << 4 | sse, 16);
		print("\n");
	}
}

static void each_row(void)
{
	unsigned int i;

	for (i = 0; i < 64 * 4; i++)
		ending(i >> 6, i >> 4 & 3, i >> 2 & 3, i & 3);
	control_as_usual();
}

static void os_lock(void)
{
	control_as_usual();
	capture();
	EXPECT_EQ(0, READ(PMSSCR));
	WRITE(OSLAR, 1);
	capture();
	EXPECT_EQ(NC, READ(PMSSCR));
	WRITE(OSLAR, 0);
}

/* All counters have started at one time, so their captured values are equal. */
static void one_time(void)
{
	unsigned int i, n, unequal = 0;

	control_as_usual();
	count(CYCLES);
	for (i = 0; i < 1000; i++) {
		capture();
		for (n = 0; n < COUNTERS; n++) {
			if (captured(n) != READ(PMCCNTSVR))
				unequal++;
		}
	}
	EXPECT_EQ(0, unequal);
	EXPECT_TRUE(captured(0) > 1000);
	EXPECT_TRUE(live(0) < live(1));
	EXPECT_TRUE(live(0) > captured(0));
}

static void software_increments(void)
{
	unsigned int i, n;

	control_as_usual();
	count(SW_INCR);
	capture();
	for (i = 0; i < 100; i++) {
		WRITE("PMSWINC_EL0", 0x3f);
		WRITE("PMSWINC_EL0", 0x15);
		EXPECT_EQ(i, captured(1));
		capture();
		for (n = 0; n < COUNTERS; n++) {
			EXPECT_EQ(n % 2 ? i + 1 : 2 * i + 2, captured(n));
			EXPECT_EQ(captured(n), live(n));
		}
	}
	WRITE("PMSELR_EL0", 0);
	WRITE("PMXEVCNTR_EL0", 0xffffffff);
	WRITE("PMSWINC_EL0", 1);
	capture();
	EXPECT_EQ(live(0), captured(0));
}

/* It is counted after the capture, and not when the capture is prohibited. */
static void snapshot_event(void)
{
	unsigned int i;

	control_as_usual();
	count(SNAPSHOT);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(i, live(5));
		capture();
		EXPECT_EQ(i, captured(5));
	}
	control(2, 2, 2);
	capture();
	EXPECT_EQ(10, live(5));
	control_as_usual();
	WRITE("PMCNTENCLR_EL0", 1 << 5);
	capture();
	EXPECT_EQ(10, live(5));
	EXPECT_EQ(11, live(4));
	WRITE("PMSELR_EL0", 4);
	WRITE("PMXEVCNTR_EL0", 0xffffffff);
	EXPECT_EQ(0, READ("PMOVSCLR_EL0"));
	capture();
	EXPECT_EQ(1 << 4, READ("PMOVSCLR_EL0"));
	EXPECT_EQ(0xffffffff, captured(4));
	EXPECT_EQ(SNAPSHOT | NSH, READ("PMXEVTYPER_EL0"));
}

/* The counters are captured when it completes; a second request changes nothing. */
static void delay(void)
{
	unsigned int i;

	control_as_usual();
	count(SW_INCR);
	capture();
	PAGE[DELAY] = 5;
	capture();
	WRITE("PMSWINC_EL0", 1);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(NC | SS, READ(PMSSCR));
		EXPECT_EQ(0, captured(0));
		if (i == 2)
			WRITE(PMSSCR, NC | SS);
	}
	EXPECT_EQ(0, READ(PMSSCR));
	EXPECT_EQ(1, captured(0));
	PAGE[DELAY] = 1;
	capture();
	EXPECT_EQ(NC | SS, READ(PMSSCR));
	EXPECT_EQ(0, READ(PMSSCR));
	PAGE[DELAY] = 0;
	capture();
	EXPECT_EQ(0, READ(PMSSCR));
}

static void overflow(void)
{
	control_as_usual();
	count(SW_INCR);
	PAGE[OVERFLOW] = 0x21;
	control(2, 2, 2);
	capture();
	EXPECT_EQ(0, READ("PMOVSCLR_EL0"));
	control_as_usual();
	capture();
	EXPECT_EQ(0x21, READ("PMOVSCLR_EL0"));
	EXPECT_EQ(0, PAGE[OVERFLOW]);
	WRITE("PMOVSCLR_EL0", 0x21);
	capture();
	EXPECT_EQ(0, READ("PMOVSCLR_EL0"));
}

static void accesses(void)
{
	control_as_usual();
	PAGE[READS] = 0;
	PAGE[WRITES] = 0;
	capture();
	READ(PMSSCR);
	captured(0);
	READ(PMCCNTSVR);
	EXPECT_EQ(3, PAGE[READS]);
	EXPECT_EQ(1, PAGE[WRITES]);
	PAGE[LIVE_READS] = 0;
	live(0);
	READ("PMEVCNTR5_EL0");
	READ("PMCCNTR_EL0");
	EXPECT_EQ(3, PAGE[LIVE_READS]);
	EXPECT_EQ(3, PAGE[READS]);
}

/* By the page: now, and before each read of a counter, live or captured. */
static void increments_of_page(void)
{
	unsigned int n;

	control_as_usual();
	count(SW_INCR);
	PAGE[INCREMENT] = 0x3;
	EXPECT_EQ(1, live(0));
	EXPECT_EQ(1, live(1));
	EXPECT_EQ(0, live(2));
	PAGE[STEP] = 0x3f;
	for (n = 0; n < COUNTERS; n++)
		EXPECT_EQ((n < 2) + n + 1, live(n));
	capture();
	for (n = 0; n < COUNTERS; n++)
		EXPECT_EQ((n < 2) + COUNTERS, captured(n));
	READ(PMSSCR);
	PAGE[STEP] = 0;
	EXPECT_EQ(2 * COUNTERS, live(2));
}

/* As when the CPU has lost its power: what is UNKNOWN depends on the seed only. */
static void loss_of_power(void)
{
	unsigned int seed, seen = 0;
	uint64_t value;

	for (seed = 0; seed < 32; seed++) {
		control_as_usual();
		capture();
		value = captured(0);
		PAGE[RESET] = seed;
		EXPECT_EQ(NC, READ(PMSSCR));
		EXPECT_TRUE(captured(0) != value);
		seen |= 1 << (READ(PMECR) >> 3);
	}
	EXPECT_EQ(0xf, seen);
}

static void undefined(void)
{
	control_as_usual();
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(WRITE(PMCCNTSVR, 0)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(WRITE(PMEVCNTSVR0, 0)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMEVCNTSVR6)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMICNTSVR)));
	EXPECT_EQ(NOTHING, CONSEQUENCE(READ(PMEVCNTSVR5)));
	EXPECT_EQ(NOTHING, CONSEQUENCE(READ(PMCCNTSVR)));
	EXPECT_EQ(NOTHING, CONSEQUENCE(READ(PMECR)));
}

static void access_at_el0(void)
{
	EXPECT_EQ(UNDEFINED_AT(1), CONSEQUENCE(READ(PMSSCR)));
	EXPECT_EQ(UNDEFINED_AT(1), CONSEQUENCE(WRITE(PMSSCR, SS)));
	EXPECT_EQ(UNDEFINED_AT(1), CONSEQUENCE(READ(PMECR)));
	EXPECT_EQ(UNDEFINED_AT(1), CONSEQUENCE(READ(PMCCNTSVR)));
	EXPECT_EQ(UNDEFINED_AT(1), CONSEQUENCE(READ(PMEVCNTSVR0)));
}

static void el0(void)
{
	run_at(0, access_at_el0);
}

/* What accesses at EL1 do, in this order. */
static struct {
	uint64_t read_control;
	uint64_t write_control;
	uint64_t read_sse;
	uint64_t write_sse;
	uint64_t read_data[3];
} seen;

static void access_at_el1(void)
{
	seen.read_control = CONSEQUENCE(READ(PMSSCR));
	seen.write_control = CONSEQUENCE(WRITE(PMSSCR, NC));
	seen.read_sse = CONSEQUENCE(READ(PMECR));
	seen.write_sse = CONSEQUENCE(WRITE(PMECR, 0));
	seen.read_data[0] = CONSEQUENCE(READ(PMCCNTSVR));
	seen.read_data[1] = CONSEQUENCE(READ(PMEVCNTSVR0));
	seen.read_data[2] = CONSEQUENCE(READ(PMEVCNTSVR5));
}

/* Expects these consequences at an Exception level; data: of all three. */
static void expect_at(unsigned int el, uint64_t read_control, uint64_t write_control,
		      uint64_t read_sse, uint64_t write_sse, uint64_t data, unsigned int line)
{
	unsigned int i;

	run_at(el, access_at_el1);
	expect(read_control, seen.read_control, line);
	expect(write_control, seen.write_control, line);
	expect(read_sse, seen.read_sse, line);
	expect(write_sse, seen.write_sse, line);
	for (i = 0; i < 3; i++)
		expect(data, seen.read_data[i], line);
}

#define EXPECT_AT(...)	expect_at(__VA_ARGS__, __LINE__)

static void traps_to_el2(void)
{
	unsigned int n;

	control_as_usual();
	EXPECT_AT(1, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING);
	WRITE("MDCR_EL2", COUNTERS | MDCR_TPM);
	EXPECT_AT(1, NOTHING, NOTHING, TRAP_TO(2), TRAP_TO(2), NOTHING);
	for (n = 0; n <= COUNTERS; n++) {
		WRITE("MDCR_EL2", n);
		run_at(1, access_at_el1);
		EXPECT_EQ(NOTHING, seen.read_data[0]);
		EXPECT_EQ(n > 0 ? NOTHING : TRAP_TO(2), seen.read_data[1]);
		EXPECT_EQ(n > 5 ? NOTHING : TRAP_TO(2), seen.read_data[2]);
	}
	control_as_usual();
}

static void fine_grained_traps(void)
{
	uint64_t trap = TRAP_TO(2);

	control_as_usual();
	WRITE(HDFGRTR2, ~0ULL);
	WRITE(HDFGWTR2, ~0ULL);
	EXPECT_AT(1, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING);
	WRITE(HDFGRTR2, ~0x80ULL);
	EXPECT_AT(1, trap, NOTHING, NOTHING, NOTHING, NOTHING);
	WRITE(HDFGRTR2, ~0x40ULL);
	EXPECT_AT(1, NOTHING, NOTHING, NOTHING, NOTHING, trap);
	WRITE(HDFGRTR2, ~0x01ULL);
	EXPECT_AT(1, NOTHING, NOTHING, trap, NOTHING, NOTHING);
	WRITE(HDFGRTR2, ~0ULL);
	WRITE(HDFGWTR2, ~0x80ULL);
	EXPECT_AT(1, NOTHING, trap, NOTHING, NOTHING, NOTHING);
	WRITE(HDFGWTR2, ~0x01ULL);
	EXPECT_AT(1, NOTHING, NOTHING, NOTHING, trap, NOTHING);
	WRITE(HDFGWTR2, 0);
	WRITE(HDFGRTR2, 0);
	EXPECT_AT(1, trap, trap, trap, trap, trap);
	EXPECT_EQ(0, READ(HDFGRTR2));
	WRITE("S3_4_C3_C1_2", 5);
	WRITE("S3_4_C3_C1_3", 6);
	WRITE("S3_4_C3_C1_7", 7);
	EXPECT_EQ(5, READ("S3_4_C3_C1_2"));
	EXPECT_EQ(6, READ("S3_4_C3_C1_3"));
	EXPECT_EQ(7, READ("S3_4_C3_C1_7"));
}

static void traps_to_el3(void)
{
	uint64_t trap = TRAP_TO(3);
	unsigned int el;

	for (el = 1; el <= 2; el++) {
		control_as_usual();
		EXPECT_AT(el, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING);
		WRITE("MDCR_EL3", MDCR_EL3_ENPM2);
		EXPECT_AT(el, trap, trap, NOTHING, NOTHING, trap);
		WRITE("MDCR_EL3", MDCR_EL3_ENPMSS);
		EXPECT_AT(el, NOTHING, NOTHING, trap, trap, NOTHING);
		WRITE("MDCR_EL3", MDCR_EL3_ENPMSS | MDCR_EL3_ENPM2 | MDCR_TPM);
		EXPECT_AT(el, NOTHING, NOTHING, trap, trap, NOTHING);
		WRITE("MDCR_EL3", 0);
		EXPECT_EQ(NOTHING, CONSEQUENCE(READ(PMSSCR)));
		EXPECT_EQ(NOTHING, CONSEQUENCE(READ(PMECR)));
	}
	control_as_usual();
}

/* An AArch32 EL1 that has the control enables nothing. */
static void aarch32(void)
{
	control_as_usual();
	capture();
	WRITE("HCR_EL2", 0);
	WRITE(PMSSCR, NC | SS);
	EXPECT_EQ(NC, READ(PMSSCR));
	control(1, 3, 0);
	WRITE(PMSSCR, NC | SS);
	EXPECT_EQ(0, READ(PMSSCR));
	WRITE("HCR_EL2", HCR_EL2_RW);
}

/* What the second CPU does next. */
static void (*volatile job)(void);
static volatile uint64_t answer;

/* An exception would find the stack of this CPU, since the first one waits meanwhile. */
void secondary(void)
{
	prepare();
	for (;;) {
		while (!job)
			give_way();
		job();
		job = 0;
	}
}

static void on_second(void (*function)(void))
{
	job = function;
	while (job)
		give_way();
}

static void turn_on(void)
{
	EXPECT_EQ(0, psci(PSCI_CPU_ON, 1, (uint64_t)secondary_start));
}

static void turn_off_here(void)
{
	job = 0;
	psci(PSCI_CPU_OFF, 0, 0);
}

static void turn_off(void)
{
	job = turn_off_here;
	while (psci(PSCI_AFFINITY_INFO, 1, 0) != 1)
		give_way();
}

static void read_control_here(void)
{
	answer = READ(PMSSCR);
}

static void read_sse_here(void)
{
	answer = READ(PMECR) >> 3;
}

static void count_here(void)
{
	WRITE(PMECR, 3 << 3);
	WRITE(OSLAR, 0);
	count(SW_INCR);
}

static void wait_for_count_here(void)
{
	while (!live(2))
		give_way();
}

static void read_captured_here(void)
{
	answer = captured(2);
}

/* A request reaches the other CPU, unless it is off, and nothing else. */
static void other_cpu(void)
{
	uint64_t captures = PAGE[CAPTURES];

	turn_on();
	on_second(count_here);
	PAGE_OF_1[INCREMENT] = 1 << 2;
	on_second(wait_for_count_here);
	PAGE_OF_1[CAPTURE] = 1;
	while (!PAGE_OF_1[CAPTURES])
		give_way();
	on_second(read_captured_here);
	EXPECT_EQ(1, answer);
	on_second(read_control_here);
	EXPECT_EQ(0, answer);
	EXPECT_EQ(captures, PAGE[CAPTURES]);

	turn_off();
	captures = PAGE_OF_1[CAPTURES];
	PAGE_OF_1[CAPTURE] = 1;
	turn_on();
	on_second(read_control_here);
	EXPECT_EQ(NC, answer);
	EXPECT_EQ(captures, PAGE_OF_1[CAPTURES]);
	turn_off();
}

/* SSE is UNKNOWN when a CPU is turned on, and NC is set. */
static void hotplug(void)
{
	unsigned int i, seen = 0;

	for (i = 0; i < 32; i++) {
		turn_on();
		on_second(read_sse_here);
		seen |= 1 << answer;
		on_second(read_control_here);
		EXPECT_EQ(NC, answer);
		on_second(count_here);
		turn_off();
	}
	EXPECT_EQ(0xf, seen);
}

static void read_absent_here(void)
{
	answer = CONSEQUENCE(READ(PMSSCR)) << 16 | (READ("ID_AA64DFR0_EL1") >> 16 & 0xf);
}

static void only_one_cpu(void)
{
	turn_on();
	on_second(read_absent_here);
	EXPECT_EQ(UNDEFINED_AT(1) << 16, answer);
	EXPECT_EQ(0, PAGE_OF_1[PMSSE]);
	PAGE_OF_1[CAPTURE] = 1;
	PAGE_OF_1[PMSSE] = 3;
	EXPECT_EQ(0, PAGE_OF_1[PMSSE]);
	turn_off();
}

static void writes_of_nc(void)
{
	control_as_usual();
	PAGE[DELAY] = 0;
	capture();
	WRITE(PMSSCR, NC);
	EXPECT_EQ(NC_WRITES == 2 ? 0 : NC, READ(PMSSCR));
	capture();
	control(0, 0, 0);
	WRITE(PMSSCR, NC);
	EXPECT_EQ(NC_WRITES ? 0 : NC, READ(PMSSCR));
}

static void second_request(void)
{
	control_as_usual();
	PAGE[DELAY] = 10;
	WRITE(PMSSCR, SS);
	EXPECT_EQ(SS, READ(PMSSCR));
	WRITE(PMSSCR, SS);
	EXPECT_EQ(COMPLETES ? 0 : SS, READ(PMSSCR));
	while (READ(PMSSCR))
		;
	PAGE[DELAY] = 0;
}

static void absent(void)
{
	EXPECT_EQ(0, READ("ID_AA64DFR0_EL1") >> 16 & 0xf);
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMSSCR)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(WRITE(PMSSCR, SS)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMECR)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(WRITE(PMECR, 0)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMCCNTSVR)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMICNTSVR)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMEVCNTSVR0)));
	EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(PMEVCNTSVR5)));
	if (EL == 2)
		EXPECT_EQ(UNDEFINED_AT(EL), CONSEQUENCE(READ(HDFGRTR2)));
}

/* These write NC, and find it. */
#define USUAL	(!ABSENT && !NC_WRITES)

static const struct {
	const char *name;
	void (*run)(void);
	bool here;
} tests[] = {
	{ "reset", reset, USUAL },
	{ "identification", identification, !ABSENT },
	{ "each row of Table D13-10", each_row, USUAL },
	{ "writes of NC", writes_of_nc, !ABSENT },
	{ "a second request", second_request, !ABSENT },
	{ "another CPU", other_cpu, USUAL && EL == 1 && CPUS == 3 },
	{ "a CPU is turned on", hotplug, USUAL && EL == 1 && CPUS == 3 },
	{ "another CPU without snapshots", only_one_cpu, USUAL && EL == 1 && CPUS == 1 },
	{ "the OS Lock", os_lock, !ABSENT },
	{ "all counters at one time", one_time, !ABSENT },
	{ "software increments", software_increments, !ABSENT },
	{ "PMU_SNAPSHOT", snapshot_event, !ABSENT },
	{ "a capture that takes time", delay, USUAL && !COMPLETES },
	{ "an overflow at a capture", overflow, !ABSENT },
	{ "accesses are counted", accesses, !ABSENT },
	{ "increments of the page", increments_of_page, !ABSENT },
	{ "loss of power", loss_of_power, !ABSENT },
	{ "UNDEFINED accesses", undefined, !ABSENT },
	{ "accesses at EL0", el0, !ABSENT && EL == 1 },
	{ "traps to EL2", traps_to_el2, !ABSENT && EL >= 2 && !FGT2 },
	{ "fine-grained traps", fine_grained_traps, FGT2 },
	{ "traps to EL3", traps_to_el3, !ABSENT && EL == 3 },
	{ "AArch32", aarch32, !ABSENT && EL == 3 },
	{ "nothing without the device", absent, ABSENT },
};

int main(void)
{
	unsigned int i, number = 0, before;

	prepare();
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		number += tests[i].here;
	print("TAP version 13\n1..");
	print_number(number, 10);
	print("\n");
	if (READ("CurrentEL") >> 2 != EL)
		return 1;
	for (i = 0, number = 0; i < ARRAY_SIZE(tests); i++) {
		if (!tests[i].here)
			continue;
		before = failures;
		tests[i].run();
		print(failures == before ? "ok " : "not ok ");
		print_number(++number, 10);
		print(" ");
		print(tests[i].name);
		print("\n");
	}
	return failures != 0;
}
