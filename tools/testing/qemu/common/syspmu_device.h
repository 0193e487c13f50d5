/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU of the emulated machine, of any family: its pages, its interrupts, and what the
 * stimulus page controls.
 */
#ifndef SYSPMU_DEVICE_H
#define SYSPMU_DEVICE_H

#include "qemu/notify.h"
#include "qemu/timer.h"
#include "exec/memory.h"
#include "hw/qdev-core.h"

#include "syspmu.h"

#define TYPE_SYSPMU_DEVICE "syspmu-device"

/* The interrupt number of a PMU without a wired interrupt. */
#define SYSPMU_DEVICE_NO_SPI UINT32_MAX

struct syspmu_device;

/* One page of registers. */
struct syspmu_device_page {
	MemoryRegion region;	/* in the system's memory */
	struct syspmu_device *dev;	/* the PMU that the page belongs to */
	unsigned int index;	/* 0 or 1 */
};

/* A PMU in the emulated machine. */
struct syspmu_device {
	DeviceState parent;

	struct syspmu_model *model;	/* what software sees and what counts */
	struct syspmu_config config;	/* of @model, from the properties */
	struct syspmu_device_page page[SYSPMU_PAGES];	/* register pages */
	uint64_t base[SYSPMU_PAGES];	/* their physical addresses; 0 if there is no page 1 */
	/* Number of the wired interrupt, or SYSPMU_DEVICE_NO_SPI; several may share one */
	uint32_t spi;
	/* The INTID of a wired interrupt that is private to a CPU, 16 to 31, or 0 */
	uint32_t ppi;
	uint32_t ppi_cpu;	/* the CPU */
	qemu_irq irq;	/* the wired interrupt, or NULL */
	uint16_t msi_device_id;	/* the device that MSIs come from */
	struct syspmu_message last_message;	/* the MSI that was sent last */
	uint64_t seed;	/* for the bits that are UNKNOWN after reset */
	bool atomic64;	/* a 64-bit access is one access */

	uint32_t cycles_frequency;	/* clock cycles in a second of virtual time, or 0 */
	uint64_t cycles_done;	/* cycles that @model has counted */
	QEMUTimer overflow_timer;	/* expires when clock cycles make a counter overflow */

	bool traffic;	/* events of the emulated machine are reported to @model */
	bool written;	/* software has written to a register since reset */
	uint32_t reads_left;	/* it loses power after this many reads; 0: it does not */
	bool loses_state;	/* it loses power right after it is next stopped */
	uint64_t lost_seed;	/* for the bits that are UNKNOWN after that */
	Notifier shutdown;	/* for a check when the machine is shut down */

	QTAILQ_ENTRY(syspmu_device) next;	/* in the order of the command line */
};

/* What a family of PMUs adds. */
struct syspmu_device_class {
	DeviceClass parent;

	uint32_t family;	/* its number in FAMILY of the stimulus page */
	/*
	 * Creates the model from the properties, including struct syspmu_config, and returns it;
	 * returns NULL with an error if there can be no such PMU
	 */
	struct syspmu_model *(*make_model)(struct syspmu_device *dev,
					   const struct syspmu_owner *owner, Error **errp);
	/* Whether a write is the last one of software before power may be removed */
	bool (*stops)(struct syspmu_device *dev, unsigned int page, uint32_t offset,
		      uint64_t value);
	/*
	 * Reads one of the registers of the stimulus page that are specific to the family: 32 bits
	 * wide, at an offset that no other family uses; NULL: none
	 */
	uint32_t (*stimulus_read)(struct syspmu_device *dev, uint32_t offset);
	/* Writes one; NULL: none */
	void (*stimulus_write)(struct syspmu_device *dev, uint32_t offset, uint32_t value);
};

DECLARE_OBJ_CHECKERS(struct syspmu_device, struct syspmu_device_class, SYSPMU_DEVICE,
		     TYPE_SYSPMU_DEVICE)

/* The number of PMUs. */
uint32_t syspmu_device_number(void);

/* A PMU, or NULL. @index: its position on the command line. */
struct syspmu_device *syspmu_device_find(uint32_t index);

/* Inject events now. */
void syspmu_device_inject(struct syspmu_device *dev, const struct syspmu_event *event, uint64_t n);

/*
 * Tell the PMUs of a QOM type what happens in the machine. @sees: whether it happens in the part of
 * the machine that a PMU belongs to; NULL: it does, whatever the PMU. The stimulus page decides for
 * each of them whether that reaches it.
 */
void syspmu_device_traffic(const char *type, const struct syspmu_event *event, uint64_t n,
			   bool (*sees)(struct syspmu_device *dev,
					const struct syspmu_event *event));

/* What software would read: the aligned 64 bits around @offset. */
uint64_t syspmu_device_peek(struct syspmu_device *dev, unsigned int page, uint32_t offset);

/* Turn the power of a PMU off or on. READS_LEFT of the stimulus page is cleared. */
void syspmu_device_set_dead(struct syspmu_device *dev, bool dead);

/* See syspmu_delay_changes(). */
void syspmu_device_delay_changes(struct syspmu_device *dev, uint32_t events);

/* See syspmu_request_capture(). */
void syspmu_device_request_capture(struct syspmu_device *dev);

/* @seed: for the bits that are UNKNOWN after reset. */
void syspmu_device_reset(struct syspmu_device *dev, uint64_t seed);

/*
 * Make a PMU lose its power at its next sleep, which begins with the write that stops a PMCG, or
 * disables the interrupts of a stopped CoreSight PMU. It is reset right after that. @seed: for the
 * bits that are UNKNOWN when power is back.
 */
void syspmu_device_lose_state(struct syspmu_device *dev, uint64_t seed);

#endif /* SYSPMU_DEVICE_H */
