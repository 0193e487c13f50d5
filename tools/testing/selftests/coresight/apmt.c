// SPDX-License-Identifier: GPL-2.0
/* What ACPI says about CoreSight PMUs: the nodes of APMT (DEN0117). */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apmt.h"
#include "device.h"

#define TABLE		"/sys/firmware/acpi/tables/APMT"
#define HEADER		36
#define TABLE_MAX	(HEADER + APMT_NODES * APMT_NODE_LENGTH)

/* A field, little-endian; 0 beyond the table. */
static __u64 field(const unsigned char *node, unsigned int offset, unsigned int size)
{
	__u64 value = 0;

	memcpy(&value, node + offset, size);
	return le64toh(value);
}

/* Linux 6.12 numbers the devices, 7.3 gives them the identifiers of their nodes. */
static void find_device(struct apmt_node *nodes, int index)
{
	struct apmt_node *node = &nodes[index];
	int i;

	snprintf(node->device, sizeof(node->device), "arm-cs-arch-pmu.%d.auto", index);
	if (device_exists(node->device))
		return;
	snprintf(node->device, sizeof(node->device), "arm-cs-arch-pmu.%u", node->id & 0x7fffffff);
	for (i = 0; i < index; i++)
		if (!strcmp(nodes[i].device, node->device))
			break;
	if (i < index || !device_exists(node->device))
		node->device[0] = '\0';
}

/* Read all nodes. Returns how many there are; 0 without such a table. */
int apmt_read(struct apmt_node *nodes)
{
	unsigned char table[TABLE_MAX + APMT_NODE_LENGTH] = { 0 }, *at;
	int fd = open(TABLE, O_RDONLY | O_CLOEXEC), number = 0;
	ssize_t length = 0, part;

	if (fd < 0)
		return 0;
	while ((part = read(fd, table + length, TABLE_MAX - length)) > 0)
		length += part;
	close(fd);
	for (at = table + HEADER; at < table + length && number < APMT_NODES; number++) {
		nodes[number] = (struct apmt_node){
			.length = field(at, 0, 2),
			.flags = field(at, 2, 1),
			.type = field(at, 3, 1),
			.id = field(at, 4, 4),
			.primary = field(at, 8, 8),
			.secondary = field(at, 16, 4),
			.page = { field(at, 20, 8), field(at, 28, 8) },
			.interrupt = field(at, 36, 4),
			.affinity = field(at, 48, 4),
			.implementation = field(at, 52, 4),
		};
		find_device(nodes, number);
		if (!nodes[number].length)
			break;
		at += nodes[number].length;
	}
	return number;
}

/* Find the node of a PMU. */
bool apmt_find(__u64 page, struct apmt_node *node)
{
	struct apmt_node nodes[APMT_NODES];
	int i, number = apmt_read(nodes);

	for (i = 0; i < number && nodes[i].page[0] != page; i++)
		;
	if (i < number)
		*node = nodes[i];
	return i < number;
}
