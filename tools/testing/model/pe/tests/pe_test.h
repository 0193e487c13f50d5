/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the unit tests of the model of PE snapshots. The tests give positions of bits by
 * number, since the names of the model may have the wrong ones.
 */
#ifndef PE_TEST_H
#define PE_TEST_H

#include "kselftest_harness.h"

#include "pe_snapshot.h"

#define TEST_SEED	UINT64_C(0x5eed)
#define ARRAY_COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define COUNTERS	6
#define BIT(n)		(UINT64_C(1) << (n))

/* PMSSCR_EL1 */
#define SS		BIT(0)
#define NC		BIT(32)

/* PMSSE and SSE */
#define PMSSE(n)	((uint64_t)(n) << 30)
#define SSE(n)		((uint64_t)(n) << 3)

/* All that MDCR_EL3 and HDFGRTR2_EL2 need for accesses at EL1 */
#define EL3_PERMITS	(BIT(7) | BIT(44))
#define EL2_PERMITS	(BIT(0) | BIT(6) | BIT(7))

/* A PE and its PMU, whose counters all change with each read of them. */
struct pe {
	struct pe_snapshot_config config;
	struct pe_snapshot snapshot;
	struct pe_cpu cpu;
	unsigned int reads;
	unsigned int events;
	unsigned int number;
	uint64_t control_at_event;
	unsigned int reads_at_event;
};

static inline uint64_t read_reg(struct pe *pe, unsigned int reg)
{
	return pe_snapshot_read(&pe->snapshot, reg);
}

static inline uint64_t control(struct pe *pe)
{
	return read_reg(pe, PE_PMSSCR_EL1);
}

static inline void read_counters(void *opaque, struct pe_counters *counters)
{
	struct pe *pe = opaque;
	unsigned int i;

	pe->reads++;
	counters->cycles = UINT64_C(0xc0c0c0c000000000) + pe->reads;
	counters->instructions = UINT64_C(0xa0a0a0a000000000) + pe->reads;
	for (i = 0; i < pe->config.counters; i++)
		counters->events[i] = (UINT64_C(0xe0e0e0e000000000) | i << 8) + pe->reads;
}

static inline void take_event(void *opaque, uint16_t number)
{
	struct pe *pe = opaque;

	pe->events++;
	pe->number = number;
	pe->control_at_event = control(pe);
	pe->reads_at_event = pe->reads;
}

/* Initialise and reset it; the configuration must be valid. */
static inline void make(struct __test_metadata *_metadata, struct pe *pe)
{
	const struct pe_snapshot_owner owner = {
		.read = read_counters, .event = take_event, .opaque = pe,
	};

	ASSERT_EQ(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe_snapshot_reset(&pe->snapshot, true, TEST_SEED);
	pe->reads = 0;
	pe->events = 0;
}

/* A PE with all Exception levels and all features, that runs at EL1 and where EL1 may do all. */
static inline void default_pe(struct pe *pe)
{
	*pe = (struct pe){
		.config = {
			.counters = COUNTERS, .instruction_counter = true, .el2 = true,
			.el3 = true, .fgt2 = true,
		},
		.cpu = {
			.el = 1, .el2_enabled = true, .fgten2 = true,
			.mdcr_el2 = PMSSE(1) | COUNTERS, .mdcr_el3 = PMSSE(1) | EL3_PERMITS,
			.hdfgrtr2_el2 = EL2_PERMITS, .hdfgwtr2_el2 = EL2_PERMITS,
		},
	};
}

static inline void set_controls(struct pe *pe, unsigned int el3, unsigned int el2,
				unsigned int sse)
{
	pe->cpu.mdcr_el3 = (pe->cpu.mdcr_el3 & ~PMSSE(3)) | PMSSE(el3);
	pe->cpu.mdcr_el2 = (pe->cpu.mdcr_el2 & ~PMSSE(3)) | PMSSE(el2);
	pe_snapshot_write(&pe->snapshot, &pe->cpu, PE_PMECR_EL1, SSE(sse));
}

static inline void write_control(struct pe *pe, uint64_t value)
{
	pe_snapshot_write(&pe->snapshot, &pe->cpu, PE_PMSSCR_EL1, value);
}

static inline void complete(struct pe *pe)
{
	pe_snapshot_complete(&pe->snapshot, &pe->cpu);
}

/* By software; the driver sets NC. */
static inline void capture(struct pe *pe)
{
	write_control(pe, NC | SS);
	complete(pe);
}

/* Whether the registers have the values of a read of the counters, and all of the same one. */
static inline bool has_values_of(struct pe *pe, unsigned int read)
{
	unsigned int i;

	for (i = 0; i < pe->config.counters; i++) {
		if (read_reg(pe, PE_PMEVCNTSVR_EL1 + i) !=
		    (UINT64_C(0xe0e0e0e000000000) | i << 8) + read)
			return false;
	}
	return read_reg(pe, PE_PMCCNTSVR_EL1) == UINT64_C(0xc0c0c0c000000000) + read &&
	       read_reg(pe, PE_PMICNTSVR_EL1) == UINT64_C(0xa0a0a0a000000000) + read;
}

#endif /* PE_TEST_H */
