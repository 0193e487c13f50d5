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

/**
 * struct syspmu_device_page - one page of registers
 * @region: in the system's memory
 * @dev: the PMU that the page belongs to
 * @index: 0 or 1
 */
struct syspmu_device_page {
	MemoryRegion region;
	struct syspmu_device *dev;
	unsigned int index;
};

/**
 * struct syspmu_device - a PMU in the emulated machine
 * @parent: for QOM
 * @model: what software sees and what counts
 * @config: of @model, from the properties
 * @page: register pages
 * @base: their physical addresses; 0 if there is no page 1
 * @spi: number of the wired interrupt, or SYSPMU_DEVICE_NO_SPI; several may share one
 * @ppi: the INTID of a wired interrupt that is private to a CPU, 16 to 31, or 0
 * @ppi_cpu: the CPU
 * @irq: the wired interrupt, or NULL
 * @msi_device_id: the device that MSIs come from
 * @last_message: the MSI that was sent last
 * @seed: for the bits that are UNKNOWN after reset
 * @atomic64: a 64-bit access is one access
 * @cycles_frequency: clock cycles in a second of virtual time, or 0
 * @cycles_done: cycles that @model has counted
 * @overflow_timer: expires when clock cycles make a counter overflow
 * @traffic: events of the emulated machine are reported to @model
 * @written: software has written to a register since reset
 * @reads_left: it loses power after this many reads; 0: it does not
 * @loses_state: it loses power right after it is next stopped
 * @lost_seed: for the bits that are UNKNOWN after that
 * @shutdown: for a check when the machine is shut down
 * @next: in the order of the command line
 */
struct syspmu_device {
	DeviceState parent;

	struct syspmu_model *model;
	struct syspmu_config config;
	struct syspmu_device_page page[SYSPMU_PAGES];
	uint64_t base[SYSPMU_PAGES];
	uint32_t spi;
	uint32_t ppi;
	uint32_t ppi_cpu;
	qemu_irq irq;
	uint16_t msi_device_id;
	struct syspmu_message last_message;
	uint64_t seed;
	bool atomic64;

	uint32_t cycles_frequency;
	uint64_t cycles_done;
	QEMUTimer overflow_timer;

	bool traffic;
	bool written;
	uint32_t reads_left;
	bool loses_state;
	uint64_t lost_seed;
	Notifier shutdown;

	QTAILQ_ENTRY(syspmu_device) next;
};

/**
 * struct syspmu_device_class - what a family of PMUs adds
 * @parent: for QOM
 * @family: its number in FAMILY of the stimulus page
 * @make_model: creates the model from the properties, including struct syspmu_config, and
 *	returns it; returns NULL with an error if there can be no such PMU
 * @stops: whether a write is the last one of software before power may be removed
 * @stimulus_read: reads one of the registers of the stimulus page that are specific to
 *	the family: 32 bits wide, at an offset that no other family uses; NULL: none
 * @stimulus_write: writes one; NULL: none
 */
struct syspmu_device_class {
	DeviceClass parent;

	uint32_t family;
	struct syspmu_model *(*make_model)(struct syspmu_device *dev,
					   const struct syspmu_owner *owner, Error **errp);
	bool (*stops)(struct syspmu_device *dev, unsigned int page, uint32_t offset,
		      uint64_t value);
	uint32_t (*stimulus_read)(struct syspmu_device *dev, uint32_t offset);
	void (*stimulus_write)(struct syspmu_device *dev, uint32_t offset, uint32_t value);
};

DECLARE_OBJ_CHECKERS(struct syspmu_device, struct syspmu_device_class, SYSPMU_DEVICE,
		     TYPE_SYSPMU_DEVICE)

/**
 * syspmu_device_number() - the number of PMUs
 *
 * Return: their number.
 */
uint32_t syspmu_device_number(void);

/**
 * syspmu_device_find() - find a PMU
 * @index: its position on the command line
 *
 * Return: the PMU, or NULL.
 */
struct syspmu_device *syspmu_device_find(uint32_t index);

/**
 * syspmu_device_inject() - inject events now
 * @dev: the PMU
 * @event: the event
 * @n: how many times
 */
void syspmu_device_inject(struct syspmu_device *dev, const struct syspmu_event *event, uint64_t n);

/**
 * syspmu_device_traffic() - tell the PMUs of a family what happens in the machine
 * @type: their QOM type
 * @event: what happens
 * @n: how many times
 * @sees: whether it happens in the part of the machine that a PMU belongs to; NULL: it
 *	does, whatever the PMU
 *
 * The stimulus page decides for each of them whether that reaches it.
 */
void syspmu_device_traffic(const char *type, const struct syspmu_event *event, uint64_t n,
			   bool (*sees)(struct syspmu_device *dev,
					const struct syspmu_event *event));

/**
 * syspmu_device_peek() - what software would read
 * @dev: the PMU
 * @page: 0 or 1
 * @offset: byte offset in the page
 *
 * Return: the aligned 64 bits around @offset.
 */
uint64_t syspmu_device_peek(struct syspmu_device *dev, unsigned int page, uint32_t offset);

/**
 * syspmu_device_set_dead() - turn the power of a PMU off or on
 * @dev: the PMU
 * @dead: without power
 *
 * READS_LEFT of the stimulus page is cleared.
 */
void syspmu_device_set_dead(struct syspmu_device *dev, bool dead);

/**
 * syspmu_device_delay_changes() - make changes of what a counter counts take effect late
 * @dev: the PMU
 * @events: how many events late
 */
void syspmu_device_delay_changes(struct syspmu_device *dev, uint32_t events);

/**
 * syspmu_device_request_capture() - capture by an external signal
 * @dev: the PMU
 */
void syspmu_device_request_capture(struct syspmu_device *dev);

/**
 * syspmu_device_reset() - reset a PMU
 * @dev: the PMU
 * @seed: for the bits that are UNKNOWN after reset
 */
void syspmu_device_reset(struct syspmu_device *dev, uint64_t seed);

/**
 * syspmu_device_lose_state() - make a PMU lose its power at its next sleep
 * @dev: the PMU
 * @seed: for the bits that are UNKNOWN when power is back
 *
 * A sleep begins with the write that stops a PMCG, or disables the interrupts of a stopped
 * CoreSight PMU. The PMU is reset right after that.
 */
void syspmu_device_lose_state(struct syspmu_device *dev, uint64_t seed);

#endif /* SYSPMU_DEVICE_H */
