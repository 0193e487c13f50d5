/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What devices behind the emulated SMMU read and write, as events of CoreSight PMUs. QEMU calls
 * these where it translates addresses for devices.
 */
#ifndef CORESIGHT_DMA_H
#define CORESIGHT_DMA_H

#include "exec/memory.h"

/**
 * struct coresight_dma - an access by a device
 * @behind_smmu: the device is behind the SMMU; others are not counted
 * @stream_id: its StreamID
 * @is_write: it writes to memory
 * @trial: it may turn out that the access does not happen
 */
struct coresight_dma {
	bool behind_smmu;
	uint32_t stream_id;
	bool is_write;
	bool trial;
};

/**
 * coresight_dma_begin() - an address is about to be translated
 * @mr: where the device is
 * @is_write: the access is a write
 *
 * Return: the access.
 */
struct coresight_dma coresight_dma_begin(IOMMUMemoryRegion *mr, bool is_write);

/**
 * coresight_dma_end() - an address was translated
 * @dma: the access
 * @address: physical address
 * @length: bytes, as far as they are in one piece
 */
void coresight_dma_end(const struct coresight_dma *dma, uint64_t address, uint64_t length);

/**
 * coresight_dma_try() - the next translation is to find out whether a piece goes on
 *
 * QEMU lends out a buffer piece by piece and stops before the first that does not follow the
 * others in its memory. It asks for that one again, so it must be counted by then only.
 */
void coresight_dma_try(void);

/**
 * coresight_dma_settle() - the piece goes on: what was tried happens
 */
void coresight_dma_settle(void);

#endif /* CORESIGHT_DMA_H */
