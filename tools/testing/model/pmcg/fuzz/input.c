// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes an input of the fuzzer into a configuration and operations. Sequences that are
 * unlikely to occur by chance have their own encoding.
 */
#include <string.h>

#include "fuzz.h"

/*
 * There are more configurations and filters than a coverage-guided fuzzer would try, so they
 * are pseudo-random. The seed is a number from the input and, for most inputs, a hash of all
 * of it, so that a change of the operations changes the PMCG, too.
 */
struct input draw(struct input *input, uint8_t bytes[DRAWN])
{
	uint64_t random = take(input, 2) + input->salt;
	unsigned int i;

	for (i = 0; i < DRAWN; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes[i] = (uint8_t)(random >> 56);
	}
	return (struct input){ .data = bytes, .left = DRAWN };
}

/* Any valid configuration; most have few counters, so that each is used often. */
struct pmcg_config take_config(struct input *input)
{
	static const uint8_t sizes[] = { 31, 35, 39, 43, 47, 63 };
	static const uint8_t counters[] = { 1, 2, 3, 4, 5, 8, 33, 64 };
	struct pmcg_config config;
	uint32_t flags;
	uint8_t byte;

	pmcg_default_config(&config);
	flags = (uint32_t)take(input, 4);
	config.counters = counters[take(input, 1) % sizeof(counters)];
	byte = (uint8_t)take(input, 1);
	config.size = byte < 192 ? sizes[byte % sizeof(sizes)] : byte - 192;
	byte = (uint8_t)take(input, 1);
	config.event_bits = byte < 192 ? 16 : 1 + byte % 16;
	config.stream_id_bits = 1 + take(input, 1) % 32;
	config.address_bits = 32 + take(input, 1) % 25;
	config.ceid0 = 0xff ^ take(input, 1);
	config.ceid0 |= (take(input, 1) & 1) << 63;
	config.ceid1 = take(input, 1) << 56;
	config.ceid1 |= take(input, 1) & 1;
	if (config.event_bits < 7)
		config.ceid1 = 0;
	if (config.event_bits < 6)
		config.ceid0 &= ones(1u << config.event_bits);
	config.aidr = take(input, 1) % 6;
	config.partid_max = take(input, 1) % 16;
	config.pmg_max = take(input, 1) % 16;

	config.global_filter = flags & 1;
	config.relocate = flags >> 1 & 1;
	config.capture = flags >> 2 & 1;
	config.msi = flags >> 3 & 1;
	config.mpam = config.msi && config.aidr >= 2 && flags >> 4 & 1;
	config.filter_partid_pmg = config.aidr >= 3 && flags >> 5 & 1;
	config.secure = flags >> 6 & 3;
	config.nsra = !config.secure || flags >> 7 & 7;
	config.secure_observation = config.secure && flags >> 10 & 1;
	config.secure_partid_max = config.secure ? take(input, 1) % 16 : 0;
	config.secure_pmg_max = config.secure ? take(input, 1) % 16 : 0;
	config.root = flags >> 11 & 1;
	config.root_observation = config.root && flags >> 14 & 1;
	config.realm_observation = config.root && flags >> 15 & 1;
	config.common.split_accesses = flags >> 23 & 1;
	config.common.high_first = flags >> 30 & 1;
	config.coresight_ids = flags >> 24 & 1;
	config.common.read_only_counters = !(flags >> 25 & 7);
	config.common.stuck_enable = !(flags >> 26 & 7);
	config.common.running = !(flags >> 28 & 3);
	config.common.dead = !(flags >> 29 & 7);
	flags = (uint32_t)take(input, 1);
	config.mpamidr_needs_mpam = flags & 1;
	config.common.irq_beside_msi = flags >> 4 & 1;
	/* §10.5.2.15: the code of the designer is not zero, and bit 7 is. */
	config.peripheral_id = ((uint32_t)take(input, 4) & ~UINT32_C(0x80)) | 1;
	config.iidr = flags >> 1 & 1 ? config.peripheral_id : 0;
	config.customer_modified = take(input, 1) % 16;
	return config;
}

/* Values near to limits. */
static uint64_t take_value(struct world *world, struct input *input)
{
	uint64_t byte;

	switch (take(input, 1) % 8) {
	case 0:
		return UINT64_MAX;
	case 1:
		return UINT64_C(1) << take(input, 1) % 64;
	case 2:
		return UINT64_MAX - take(input, 1);
	case 3:
		return ones(world->config.size + 1) - take(input, 1) % 4;
	case 4:
		return take(input, 8);
	case 5:
		byte = take(input, 1);
		return byte << 32 | byte;
	default:
		return take(input, 1);
	}
}

static uint32_t take_stream(struct world *world, struct input *input)
{
	uint32_t all = (uint32_t)ones(world->config.stream_id_bits);

	switch (take(input, 1) % 8) {
	case 0:
	case 1:
		return UINT32_MAX;
	case 2:
		return all / 2;
	case 3:
		return (uint32_t)take(input, 4);
	case 4:
		/* As PARTID and PMG. */
		return (uint32_t)take(input, 1) % 16 * 0x10001;
	case 5:
		return world->config.partid_max | (uint32_t)world->config.pmg_max << 16;
	default:
		return (uint32_t)take(input, 1) % 16;
	}
}

static uint32_t take_number(struct input *input)
{
	static const uint8_t rare[] = { 0x3f, 0x40, 0x7f, 0x80 };
	uint32_t byte = (uint32_t)take(input, 1);

	return byte < 0xf0 ? byte % 8 : rare[byte % 4];
}

static uint32_t take_type(struct input *input)
{
	uint32_t number = take_number(input);

	/* StreamID and PARTID filters are equally likely. */
	return number | (uint32_t)take(input, 1) << 24 |
	       (uint32_t)(take(input, 1) % 2 ? take(input, 1) << 16 : 0);
}

static void take_access(struct world *world, struct input *input, struct operation *op)
{
	static const uint16_t offsets[] = {
		EVCNTR, EVCNTR, EVTYPER, EVTYPER, SVR, SMR, SMR, CNTENSET, CNTENCLR, INTENSET,
		INTENCLR, OVSCLR, OVSSET, CAPR, CFGR, CR, IRQ_CTRL, IRQ_CTRLACK, IRQ_CFG0,
		IRQ_CFG1, IRQ_CFG2, IRQ_STATUS, GMPAM, SVR + 0x200,
	};
	uint32_t byte = (uint32_t)take(input, 1), counter;

	if (byte >= 0xf0) {
		op->page = byte % 4;
		op->offset = (uint32_t)take(input, 2) % (SYSPMU_PAGE_SIZE + 8);
		op->size = (unsigned int)take(input, 1) % 10;
		return;
	}
	op->offset = offsets[byte % (sizeof(offsets) / sizeof(*offsets))];
	byte = (uint32_t)take(input, 1);
	counter = byte >> 2 & 0x3f;
	if (counter >= world->config.counters && byte % 8)
		counter %= world->config.counters;
	if (op->offset == EVCNTR || op->offset == SVR)
		op->offset += counter * stride(&world->config);
	if (op->offset == EVTYPER || op->offset == SMR)
		op->offset += 4 * counter;
	op->size = byte & 1 ? 8 : 4;
	/* The upper half of a 64-bit word, and sometimes a misaligned 64-bit access. */
	if (byte & 2)
		op->offset |= 4;
	if (byte < 0xf0)
		op->offset &= ~(op->size - 1);
	op->page = world->config.relocate &&
		   (op->offset < EVTYPER || (op->offset >= SVR && op->offset < SMR) ||
		    (op->offset >= OVSCLR && op->offset < CFGR));
}

static void take_written(struct world *world, struct input *input, struct operation *op)
{
	if (op->offset >= EVTYPER && op->offset < EVTYPER + 0x100)
		op->value = take_type(input) | (uint64_t)take_type(input) << 32;
	else if (op->offset >= SMR && op->offset < SMR + 0x100)
		op->value = take_stream(world, input) | (uint64_t)take_stream(world, input) << 32;
	else
		op->value = take_value(world, input);
}

static void take_event(struct world *world, struct input *input, unsigned int counter,
		       struct operation *op)
{
	const struct pmcg_config *config = &world->config;
	const struct view *view = &world->trial.after;
	struct syspmu_event *event = &op->event;
	uint32_t flags = (uint32_t)take(input, 2);
	uint32_t match = half_at(view, 0, SMR + 4 * (config->global_filter ? 0 : counter));
	static const enum syspmu_security states[] = {
		SYSPMU_SECURE, SYSPMU_SECURE, SYSPMU_SECURE, SYSPMU_REALM, SYSPMU_REALM,
		SYSPMU_REALM, SYSPMU_ROOT, SYSPMU_SYSTEM_AGENT,
	};
	static const enum syspmu_partid_space spaces[] = {
		SYSPMU_PARTID_SECURE, SYSPMU_PARTID_NON_SECURE, SYSPMU_PARTID_NON_SECURE,
		SYSPMU_PARTID_REALM,
	};

	/* Most events are similar to what one of the counters counts. */
	event->number = flags & 3 ? half_at(view, 0, EVTYPER + 4 * counter) & TYPE_EVENT :
				    take_number(input);
	event->stream_id = flags & 4 ? match ^ (uint32_t)take(input, 1) % 4 :
				       take_stream(world, input);
	event->security = flags & 8 ? SYSPMU_NON_SECURE : states[take(input, 1) % 8];
	event->no_stream_id = event->security >= SYSPMU_ROOT || !(flags >> 4 & 7);
	event->protected_mode = !(flags >> 6 & 7);
	event->non_attributable = !(flags >> 7 & 7);
	event->partid = (uint16_t)(match + (flags >> 10 & 3 ? 0 : take(input, 1)));
	event->pmg = (uint8_t)((match >> 16) + (flags >> 12 & 3 ? 0 : take(input, 1)));
	event->partid_space = spaces[flags >> 14 & 3];

	/* Just below, at and just above the overflow of that counter. */
	if (take(input, 1) % 2)
		op->n = ones(config->size + 1) - counter_at(config, view, EVCNTR, counter) +
			take(input, 1) % 3;
	else
		op->n = take_value(world, input);
}

/* Program the filter of a counter, then inject events similar to what it counts. */
static void take_filter(struct world *world, struct input *input)
{
	unsigned int counter = (unsigned int)take(input, 1) % world->config.counters;
	struct operation type = { .action = WRITE, .offset = EVTYPER + 4 * counter, .size = 4 };
	struct operation match = { .action = WRITE, .offset = SMR + 4 * counter, .size = 4 };
	struct operation event = { .action = EVENT };
	uint8_t bytes[DRAWN];
	struct input drawn = draw(input, bytes);
	unsigned int i;

	type.value = take_type(&drawn);
	match.value = take_stream(world, &drawn);
	run(world, &type);
	run(world, &match);
	for (i = 0; i < 4; i++) {
		take_event(world, &drawn, counter, &event);
		run(world, &event);
	}
}

static void set_irqen(struct world *world, uint64_t value)
{
	struct operation enable = { .action = WRITE, .offset = IRQ_CTRL, .size = 4 };

	enable.value = value & 1;
	run(world, &enable);
}

/* Hold an interrupt back while IRQEN changes, with or without a delay. */
static void take_interrupt(struct world *world, struct input *input)
{
	unsigned int counter = (unsigned int)take(input, 1) % world->config.counters;
	uint8_t byte = (uint8_t)take(input, 1);
	struct operation delay = { .action = DELAY, .value = byte & 1 };
	struct operation hold = { .action = HOLD, .value = 1 };
	struct operation message = { .action = WRITE, .offset = IRQ_CFG1, .size = 4 };
	struct operation event = { .action = EVENT };

	run(world, &hold);
	set_irqen(world, byte >> 1);
	run(world, &delay);
	set_irqen(world, byte >> 2);
	message.value = byte;
	run(world, &message);
	take_event(world, input, counter, &event);
	run(world, &event);
	set_irqen(world, byte >> 3);
	hold.value = byte >> 4 & 1;
	run(world, &hold);
}

/* Make events occur in a read of a counter, but of no other register. */
static void take_armed_read(struct world *world, struct input *input)
{
	unsigned int counter = (unsigned int)take(input, 1) % world->config.counters;
	uint8_t byte = (uint8_t)take(input, 1);
	struct operation arm = { .action = byte & 1 ? STEP : TEAR };
	struct operation read = { .action = READ, .page = world->config.relocate, .size = 8 };

	take_event(world, input, counter, &arm);
	run(world, &arm);
	read.offset = (byte & 6 ? EVCNTR : SVR) + (counter * stride(&world->config) & ~7u);
	if (byte & 8)
		take_access(world, input, &read);
	run(world, &read);
}

/* Change a counter, then inject events similar to what it counted before. */
static void take_change(struct world *world, struct input *input)
{
	unsigned int counter = (unsigned int)take(input, 1) % world->config.counters;
	struct operation late = { .action = LATE }, write = { .action = WRITE };
	struct operation event = { .action = EVENT };
	unsigned int i;

	late.value = 1 + take(input, 1) % 4;
	run(world, &late);
	for (i = 0; i < 2; i++) {
		take_event(world, input, counter, &event);
		if (take(input, 1) % 2)
			write = (struct operation){ .action = WRITE, .size = 4,
						    .offset = EVTYPER + 4 * counter };
		else
			take_access(world, input, &write);
		take_written(world, input, &write);
		run(world, &write);
		if (!(take(input, 1) % 4)) {
			late.value = 0;
			run(world, &late);
		}
		run(world, &event);
		event.n = take(input, 1) % 8;
		run(world, &event);
	}
}

void take_operation(struct world *world, struct input *input)
{
	static const uint8_t often[] = {
		READ, READ, READ, READ, WRITE, WRITE, WRITE, WRITE, WRITE, WRITE, WRITE, WRITE,
		EVENT, EVENT, EVENT, EVENT, EVENT, EVENT, EVENT, EVENT, EVENT, EVENT, LATE, STEP,
		TEAR, RESET, POWER, HOLD, CAPTURE, FATE, OBSERVE, DELAY,
	};
	uint8_t byte = (uint8_t)take(input, 1);
	struct operation op = { .action = often[byte % sizeof(often)] };

	switch (byte / 16) {
	case 10:
		take_change(world, input);
		return;
	case 11:
		take_armed_read(world, input);
		return;
	case 12:
		take_interrupt(world, input);
		return;
	case 13:
	case 14:
	case 15:
		take_filter(world, input);
		return;
	}

	switch (op.action) {
	case READ:
		take_access(world, input, &op);
		break;
	case WRITE:
		take_access(world, input, &op);
		take_written(world, input, &op);
		break;
	case EVENT:
	case STEP:
	case TEAR:
		byte = (uint8_t)take(input, 1);
		take_event(world, input, byte % world->config.counters, &op);
		break;
	default:
		op.value = take(input, 1);
		break;
	}
	run(world, &op);
}
