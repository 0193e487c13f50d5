// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzz target for libFuzzer: an input is a configuration of a CoreSight PMU and a sequence of
 * operations. After each operation the registers are compared with those of a second
 * implementation; the first difference ends the run and prints the operations that led to it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expected.h"
#include "fuzz_input.h"
#include "fuzz_target.h"

#define OPERATIONS	64
/* Maximum size of a step of an input. */
#define STEP		8

enum action { READ, WRITE, EVENT, CAPTURE, AGENT, RESET };

struct operation {
	enum action action;
	unsigned int page;
	uint32_t offset;
	unsigned int size;
	uint64_t value;
	struct syspmu_event event;
	uint64_t n;
};

static struct {
	struct coresight_config config;
	struct coresight pmu;
	struct expected expected;
	struct operation done[OPERATIONS];
	unsigned int operations;
	bool level;
} world;

/*
 * There are more configurations than a fuzzer would try, so they are derived from a hash of the
 * input.
 */
static uint64_t random_bits(uint64_t *state)
{
	uint64_t mix = *state += UINT64_C(0x9e3779b97f4a7c15);

	mix = (mix ^ mix >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return mix ^ mix >> 27;
}

static void print_operation(const struct operation *op)
{
	static const char *const actions[] = {
		[READ] = "read", [WRITE] = "write", [EVENT] = "event", [CAPTURE] = "capture",
		[AGENT] = "agent", [RESET] = "reset",
	};

	fprintf(stderr, "  %s page %u offset 0x%03" PRIx32 " size %u value 0x%" PRIx64,
		actions[op->action], op->page, op->offset, op->size, op->value);
	fprintf(stderr, " event 0x%" PRIx32 " times 0x%" PRIx64 " StreamID 0x%" PRIx32
		" PARTID %u state %u\n", op->event.number, op->n, op->event.stream_id,
		op->event.partid, op->event.security);
}

static void fail(const char *rule, unsigned int page, uint32_t offset, uint64_t is,
		 uint64_t expected)
{
	unsigned int i;

	fprintf(stderr, "rule broken: %s\n", rule);
	fprintf(stderr, "page %u offset 0x%03" PRIx32 " is 0x%" PRIx64 ", expected 0x%" PRIx64 "\n",
		page, offset, is, expected);
	fprintf(stderr, "PMCFGR 0x%08" PRIx32 "; the last operation broke it:\n",
		(uint32_t)syspmu_peek(&world.pmu.model, 0, 0xe00));
	for (i = 0; i < world.operations; i++)
		print_operation(&world.done[i]);
	abort();
}

static void irq(void *opaque, bool level)
{
	world.level = level;
}

/* The last number is below 128, and that of the cycle counter is not used. */
static void take_groups(struct coresight_config *config, bool wide, uint64_t *state)
{
	unsigned int limit = wide ? 3 : 4, i;

	config->groups = 2 + random_bits(state) % (wide ? 15 : 7);
	for (i = 0; i < config->groups && (wide || i < 4); i++)
		config->group_size[i] = random_bits(state) % limit;
	config->group_size[0] |= 1;
}

static void take_monitors(struct coresight_config *config, uint64_t *state)
{
	static const uint8_t small[] = { 8, 16, 24, 32 }, large[] = { 36, 48, 64, 64 };
	static const uint8_t numbers[] = { 1, 2, 3, 4, 6, 8, 33, 70 };
	bool wide = random_bits(state) & 1;

	config->bits = (wide ? large : small)[random_bits(state) % 4];
	config->monitors = numbers[random_bits(state) % sizeof(numbers)];
	config->cycle_counter = random_bits(state) & 1;
	config->cycle_counter_bits = wide ? 64 : 16;
	config->prescaler = config->cycle_counter && !wide && random_bits(state) & 1;
	if (!(random_bits(state) % 3))
		take_groups(config, wide, state);
	config->gauges.word[0] = random_bits(state) & random_bits(state) & 0x7fffffff;
	config->fixed.word[0] = random_bits(state) & random_bits(state) & random_bits(state) &
				0x7fffffff;
	config->first_fixed = (uint32_t)random_bits(state) % 8;
}

/* Any valid configuration, except for changes of the identification only. */
static void take_config(struct coresight_config *config, uint64_t *state)
{
	coresight_default_config(config);
	take_monitors(config, state);
	config->step = random_bits(state) % 4 ? 1 : random_bits(state) >> random_bits(state) % 64;
	config->step += !config->step;
	config->type_bits = random_bits(state) % 4 ? UINT32_MAX : 0x3f;
	config->type_value = (uint32_t)random_bits(state);
	config->filter_bits = random_bits(state) % 4 ? UINT32_MAX : 0;
	config->filter = random_bits(state) & 1;
	config->filter2_bits = random_bits(state) & 1 ? 0xff : 0;
	config->no_write_access = !(random_bits(state) % 4);
	config->freeze = random_bits(state) & 1;
	/* The model does not count wraps beyond 64 bits. */
	config->chain = config->step == 1 && random_bits(state) & 1;
	config->chain_event = 6;
	config->halt = random_bits(state) % 3;
	config->trace = random_bits(state) & 1;
	config->export_events = random_bits(state) & 1;
	config->snapshot = random_bits(state) & 1;
	config->snapshot_reset = config->snapshot && random_bits(state) & 1;
	config->snapshot_signal = config->snapshot && random_bits(state) & 1;
	config->msi = random_bits(state) & 1;
	config->msi_always = config->msi && random_bits(state) & 1;
	config->msi_attributes = config->msi && random_bits(state) & 1;
	config->msi_secure = config->msi && random_bits(state) & 1;
	config->msi_enabled = config->msi_secure && !config->msi_always && random_bits(state) & 1;
	config->dual_page = random_bits(state) & 1;
	config->impdef = (uint32_t)random_bits(state);
	config->ceid[0] = (uint32_t)random_bits(state) | 0xcf;
	config->common.irq_beside_msi = random_bits(state) & 1;
	config->common.irq_edge = random_bits(state) & 1;
	config->common.wide_faults = !(random_bits(state) % 8);
	config->common.pair_faults = !(random_bits(state) % 8);
	config->common.read_only_counters = !(random_bits(state) % 8);
	if (config->snapshot)
		coresight_set_layout(config, random_bits(state) % 3);
}

static uint32_t take_number(struct input *input)
{
	uint32_t byte = (uint32_t)take(input, 1);

	return byte < 0xe0 ? byte % 8 : CORESIGHT_CYCLES;
}

static uint64_t take_value(struct input *input)
{
	switch (take(input, 1) % 6) {
	case 0:
		return UINT64_MAX;
	case 1:
		return UINT64_C(1) << take(input, 1) % 64;
	case 2:
		return UINT64_MAX - take(input, 1);
	case 3:
		return take(input, 8);
	default:
		return take(input, 1);
	}
}

static unsigned int take_monitor(struct input *input)
{
	unsigned int monitor = (unsigned int)take(input, 1);

	return monitor >= 0xc0 ? 31 : monitor % (world.expected.last + 1);
}

static void take_access(struct input *input, struct operation *op)
{
	static const uint16_t flags[] = {
		0xc00, 0xc20, 0xc40, 0xc60, 0xc80, 0xcc0, 0xc00, 0xc40,
	};
	static const uint16_t others[] = {
		0xe04, 0xe04, 0xe30, 0xe30, 0xe38, 0xe3c, 0xe80, 0xe84, 0xe88, 0xe8c, 0xe8c, 0xef8,
		0xd80, 0xdfc, 0x600, 0xe00,
	};
	unsigned int monitor = take_monitor(input), kind = (unsigned int)take(input, 1);

	op->size = kind >> 7 ? 8 : 4;
	op->page = world.config.dual_page && kind >> 6 & 1;
	op->value = take_value(input);
	switch (kind % 8) {
	case 0:
	case 1:
		op->offset = monitor * world.expected.stride;
		op->page = world.config.dual_page;
		break;
	case 2:
		op->offset = 0x400 + 4 * monitor;
		op->value = take_number(input) | (uint64_t)take_number(input) << 32;
		break;
	case 3:
		op->offset = (kind >> 5 & 1 ? 0x800 : 0xa00) + 4 * monitor;
		op->value %= 8;
		break;
	case 4:
	case 5:
		op->offset = flags[take(input, 1) % 8] + monitor / 32 * 4;
		op->page = world.config.dual_page && op->offset >= 0xc80;
		break;
	case 6:
		op->offset = others[take(input, 1) % 16];
		break;
	default:
		/* Make it likely that the PMU runs. */
		op->offset = 0xe04;
		op->value |= 1;
		op->page = 0;
		break;
	}
	op->offset &= ~(op->size - 1);
}

static void take_event(struct input *input, struct operation *op)
{
	unsigned int monitor = take_monitor(input), kind = (unsigned int)take(input, 1);
	const struct expected *expected = &world.expected;

	op->event.number = kind & 1 ? take_number(input) : expected->type[monitor];
	op->event.stream_id = (uint32_t)take(input, 1) % 8;
	op->event.partid = (uint16_t)take(input, 1) % 8;
	op->event.security = kind & 0xe0 ? SYSPMU_NON_SECURE : SYSPMU_SECURE;
	/* Just below, at and just above the overflow of that monitor. */
	op->n = kind & 2 ? expected->max[monitor] - expected->value[monitor] + kind / 4 % 4 - 1 :
			   take_value(input);
}

static struct operation take_operation(struct input *input, unsigned int kind)
{
	struct operation op = { .action = EVENT };

	if (kind < 0x78) {
		op.action = WRITE;
		take_access(input, &op);
	} else if (kind < 0x88) {
		op.action = READ;
		take_access(input, &op);
	} else if (kind < 0xe8) {
		take_event(input, &op);
	} else if (kind < 0xf0) {
		op.action = CAPTURE;
	} else if (kind < 0xfc) {
		op.action = AGENT;
		op.value = take(input, 1) % 8;
	} else {
		op.action = RESET;
		op.value = take(input, 1);
	}
	return op;
}

static bool is_pair(const struct operation *op)
{
	return op->offset >= 0xc00 && op->offset < 0xce0 &&
	       (op->offset < 0xca0 || op->offset >= 0xcc0) &&
	       op->page == (world.config.dual_page && op->offset >= 0xc80);
}

static void expect_write(const struct operation *op)
{
	if (op->size == 4) {
		expected_write(&world.expected, op->page, op->offset, (uint32_t)op->value);
		return;
	}
	if (world.config.common.wide_faults || (world.config.common.pair_faults && is_pair(op)))
		return;
	expected_write(&world.expected, op->page, op->offset, (uint32_t)op->value);
	expected_write(&world.expected, op->page, op->offset + 4, (uint32_t)(op->value >> 32));
}

static void run(const struct operation *op)
{
	struct syspmu_model *model = &world.pmu.model;
	struct expected *expected = &world.expected;

	world.done[world.operations++] = *op;
	switch (op->action) {
	case READ:
		syspmu_read(model, op->page, op->offset, op->size);
		break;
	case WRITE:
		syspmu_write(model, op->page, op->offset, op->size, op->value);
		expect_write(op);
		break;
	case EVENT:
		syspmu_inject(model, &op->event, op->n);
		expected_event(expected, &op->event, op->n);
		break;
	case CAPTURE:
		syspmu_request_capture(model);
		if (world.config.snapshot_signal)
			expected_capture(expected);
		break;
	case AGENT:
		expected->halted = op->value & 1;
		expected->second_state = op->value >> 1 & 1;
		expected->no_capture = op->value >> 2 & 1;
		coresight_set_agent(&world.pmu, expected->halted, expected->second_state);
		coresight_prohibit_capture(&world.pmu, expected->no_capture);
		expected_update(expected);
		break;
	case RESET:
		syspmu_reset(model, op->value);
		expected_after_reset(expected, &world.config, model);
		break;
	}
}

static void write_register(uint32_t offset, uint32_t value)
{
	const struct operation op = {
		.action = WRITE, .offset = offset, .size = 4, .value = value,
	};

	run(&op);
}

/* A pair of monitors that count, which is unlikely to occur by chance. */
static void program(struct input *input)
{
	unsigned int first = take_monitor(input) & ~1u, kind = (unsigned int)take(input, 1);
	bool chained = world.config.chain && kind & 1;
	uint32_t control = world.expected.control;

	write_register(0xe04, 0);
	write_register(0x400 + 4 * first, take_number(input));
	write_register(0x404 + 4 * first, chained ? world.config.chain_event : take_number(input));
	write_register(0xa00 + 4 * first, kind & 6 ? 0 : UINT32_MAX);
	write_register(0xc00 + first / 32 * 4, UINT32_C(3) << first % 32);
	write_register(0xc40 + first / 32 * 4, UINT32_C(3) << first % 32);
	write_register(0xe04, (control & ~UINT32_C(0x6)) | 1);
}

static void step(struct input *input)
{
	unsigned int kind = (unsigned int)take(input, 1);
	struct operation op;

	if (kind < 0x18) {
		program(input);
		return;
	}
	op = take_operation(input, kind);
	run(&op);
}

static void compare(unsigned int page, uint32_t offset)
{
	uint32_t is = (uint32_t)(syspmu_peek(&world.pmu.model, page, offset) >> offset % 8 * 8);
	uint32_t expected = expected_read(&world.expected, page, offset);

	if (is != expected)
		fail("a register is as its description says", page, offset, is, expected);
}

/* Identification registers are not compared. */
static bool is_compared(uint32_t offset)
{
	return offset < 0xce0 || (offset >= 0xd80 && offset < 0xe00) || offset == 0xe04 ||
	       (offset >= 0xe30 && offset < 0xfa8);
}

static void compare_pages(void)
{
	uint32_t offset;

	for (offset = 0; offset < SYSPMU_PAGE_SIZE; offset += 4) {
		if (!is_compared(offset))
			continue;
		compare(0, offset);
		if (world.config.dual_page && offset != 0xe04)
			compare(1, offset);
	}
}

static void compare_monitors(void)
{
	unsigned int page = world.config.dual_page, i;

	for (i = 0; i <= world.expected.last; i++) {
		if (!world.expected.has[i])
			continue;
		compare(page, world.expected.stride * i);
		compare(page, world.expected.stride * (i + 1) - 4);
		compare(0, 0x400 + 4 * i);
	}
	for (i = 0; i < world.expected.last; i += 32) {
		compare(0, 0xc00 + i / 8);
		compare(0, 0xc60 + i / 8);
		compare(page, 0xc80 + i / 8);
	}
	compare(0, 0xe04);
}

static void compare_interrupts(void)
{
	const struct expected *expected = &world.expected;
	uint64_t edges = syspmu_irq_edges(&world.pmu.model);
	uint64_t messages = syspmu_messages(&world.pmu.model);

	if (edges != expected->edges)
		fail("an edge is a reason that begins (MDCYL)", 0, 0, edges, expected->edges);
	if (messages != expected->messages)
		fail("a message is a reason that begins (MDCYL)", 0, 0, messages,
		     expected->messages);
	if (world.level && (!expected->level || world.config.common.irq_edge))
		fail("the irq has a reason (MDCYL)", 0, 0, world.level, expected->level);
	if (syspmu_is_armed(&world.pmu.model) != (expected->control & 1))
		fail("it is armed while it is enabled", 0, 0xe04, 0, expected->control);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct syspmu_owner owner = { .irq = irq };
	struct input input = { .data = data, .left = size };
	uint64_t state = take(&input, 2);
	const char *message;

	memset(&world, 0, sizeof(world));
	state += hash(data, size);
	take_config(&world.config, &state);
	message = coresight_init(&world.pmu, &world.config, &owner);
	if (message) {
		fprintf(stderr, "rule broken: a configuration that can exist: %s\n", message);
		abort();
	}
	syspmu_reset(&world.pmu.model, take(&input, 1));
	expected_after_reset(&world.expected, &world.config, &world.pmu.model);
	compare_pages();
	while (input.left && world.operations + STEP <= OPERATIONS) {
		step(&input);
		compare_monitors();
		compare_interrupts();
	}
	compare_pages();
	return 0;
}
