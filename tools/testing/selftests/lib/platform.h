/* SPDX-License-Identifier: GPL-2.0 */
/* Files of the kernel, CPUs, power, timers, modules and processes. */
#ifndef ARM_SYSPMU_PLATFORM_H
#define ARM_SYSPMU_PLATFORM_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

const char *path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool has_word(const char *text, const char *word);
int write_text(const char *path, const char *text);

#define MAX_SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_SAMPLE_TIME	"/proc/sys/kernel/perf_cpu_time_max_percent"
int set_max_sample_rate(const char *rate);
void keep_sample_limits(void);
int restore_sample_limits(void);

bool kernel_is_before(unsigned int version, unsigned int patchlevel);
ssize_t read_text(const char *path, char *text, size_t size);
unsigned int files_in(const char *path);

bool cpu_is_online(int cpu);
bool cpu_can_go_offline(int cpu);
int cpu_set_online(int cpu, bool online);
int cpu_other_than(int cpu);
bool cpu_is_listed(const char *list, int cpu);
int cpu_all_online(void);
int cpu_pin(int cpu);

#define NO_SUSPEND	"this kernel cannot test suspend (CONFIG_PM_SLEEP_DEBUG)"
bool power_can_suspend(void);
int power_suspend(void);

int kernel_has_timer(const char *function, long long *left);

int name_of_link(const char *link, char *name, size_t size);
int module_of_driver(const char *driver, char *module, size_t size);
int module_remove(const char *module);
int module_load(const char *module);
int module_load_with(const char *module, const char *parameter);

bool process_has_ended(pid_t process);
bool process_waits_for_hotplug(pid_t process);
bool process_await(pid_t process, unsigned int timeout_ms, bool (*stop)(void *data), void *data);

unsigned long environment_number(const char *name, unsigned long otherwise);

/* Factor by which a test repeats more often than in "make check": SYSPMU_RUNS. */
static inline unsigned int repeat(void)
{
	return environment_number("SYSPMU_RUNS", 1);
}

#endif
