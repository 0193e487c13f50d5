/* SPDX-License-Identifier: GPL-2.0 */
/* The description of CoreSight PMUs in ACPI: the nodes of APMT (DEN0117). */
#ifndef ARM_SYSPMU_APMT_H
#define ARM_SYSPMU_APMT_H

#include <linux/types.h>
#include <stdbool.h>

#define APMT_NODES		64
#define APMT_NODE_LENGTH	56

#define APMT_DUAL_PAGE		0x01
#define APMT_CONTAINER		0x02
#define APMT_ATOMIC		0x04

#define APMT_MEMORY_CONTROLLER	0
#define APMT_ACPI_DEVICE	3
#define APMT_CACHE		4

/* A node. */
struct apmt_node {
	__u16 length;	/* of the node; fields beyond it are read from the next one */
	__u8 flags;	/* APMT_DUAL_PAGE and so on */
	__u8 type;	/* APMT_MEMORY_CONTROLLER and so on */
	__u32 id;
	__u64 primary;
	__u32 secondary;
	__u64 page[2];	/* addresses of the pages */
	__u32 interrupt;	/* GSI, or 0 */
	__u32 affinity;	/* UID of a processor or container */
	__u32 implementation;	/* in the place of PMIIDR, or 0 */
	/* The platform device that the kernel has created, empty if there is none */
	char device[64];
};

int apmt_read(struct apmt_node *nodes);
bool apmt_find(__u64 page, struct apmt_node *node);

#endif
