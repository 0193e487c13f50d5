// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzz target for libFuzzer: an input is a PE and a sequence of operations. After each operation,
 * all registers and what each access would do are compared with a second, simple implementation
 * of Arm ARM D13.9 and D24.5; the first difference ends the run and prints the operations that led
 * to it. It only uses pe_snapshot.h, and no definition of a field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "fuzz_target.h"
#include "pe_snapshot.h"

#define OPERATIONS	64

#define BIT(n)		(UINT64_C(1) << (n))
#define SS		BIT(0)
#define NC		BIT(32)

enum action { WRITE, REQUEST, COMPLETE, STATE, CONTROLS, RESET };

struct operation {
	enum action action;
	unsigned int reg;
	uint64_t value;
};

static struct {
	struct pe_snapshot_config config;
	struct pe_snapshot snapshot;
	struct pe_cpu cpu;
	struct pe_counters counters;
	unsigned int reads;
	unsigned int events;
	struct operation done[OPERATIONS];
	unsigned int operations;
} world;

static struct {
	uint64_t control;
	uint64_t sse;
	struct pe_counters saved;
	unsigned int reads;
	unsigned int events;
} expected;

static void fail(const char *rule, unsigned int reg, uint64_t is, uint64_t should_be)
{
	static const char *const actions[] = {
		[WRITE] = "write", [REQUEST] = "request", [COMPLETE] = "complete",
		[STATE] = "state", [CONTROLS] = "controls", [RESET] = "reset",
	};
	const struct pe_cpu *cpu = &world.cpu;
	unsigned int i;

	fprintf(stderr, "rule broken: %s\n", rule);
	fprintf(stderr, "register %u is 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", reg, is,
		should_be);
	fprintf(stderr, "MDCR_EL3 0x%" PRIx64 " MDCR_EL2 0x%" PRIx64 " PMECR_EL1 0x%" PRIx64
		" EL%u; the last operation broke it:\n", cpu->mdcr_el3, cpu->mdcr_el2,
		expected.sse << 3, cpu->el);
	for (i = 0; i < world.operations; i++)
		fprintf(stderr, "  %s register %u value 0x%" PRIx64 "\n",
			actions[world.done[i].action], world.done[i].reg, world.done[i].value);
	abort();
}

static void read_counters(void *opaque, struct pe_counters *counters)
{
	world.reads++;
	*counters = world.counters;
}

static void take_event(void *opaque, uint16_t number)
{
	if (number != 0x8127)
		fail("the event is PMU_SNAPSHOT", 0, number, 0x8127);
	if (pe_snapshot_read(&world.snapshot, PE_PMSSCR_EL1))
		fail("the event comes last", 0, pe_snapshot_read(&world.snapshot, 0), 0);
	world.events++;
}

/* The columns of Table D13-10, with the reserved value of SSE replaced. */
static enum pe_captures table(unsigned int el3, unsigned int el2, unsigned int sse)
{
	static const enum pe_captures of[] = {
		[0] = PE_CAPTURES_DISABLED, [2] = PE_CAPTURES_PROHIBITED,
		[3] = PE_CAPTURES_ALLOWED,
	};

	if (el3 != 1)
		return of[el3];
	return of[el2 != 1 ? el2 : sse];
}

static enum pe_captures expected_captures(void)
{
	const struct pe_cpu *cpu = &world.cpu;
	unsigned int el3 = world.config.el3 ? cpu->mdcr_el3 >> 30 & 3 : 1;
	unsigned int el2 = world.config.el2 ? cpu->mdcr_el2 >> 30 & 3 : 1;
	unsigned int sse = expected.sse == 1 ? world.config.reserved_sse :
					       (unsigned int)expected.sse;
	enum pe_captures captures;

	if (cpu->el1_aarch32)
		sse = 0;
	if (cpu->el2_aarch32 && world.config.el2)
		el2 = 0;
	captures = table(el3, el2, sse);
	if (captures != PE_CAPTURES_ALLOWED)
		return captures;
	if (cpu->debug_state && !world.config.debug_captures)
		return PE_CAPTURES_PROHIBITED;
	return cpu->os_lock ? PE_CAPTURES_PROHIBITED : PE_CAPTURES_ALLOWED;
}

static void expect_completion(void)
{
	if (!(expected.control & SS) || world.cpu.powered_off)
		return;
	if (expected_captures() != PE_CAPTURES_ALLOWED) {
		expected.control = NC;
		return;
	}
	expected.control = 0;
	expected.saved = world.counters;
	expected.reads++;
	expected.events += !world.cpu.debug_state || world.config.debug_event;
}

static void expect_request(void)
{
	bool second = expected.control & SS;

	if (world.cpu.powered_off || expected_captures() == PE_CAPTURES_DISABLED)
		return;
	expected.control |= SS;
	if (second && world.config.second_request_completes)
		expect_completion();
}

static void expect_write(unsigned int reg, uint64_t value)
{
	enum pe_nc_writes writes = world.config.nc_writes;

	if (reg == PE_PMECR_EL1) {
		expected.sse = value >> 3 & 3;
		return;
	}
	if (writes == PE_NC_WRITABLE || (writes == PE_NC_NEEDS_ENABLE &&
					 expected_captures() != PE_CAPTURES_DISABLED))
		expected.control = (expected.control & SS) | (value & NC);
	if (value & SS)
		expect_request();
}

/* UNKNOWN values are taken from the model. */
static void expect_reset(bool cold)
{
	const struct pe_snapshot *snapshot = &world.snapshot;
	unsigned int i;

	expected.control = NC;
	expected.saved.cycles = pe_snapshot_read(snapshot, PE_PMCCNTSVR_EL1);
	expected.saved.instructions = pe_snapshot_read(snapshot, PE_PMICNTSVR_EL1);
	for (i = 0; i < world.config.counters; i++)
		expected.saved.events[i] = pe_snapshot_read(snapshot, PE_PMEVCNTSVR_EL1 + i);
	if (cold)
		expected.sse = world.config.el2 || world.config.el3 ?
			       pe_snapshot_read(snapshot, PE_PMECR_EL1) >> 3 & 3 : 0;
}

static uint64_t expected_value(unsigned int reg)
{
	switch (reg) {
	case PE_PMSSCR_EL1:
		return expected.control;
	case PE_PMECR_EL1:
		return expected.sse << 3;
	case PE_PMCCNTSVR_EL1:
		return expected.saved.cycles;
	case PE_PMICNTSVR_EL1:
		return expected.saved.instructions;
	default:
		return expected.saved.events[reg - PE_PMEVCNTSVR_EL1];
	}
}

static bool has_register(unsigned int reg)
{
	if (reg == PE_PMICNTSVR_EL1)
		return world.config.instruction_counter;
	return reg < 4 || reg - 4 < world.config.counters;
}

/* The order of the checks is that of the pseudocode. */
static enum pe_access expected_access(unsigned int reg, bool write)
{
	static const uint8_t fine_grained[] = { 7, 0, 6, 6, 6 };
	const struct pe_cpu *cpu = &world.cpu;
	bool el2_traps = cpu->el == 1 && cpu->el2_enabled && world.config.el2;
	bool el3_traps = cpu->el <= 2 && world.config.el3;
	bool is_pmecr = reg == PE_PMECR_EL1;
	uint64_t bits = write ? cpu->hdfgwtr2_el2 : cpu->hdfgrtr2_el2;

	if (!has_register(reg) || cpu->el == 0)
		return PE_ACCESS_UNDEFINED;
	if (write && reg != PE_PMSSCR_EL1 && !is_pmecr)
		return PE_ACCESS_UNDEFINED;
	if (el2_traps && world.config.fgt2 && world.config.el3 && !cpu->fgten2)
		return PE_ACCESS_TRAP_EL2;
	if (el2_traps && world.config.fgt2 && !(bits >> fine_grained[reg < 4 ? reg : 4] & 1))
		return PE_ACCESS_TRAP_EL2;
	if (el2_traps && is_pmecr && cpu->mdcr_el2 >> 6 & 1)
		return PE_ACCESS_TRAP_EL2;
	if (el2_traps && reg >= 4 && reg - 4 >= cpu->mdcr_el2 % 32)
		return PE_ACCESS_TRAP_EL2;
	if (el3_traps && is_pmecr && cpu->mdcr_el3 >> 6 & 1)
		return PE_ACCESS_TRAP_EL3;
	if (el3_traps && !(cpu->mdcr_el3 >> (is_pmecr ? 7 : 44) & 1))
		return PE_ACCESS_TRAP_EL3;
	return PE_ACCESS_PERMITTED;
}

static void compare_access(unsigned int reg, bool write)
{
	enum pe_access is = pe_snapshot_access(&world.snapshot, &world.cpu, reg, write);
	enum pe_access should_be = expected_access(reg, write);

	if (is != should_be)
		fail(write ? "what a write does" : "what a read does", reg, is, should_be);
}

static void compare(void)
{
	const struct pe_snapshot *snapshot = &world.snapshot;
	enum pe_captures captures = pe_snapshot_captures(snapshot, &world.cpu);
	unsigned int reg;

	for (reg = 0; reg < PE_REGISTERS; reg++) {
		compare_access(reg, false);
		compare_access(reg, true);
		if (!has_register(reg))
			continue;
		if (pe_snapshot_read(snapshot, reg) != expected_value(reg))
			fail("a register is as its description says", reg,
			     pe_snapshot_read(snapshot, reg), expected_value(reg));
	}
	if (captures != expected_captures())
		fail("Table D13-10", 0, captures, expected_captures());
	if (world.reads != expected.reads)
		fail("a capture is one read of all counters", 0, world.reads, expected.reads);
	if (world.events != expected.events)
		fail("a successful capture is an event", 0, world.events, expected.events);
	if (pe_snapshot_is_ongoing(snapshot) != (expected.control & SS))
		fail("it is ongoing while SS is set", 0, 0, expected.control);
}

static void take_config(struct input *input)
{
	static const uint8_t numbers[] = { 6, 0, 1, 31 }, as[] = { 0, 2, 3, 3 };
	uint64_t bits = take(input, 2);
	struct pe_snapshot_config *config = &world.config;

	config->counters = numbers[bits & 3];
	config->reserved_sse = as[bits >> 2 & 3];
	config->nc_writes = (enum pe_nc_writes)((bits >> 4 & 3) % 3);
	config->instruction_counter = bits >> 6 & 1;
	config->el2 = !(bits >> 7 & 1);
	config->el3 = !(bits >> 8 & 1);
	config->fgt2 = bits >> 9 & 1;
	config->debug_captures = bits >> 10 & 1;
	config->debug_event = bits >> 11 & 1;
	config->second_request_completes = bits >> 12 & 1;
}

static void set_state(uint64_t bits)
{
	struct pe_cpu *cpu = &world.cpu;

	cpu->el = bits & 3;
	cpu->el2_enabled = bits >> 2 & 1;
	cpu->el1_aarch32 = (bits >> 3 & 3) == 3;
	cpu->el2_aarch32 = (bits >> 5 & 3) == 3;
	cpu->debug_state = (bits >> 7 & 3) == 3;
	cpu->os_lock = (bits >> 9 & 3) == 3;
	cpu->powered_off = (bits >> 11 & 3) == 3;
	cpu->fgten2 = bits >> 13 & 1;
}

/* PMSSE is one byte each, since all of its values must be likely. */
static void set_controls(uint64_t bits)
{
	struct pe_cpu *cpu = &world.cpu;

	cpu->mdcr_el3 = (bits & 3) << 30 | (bits & 4) << 4 | (bits & 8) << 4 | (bits & 16) << 40;
	cpu->mdcr_el2 = (bits >> 8 & 3) << 30 | (bits >> 6 & 0x40) | (bits >> 16 & 31);
	cpu->hdfgrtr2_el2 = bits >> 24 & 0xff;
	cpu->hdfgwtr2_el2 = bits >> 32 & 0xff;
}

/* The counters change with each operation. */
static void count(void)
{
	unsigned int i;

	world.counters.cycles += 1000;
	world.counters.instructions += 500;
	for (i = 0; i < world.config.counters; i++)
		world.counters.events[i] += 7 * i + 1;
}

static struct operation take_operation(struct input *input)
{
	static const enum action actions[] = {
		WRITE, WRITE, WRITE, COMPLETE, COMPLETE, REQUEST, STATE, CONTROLS,
	};
	unsigned int kind = (unsigned int)take(input, 1);
	struct operation op = { .action = actions[kind & 7] };

	if (kind >= 0xfc)
		op.action = RESET;
	op.reg = kind & 8 ? PE_PMECR_EL1 : PE_PMSSCR_EL1;
	switch (op.action) {
	case WRITE:
		/* Mostly the bits that exist, and then any others. */
		op.value = take(input, 1);
		op.value = (op.value & 0x19) | (op.value & 0x80) << 25 |
			   (op.value & 2 ? UINT64_C(0xfffffffe00000006) : 0);
		break;
	case STATE:
		op.value = take(input, 2);
		break;
	case CONTROLS:
		op.value = take(input, 5);
		break;
	case RESET:
		op.value = take(input, 1);
		break;
	default:
		break;
	}
	return op;
}

static void run(const struct operation *op)
{
	world.done[world.operations++] = *op;
	count();
	switch (op->action) {
	case WRITE:
		pe_snapshot_write(&world.snapshot, &world.cpu, op->reg, op->value);
		expect_write(op->reg, op->value);
		break;
	case REQUEST:
		pe_snapshot_request(&world.snapshot, &world.cpu);
		expect_request();
		break;
	case COMPLETE:
		pe_snapshot_complete(&world.snapshot, &world.cpu);
		expect_completion();
		break;
	case STATE:
		set_state(op->value);
		break;
	case CONTROLS:
		set_controls(op->value);
		break;
	case RESET:
		pe_snapshot_reset(&world.snapshot, op->value & 1, op->value);
		expect_reset(op->value & 1);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pe_snapshot_owner owner = { .read = read_counters, .event = take_event };
	struct input input = { data, size };
	struct operation op;
	const char *message;

	memset(&world, 0, sizeof(world));
	memset(&expected, 0, sizeof(expected));
	take_config(&input);
	message = pe_snapshot_init(&world.snapshot, &world.config, &owner);
	if (message) {
		fprintf(stderr, "rule broken: a configuration that can exist: %s\n", message);
		abort();
	}
	set_state(take(&input, 2));
	set_controls(take(&input, 5));
	pe_snapshot_reset(&world.snapshot, true, take(&input, 1));
	expect_reset(true);
	compare();
	while (input.left && world.operations < OPERATIONS) {
		op = take_operation(&input);
		run(&op);
		compare();
	}
	return 0;
}
