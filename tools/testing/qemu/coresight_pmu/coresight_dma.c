// SPDX-License-Identifier: GPL-2.0
/*
 * What devices behind the emulated SMMU read and write, as events of CoreSight PMUs.
 *
 * A request is a contiguous piece of memory that QEMU asks for at once, which is at most a page
 * of the SMMU. A buffer that is lent to a device counts as a whole, whatever the device does with
 * it.
 */
#include "qemu/osdep.h"
#include "hw/arm/smmu-common.h"
#include "hw/arm/smmuv3.h"

#include "coresight_dma.h"
#include "coresight_pmu.h"

/* Events by requester: the StreamID is that of the device. */
#define READ_REQUESTS		0x20
#define READ_BYTES		0x21
#define WRITE_REQUESTS		0x22
#define WRITE_BYTES		0x23

/* Events by target: in the place of the StreamID is the number of a block of memory. */
#define BY_TARGET		0x10
#define TARGET_SHIFT		26

/* The access that coresight_dma_try() asked for, once it is translated. */
static struct {
	bool trying;
	bool translated;
	struct coresight_dma dma;
	uint64_t address;
	uint64_t length;
} trial;

struct coresight_dma coresight_dma_begin(IOMMUMemoryRegion *mr, bool is_write)
{
	struct coresight_dma dma = { .is_write = is_write, .trial = trial.trying };

	trial.trying = false;
	trial.translated = false;
	if (object_dynamic_cast(OBJECT(mr), TYPE_SMMUV3_IOMMU_MEMORY_REGION)) {
		dma.behind_smmu = true;
		dma.stream_id = smmu_get_sid(container_of(mr, SMMUDevice, iommu));
	}
	return dma;
}

static void count(uint32_t number, uint32_t stream_id, uint64_t n)
{
	const struct syspmu_event event = {
		.number = number, .stream_id = stream_id,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};

	syspmu_device_traffic(TYPE_CORESIGHT_PMU, &event, n, NULL);
}

static void happen(const struct coresight_dma *dma, uint64_t address, uint64_t length)
{
	uint32_t requests = dma->is_write ? WRITE_REQUESTS : READ_REQUESTS;
	uint32_t bytes = dma->is_write ? WRITE_BYTES : READ_BYTES;

	count(requests, dma->stream_id, 1);
	count(bytes, dma->stream_id, length);
	count(requests + BY_TARGET, address >> TARGET_SHIFT, 1);
	count(bytes + BY_TARGET, address >> TARGET_SHIFT, length);
}

void coresight_dma_end(const struct coresight_dma *dma, uint64_t address, uint64_t length)
{
	if (!dma->behind_smmu)
		return;
	if (!dma->trial) {
		happen(dma, address, length);
		return;
	}
	trial.translated = true;
	trial.dma = *dma;
	trial.address = address;
	trial.length = length;
}

void coresight_dma_try(void)
{
	trial.trying = true;
}

void coresight_dma_settle(void)
{
	if (trial.translated)
		happen(&trial.dma, trial.address, trial.length);
	trial.translated = false;
}
