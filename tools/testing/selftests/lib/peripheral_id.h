/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CoreSight peripheral ID registers that any component has at the end of its page. Neither the
 * drivers nor the models use these definitions, so a mistake makes a test fail.
 */
#ifndef ARM_SYSPMU_PERIPHERAL_ID_H
#define ARM_SYSPMU_PERIPHERAL_ID_H

#include "stimulus.h"

#define PIDR4		0xfd0U
#define PIDR0		0xfe0U
#define PIDR1		0xfe4U
#define PIDR2		0xfe8U
#define PIDR3		0xfecU

/* What an identification register of 32 bits would be: IHI 0070 §10.5.2.15, IHI 0091 §3.25. */
static inline __u32 peripheral_iidr(struct stimulus *stimulus)
{
	static const struct {
		__u32 offset;
		__u32 mask;
		unsigned int shift;	/* of the lowest bit in the result */
	} parts[] = {
		{ PIDR1, 0xf0, 0 },	/* DES_0 */
		{ PIDR2, 0x07, 4 },	/* DES_1 */
		{ PIDR4, 0x0f, 8 },	/* DES_2 */
		{ PIDR3, 0xf0, 12 },	/* REVAND */
		{ PIDR2, 0xf0, 16 },	/* REVISION */
		{ PIDR0, 0xff, 20 },	/* PART_0 */
		{ PIDR1, 0x0f, 28 },	/* PART_1 */
	};
	__u32 iidr = 0, value;
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		value = stimulus_peek32(stimulus, parts[i].offset) & parts[i].mask;
		iidr |= value / (parts[i].mask & -parts[i].mask) << parts[i].shift;
	}
	return iidr;
}

#endif
