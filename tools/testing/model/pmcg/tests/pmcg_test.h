/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the unit tests of the PMCG model. The tests give offsets by number, since the
 * names of the model may have the wrong ones.
 */
#ifndef PMCG_TEST_H
#define PMCG_TEST_H

#include "kselftest_harness.h"

#include "pmcg.h"

#define TEST_SEED	UINT64_C(0x5eed)
#define ARRAY_COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define SPAN		(UINT32_C(1) << 29)
#define OVFCAP		(UINT32_C(1) << 31)

#define TRANSACTION	1

static inline void count_edge(void *opaque, bool level)
{
	unsigned int *edges = opaque;

	*edges += level;
}

/* Make and reset a PMCG; the configuration must be valid. */
static inline void make(struct __test_metadata *_metadata, struct pmcg *pmcg,
			const struct pmcg_config *config, unsigned int *edges)
{
	const struct syspmu_owner owner = { .irq = count_edge, .opaque = edges };
	const char *message = pmcg_init(pmcg, config, edges ? &owner : NULL);

	ASSERT_EQ(NULL, message)
		TH_LOG("pmcg_init: %s", message);
	if (edges)
		*edges = 0;
	syspmu_reset(&pmcg->model, TEST_SEED);
}

static inline uint32_t read32(struct pmcg *pmcg, uint32_t offset)
{
	return (uint32_t)syspmu_read(&pmcg->model, 0, offset, 4);
}

static inline uint64_t read64(struct pmcg *pmcg, uint32_t offset)
{
	return syspmu_read(&pmcg->model, 0, offset, 8);
}

static inline void write32(struct pmcg *pmcg, uint32_t offset, uint32_t value)
{
	syspmu_write(&pmcg->model, 0, offset, 4, value);
}

static inline void write64(struct pmcg *pmcg, uint32_t offset, uint64_t value)
{
	syspmu_write(&pmcg->model, 0, offset, 8, value);
}

/* Everything disabled and cleared, as after the probe of a driver. */
static inline void quiet(struct pmcg *pmcg)
{
	unsigned int page = pmcg->config.relocate ? 1 : 0;

	write32(pmcg, 0xe04, 0);
	write32(pmcg, 0xe50, 0);
	write64(pmcg, 0xc20, UINT64_MAX);
	write64(pmcg, 0xc60, UINT64_MAX);
	syspmu_write(&pmcg->model, page, 0xc80, 8, UINT64_MAX);
}

static inline uint32_t counter_offset(const struct pmcg *pmcg, unsigned int counter)
{
	return counter * (pmcg->config.size <= 31 ? 4 : 8);
}

static inline uint64_t read_counter(struct pmcg *pmcg, unsigned int counter)
{
	return syspmu_read(&pmcg->model, pmcg->config.relocate, counter_offset(pmcg, counter),
			   pmcg->config.size <= 31 ? 4 : 8);
}

static inline void write_counter(struct pmcg *pmcg, unsigned int counter, uint64_t value)
{
	syspmu_write(&pmcg->model, pmcg->config.relocate, counter_offset(pmcg, counter),
		     pmcg->config.size <= 31 ? 4 : 8, value);
}

/* Makes a counter count all streams of one event, from zero. */
static inline void program_all(struct pmcg *pmcg, unsigned int counter, uint32_t event)
{
	write32(pmcg, 0x400 + 4 * counter, event | SPAN);
	write32(pmcg, 0xa00 + 4 * counter, UINT32_MAX);
	write_counter(pmcg, counter, 0);
	write64(pmcg, 0xc00, UINT64_C(1) << counter);
	write32(pmcg, 0xe04, 1);
}

/* How much @n events like @event add to a counter. */
static inline uint64_t added(struct pmcg *pmcg, unsigned int counter,
			     const struct syspmu_event *event, uint64_t n)
{
	uint64_t before = read_counter(pmcg, counter);

	syspmu_inject(&pmcg->model, event, n);
	return read_counter(pmcg, counter) - before;
}

#endif /* PMCG_TEST_H */
