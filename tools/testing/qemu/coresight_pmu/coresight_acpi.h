/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CoreSight PMUs in the ACPI tables of the machine. "hw/acpi/aml-build.h" must come first.
 */
#ifndef CORESIGHT_ACPI_H
#define CORESIGHT_ACPI_H

/* Add the Arm Performance Monitoring Unit table (DEN0117), unless there is no such PMU. */
void coresight_acpi_build_apmt(const char *oem_id, const char *oem_table_id,
			       GArray *tables, GArray *offsets, BIOSLinker *linker);

/*
 * Add CPUs and devices of PMUs to the DSDT. A PMU with an instance_id has an ACPI device. The CPUs
 * are in processor containers: the one with _UID 2 has all of them, and in it the one with _UID 0
 * the first half and the one with _UID 1 the others, or both a single one. Returns false if there
 * is no CoreSight PMU that could refer to a container: nothing was added.
 */
bool coresight_acpi_add_cpus(Aml *scope, unsigned int cpus);

#endif /* CORESIGHT_ACPI_H */
