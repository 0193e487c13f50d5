// SPDX-License-Identifier: GPL-2.0
/*
 * What a machine has: SMMUs, counter groups and devices.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "text.h"

/**
 * machine_find_smmu - find an SMMU by its platform device
 * @machine: to search
 * @device: name of the platform device
 *
 * Return: its index, or -1
 */
int machine_find_smmu(struct machine *machine, const char *device)
{
	size_t i;

	for (i = 0; i < machine->smmus_number; i++)
		if (!strcmp(machine->smmus[i].device, device))
			return i;
	return -1;
}

/* Returns the index of a device, which is new if its name is. */
unsigned int machine_add_device(struct machine *machine, const char *name)
{
	struct device *device;
	size_t i;

	/* The StreamIDs of a device follow each other. */
	for (i = machine->devices_number; i-- > 0;)
		if (!strcmp(machine->devices[i].name, name))
			return i;
	machine->devices = grow(machine->devices, machine->devices_number,
				sizeof(*machine->devices));
	device = &machine->devices[machine->devices_number];
	copy(device->name, sizeof(device->name), name);
	return machine->devices_number++;
}

/* A device that is listed twice, by two counter groups of its SMMU, is added once. */
void machine_add_stream(struct machine *machine, int index, const char *device, uint32_t id,
			bool guessed)
{
	struct smmu *smmu = &machine->smmus[index];
	struct stream *stream;

	smmu->streams = grow(smmu->streams, smmu->streams_number, sizeof(*smmu->streams));
	stream = &smmu->streams[smmu->streams_number++];
	stream->id = id;
	stream->device = machine_add_device(machine, device);
	stream->guessed = guessed;
}

void machine_free(struct machine *machine)
{
	size_t i;

	for (i = 0; i < machine->smmus_number; i++) {
		free(machine->smmus[i].streams);
		free(machine->smmus[i].rows);
	}
	for (i = 0; i < machine->pmcgs_number; i++)
		free(machine->pmcgs[i].named);
	free(machine->smmus);
	free(machine->pmcgs);
	free(machine->devices);
	*machine = (struct machine){ .smmus = NULL };
}
