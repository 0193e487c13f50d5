/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expected behaviour of a CoreSight PMU: a second, simple implementation of IHI 0091 for the
 * fuzzer. It is written from the specification and coresight.h only: it neither uses register
 * definitions of the model nor accesses members of struct coresight.
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include "coresight.h"

/* The state of a PMU. */
struct expected {
	const struct coresight_config *config;
	unsigned int stride;	/* bytes from one monitor value to the next */
	unsigned int last;	/* greatest number of a monitor */
	bool has[CORESIGHT_MAX_MONITORS];	/* which monitors exist */
	uint64_t max[CORESIGHT_MAX_MONITORS];	/* their greatest values */
	uint64_t value[CORESIGHT_MAX_MONITORS];	/* their values */
	uint32_t type[CORESIGHT_MAX_MONITORS];	/* PMEVTYPER, PMCCFILTR included */
	uint32_t filter[CORESIGHT_MAX_MONITORS];	/* PMEVFILTR */
	uint32_t filter2[CORESIGHT_MAX_MONITORS];	/* PMEVFILT2R */
	bool enabled[CORESIGHT_MAX_MONITORS];	/* PMCNTEN */
	bool irq[CORESIGHT_MAX_MONITORS];	/* PMINTEN */
	bool overflowed[CORESIGHT_MAX_MONITORS];	/* PMOVS */
	unsigned int cycles;	/* cycles that PMCR.D has not let the cycle counter count yet */
	uint32_t control;	/* PMCR */
	uint32_t impdef[CORESIGHT_IMPDEFS];	/* IMPDEF */
	uint32_t saved[CORESIGHT_SAVED_VALUES];	/* PMSVR */
	uint64_t reset;	/* PMSSRR */
	uint64_t address;	/* PMIRQCR0 */
	uint32_t data;	/* PMIRQCR1 */
	uint32_t irq_control;	/* PMIRQCR2 */
	uint32_t irq_error;	/* PMIRQSR */
	bool halted;
	bool second_state;	/* the agent is in the second state */
	bool no_capture;	/* captures are prohibited */
	bool level;	/* the interrupt is asserted */
	uint64_t edges;	/* number of edges of the irq */
	uint64_t messages;	/* number of MSIs */
};

/* The state of a PMU after reset. @model: just reset; UNKNOWN values are copied from it. */
void expected_after_reset(struct expected *expected, const struct coresight_config *config,
			  const struct syspmu_model *model);

/* A write of 32 bits. @offset: aligned. */
void expected_write(struct expected *expected, unsigned int page, uint32_t offset, uint32_t value);

void expected_event(struct expected *expected, const struct syspmu_event *event, uint64_t n);

void expected_capture(struct expected *expected);

/* The state of the agent has changed. */
void expected_update(struct expected *expected);

/* What a read of 32 bits returns. @offset: aligned. */
uint32_t expected_read(const struct expected *expected, unsigned int page, uint32_t offset);

#endif /* EXPECTED_H */
