/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine: SMMUs, their counter groups, and the devices behind them.
 */
#ifndef SMMUTOP_MACHINE_H
#define SMMUTOP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_LENGTH	64

/* Architected events, IHI 0070 §10.3. */
enum pmcg_event {
	EVENT_CYCLES,
	EVENT_TRANSACTION,
	EVENT_TLB_MISS,
	EVENT_CONFIG_MISS,
	EVENT_WALK_ACCESS,
	EVENT_CONFIG_ACCESS,
	EVENT_ATS_REQUEST,
	EVENT_ATS_PASSED,
	EVENTS
};

/**
 * enum pmcg_kind - what a counter group counts, by the events that it has
 * @KIND_ALL: everything; its tlb_miss is the SMMU's
 * @KIND_TBU: what goes through a TBU; its tlb_miss is what it asks the TCU
 * @KIND_TCU: what TBUs ask; its tlb_miss is what walks tables
 */
enum pmcg_kind {
	KIND_ALL,
	KIND_TBU,
	KIND_TCU,
	KINDS
};

extern const char * const kind_names[KINDS];

/**
 * struct field - where a number is in struct perf_event_attr
 * @word: config, config1 or config2
 * @mask: its bits, 0 if the PMU has no such field
 */
struct field {
	unsigned int word;
	uint64_t mask;
};

/**
 * struct named_event - an event that is shown by --detail only
 * @name: in sysfs
 * @config: for perf_event_attr
 * @no_stream: it knows no StreamID
 */
struct named_event {
	char name[NAME_LENGTH];
	uint64_t config;
	bool no_stream;
};

/**
 * struct pmcg - a counter group
 * @name: of the PMU
 * @label: for the screen, "TBU0"
 * @part: of the block by its identifier, "MMU-600", or empty
 * @driver: "arm_smmuv3_pmcg", or the in-tree one; empty if unknown
 * @device: its platform device, empty if sysfs does not tell
 * @page: physical address of its first page
 * @smmu: index of its SMMU, or -1 if nothing tells
 * @kind: what it counts
 * @type: of the PMU
 * @cpu: that its events are opened on
 * @counters: how many
 * @width: bits of a counter, 0 if unknown
 * @stream_bits: bits of a StreamID that a filter compares
 * @filter_each: each counter has a filter; otherwise there is one for all
 * @probed: @counters and @filter_each were not told by the driver
 * @gone: it no longer exists
 * @events: bit n: it can count event n
 * @named: other events, once machine_find_named_events() was called
 * @named_number: of these
 * @named_read: it was called
 * @event: field
 * @filter_enable: field
 * @filter_span: field
 * @filter_stream_id: field
 */
struct pmcg {
	char name[NAME_LENGTH];
	char label[NAME_LENGTH];
	char part[NAME_LENGTH];
	char driver[NAME_LENGTH];
	char device[NAME_LENGTH];
	uint64_t page;
	int smmu;
	enum pmcg_kind kind;
	uint32_t type;
	int cpu;
	unsigned int counters;
	unsigned int width;
	unsigned int stream_bits;
	bool filter_each;
	bool probed;
	bool gone;
	unsigned int events;
	struct named_event *named;
	size_t named_number;
	bool named_read;
	struct field event;
	struct field filter_enable;
	struct field filter_span;
	struct field filter_stream_id;
};

/**
 * struct device - a device behind an SMMU
 * @name: of the device, "0000:81:00.0"
 * @driver: bound to it, or empty
 * @names: of its disks and network interfaces, separated by commas
 * @group: its IOMMU group, or empty
 * @domain: "strict", "lazy", "identity", "vfio", or what the kernel says
 * @described: @driver, @group and @domain were read
 */
struct device {
	char name[NAME_LENGTH];
	char driver[NAME_LENGTH];
	char names[NAME_LENGTH];
	char group[16];
	char domain[16];
	bool described;
};

/**
 * struct stream - a device has a StreamID
 * @id: the StreamID
 * @device: index of the device
 * @guessed: the StreamID is the requester ID, since nothing tells
 */
struct stream {
	uint32_t id;
	unsigned int device;
	bool guessed;
};

/**
 * struct row - StreamIDs that filters cannot tell apart
 * @id: the bits of the StreamID that are compared
 * @first: index of the first stream of the SMMU that belongs to the row; they are adjacent
 * @number: of these streams
 */
struct row {
	uint32_t id;
	size_t first;
	size_t number;
};

/**
 * struct smmu - an SMMU
 * @name: for the screen, "smmu3.2b400000"
 * @device: its platform device
 * @base: physical address of its registers, 0 if unknown
 * @stream_bits: bits of a StreamID that all of its counter groups compare
 * @streams: sorted by the bits of the StreamID that filters compare
 * @streams_number: of these
 * @rows: one for each of these values
 * @rows_number: of these
 */
struct smmu {
	char name[NAME_LENGTH];
	char device[NAME_LENGTH];
	uint64_t base;
	unsigned int stream_bits;
	struct stream *streams;
	size_t streams_number;
	struct row *rows;
	size_t rows_number;
};

/**
 * struct machine - all of it
 * @host: its name
 * @smmus: all SMMUs
 * @smmus_number: of these
 * @pmcgs: the counter groups that are used
 * @pmcgs_number: of these
 * @pmcgs_left_out: counter groups that are not, since nothing tells which SMMU they belong to
 * @devices: that are behind an SMMU
 * @devices_number: of these
 */
struct machine {
	char host[NAME_LENGTH];
	struct smmu *smmus;
	size_t smmus_number;
	struct pmcg *pmcgs;
	size_t pmcgs_number;
	size_t pmcgs_left_out;
	struct device *devices;
	size_t devices_number;
};

void machine_discover(struct machine *machine, char * const *wanted);
void machine_find_named_events(struct machine *machine, size_t smmu);
bool machine_has_pmu(const char *name);
bool machine_uses_pmcg(const struct machine *machine, size_t pmcg);
void machine_free(struct machine *machine);

/* Parts of discovery, for tests and for each other */
int machine_find_smmu(struct machine *machine, const char *device);
void machine_add_stream(struct machine *machine, int smmu, const char *device, uint32_t id,
			bool guessed);
void machine_describe_row(struct machine *machine, size_t smmu, size_t row);
void machine_describe_devices(struct machine *machine);
void machine_make_rows(struct machine *machine);
bool machine_counts_row(const struct machine *machine, const struct pmcg *pmcg,
			const struct row *row);
const char *event_name(enum pmcg_event event);
void field_set(const struct field *field, uint64_t words[3], uint64_t value);

/* What firmware tells, where the driver does not. */
void firmware_find_smmus(struct machine *machine);
void firmware_find_streams(struct machine *machine);

#endif
