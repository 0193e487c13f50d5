/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expected behaviour of a CoreSight PMU: a second, simple implementation of IHI 0091 for the
 * fuzzer. It is written from the specification and coresight.h only: it neither uses register
 * definitions of the model nor accesses members of struct coresight.
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include "coresight.h"

/**
 * struct expected - the state of a PMU
 * @config: its configuration
 * @stride: bytes from one monitor value to the next
 * @last: greatest number of a monitor
 * @has: which monitors exist
 * @max: their greatest values
 * @value: their values
 * @type: PMEVTYPER, PMCCFILTR included
 * @filter: PMEVFILTR
 * @filter2: PMEVFILT2R
 * @enabled: PMCNTEN
 * @irq: PMINTEN
 * @overflowed: PMOVS
 * @cycles: cycles that PMCR.D has not let the cycle counter count yet
 * @control: PMCR
 * @impdef: IMPDEF
 * @saved: PMSVR
 * @reset: PMSSRR
 * @address: PMIRQCR0
 * @data: PMIRQCR1
 * @irq_control: PMIRQCR2
 * @irq_error: PMIRQSR
 * @halted: the agent is in Debug state
 * @second_state: the agent is in the second state
 * @no_capture: captures are prohibited
 * @level: the interrupt is asserted
 * @edges: number of edges of the irq
 * @messages: number of MSIs
 */
struct expected {
	const struct coresight_config *config;
	unsigned int stride;
	unsigned int last;
	bool has[CORESIGHT_MAX_MONITORS];
	uint64_t max[CORESIGHT_MAX_MONITORS];
	uint64_t value[CORESIGHT_MAX_MONITORS];
	uint32_t type[CORESIGHT_MAX_MONITORS];
	uint32_t filter[CORESIGHT_MAX_MONITORS];
	uint32_t filter2[CORESIGHT_MAX_MONITORS];
	bool enabled[CORESIGHT_MAX_MONITORS];
	bool irq[CORESIGHT_MAX_MONITORS];
	bool overflowed[CORESIGHT_MAX_MONITORS];
	unsigned int cycles;
	uint32_t control;
	uint32_t impdef[CORESIGHT_IMPDEFS];
	uint32_t saved[CORESIGHT_SAVED_VALUES];
	uint64_t reset;
	uint64_t address;
	uint32_t data;
	uint32_t irq_control;
	uint32_t irq_error;
	bool halted;
	bool second_state;
	bool no_capture;
	bool level;
	uint64_t edges;
	uint64_t messages;
};

/**
 * expected_after_reset() - initialise the state after reset
 * @expected: filled in
 * @config: of the PMU
 * @model: the PMU, just reset; UNKNOWN values are copied from it
 */
void expected_after_reset(struct expected *expected, const struct coresight_config *config,
			  const struct syspmu_model *model);

/**
 * expected_write() - write 32 bits
 * @expected: the PMU
 * @page: 0 or 1
 * @offset: aligned
 * @value: value to write
 */
void expected_write(struct expected *expected, unsigned int page, uint32_t offset, uint32_t value);

/**
 * expected_event() - events occur
 * @expected: the PMU
 * @event: the event
 * @n: how many times
 */
void expected_event(struct expected *expected, const struct syspmu_event *event, uint64_t n);

/**
 * expected_capture() - a capture
 * @expected: the PMU
 */
void expected_capture(struct expected *expected);

/**
 * expected_update() - the state of the agent has changed
 * @expected: the PMU
 */
void expected_update(struct expected *expected);

/**
 * expected_read() - result of a read of 32 bits
 * @expected: the PMU
 * @page: 0 or 1
 * @offset: aligned
 *
 * Return: the value.
 */
uint32_t expected_read(const struct expected *expected, unsigned int page, uint32_t offset);

#endif /* EXPECTED_H */
