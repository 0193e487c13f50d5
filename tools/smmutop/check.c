// SPDX-License-Identifier: GPL-2.0
/*
 * Why is there nothing to see? One line for each thing that was looked at, with the next step where
 * it is not as it should be.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "counting.h"
#include "options.h"
#include "text.h"

#define PLATFORM	"/sys/bus/platform/devices"
#define IN_TREE_DRIVER	"arm-smmu-v3-pmcg"

/* How long a counter that others do not use takes to be seen. */
#define TRIAL_US	20000

struct check {
	struct machine machine;
	unsigned int problems;
	/* Devices that firmware describes, and those of them that have no driver */
	unsigned int pmcg_devices;
	unsigned int without_driver;
	unsigned int smmu_devices;
	unsigned int smmus_off;
	/* Names of the counter groups' devices without driver */
	struct text unbound;
	unsigned int silent; /* counter groups that have counted nothing */
};

/* What is in the way is a problem; a note is about what works, but could be better. */
#define OK	"ok"
#define NOTE	"note"
#define PROBLEM	"PROBLEM"

static void __attribute__((format(printf, 3, 4)))
say(struct check *check, const char *what, const char *format, ...)
{
	va_list arguments;

	printf("%-8s", what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	check->problems += !strcmp(what, PROBLEM);
}

static bool is_compatible(const char *device, const char *what)
{
	size_t length, part;
	bool found = false;
	char *strings;

	strings = system_read(system_path(PLATFORM "/%s/of_node/compatible", device), &length);
	if (!strings)
		return false;
	for (part = 0; part < length && !found; part += strlen(strings + part) + 1)
		found = !strcmp(strings + part, what);
	free(strings);
	return found;
}

static void find_devices(struct check *check)
{
	bool pmcg, smmu, bound;
	const char *name;

	for_each_name(name, system_path(PLATFORM)) {
		pmcg = !fnmatch("arm-smmu-v3-pmcg.*", name, 0) ||
		       is_compatible(name, "arm,smmu-v3-pmcg");
		smmu = !pmcg && (!fnmatch("arm-smmu-v3.*", name, 0) ||
				 is_compatible(name, "arm,smmu-v3"));
		if (!pmcg && !smmu)
			continue;
		bound = system_exists(system_path(PLATFORM "/%s/driver", name));
		check->smmu_devices += smmu;
		check->smmus_off += smmu && !bound;
		check->pmcg_devices += pmcg;
		check->without_driver += pmcg && !bound;
		if (pmcg && !bound)
			text_add(&check->unbound, "%s\n", name);
	}
}

static bool is_virtual(char *name, size_t size)
{
	static const char * const products[] = { "QEMU*", "KVM*", "*Virtual*", "*EC2*", "VMware*" };
	static const char * const files[] = { "sys_vendor", "product_name" };
	size_t i, j;

	for (i = 0; i < 2; i++) {
		if (!system_read_line(system_path("/sys/class/dmi/id/%s", files[i]), name,
				      size))
			continue;
		for (j = 0; j < ARRAY_SIZE(products); j++)
			if (!fnmatch(products[j], name, 0))
				return true;
	}
	if (system_exists(system_path("/sys/firmware/devicetree/base/hypervisor"))) {
		copy(name, size, "a hypervisor");
		return true;
	}
	return system_read_line(system_path("/sys/hypervisor/type"), name, size);
}

static void check_virtual(struct check *check)
{
	char name[NAME_LENGTH];

	if (is_virtual(name, sizeof(name)) && !check->pmcg_devices)
		say(check, NOTE,
		    "this is a virtual machine (%s): counter groups are those of the host: run smmutop there",
		    name);
}

static void check_smmus(struct check *check)
{
	struct utsname system;

	if (!uname(&system) && strcmp(system.machine, "aarch64"))
		say(check, NOTE, "this machine is %s: only Arm machines have an SMMUv3",
		    system.machine);
	if (!check->smmu_devices && !check->machine.smmus_number)
		say(check, PROBLEM,
		    "firmware describes no SMMUv3: look for a setting of the firmware that enables the SMMU");
	else if (!check->machine.smmus_number)
		say(check, PROBLEM,
		    "no SMMU is on (%u without a driver): see dmesg | grep -i smmu, and remove iommu.passthrough and arm-smmu-v3 options from the kernel's command line",
		    check->smmus_off);
	else if (check->smmus_off)
		say(check, PROBLEM, "%u of %u SMMUs have no driver: see dmesg | grep -i smmu",
		    check->smmus_off, check->smmu_devices);
	else
		say(check, OK, "%zu SMMU%s in use", check->machine.smmus_number,
		    check->machine.smmus_number == 1 ? "" : "s");
}

static void check_firmware(struct check *check)
{
	if (check->pmcg_devices || check->machine.pmcgs_number) {
		say(check, OK, "firmware describes %u counter groups", check->pmcg_devices);
		return;
	}
	if (system_exists(system_path("/sys/firmware/acpi/tables/IORT")) && geteuid())
		say(check, PROBLEM,
		    "the kernel knows no counter group: run this as root to see whether the IORT describes any");
	else
		say(check, PROBLEM,
		    "firmware describes no counter group (PMCG): ask the vendor for firmware whose IORT does; with devicetree add arm,smmu-v3-pmcg nodes");
}

/* Whether the kernel refuses modules that nobody has signed. */
static bool is_locked(void)
{
	char line[128] = "";

	if (system_read_line(system_path("/sys/module/module/parameters/sig_enforce"),
			     line, sizeof(line)) && line[0] == 'Y')
		return true;
	return system_read_line(system_path("/sys/kernel/security/lockdown"), line,
				sizeof(line)) && !strstr(line, "[none]") && strchr(line, '[');
}

static void check_drivers(struct check *check)
{
	bool loaded = system_exists(system_path("/sys/module/arm_smmuv3_pmcg")) ||
		      system_exists(system_path("/sys/module/arm_smmuv3_pmu"));
	char *name, *next = check->unbound.data;

	if (!check->without_driver)
		return;
	name = strsep(&next, "\n");
	if (!loaded && is_locked()) {
		say(check, PROBLEM,
		    "no driver is loaded, and this kernel takes signed modules only: sign arm_smmuv3_pmcg.ko with a key that it knows, or load its own: modprobe arm_smmuv3_pmu");
		return;
	}
	if (!loaded) {
		say(check, PROBLEM,
		    "no driver is loaded (%s has none): modprobe arm_smmuv3_pmcg, or modprobe arm_smmuv3_pmu",
		    name);
		return;
	}
	/* Some may be closed to Non-secure software: the kernel log says so. */
	for (; next; name = strsep(&next, "\n"))
		say(check, PROBLEM, "%s has no driver: see dmesg | grep -i pmcg", name);
}

static void check_pmcgs(struct check *check)
{
	const struct machine *machine = &check->machine;
	const struct stream *stream;
	const struct smmu *smmu;
	const struct pmcg *pmcg;
	unsigned int in_tree = 0;
	bool guessed = false;
	size_t streams = 0;

	if (!machine->pmcgs_number)
		return;
	for_each(pmcg, machine->pmcgs)
		in_tree += !strcmp(pmcg->driver, IN_TREE_DRIVER);
	for_each(smmu, machine->smmus) {
		streams += smmu->streams_number;
		for_each(stream, smmu->streams)
			guessed |= stream->guessed;
	}
	if (in_tree)
		say(check, NOTE,
		    "the in-tree driver has %u counter groups: it does not tell their SMMUs, StreamIDs and counters; modprobe -r arm_smmuv3_pmu and modprobe arm_smmuv3_pmcg for one that does",
		    in_tree);
	if (machine->pmcgs_left_out)
		say(check, NOTE,
		    "of %zu counter groups nothing tells which SMMU they belong to: to use one, name it with --pmu",
		    machine->pmcgs_left_out);
	if (guessed)
		say(check, NOTE,
		    "StreamIDs with ? are requester IDs, which may be wrong: run as root to read them from the IORT");
	if (!streams)
		say(check, PROBLEM,
		    "no device is behind these SMMUs: see /sys/class/iommu/*/devices; devices without a driver may have been left out by firmware");
	else
		say(check, OK, "%zu StreamIDs of %zu devices", streams, machine->devices_number);
}

static void check_domains(struct check *check)
{
	const struct machine *machine = &check->machine;
	const struct device *device;
	const char *first = NULL;
	size_t identity = 0;

	for_each(device, machine->devices) {
		if (strcmp(device->domain, "identity"))
			continue;
		identity++;
		first = first ? first : device->name;
	}
	if (identity)
		say(check, NOTE,
		    "%zu of %zu devices have an identity domain (%s for one): nothing is translated for them, so they do not miss; see /sys/kernel/iommu_groups/*/type and iommu.passthrough",
		    identity, machine->devices_number, first);
}

/* Whether a seccomp filter applies to this process */
static bool is_filtered(void)
{
	char *all = system_read(system_path("/proc/self/status"), NULL), *line;
	bool filtered;

	line = all ? strstr(all, "Seccomp:") : NULL;
	filtered = line && strtoul(line + strlen("Seccomp:"), NULL, 10);
	free(all);
	return filtered;
}

static void check_permission(struct check *check, int err)
{
	char line[16] = "";
	long paranoid;

	system_read_line(system_path("/proc/sys/kernel/perf_event_paranoid"), line,
			 sizeof(line));
	paranoid = strtol(line, NULL, 10);
	/* Where the kernel itself does not permit it, the error is EACCES. */
	if (err == ENOSYS || (is_filtered() && (err == EPERM || !geteuid())))
		say(check, PROBLEM,
		    "perf_event_open: %s: a seccomp filter forbids it (a container?): allow perf_event_open, and CAP_PERFMON",
		    strerror(err));
	/* Debian's kernels have this level, at which only CAP_SYS_ADMIN counts. */
	else if (paranoid > 2)
		say(check, PROBLEM,
		    "perf_event_open: %s: /proc/sys/kernel/perf_event_paranoid is %ld: run as root, or set it to 2 for CAP_PERFMON, or to 0 for everybody",
		    strerror(err), paranoid);
	else if (paranoid > 0)
		say(check, PROBLEM,
		    "perf_event_open: %s: /proc/sys/kernel/perf_event_paranoid is %ld: run as root or with CAP_PERFMON, or set it to 0",
		    strerror(err), paranoid);
	else
		say(check, PROBLEM,
		    "perf_event_open: %s: a security module forbids it: see its log",
		    strerror(err));
}

/* Counts for a while: clock cycles, if it has them. Otherwise it may have had no traffic. */
static bool count_pmcg(struct counting *counting, size_t index, unsigned int event,
		       struct slice_counts *counts)
{
	struct slice slice = { .number = 1 };

	slice.specs[0] = (struct spec){ .block = { .everything = true }, .event = event };
	if (!counting_start(counting, index, &slice))
		return false;
	usleep(TRIAL_US);
	/* A read that is too short sets no errno. */
	errno = EIO;
	return counting_stop(counting, index, false, counts);
}

/* A line for a counter group. False if no event can be opened, for a reason that all have. */
static bool check_pmcg(struct check *check, struct counting *counting, size_t index)
{
	const struct pmcg *pmcg = &check->machine.pmcgs[index];
	unsigned int event = pmcg->events & 1U << EVENT_CYCLES ? EVENT_CYCLES :
			     pmcg_first_event(pmcg);
	struct slice_counts counts;

	if (event == EVENTS) {
		say(check, PROBLEM, "%s has none of the architected events: see the kernel log",
		    pmcg->name);
	} else if (!count_pmcg(counting, index, event, &counts)) {
		if (counting_is_forbidden(errno))
			return false;
		if (errno == EIO)
			say(check, PROBLEM, "%s: its event cannot be read", pmcg->name);
		else
			say(check, PROBLEM, "%s", counting_error(counting));
	} else if (!counts.running) {
		say(check, PROBLEM,
		    "%s has no free counter: others use them: see ps -C perf, or fuser on anon_inode:[perf_event]",
		    pmcg->name);
	} else if (!counts.counts[0]) {
		say(check, NOTE,
		    "%s has counted no %s in %u ms: if it counts none with traffic either, see the kernel log",
		    pmcg->name, event_names[event], TRIAL_US / 1000);
		check->silent++;
	} else {
		say(check, OK, "%s, %s%s%s of %s, counts (%s)", pmcg->name, pmcg->part,
		    pmcg->part[0] ? " " : "", pmcg->label,
		    check->machine.smmus[pmcg->smmu].name, pmcg->driver);
	}
	return true;
}

static void check_counting(struct check *check)
{
	struct counting *counting = counting_new(&check->machine, 256);
	size_t i;

	for (i = 0; i < check->machine.pmcgs_number; i++) {
		if (check_pmcg(check, counting, i))
			continue;
		check_permission(check, errno);
		break;
	}
	counting_free(counting);
}

int check_run(const struct options *options)
{
	struct check check = { .problems = 0 };

	machine_discover(&check.machine, options->pmus);
	machine_describe_devices(&check.machine);
	find_devices(&check);
	check_virtual(&check);
	check_smmus(&check);
	check_firmware(&check);
	check_drivers(&check);
	check_pmcgs(&check);
	check_domains(&check);
	check_counting(&check);
	if (check.problems)
		printf("%u problem%s\n", check.problems, check.problems == 1 ? "" : "s");
	else if (check.silent)
		printf("no problem was found, but %u of %zu counter groups counted nothing\n",
		       check.silent, check.machine.pmcgs_number);
	else
		printf("nothing is in the way\n");
	text_free(&check.unbound);
	machine_free(&check.machine);
	return check.problems ? STATUS_ERROR : STATUS_OK;
}
