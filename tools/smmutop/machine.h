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

/*
 * StreamIDs that one filter matches: all, or one, or a power of two of them that is aligned to its
 * size (FILTER_SID_SPAN, IHI 0070 10.4)
 */
struct block {
	bool everything; /* no filter; all other members are 0 then */
	uint32_t stream_id; /* the lowest one, as far as filters compare it */
	unsigned int span_bits; /* so many low bits of the StreamID are ignored */
};

static inline bool block_equal(const struct block *a, const struct block *b)
{
	return a->stream_id == b->stream_id && a->span_bits == b->span_bits &&
	       a->everything == b->everything;
}

bool block_has(const struct block *block, uint32_t stream_id);
uint32_t block_filter(const struct block *block, bool *span);

/* What a counter group counts, by the events that it has */
enum pmcg_kind {
	KIND_ALL, /* everything; its tlb_miss is the SMMU's */
	KIND_TBU, /* what goes through a TBU; its tlb_miss is what it asks the TCU */
	KIND_TCU, /* what TBUs ask; its tlb_miss is what walks tables */
	KINDS
};

extern const char * const event_names[EVENTS];
extern const char * const kind_names[KINDS];

/* An event that is shown by --detail only, and knows StreamIDs */
struct named_event {
	char name[NAME_LENGTH];
	unsigned int number;
};

struct pmcg {
	char name[NAME_LENGTH];
	char label[NAME_LENGTH]; /* for the screen, "TBU0" */
	char part[NAME_LENGTH]; /* of the block by its identifier, "MMU-600", or empty */
	char driver[NAME_LENGTH]; /* "arm_smmuv3_pmcg", or the in-tree one; empty if unknown */
	char device[NAME_LENGTH]; /* its platform device, empty if sysfs does not tell */
	uint64_t page; /* physical address of its first page */
	int smmu; /* index of its SMMU, or -1 if nothing tells */
	enum pmcg_kind kind;
	uint32_t type;
	int cpu;
	unsigned int counters;
	unsigned int stream_bits; /* bits of a StreamID that a filter compares */
	bool filter_each; /* each counter has a filter; otherwise there is one for all */
	bool probed; /* counters and filter_each were not told by the driver */
	bool gone; /* it is not counted any more */
	bool vanished; /* since its driver was unbound */
	unsigned int events; /* bit n: it can count event n */
	struct named_event *named; /* other events, once machine_find_named_events() was called */
	size_t named_number;
};

struct device {
	char name[NAME_LENGTH]; /* of the device, "0000:81:00.0" */
	char driver[NAME_LENGTH];
	/* Of its disks and network interfaces, or of who uses it, separated by commas */
	char names[NAME_LENGTH];
	char group[16]; /* its IOMMU group, or empty */
	char domain[16]; /* "strict", "lazy", "identity", "vfio", or what the kernel says */
	bool described; /* driver, group, domain, and who uses it were read */
};

/* A device has a StreamID */
struct stream {
	uint32_t id;
	unsigned int device;
	bool guessed; /* the StreamID is the requester ID, since nothing tells */
};

/* StreamIDs that filters cannot tell apart */
struct row {
	uint32_t id; /* the bits of the StreamID that are compared */
	const struct smmu *smmu;
	const struct stream *streams; /* those of the SMMU that belong to the row */
	size_t streams_number;
};

struct smmu {
	char name[NAME_LENGTH]; /* for the screen, "smmu3.2b400000" */
	char device[NAME_LENGTH];
	uint64_t base; /* physical address of its registers, 0 if unknown */
	unsigned int stream_bits; /* bits of a StreamID that all of its counter groups compare */
	struct stream *streams; /* sorted by the bits of the StreamID that filters compare */
	size_t streams_number;
	struct row *rows; /* one for each of these values */
	size_t rows_number;
};

/* A process that has a file of vfio open */
struct holder {
	char file[NAME_LENGTH]; /* "/dev/vfio/12" */
	char process[NAME_LENGTH]; /* its directory in /proc */
	char name[NAME_LENGTH]; /* "qemu: web01" */
};

struct machine {
	char host[NAME_LENGTH];
	struct smmu *smmus;
	size_t smmus_number;
	struct pmcg *pmcgs; /* the counter groups that are used */
	size_t pmcgs_number;
	/* Counter groups that are not, since nothing tells which SMMU they belong to */
	size_t pmcgs_left_out;
	struct device *devices;
	size_t devices_number;
	struct holder *holders;
	size_t holders_number;
	bool holders_read; /* since devices were named the last time */
};

void machine_discover(struct machine *machine, char * const *wanted);
void machine_find_named_events(struct machine *machine, const struct smmu *smmu);
bool machine_has_pmu(const char *name);
bool machine_uses_pmcg(const struct machine *machine, const struct pmcg *pmcg);
void machine_free(struct machine *machine);

/* Parts of discovery, for tests and for each other */
int machine_find_smmu(struct machine *machine, const char *device);
void machine_add_stream(struct machine *machine, int smmu, const char *device, uint32_t id,
			bool guessed);
struct device *machine_find_device(struct machine *machine, const char *name);
void machine_name_devices(struct machine *machine);
void machine_describe_row(struct machine *machine, const struct row *row);
void machine_describe_devices(struct machine *machine);
void machine_make_rows(struct machine *machine);
bool machine_counts_row(const struct pmcg *pmcg, const struct row *row);
/* The path of a file of its PMU in sysfs, as system_path() has it */
const char *pmcg_path(const struct pmcg *pmcg, const char *file);

/* What firmware tells, where the driver does not. */
void firmware_find_smmus(struct machine *machine);
void firmware_find_streams(struct machine *machine);

#endif
