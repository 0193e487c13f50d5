/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the unit tests of the CoreSight PMU model. The tests give offsets by number, since
 * the names of the model may have the wrong ones.
 */
#ifndef CORESIGHT_TEST_H
#define CORESIGHT_TEST_H

#include "kselftest_harness.h"

#include "coresight.h"

#define TEST_SEED	UINT64_C(0x5eed)
#define ARRAY_COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define CYCLES		0x11
#define EVENT		0x77

/* PMCR */
#define E		(UINT32_C(1) << 0)
#define P		(UINT32_C(1) << 1)
#define C		(UINT32_C(1) << 2)
#define D		(UINT32_C(1) << 3)
#define FZO		(UINT32_C(1) << 9)
#define HDBG		(UINT32_C(1) << 10)

/* What the owner of a PMU has seen of its interrupts. */
struct seen {
	bool level;
	unsigned int edges;
	unsigned int messages;
	struct syspmu_message last;
	bool abort;
};

static inline void see_irq(void *opaque, bool level)
{
	struct seen *seen = opaque;

	seen->level = level;
	seen->edges += level;
}

static inline bool see_message(void *opaque, const struct syspmu_message *message)
{
	struct seen *seen = opaque;

	seen->messages++;
	seen->last = *message;
	return !seen->abort;
}

/* Make and reset a PMU; the configuration must be valid. */
static inline void make(struct __test_metadata *_metadata, struct coresight *pmu,
			const struct coresight_config *config, struct seen *seen)
{
	const struct syspmu_owner owner = {
		.irq = see_irq, .msi = see_message, .opaque = seen,
	};
	const char *message = coresight_init(pmu, config, seen ? &owner : NULL);

	ASSERT_EQ(NULL, message)
		TH_LOG("coresight_init: %s", message);
	if (seen)
		memset(seen, 0, sizeof(*seen));
	syspmu_reset(&pmu->model, TEST_SEED);
}

static inline uint32_t read32(struct coresight *pmu, uint32_t offset)
{
	return (uint32_t)syspmu_read(&pmu->model, 0, offset, 4);
}

static inline uint64_t read64(struct coresight *pmu, uint32_t offset)
{
	return syspmu_read(&pmu->model, 0, offset, 8);
}

static inline void write32(struct coresight *pmu, uint32_t offset, uint32_t value)
{
	syspmu_write(&pmu->model, 0, offset, 4, value);
}

static inline void write64(struct coresight *pmu, uint32_t offset, uint64_t value)
{
	syspmu_write(&pmu->model, 0, offset, 8, value);
}

static inline uint32_t read32_page_1(struct coresight *pmu, uint32_t offset)
{
	return (uint32_t)syspmu_read(&pmu->model, 1, offset, 4);
}

/* The bits of a register of page 0 that can be set and cleared. */
static inline uint32_t writable(struct coresight *pmu, uint32_t offset)
{
	uint32_t ones;

	write32(pmu, offset, UINT32_MAX);
	ones = read32(pmu, offset);
	write32(pmu, offset, 0);
	return ones & ~read32(pmu, offset);
}

/* A register that reads as one value, whatever is written. */
static inline bool constant(struct coresight *pmu, uint32_t offset, uint32_t value)
{
	return read32(pmu, offset) == value && !writable(pmu, offset) &&
	       read32(pmu, offset) == value;
}

/* The registers are 8 bytes apart if any monitor has more than 32 bits. */
static inline unsigned int distance(const struct coresight *pmu)
{
	return (syspmu_peek(&pmu->model, 0, 0xe00) >> 8 & 0x3f) > 31 ? 8 : 4;
}

static inline uint64_t value(struct coresight *pmu, unsigned int monitor)
{
	return syspmu_read(&pmu->model, pmu->config.dual_page, distance(pmu) * monitor,
			   distance(pmu));
}

static inline void set_value(struct coresight *pmu, unsigned int monitor, uint64_t to)
{
	syspmu_write(&pmu->model, pmu->config.dual_page, distance(pmu) * monitor, distance(pmu),
		     to);
}

/* A bit of an array of 32-bit registers. */
static inline bool flag(struct coresight *pmu, uint32_t offset, unsigned int monitor)
{
	unsigned int page = pmu->config.dual_page && offset >= 0xc80;

	return syspmu_read(&pmu->model, page, offset + monitor / 32 * 4, 4) >> monitor % 32 & 1;
}

static inline void set_flag(struct coresight *pmu, uint32_t offset, unsigned int monitor)
{
	unsigned int page = pmu->config.dual_page && offset >= 0xc80;

	syspmu_write(&pmu->model, page, offset + monitor / 32 * 4, 4,
		     UINT32_C(1) << monitor % 32);
}

/* Everything disabled, cleared and at zero, as after the probe of a driver. */
static inline void quiet(struct coresight *pmu)
{
	unsigned int i;

	write32(pmu, 0xe04, 0);
	for (i = 0; i < 0x20; i += 4) {
		write32(pmu, 0xc20 + i, UINT32_MAX);
		write32(pmu, 0xc60 + i, UINT32_MAX);
		syspmu_write(&pmu->model, pmu->config.dual_page, 0xc80 + i, 4, UINT32_MAX);
	}
	for (i = 0; i < 128; i++) {
		write32(pmu, 0x400 + 4 * i, 0);
		write32(pmu, 0xa00 + 4 * i, 0);
		write32(pmu, 0x800 + 4 * i, 0);
	}
	write32(pmu, 0xe04, P | C);
}

/* A monitor counts an event from zero; the PMU must be running for it to move. */
static inline void program(struct coresight *pmu, unsigned int monitor, uint32_t event,
			   uint32_t filter)
{
	write32(pmu, 0x400 + 4 * monitor, event);
	write32(pmu, 0xa00 + 4 * monitor, filter);
	set_value(pmu, monitor, 0);
	set_flag(pmu, 0xc00, monitor);
}

static inline void happen(struct coresight *pmu, uint32_t number, uint64_t n)
{
	syspmu_inject(&pmu->model, &(struct syspmu_event){ .number = number }, n);
}

#endif /* CORESIGHT_TEST_H */
