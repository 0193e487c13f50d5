// SPDX-License-Identifier: GPL-2.0
/*
 * What can be said on a server, which has no stimulus page, while its devices work: counts that
 * agree with each other, and with what others count. The traffic is what the environment names:
 *
 *	SYSPMU_TRAFFIC='fio job.fio'	a command, again and again
 *	SYSPMU_DISK=nvme0n1		a disk to read from, a few MB/s; by default the first
 *					one that is behind an SMMU
 *	SYSPMU_INTERFACE=eth3		broadcasts through this interface, 100 a second at most;
 *					by default none
 *
 * It prints a line for each result, which the end of run_kselftest.sh repeats.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "pmcg_fixture.h"

#define BLOCK_SIZE	65536
#define BLOCKS		16
#define PAGE		4096
#define LINE		64
#define MAX_STREAMS	4096
#define MAX_PARTS	7
#define IDLE_MS		200
#define NO_TRAFFIC	"no traffic: SYSPMU_TRAFFIC, SYSPMU_DISK or SYSPMU_INTERFACE causes some"

struct stream {
	char name[64];
	__u32 id;
};

static struct stream streams[MAX_STREAMS];
static unsigned int streams_number;
static char disk[64];
static __u32 disk_id;
static int disk_fd = -1;
static bool disk_is_read;
static pid_t traffic;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list arguments;
	char text[400];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	printf("# %s: %s\n", pmu->name, text);
	fflush(stdout);
}

static int compare_streams(const void *a, const void *b)
{
	const struct stream *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static void add_stream(const char *name, __u32 id)
{
	if (streams_number == MAX_STREAMS)
		return;
	snprintf(streams[streams_number].name, sizeof(streams->name), "%.63s", name);
	streams[streams_number++].id = id;
}

/* The devices behind the SMMU; the kernel's driver does not list them: all that have an IOMMU. */
static void find_streams(void)
{
	struct dirent *entry;
	char name[64];
	__u32 id;
	FILE *list = fopen(path_of("/sys/bus/event_source/devices/%s/streams", pmu->name), "re");
	DIR *devices = list ? NULL : opendir("/sys/bus/pci/devices");
	unsigned int i, kept = 0;

	streams_number = 0;
	while (list && fscanf(list, "%63s %x", name, &id) == 2)
		add_stream(name, id);
	while (devices && (entry = readdir(devices)))
		if (!access(path_of("/sys/bus/pci/devices/%s/iommu_group", entry->d_name), F_OK) &&
		    requester_id(entry->d_name, &id))
			add_stream(entry->d_name, id);
	if (list)
		fclose(list);
	if (devices)
		closedir(devices);
	qsort(streams, streams_number, sizeof(*streams), compare_streams);
	for (i = 0; i < streams_number; i++)
		if (!kept || streams[kept - 1].id != streams[i].id)
			streams[kept++] = streams[i];
	streams_number = kept;
}

/* The StreamID of the device, behind this SMMU, that a disk or an interface belongs to. */
static bool find_stream(const char *class, const char *name, __u32 *id)
{
	char path[PATH_MAX], *slash;
	unsigned int i;

	if (!realpath(path_of("/sys/class/%s/%s/device", class, name), path))
		return false;
	while ((slash = strrchr(path, '/')) && slash != path) {
		for (i = 0; i < streams_number; i++)
			if (!strcmp(streams[i].name, slash + 1)) {
				*id = streams[i].id;
				return true;
			}
		*slash = '\0';
	}
	return false;
}

static void find_disk(void)
{
	const char *chosen = getenv("SYSPMU_DISK");
	DIR *disks = opendir("/sys/class/block");
	struct dirent *entry;

	disk[0] = '\0';
	while (disks && !disk[0] && (entry = readdir(disks)))
		if ((!chosen || !strcmp(chosen, entry->d_name)) &&
		    find_stream("block", entry->d_name, &disk_id))
			snprintf(disk, sizeof(disk), "%.63s", entry->d_name);
	if (disks)
		closedir(disks);
	/* It may be behind another SMMU, and is read anyway. */
	disk_fd = disk[0] || chosen ? open(path_of("/dev/%s", disk[0] ? disk : chosen),
					   O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
}

static bool read_block(unsigned int block)
{
	static void *buffer;

	return (buffer || !posix_memalign(&buffer, PAGE, BLOCK_SIZE)) &&
	       pread(disk_fd, buffer, BLOCK_SIZE, (off_t)block * BLOCK_SIZE) == BLOCK_SIZE;
}

static int open_interface(const char *name)
{
	int one = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, strlen(name) + 1))
		return -1;
	return fd;
}

/* To the discard service of everybody on the link: nobody answers. */
static void send_packet(int fd)
{
	struct sockaddr_in everybody = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_BROADCAST),
	};
	static const char payload[64];

	if (fd >= 0)
		sendto(fd, payload, sizeof(payload), 0, (struct sockaddr *)&everybody,
		       sizeof(everybody));
}

/* In a process group of its own, which ends with the test. */
static void cause_traffic(void)
{
	const char *command = getenv("SYSPMU_TRAFFIC"), *interface = getenv("SYSPMU_INTERFACE");
	int fd = interface ? open_interface(interface) : -1, null = open("/dev/null", O_WRONLY);
	unsigned int round;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What the command prints is no result of a test. */
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	for (round = 0;; round++) {
		if (command && system(command) == -1)
			_exit(1);
		if (disk_is_read)
			read_block(round % BLOCKS);
		send_packet(fd);
		usleep(10000);
	}
}

static void start_traffic(void)
{
	if (stimulus->page)
		stimulus_traffic(stimulus, true);
	find_streams();
	find_disk();
	disk_is_read = disk_fd >= 0 && (!getenv("SYSPMU_TRAFFIC") || getenv("SYSPMU_DISK"));
	traffic = fork();
	ASSERT_LE(0, traffic);
	if (!traffic)
		cause_traffic();
	setpgid(traffic, traffic);
}

static void stop_traffic(void)
{
	if (traffic <= 0)
		return;
	kill(-traffic, SIGKILL);
	waitpid(traffic, NULL, 0);
}

PMU_FIXTURE_BETWEEN(server, NULL, false, start_traffic, stop_traffic)

static bool is_pmcg(void)
{
	return pmu->family == &pmcg_family;
}

/* An event that occurs on a server: transactions, or the first one of a product, or its clock. */
static __u64 busy_event(void)
{
	char text[64] = "";
	struct dirent *entry;
	unsigned long long event;
	DIR *events;

	if (is_pmcg())
		return PMCG_EVENT_TRANSACTION;
	if (!pmu_attribute(pmu, "events/cycles", text, sizeof(text)))
		return pmu->clock;
	events = opendir(path_of("/sys/bus/event_source/devices/%s/events", pmu->name));
	while (events && (entry = readdir(events)))
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.') &&
		    !pmu_attribute(pmu, path_of("events/%s", entry->d_name), text, sizeof(text)) &&
		    sscanf(text, "event=%llx", &event) == 1 && !strchr(text, ',')) {
			closedir(events);
			return event;
		}
	if (events)
		closedir(events);
	return pmu->event;
}

/*
 * All start at the same instant. With PERF_IOC_FLAG_GROUP, perf would enable one after another, the
 * leader first.
 */
static void start_group(int leader)
{
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
}

/* All stop at the same instant. */
static void stop_group(int leader, __u64 *values, unsigned int number)
{
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
}

/* A unit of an SMMU counts what comes through it, or what the others miss, by what it can count. */
static bool is_one_unit(void)
{
	return pmcg_has_event(pmu, PMCG_EVENT_TABLE_WALK_ACCESS) &&
	       (!pmcg_has_event(pmu, 6) || pmcg_has_event(pmu, 7));
}

/*
 * Whether it counts all devices that are listed: those of the kernel's driver are not only its own,
 * and without spans, an event without a filter may count one StreamID only.
 */
static bool sees_all(void)
{
	return is_pmcg() && is_one_unit() && !pmu->reference && pmcg_has_spans(pmu);
}

/* Whether there is traffic that the PMU sees. */
static bool sees_traffic(void)
{
	int tries, fd = must_open(busy_event(), -1);
	__u64 value = 0;

	for (tries = 0; !value && tries < 100; tries++) {
		usleep(10000);
		value = pmu_value(fd);
	}
	close(fd);
	EXPECT_TRUE(value || !disk_is_read || !disk[0] || !sees_all())
		TH_LOG("%s is read, and nothing is counted", disk);
	return value;
}

/* Some neighbouring StreamIDs, of those that are listed */
struct part {
	unsigned int first;
	unsigned int last;
};

static unsigned int size_of(const struct part *part)
{
	return part->last - part->first;
}

static unsigned int highest_difference(const struct part *part)
{
	__u32 difference = streams[part->first].id ^ streams[part->last].id;

	return difference ? 31 - __builtin_clz(difference) : 0;
}

/* One StreamID, or all that have the bits above the highest one that differs (IHI 0070 §10.4). */
static struct pmcg_filter filter_of(const struct part *part)
{
	__u32 id = streams[part->first].id, bit = 1U << highest_difference(part);

	if (!size_of(part))
		return exactly(id);
	return spanning((id & ~(2 * bit - 1)) | (bit - 1));
}

/* Splits the largest part until there are so many, or one for each StreamID. */
static unsigned int split_streams(struct part *parts, unsigned int wanted)
{
	unsigned int number = 1, i, largest, middle;
	__u32 bit;

	parts[0] = (struct part){ .last = streams_number - 1 };
	while (number < wanted) {
		for (largest = 0, i = 1; i < number; i++)
			if (size_of(&parts[i]) > size_of(&parts[largest]))
				largest = i;
		if (!size_of(&parts[largest]))
			break;
		bit = 1U << highest_difference(&parts[largest]);
		for (middle = parts[largest].first; !(streams[middle].id & bit); middle++)
			;
		parts[number++] = (struct part){ .first = middle, .last = parts[largest].last };
		parts[largest].last = middle - 1;
	}
	return number;
}

/* The total and the parts in one group; -1 if the PMU has too few counters, or one filter. */
static int open_parts(unsigned int event, const struct part *parts, unsigned int number)
{
	int fds[MAX_PARTS + 1];
	struct pmcg_filter filter;
	struct perf_event_attr attr = attr_of(event);
	unsigned int i;

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	fds[0] = must_open_attr(&attr, -1);
	for (i = 0; i < number; i++) {
		filter = filter_of(&parts[i]);
		fds[i + 1] = pmcg_open_filtered(pmu, event, &filter, fds[0]);
		if (fds[i + 1] >= 0)
			continue;
		for (i++; i; i--)
			close(fds[i - 1]);
		return -1;
	}
	return fds[0];
}

/* The parts of all StreamIDs add up to the total. */
TEST_F_TIMEOUT(server, parts_add_up, SLOW)
{
	unsigned int event, wanted, number = 0, i;
	struct part parts[MAX_PARTS];
	__u64 values[MAX_PARTS + 1], sum;
	int leader = -1;

	if (!is_pmcg() || !streams_number)
		SKIP(return, "no StreamIDs are known");
	for (wanted = MAX_PARTS; leader < 0 && wanted; wanted--) {
		number = split_streams(parts, wanted);
		leader = open_parts(PMCG_EVENT_TRANSACTION, parts, number);
	}
	if (leader < 0)
		SKIP(return, "events of one group cannot have filters of their own");
	if (!sees_traffic())
		SKIP(return, NO_TRAFFIC);
	close(leader);
	for (event = 1; event <= 5; event++) {
		if (!pmcg_has_event(pmu, event))
			continue;
		leader = open_parts(event, parts, number);
		ASSERT_LE(0, leader);
		start_group(leader);
		usleep(IDLE_MS * 1000);
		stop_group(leader, values, number + 1);
		for (sum = 0, i = 1; i <= number; i++)
			sum += values[i];
		EXPECT_EQ(values[0], sum)
			TH_LOG("%s: other StreamIDs than those that are listed?",
			       pmcg_event_names[event]);
		say("%s %llu, %u parts of %u StreamIDs %llu", pmcg_event_names[event], values[0],
		    number, streams_number, sum);
		close(leader);
	}
}

/* The highest StreamID that nobody has */
static bool find_idle(__u32 *id)
{
	char text[16] = "16";
	unsigned int i = streams_number;

	pmu_attribute(pmu, "caps/streamid_bits", text, sizeof(text));
	for (*id = ~0U >> (32 - atoi(text)); i && streams[i - 1].id >= *id; i--)
		if (streams[i - 1].id == *id && !(*id)--)
			return false;
	return true;
}

TEST_F_TIMEOUT(server, idle_stream_counts_nothing, SLOW)
{
	struct pmcg_filter idle;
	__u32 id;
	int fd;

	if (!is_pmcg() || !streams_number || !find_idle(&id))
		SKIP(return, "no StreamIDs are known");
	if (!sees_traffic())
		SKIP(return, NO_TRAFFIC);
	idle = exactly(id);
	fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &idle, -1);
	usleep(IDLE_MS * 1000);
	EXPECT_EQ(0, pmu_value(fd));
	close(fd);
	if (!sees_traffic())
		SKIP(return, NO_TRAFFIC);
	say("StreamID %#x is idle", id);
}

/* A clock may have a counter of its own. */
static int open_twins(__u64 event)
{
	struct perf_event_attr attr = attr_of(event);
	int leader;

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	leader = must_open_attr(&attr, -1);
	if (pmu_open(pmu, event, leader) >= 0)
		return leader;
	close(leader);
	return -1;
}

/* An event that is counted twice has one count, also while it is read if counters are captured. */
TEST_F_TIMEOUT(server, twins_are_equal, SLOW)
{
	int leader = open_twins(busy_event()), round, i;
	__u64 values[2], total = 0;
	bool capture;
	char text[4];

	if (leader < 0)
		leader = open_twins(pmu->event);
	if (leader < 0)
		SKIP(return, "this PMU cannot count an event twice");
	capture = !pmu_attribute(pmu, "caps/capture", text, sizeof(text)) && text[0] == '1';
	for (round = 0; round < 50; round++) {
		start_group(leader);
		for (i = 0; i < 10; i++) {
			usleep(500);
			ASSERT_EQ(0, pmu_read_group(leader, values, 2));
			if (capture)
				EXPECT_EQ(values[0], values[1]);
		}
		stop_group(leader, values, 2);
		EXPECT_EQ(values[0], values[1]);
		total += values[1];
	}
	say("twins%s: %llu each", capture ? ", captured" : "", total);
}

/* Another process that samples, or opens events and closes them again, and one that reads. */
static void disturb_counts(int fd, __u64 event, bool sample)
{
	struct perf_event_attr attr;
	int other;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pmu_describe(pmu, &attr, event);
		if (sample)
			attr.sample_period = 1000;
		other = pmu_open_attr(pmu, &attr, -1);
		usleep(2000);
		pmu_value(fd);
		if (other >= 0)
			close(other);
	}
}

TEST_F_TIMEOUT(server, counts_never_fall, SLOW)
{
	__u64 event = busy_event(), value, last = 0;
	int fd = must_open(event, -1), i;
	pid_t others[2];

	for (i = 0; i < 2; i++) {
		others[i] = fork();
		ASSERT_LE(0, others[i]);
		if (!others[i])
			disturb_counts(fd, event, i && pmu_can_sample(pmu));
	}
	for (i = 0; i < 1000; i++) {
		usleep(500);
		value = pmu_value(fd);
		EXPECT_LE(last, value);
		last = value;
	}
	for (i = 0; i < 2; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	say("1000 reads up to %llu beside %s", last,
	    pmu_can_sample(pmu) ? "a sampler" : "events that come and go");
}

static __u64 nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Twice as many events as counters share these: no more time than there is, and none twice. */
TEST_F_TIMEOUT(server, times_add_up, SLOW)
{
	unsigned int counters, number, i, outside = 0;
	__u64 event = busy_event(), before, after, running = 0;
	int fds[2 * PMU_MAX_COUNTERS];
	struct pmu_count count;
	char text[16] = "0";

	pmu_attribute(pmu, "caps/counters", text, sizeof(text));
	counters = atoi(text);
	number = counters ? 2 * counters : 1;
	before = nanoseconds();
	for (i = 0; i < number; i++)
		fds[i] = must_open(event, -1);
	usleep(IDLE_MS * 1000);
	for (i = 0; i < number; i++) {
		ASSERT_EQ(0, pmu_read(fds[i], &count));
		after = nanoseconds();
		EXPECT_LE(count.running, count.enabled);
		/* Clocks may run differently by a part in thousand. */
		EXPECT_LE(count.enabled, after - before + (after - before) / 1000);
		outside += count.enabled < IDLE_MS * 1000000ULL / 2;
		running += count.running;
	}
	EXPECT_EQ(0, outside);
	after = nanoseconds();
	if (counters)
		EXPECT_LE(running, counters * (after - before + (after - before) / 1000));
	say("%u events on %u counters ran for %llu of %llu us", number, counters, running / 1000,
	    (counters ? counters : 1) * (after - before) / 1000);
}

/* What /proc/diskstats has of a disk */
struct disk_count {
	__u64 requests;
	__u64 bytes;
	__u64 in_flight;
};

static struct disk_count count_disk(void)
{
	struct disk_count count = { 0 };
	__u64 reads, read, writes, written;
	char line[512], name[64];
	FILE *stats = fopen("/proc/diskstats", "re");

	ASSERT_NE(NULL, stats);
	while (fgets(line, sizeof(line), stats)) {
		if (sscanf(line, "%*u %*u %63s %llu %*u %llu %*u %llu %*u %llu %*u %llu", name,
			   &reads, &read, &writes, &written, &count.in_flight) != 6 ||
		    strcmp(name, disk))
			continue;
		count.requests = reads + writes;
		count.bytes = (read + written) * 512;
		break;
	}
	fclose(stats);
	return count;
}

/*
 * PCIe transfers 4 KB at a time at most, and nobody splits a line of 64 bytes. A request has a
 * command, a completion, an interrupt and lists of pages, of which each takes a line at most, in a
 * few descriptors each. Those of others that are in flight when it ends are as large as ours.
 */
TEST_F_TIMEOUT(server, disk_within_bounds, SLOW)
{
	struct pmcg_filter filter = exactly(disk_id);
	struct disk_count before, after;
	struct perf_event_attr attr;
	__u64 value, bytes, requests, least, most;
	int fd, i;

	if (!is_pmcg() || !disk[0] || disk_fd < 0)
		SKIP(return, "no disk is behind this SMMU");
	if (pmcg_has_event(pmu, 6) && !pmcg_has_event(pmu, 7))
		SKIP(return, "a TCU only sees what misses");
	ASSERT_EQ(0, pmcg_describe(pmu, &attr, PMCG_EVENT_TRANSACTION, &filter));
	attr.disabled = 1;
	before = count_disk();
	fd = must_open_attr(&attr, -1);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < BLOCKS; i++)
		ASSERT_TRUE(read_block(i))
			TH_LOG("%s: %s", disk, strerror(errno));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	after = count_disk();
	value = pmu_value(fd);
	if (!value && !sees_all())
		SKIP(return, "%s is behind another TBU", disk);
	requests = after.requests - before.requests + after.in_flight;
	bytes = after.bytes - before.bytes + after.in_flight * BLOCK_SIZE;
	least = BLOCKS * BLOCK_SIZE / PAGE;
	most = bytes / LINE + requests * 16 + bytes / PAGE;
	EXPECT_LE(least, value);
	EXPECT_GE(most, value);
	say("%s: %llu transactions for %llu requests of %llu bytes: from %llu to %llu are possible",
	    disk, value, requests, bytes, least, most);
}

/* The same of a network card that sends, and of what it has received meanwhile. */
TEST_F_TIMEOUT(server, network_within_bounds, SLOW)
{
	static const char * const files[] = { "tx_packets", "rx_packets", "tx_bytes", "rx_bytes" };
	const char *name = getenv("SYSPMU_INTERFACE");
	__u64 statistics[2][4], value, packets, bytes, most;
	struct pmcg_filter filter;
	unsigned int i, n;
	char text[32];
	__u32 id;
	int fd;

	if (!is_pmcg() || !name || !find_stream("net", name, &id))
		SKIP(return, "SYSPMU_INTERFACE names none behind this SMMU");
	if (pmcg_has_event(pmu, 6) && !pmcg_has_event(pmu, 7))
		SKIP(return, "a TCU only sees what misses");
	filter = exactly(id);
	for (n = 0; n < 2; n++) {
		if (n)
			usleep(IDLE_MS * 1000);
		else
			fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &filter, -1);
		value = pmu_value(fd);
		for (i = 0; i < 4; i++) {
			ASSERT_LT(0, read_text(path_of("/sys/class/net/%s/statistics/%s", name,
						       files[i]), text, sizeof(text)));
			statistics[n][i] = strtoull(text, NULL, 10);
		}
	}
	packets = statistics[1][0] + statistics[1][1] - statistics[0][0] - statistics[0][1];
	bytes = statistics[1][2] + statistics[1][3] - statistics[0][2] - statistics[0][3];
	/* Rings are filled beforehand, and completions come late: as many as a ring has. */
	most = bytes / LINE + (packets + 256) * 16;
	EXPECT_GE(most, value);
	/* The last ones may not be complete. */
	if (sees_all() && statistics[1][0] > statistics[0][0] + 1)
		EXPECT_LT(0, value);
	say("%s: %llu transactions for %llu packets of %llu bytes: up to %llu are possible", name,
	    value, packets, bytes, most);
}

/* Counting goes on when the CPU that owns the PMU goes offline and comes back. */
TEST_F_TIMEOUT(server, survives_hotplug, SLOW)
{
	__u64 before, after;
	int fd, gone, tries = 1000;

	if (!may_disturb())
		SKIP(return, DISTURBS);
	if (cpu_other_than(pmu->cpu) < 0 || !cpu_can_go_offline(pmu->cpu))
		SKIP(return, "no CPU can go offline");
	if (!sees_traffic())
		SKIP(return, NO_TRAFFIC);
	fd = must_open(busy_event(), -1);
	gone = take_cpu_away();
	before = pmu_value(fd);
	do {
		usleep(10000);
		after = pmu_value(fd);
		EXPECT_LE(before, after);
	} while (after == before && --tries);
	EXPECT_NE(0, tries)
		TH_LOG("%llu, as before", after);
	ASSERT_EQ(0, cpu_set_online(gone, true));
	EXPECT_LE(after, pmu_value(fd));
	say("CPU %d counts on without CPU %d", pmu->cpu, gone);
}

TEST_HARNESS_MAIN
