/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMCG device, as the stimulus page sees it.
 */
#ifndef SMMUV3_PMCG_H
#define SMMUV3_PMCG_H

#include "qemu/notify.h"
#include "qemu/timer.h"
#include "exec/memory.h"
#include "hw/qdev-core.h"

#include "pmcg.h"

#define TYPE_SMMUV3_PMCG "smmuv3-pmcg"

/* The interrupt number of a PMCG without a wired interrupt. */
#define SMMUV3_PMCG_NO_SPI UINT32_MAX

struct smmuv3_pmcg;

/**
 * struct smmuv3_pmcg_page - one page of registers
 * @region: in the system's memory
 * @pmcg: the PMCG that the page belongs to
 * @index: 0 or 1
 */
struct smmuv3_pmcg_page {
	MemoryRegion region;
	struct smmuv3_pmcg *pmcg;
	unsigned int index;
};

/**
 * struct smmuv3_pmcg - a PMCG in the emulated machine
 * @parent: for QOM
 * @model: what software sees and what counts
 * @config: of @model, from the properties
 * @page: register pages
 * @base: their physical addresses; 0 where there is no page 1
 * @spi: number of the wired interrupt, or SMMUV3_PMCG_NO_SPI; several may share one
 * @irq: the wired interrupt, or NULL
 * @msi_device_id: who MSIs come from
 * @last_message: the MSI that was sent last
 * @seed: decides what is UNKNOWN after reset
 * @atomic64: a 64-bit access is one access
 * @imp_def_by_stream_id: IMPLEMENTATION DEFINED events can be filtered by StreamID
 * @cycles_frequency: clock cycles in a second of virtual time, or 0
 * @cycles_done: cycles that @model knows of
 * @overflow_timer: expires when clock cycles make a counter overflow
 * @traffic: what happens in the emulated SMMU reaches @model
 * @reads_left: so many reads from now on, it loses its power; 0: it does not
 * @loses_state: the next write that clears CR.E is the last before power is lost
 * @lost_seed: decides what is UNKNOWN after that
 * @shutdown: for a last look when the machine is shut down
 * @next: in the order of the command line
 */
struct smmuv3_pmcg {
	DeviceState parent;

	struct pmcg model;
	struct pmcg_config config;
	struct smmuv3_pmcg_page page[PMCG_PAGES];
	uint64_t base[PMCG_PAGES];
	uint32_t spi;
	qemu_irq irq;
	uint16_t msi_device_id;
	struct pmcg_message last_message;
	uint64_t seed;
	bool atomic64;
	bool imp_def_by_stream_id;

	uint32_t cycles_frequency;
	uint64_t cycles_done;
	QEMUTimer overflow_timer;

	bool traffic;
	uint32_t reads_left;
	bool loses_state;
	uint64_t lost_seed;
	Notifier shutdown;

	QTAILQ_ENTRY(smmuv3_pmcg) next;
};

/**
 * smmuv3_pmcg_number() - how many PMCGs there are
 *
 * Return: their number.
 */
uint32_t smmuv3_pmcg_number(void);

/**
 * smmuv3_pmcg_find() - find a PMCG
 * @index: its position on the command line
 *
 * Return: the PMCG, or NULL.
 */
struct smmuv3_pmcg *smmuv3_pmcg_find(uint32_t index);

/**
 * smmuv3_pmcg_lose_state() - let a PMCG lose its power in its next sleep
 * @pmcg: the PMCG
 * @seed: decides what is UNKNOWN when power is back
 *
 * A write that clears CR.E is what begins a sleep. The PMCG is reset right after it.
 */
void smmuv3_pmcg_lose_state(struct smmuv3_pmcg *pmcg, uint64_t seed);

/**
 * smmuv3_pmcg_inject() - let events happen in a PMCG now
 * @pmcg: the PMCG
 * @event: what happens
 * @n: how many times
 */
void smmuv3_pmcg_inject(struct smmuv3_pmcg *pmcg, const struct pmcg_event *event, uint64_t n);

/**
 * smmuv3_pmcg_peek() - what software would read
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset in the page
 *
 * Return: the aligned 64 bits around @offset.
 */
uint64_t smmuv3_pmcg_peek(struct smmuv3_pmcg *pmcg, unsigned int page, uint32_t offset);

/**
 * smmuv3_pmcg_set_dead() - cut the power of a PMCG off, or bring it back
 * @pmcg: the PMCG
 * @dead: without power
 *
 * Whatever reads it had left are forgotten.
 */
void smmuv3_pmcg_set_dead(struct smmuv3_pmcg *pmcg, bool dead);

/**
 * smmuv3_pmcg_delay_changes() - let changes of what a counter counts take effect late
 * @pmcg: the PMCG
 * @events: how many events late
 */
void smmuv3_pmcg_delay_changes(struct smmuv3_pmcg *pmcg, uint32_t events);

/**
 * smmuv3_pmcg_request_capture() - capture by an external mechanism
 * @pmcg: the PMCG
 */
void smmuv3_pmcg_request_capture(struct smmuv3_pmcg *pmcg);

/**
 * smmuv3_pmcg_reset() - take a PMCG through reset
 * @pmcg: the PMCG
 * @seed: decides what reset leaves UNKNOWN
 */
void smmuv3_pmcg_reset(struct smmuv3_pmcg *pmcg, uint64_t seed);

#endif /* SMMUV3_PMCG_H */
