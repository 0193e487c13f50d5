// SPDX-License-Identifier: GPL-2.0
/*
 * Which SMMU a PMCG belongs to, which devices are behind it with which StreamIDs, and
 * which CPUs are near: against what the kernel says of these devices itself.
 */
#include <dirent.h>
#include <endian.h>
#include <sys/stat.h>

#include "device.h"
#include "platform.h"
#include "pmcg_fixture.h"

#define PLATFORM	"/sys/bus/platform/devices"
#define PCI		"/sys/bus/pci/devices"
#define MAX_DEVICES	2048
#define MAX_TEXT	65536
#define MAX_NEAR	8

/* Of the PMCG, as the driver must have found it; empty if firmware does not say which one. */
static char smmu[PMU_NAME_LENGTH];

/* The platform device whose devicetree node has a phandle. */
static bool find_device_of_node(__u32 phandle)
{
	DIR *directory = opendir(PLATFORM);
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		if (device_property(entry->d_name, "phandle", 0, 0) != phandle)
			continue;
		snprintf(smmu, sizeof(smmu), "%.63s", entry->d_name);
		found = true;
	}
	if (directory)
		closedir(directory);
	return found;
}

/* From ACPI, the only SMMU of the machine; a machine with more is not looked at. */
static bool find_only_smmu(void)
{
	DIR *directory = opendir("/sys/bus/platform/drivers/arm-smmu-v3");
	struct dirent *entry;
	int found = 0;

	while (directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, "arm-smmu-v3.", strlen("arm-smmu-v3.")))
			continue;
		snprintf(smmu, sizeof(smmu), "%.63s", entry->d_name);
		found++;
	}
	if (directory)
		closedir(directory);
	return found == 1;
}

#define IORT			"/sys/firmware/acpi/tables/IORT"
#define IORT_NODE_COUNT		36
#define IORT_NODE_OFFSET	40
#define IORT_NODE_DATA		16
#define IORT_SMMU_V3		4
#define IORT_PMCG		5

static __u64 number_at(const unsigned char *table, size_t offset, size_t size)
{
	__u64 number = 0;

	memcpy(&number, table + offset, size);
	return le64toh(number);
}

/* Whether the IORT has a node for a PMCG that refers to the node of an SMMU. */
static bool iort_names_smmu(__u64 page)
{
	__u64 offset, count, reference = 0;
	unsigned char table[16384];
	ssize_t length = read_text(IORT, (char *)table, sizeof(table));
	unsigned int n, pass;
	bool found = false;

	/* First the PMCG, then what it refers to. */
	for (pass = 0; length > 0 && pass < 2; pass++) {
		offset = number_at(table, IORT_NODE_OFFSET, 4);
		count = number_at(table, IORT_NODE_COUNT, 4);
		for (n = 0; n < count && offset + IORT_NODE_DATA + 16 <= (__u64)length; n++) {
			if (table[offset] == IORT_PMCG &&
			    number_at(table, offset + IORT_NODE_DATA, 8) == page)
				reference = number_at(table, offset + IORT_NODE_DATA + 12, 4);
			found |= pass && table[offset] == IORT_SMMU_V3 && offset == reference;
			offset += number_at(table, offset + 1, 2);
		}
	}
	return found;
}

static void find_smmu(void)
{
	__u32 phandle;

	smmu[0] = '\0';
	if (!device_property_exists(pmu->device, "")) {
		if (iort_names_smmu(pmu->page) && !find_only_smmu())
			SKIP(return, "not exactly one SMMU: which one is not known here");
		return;
	}
	phandle = device_property(pmu->device, "arm,smmu", 0, 0);
	if (!phandle)
		return;
	ASSERT_TRUE(find_device_of_node(phandle))
		TH_LOG("%s: arm,smmu names no device", pmu->device);
}

PMU_FIXTURE_WITH(topology, NULL, false, find_smmu)

static void need_smmu(void)
{
	find_smmu();
	if (!smmu[0] && !_metadata->exit_code)
		SKIP(return, "firmware does not say which SMMU this PMCG belongs to");
}

PMU_FIXTURE_WITH(with_smmu, NULL, false, need_smmu)

TEST_F(topology, smmu)
{
	char text[PMU_NAME_LENGTH];

	if (!smmu[0]) {
		EXPECT_EQ(-ENOENT, pmu_attribute(pmu, "smmu", text, sizeof(text)));
		EXPECT_EQ(-ENOENT, pmu_attribute(pmu, "streams", text, sizeof(text)));
		return;
	}
	expect_attribute("smmu", "%s", smmu);
}

/* The platform device of the SMMU that a device is behind: above its iommu link. */
static bool is_behind(const char *device)
{
	char target[PATH_MAX], *name;

	if (!realpath(path_of(PCI "/%s/iommu", device), target))
		return false;
	name = strstr(target, "/iommu/");
	if (!name)
		return false;
	*name = '\0';
	return !strcmp(strrchr(target, '/') + 1, smmu);
}

/* The iommu-map of the host bridge, where there is a devicetree node above the device. */
static ssize_t find_iommu_map(const char *device, __u32 *map, size_t size)
{
	char directory[PATH_MAX], *slash;
	ssize_t length;

	if (!realpath(path_of(PCI "/%s", device), directory))
		return -1;
	while ((slash = strrchr(directory, '/')) && slash != directory) {
		length = read_text(path_of("%s/of_node/iommu-map", directory), (char *)map, size);
		if (length > 0)
			return length;
		*slash = '\0';
	}
	return -1;
}

/* StreamID of a requester; without an iommu-map, which IORT has instead, the same. */
static bool stream_id_of(const char *device, __u32 *stream_id)
{
	__u32 map[64], id;
	ssize_t length, i;

	if (!requester_id(device, &id))
		return false;
	*stream_id = id;
	length = find_iommu_map(device, map, sizeof(map));
	if (length < 0)
		return true;
	for (i = 0; i + 3 < length / 4; i += 4) {
		__u32 first = be32toh(map[i]), number = be32toh(map[i + 3]);

		if (id < first || id - first >= number)
			continue;
		*stream_id = be32toh(map[i + 2]) + id - first;
		return true;
	}
	return false;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* Cuts a text into its lines, sorted. */
static int sorted_lines(char *text, char **lines)
{
	char *line, *rest = text;
	int number = 0;

	while ((line = strsep(&rest, "\n")))
		if (*line && number < MAX_DEVICES)
			lines[number++] = line;
	qsort(lines, number, sizeof(*lines), compare_lines);
	return number;
}

static int expected_streams(char *text, size_t size)
{
	DIR *directory = opendir(PCI);
	struct dirent *entry;
	size_t length = 0;
	__u32 stream_id;
	int number = 0;

	text[0] = '\0';
	while (directory && (entry = readdir(directory))) {
		if (!is_behind(entry->d_name) || !stream_id_of(entry->d_name, &stream_id))
			continue;
		length += snprintf(text + length, size - length, "%s 0x%x\n", entry->d_name,
				   stream_id);
		number++;
	}
	if (directory)
		closedir(directory);
	return number;
}

/* Whether a text has the lines of what is behind the SMMU, and no other, in any order. */
static void expect_streams(const char *text)
{
	static char expected[MAX_TEXT], copy[MAX_TEXT];
	static char *expected_lines[MAX_DEVICES], *lines[MAX_DEVICES];
	int i, number;

	number = expected_streams(expected, sizeof(expected));
	ASSERT_GT(MAX_DEVICES, number);
	if (number)
		EXPECT_EQ('\n', text[strlen(text) - 1]);
	snprintf(copy, sizeof(copy), "%s", text);
	number = sorted_lines(expected, expected_lines);
	ASSERT_EQ(number, sorted_lines(copy, lines))
		TH_LOG("streams is \"%s\"", text);
	for (i = 0; i < number; i++)
		EXPECT_STREQ(expected_lines[i], lines[i]);
}

TEST_F(with_smmu, streams)
{
	static char text[MAX_TEXT], *lines[MAX_DEVICES];
	bool has_bridge = !kernel_is_before(6, 15);

	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", text, sizeof(text)));
	expect_streams(text);
	/*
	 * The lab has a disk and a network card behind the SMMU, on every machine, and no PCI
	 * device elsewhere. So is the host bridge; but it has no driver, and before 6.15
	 * ("iommu: Get DT/ACPI parsing into the proper probe path") the kernel found out only
	 * for a driver.
	 */
	if (stimulus->page) {
		EXPECT_NE(NULL, strstr(text, "0000:00:01.0 0x8\n"));
		EXPECT_NE(NULL, strstr(text, "0000:00:02.0 0x10\n"));
		EXPECT_EQ(has_bridge, !!strstr(text, "0000:00:00.0 0x0\n"));
		EXPECT_EQ(files_in(PCI) - !has_bridge, sorted_lines(text, lines));
	}
}

static const char *streams_path(void)
{
	return path_of("/sys/bus/event_source/devices/%s/streams", pmu->name);
}

static int open_streams(void)
{
	int fd = open(streams_path(), O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	return fd;
}

#define NOBODY	65534

/* Each read walks over all devices. */
TEST_F(with_smmu, streams_are_for_root_only)
{
	struct stat status;

	ASSERT_EQ(0, stat(streams_path(), &status));
	EXPECT_EQ(S_IFREG | 0400, status.st_mode);
	EXPECT_EQ(0, status.st_uid);
	ASSERT_EQ(0, seteuid(NOBODY));
	EXPECT_EQ(-1, open(streams_path(), O_RDONLY | O_CLOEXEC));
	EXPECT_EQ(EACCES, errno);
	ASSERT_EQ(0, seteuid(0));
}

/* The next PMCG of the same SMMU, or the only one. */
static void next_of_smmu(struct pmu *next)
{
	struct pmu list[PMU_MAX];
	int number = pmu_list(list, PMU_MAX), i;
	char text[PMU_NAME_LENGTH];
	bool passed = false;

	*next = *pmu;
	for (i = 0; i < 2 * number; i++) {
		if (passed && !pmu_attribute(&list[i % number], "smmu", text, sizeof(text)) &&
		    !strcmp(text, smmu)) {
			*next = list[i % number];
			return;
		}
		passed |= !strcmp(list[i % number].name, pmu->name);
	}
}

TEST_F(with_smmu, streams_are_those_of_the_smmu)
{
	static char text[MAX_TEXT], others[MAX_TEXT];
	struct pmu other;

	next_of_smmu(&other);
	if (!strcmp(other.name, pmu->name))
		SKIP(return, "no other PMCG belongs to this SMMU");
	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", text, sizeof(text)));
	ASSERT_EQ(0, pmu_attribute_text(&other, "streams", others, sizeof(others)));
	EXPECT_STREQ(text, others)
		TH_LOG("%s and %s", pmu->name, other.name);
}

/* From where the file is to its end, in pieces; returns the length. */
static size_t read_pieces(int fd, char *text, size_t piece)
{
	size_t total = 0;
	ssize_t length;

	for (;;) {
		ASSERT_LT(total + piece, MAX_TEXT);
		length = read(fd, text + total, piece);
		ASSERT_LE(0, length)
			TH_LOG("%s", strerror(errno));
		if (!length)
			break;
		total += length;
	}
	text[total] = '\0';
	return total;
}

TEST_F_TIMEOUT(with_smmu, streams_read_in_pieces, SLOW)
{
	static const size_t pieces[] = { 1, 7, 4095, 4096, 4097, 20000 };
	static char whole[MAX_TEXT], text[MAX_TEXT];
	unsigned int i;
	int fd;

	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", whole, sizeof(whole)));
	fd = open_streams();
	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
		EXPECT_EQ(strlen(whole), read_pieces(fd, text, pieces[i]));
		EXPECT_STREQ(whole, text)
			TH_LOG("%zu bytes at a time", pieces[i]);
	}
	/* A file that is not read from its beginning. */
	close(fd);
	fd = open_streams();
	ASSERT_EQ(7, lseek(fd, 7, SEEK_SET));
	read_pieces(fd, text, 4096);
	EXPECT_STREQ(whole + 7, text);
	EXPECT_EQ(0, pread(fd, text, sizeof(text), strlen(whole)));
	EXPECT_EQ(0, pread(fd, text, sizeof(text), MAX_TEXT));
}

TEST_F(with_smmu, streams_longer_than_a_page)
{
	static char text[MAX_TEXT];

	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", text, sizeof(text)));
	if (files_in(PCI) < 230)
		SKIP(return, "this machine has not so many devices");
	/* The smallest: with larger ones, the list is just long. */
	EXPECT_LT(4096, strlen(text));
	expect_streams(text);
}

#define VIRTIO_RNG	"0x1044\n"

/* A PCI device that nobody misses, by its ID: the last random number generator. */
static bool find_dispensable(char *name, size_t size)
{
	DIR *directory = opendir(PCI);
	struct dirent *entry;
	char id[16];

	name[0] = '\0';
	while (directory && (entry = readdir(directory))) {
		if (read_text(path_of(PCI "/%s/device", entry->d_name), id, sizeof(id)) < 0 ||
		    strcmp(id, VIRTIO_RNG) || strcmp(entry->d_name, name) < 0)
			continue;
		snprintf(name, size, "%.*s", (int)size - 1, entry->d_name);
	}
	if (directory)
		closedir(directory);
	return name[0];
}

/*
 * What follows what has been read belongs to the same list, or there is an error. All PMCGs of an
 * SMMU have the same lists.
 */
TEST_F_TIMEOUT(with_smmu, devices_come_and_go, SLOW)
{
	static char old[MAX_TEXT], text[MAX_TEXT], now[MAX_TEXT];
	char device[64], byte;
	struct pmu other;
	int fd;

	if (!may_disturb())
		SKIP(return, DISTURBS);
	if (!find_dispensable(device, sizeof(device)))
		SKIP(return, "this machine has no device to remove");
	next_of_smmu(&other);
	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", old, sizeof(old)));
	fd = open_streams();
	ASSERT_EQ(1, read(fd, &byte, 1));

	ASSERT_EQ(0, write_text(path_of(PCI "/%s/remove", device), "1"));
	ASSERT_EQ(0, pmu_attribute_text(&other, "streams", now, sizeof(now)));
	expect_streams(now);
	EXPECT_NE(0, strcmp(old, now));
	EXPECT_EQ(-1, pread(fd, &byte, 1, 1));
	EXPECT_EQ(ESTALE, errno);

	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	read_pieces(fd, text, 4096);
	EXPECT_STREQ(now, text);
	ASSERT_EQ(0, write_text("/sys/bus/pci/rescan", "1"));
	ASSERT_EQ(0, pmu_attribute_text(&other, "streams", now, sizeof(now)));
	expect_streams(now);
}

/* The PMU's own CPU is near; without NUMA so are all. */
TEST_F(topology, associated_cpus)
{
	char text[256];
	int cpu;

	ASSERT_EQ(0, pmu_attribute(pmu, "associated_cpus", text, sizeof(text)));
	EXPECT_TRUE(cpu_is_listed(text, pmu->cpu))
		TH_LOG("associated_cpus is \"%s\"", text);
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if (cpu_is_listed(text, cpu) && !cpu_can_go_offline(cpu))
			EXPECT_TRUE(cpu_is_online(cpu));
	if (!access("/sys/devices/system/node/node1", F_OK))
		SKIP(return, "this machine has NUMA nodes: see owner_is_near_the_smmu");
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		if (!cpu_is_online(cpu))
			continue;
		EXPECT_TRUE(cpu_is_listed(text, cpu))
			TH_LOG("CPU %d is not in \"%s\"", cpu, text);
	}
}

/* How many CPUs of a list there are and can all go offline; 0: not all of them can. */
static int number_that_can_go(const char *list)
{
	int cpu, number = 0;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		if (!cpu_is_listed(list, cpu))
			continue;
		if (!cpu_can_go_offline(cpu))
			return 0;
		number++;
	}
	return number;
}

static int online_cpu_outside(const char *list)
{
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if (!cpu_is_listed(list, cpu) && cpu_is_online(cpu))
			return cpu;
	return -1;
}

/* With NUMA: the CPUs of the SMMU's node, and back to them from wherever it had to go. */
TEST_F(topology, owner_is_near_the_smmu)
{
	int gone[MAX_NEAR], number, all, far, fd;
	char text[256], near[256];

	if (!may_disturb())
		SKIP(return, DISTURBS);
	if (access("/sys/devices/system/node/node1", F_OK))
		SKIP(return, "this machine has one NUMA node only");
	if (pmu_attribute(pmu, "smmu", smmu, sizeof(smmu)))
		SKIP(return, "the SMMU is not known");
	ASSERT_LT(0, read_text(path_of(PLATFORM "/%s/numa_node", smmu), text, sizeof(text)));
	ASSERT_LE(0, atoi(text));
	ASSERT_LT(1, read_text(path_of("/sys/devices/system/node/node%d/cpulist", atoi(text)), near,
			       sizeof(near)));
	near[strcspn(near, "\n")] = '\0';
	expect_attribute("associated_cpus", "%s", near);
	ASSERT_TRUE(cpu_is_listed(near, pmu->cpu));

	all = number_that_can_go(near);
	far = online_cpu_outside(near);
	if (!all || all > MAX_NEAR || far < 0)
		SKIP(return, "the CPUs %s are near: they cannot all go, or are many, or all", near);
	fd = must_open(PMCG_EVENT_CYCLES, -1);
	ASSERT_EQ(0, cpu_pin(far));
	/* As long as one that is near runs, it is the owner. */
	for (number = 0; number < all; number++) {
		EXPECT_TRUE(cpu_is_listed(near, pmu->cpu))
			TH_LOG("CPU %d owns it, %d near ones are away", pmu->cpu, number);
		gone[number] = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(pmu->cpu, false));
		ASSERT_EQ(0, pmu_read_cpu(pmu));
	}
	EXPECT_FALSE(cpu_is_listed(near, pmu->cpu));
	while (number--) {
		ASSERT_EQ(0, cpu_set_online(gone[number], true));
		ASSERT_EQ(0, pmu_read_cpu(pmu));
		EXPECT_TRUE(cpu_is_listed(near, pmu->cpu));
	}
	EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
}

TEST_F(topology, reading_touches_no_register)
{
	__u64 accesses;
	char text[4096];

	if (!stimulus->page)
		SKIP(return, "%s", stimulus->missing);
	accesses = all_accesses(stimulus);
	pmu_attribute(pmu, "smmu", text, sizeof(text));
	pmu_attribute(pmu, "streams", text, sizeof(text));
	pmu_attribute(pmu, "associated_cpus", text, sizeof(text));
	pmu_attribute(pmu, "interrupt", text, sizeof(text));
	EXPECT_EQ(accesses, all_accesses(stimulus));
}

/* The StreamIDs are those that filters take: a filter for one counts it and no other. */
TEST_F(with_smmu, streams_can_be_filtered_by)
{
	static char text[MAX_TEXT], *lines[MAX_DEVICES];
	struct pmcg_filter filter;
	unsigned int stream_id;
	int i, fd, number;

	if (!stimulus->page)
		SKIP(return, "%s", stimulus->missing);
	ASSERT_EQ(0, pmu_attribute_text(pmu, "streams", text, sizeof(text)));
	number = sorted_lines(text, lines);
	for (i = 0; i < number; i++) {
		stream_id = strtoul(strchr(lines[i], ' '), NULL, 16);
		filter = exactly(stream_id);
		fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &filter, -1);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, stream_id, 0x1);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, stream_id + 1, 0x10);
		EXPECT_EQ(0x1, pmu_value(fd));
		close(fd);
	}
}

TEST_HARNESS_MAIN
