// SPDX-License-Identifier: GPL-2.0
/* Files in sysfs that every PMU has. */
#include <dirent.h>

#include "fixture.h"

static DIR *open_directory(const char *name)
{
	return opendir(path_of("/sys/bus/event_source/devices/%s/%s", pmu->name, name));
}

/* If two fields shared a bit, one of them could not be controlled. */
TEST_F(pmu, format_fields_do_not_overlap)
{
	__u64 used[3] = { 0 }, mask;
	struct dirent *entry;
	unsigned int index;
	char word[16];
	DIR *directory;

	directory = open_directory("format");
	ASSERT_NE(NULL, directory);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		ASSERT_EQ(0, pmu_format_bits(pmu, entry->d_name, word, &mask))
			TH_LOG("format/%s", entry->d_name);
		index = word[6] ? word[6] - '0' : 0;
		ASSERT_GT(ARRAY_SIZE(used), index)
			TH_LOG("format/%s is in %s", entry->d_name, word);
		EXPECT_EQ(0, used[index] & mask)
			TH_LOG("format/%s overlaps", entry->d_name);
		used[index] |= mask;
	}
	closedir(directory);
}

TEST_F(pmu, belongs_to_its_device)
{
	char parent[PATH_MAX], device[PATH_MAX];

	/* "perf/arm-smmuv3: Assign parents for event_source device" */
	if (kernel_is_before(6, 10))
		SKIP(return, "before 6.10 such a PMU has no parent");
	ASSERT_NE(NULL, realpath(path_of("/sys/bus/event_source/devices/%s/..", pmu->name),
				 parent));
	ASSERT_NE(NULL, realpath(path_of("/sys/bus/platform/devices/%s", pmu->device), device));
	EXPECT_STREQ(device, parent);
}

TEST_F(pmu, cpumask_is_one_online_cpu)
{
	char text[64], expected[16];

	ASSERT_EQ(0, pmu_attribute(pmu, "cpumask", text, sizeof(text)));
	ASSERT_EQ(0, pmu_read_cpu(pmu))
		TH_LOG("cpumask is \"%s\"", text);
	snprintf(expected, sizeof(expected), "%d", pmu->cpu);
	EXPECT_STREQ(expected, text);
	EXPECT_TRUE(cpu_is_online(pmu->cpu));
}

/* A wired interrupt if firmware describes one, otherwise an MSI, otherwise a timer if needed. */
TEST_F(injected, interrupt)
{
	const char *expected;

	if (!device_property_exists(pmu->device, ""))
		SKIP(return, "no devicetree node to compare with");
	/*
	 * A wired interrupt cannot be lost, so it is preferred. A private one only reaches its CPU.
	 */
	if (device_has_shared_interrupt(pmu->device))
		expected = "wired";
	else if (hardware->msi && device_property_exists(pmu->device, "msi-parent"))
		expected = "msi";
	else
		expected = hardware->bits == 64 ? "none" : "timer";
	expect_attribute("interrupt", "%s", expected);
}

TEST_F(injected, id_registers)
{
	unsigned int offset, value, last = 0, number = 0;
	char text[1024], *line;

	ASSERT_EQ(0, pmu_attribute_text(pmu, "id_registers", text, sizeof(text)));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), number++) {
		ASSERT_TRUE(sscanf(line, "0x%x 0x%x", &offset, &value) == 2)
			TH_LOG("%s", line);
		EXPECT_LT(last, offset);
		EXPECT_EQ(stimulus_peek32(stimulus, offset), value)
			TH_LOG("offset 0x%x", offset);
		last = offset;
	}
	EXPECT_LE(8, number);
}

TEST_F(injected, reading_sysfs_touches_no_register)
{
	__u64 accesses = all_accesses(stimulus);
	static const char * const directories[] = { ".", "caps", "events", "format" };
	char path[64], text[4096];
	struct dirent *entry;
	unsigned int i;
	DIR *directory;

	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		directory = open_directory(directories[i]);
		if (!directory && pmu->reference)
			continue;
		ASSERT_NE(NULL, directory);
		while ((entry = readdir(directory))) {
			snprintf(path, sizeof(path), "%s/%.40s", directories[i], entry->d_name);
			pmu_attribute(pmu, path, text, sizeof(text));
		}
		closedir(directory);
	}

	EXPECT_EQ(accesses, all_accesses(stimulus));
}

TEST_HARNESS_MAIN
