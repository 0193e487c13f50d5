/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs, modules and platform devices that a test takes away and brings back. */
#ifndef ARM_SYSPMU_PLATFORM_H
#define ARM_SYSPMU_PLATFORM_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

int write_text(const char *path, const char *text);

bool cpu_is_online(int cpu);
bool cpu_can_go_offline(int cpu);
int cpu_set_online(int cpu, bool online);
int cpu_other_than(int cpu);
int cpu_all_online(void);

int device_at(__u64 address, char *name, size_t size);
int device_bind(const char *driver, const char *device);
int device_unbind(const char *driver, const char *device);
bool driver_can_unbind(const char *driver);

int module_of_driver(const char *driver, char *module, size_t size);
int module_remove(const char *module);
int module_load(const char *module);

#endif
