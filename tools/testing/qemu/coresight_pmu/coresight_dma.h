/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What devices behind the emulated SMMU read and write, as events of CoreSight PMUs. QEMU calls
 * these where it translates addresses for devices.
 */
#ifndef CORESIGHT_DMA_H
#define CORESIGHT_DMA_H

#include "exec/memory.h"

/* An access by a device. */
struct coresight_dma {
	bool behind_smmu;	/* the device is behind the SMMU; others are not counted */
	uint32_t stream_id;
	bool is_write;	/* it writes to memory */
	bool trial;	/* it may turn out that the access does not happen */
};

/* An address is about to be translated for a device. */
struct coresight_dma coresight_dma_begin(IOMMUMemoryRegion *mr, bool is_write);

/* It was translated to this physical address. @length: bytes, as far as they are in one piece. */
void coresight_dma_end(const struct coresight_dma *dma, uint64_t address, uint64_t length);

/*
 * The next translation is to find out whether a piece goes on. QEMU lends out a buffer piece by
 * piece and stops before the first that does not follow the others in its memory. It asks for that
 * one again, so it must be counted by then only.
 */
void coresight_dma_try(void);

/* The piece goes on: what was tried happens. */
void coresight_dma_settle(void);

#endif /* CORESIGHT_DMA_H */
