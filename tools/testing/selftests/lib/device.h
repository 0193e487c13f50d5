/* SPDX-License-Identifier: GPL-2.0 */
/* Platform devices, their registers and interrupts, as described by firmware and the kernel. */
#ifndef ARM_SYSPMU_DEVICE_H
#define ARM_SYSPMU_DEVICE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

bool device_exists(const char *name);
int device_address(const char *hid, __u64 *address);
int device_of_pmu(const char *pmu, char *device, size_t size);
int device_page(const char *device, __u64 *address);
__u64 device_nth_compatible(const char *compatible, unsigned int n);
int device_at(__u64 address, char *name, size_t size);
int device_bind(const char *driver, const char *device);
int device_unbind(const char *driver, const char *device);
int device_hide(const char *device);
int device_probe(const char *device);
bool device_is_bound(const char *device);
bool driver_can_unbind(const char *driver);

bool device_has_level_interrupt(const char *device);
bool device_has_shared_interrupt(const char *device);
__u32 device_property(const char *device, const char *property, unsigned int cell, __u32 otherwise);
bool device_property_exists(const char *device, const char *property);
__u64 device_interrupts(const char *device, int cpu);

void *page_map(__u64 address);
void page_unmap(void *page);
int irq_of_device(const char *device);
int irq_attribute(int irq, const char *file, char *text, size_t size);

#endif
