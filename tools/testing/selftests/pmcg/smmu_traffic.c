// SPDX-License-Identifier: GPL-2.0
/*
 * Real DMA through the SMMU, told apart by StreamID. What can be said exactly about
 * it needs a machine whose only busy devices behind the SMMU are one disk and one
 * network card, with their PCI requester IDs for StreamIDs: the emulated one.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <net/if.h>
#include <sys/socket.h>

#include "pmcg_fixture.h"
#include "platform.h"

#define IOMMU_GROUPS	"/sys/kernel/iommu_groups"
#define READ_SIZE	65536
#define READS		16

enum { ALL, DISK, NET, SHARES };

struct dma_device {
	char name[64];
	__u32 stream_id;
};

static struct {
	struct dma_device disk;
	struct dma_device net;
	int disk_fd;
	int socket;
	bool silenced;
} traffic;

/*
 * Where the device behind a block or network device is one that the SMMU
 * translates: its PCI requester ID.
 */
static int stream_id_of(const char *class_device, __u32 *stream_id)
{
	char path[PATH_MAX], *slash;

	if (!realpath(class_device, path))
		return -errno;
	while ((slash = strrchr(path, '/')) && slash != path) {
		if (!access(path_of("%s/iommu_group", path), F_OK) &&
		    requester_id(slash + 1, stream_id))
			return 0;
		*slash = '\0';
	}
	return -ENODEV;
}

static int find_device(const char *class_path, struct dma_device *device)
{
	DIR *directory = opendir(class_path);
	struct dirent *entry;
	int error = -ENODEV;

	if (!directory)
		return error;
	while (error && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		error = stream_id_of(path_of("%s/%s/device", class_path, entry->d_name),
				     &device->stream_id);
		snprintf(device->name, sizeof(device->name), "%.63s", entry->d_name);
	}
	closedir(directory);
	return error;
}

/* Devices with a driver that the SMMU translates for. */
static int count_busy_devices(void)
{
	DIR *groups = opendir(IOMMU_GROUPS), *devices;
	struct dirent *group, *device;
	int number = 0;

	if (!groups)
		return 0;
	while ((group = readdir(groups))) {
		if (group->d_name[0] == '.')
			continue;
		devices = opendir(path_of(IOMMU_GROUPS "/%s/devices", group->d_name));
		while (devices && (device = readdir(devices))) {
			if (device->d_name[0] == '.')
				continue;
			number += !access(path_of(IOMMU_GROUPS "/%s/devices/%s/driver",
						  group->d_name, device->d_name), F_OK);
		}
		if (devices)
			closedir(devices);
	}
	closedir(groups);
	return number;
}

static void read_disk(int fd)
{
	void *buffer;
	int i;

	ASSERT_EQ(0, posix_memalign(&buffer, 4096, READ_SIZE));
	for (i = 0; i < READS; i++) {
		ASSERT_EQ(READ_SIZE, pread(fd, buffer, READ_SIZE, (off_t)i * READ_SIZE))
			TH_LOG("%s", strerror(errno));
	}
	free(buffer);
}

static int interface_put_up(const char *name)
{
	int error, fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq flags = { 0 };

	snprintf(flags.ifr_name, sizeof(flags.ifr_name), "%.15s", name);
	error = ioctl(fd, SIOCGIFFLAGS, &flags);
	flags.ifr_flags |= IFF_UP;
	if (!error)
		error = ioctl(fd, SIOCSIFFLAGS, &flags);
	error = error ? -errno : 0;
	close(fd);
	return error;
}

/* IPv6 sends packets of its own accord; IPv4 without a DHCP client does not. */
static void interface_set_ipv6(const char *name, bool enable)
{
	write_text(path_of("/proc/sys/net/ipv6/conf/%s/disable_ipv6", name), enable ? "0" : "1");
}

/* Starts with a network card that is silent. */
static void traffic_start(void)
{
	if (find_device("/sys/class/block", &traffic.disk))
		SKIP(return, "no disk behind the SMMU");
	if (find_device("/sys/class/net", &traffic.net))
		SKIP(return, "no network card behind the SMMU");
	if (count_busy_devices() != 2)
		SKIP(return, "more than one disk and one network card are behind the SMMU");
	traffic.disk_fd = open(path_of("/dev/%s", traffic.disk.name),
			       O_RDONLY | O_DIRECT | O_CLOEXEC);
	ASSERT_LE(0, traffic.disk_fd)
		TH_LOG("%s: %s", traffic.disk.name, strerror(errno));
	ASSERT_EQ(0, interface_put_up(traffic.net.name));
	interface_set_ipv6(traffic.net.name, false);
	traffic.silenced = true;
	/* By the time the disk has answered, what the card had queued is gone too. */
	read_disk(traffic.disk_fd);
	stimulus_traffic(stimulus, true);
}

static void traffic_end(void)
{
	if (traffic.silenced)
		interface_set_ipv6(traffic.net.name, true);
}

static bool has_three_events(const struct machine *machine)
{
	struct pmcg_hardware pmcg = pmcg_of(machine);

	return machine->hardware.counters >= 3 &&
	       pmcg_implements(&pmcg, PMCG_EVENT_TRANSACTION) &&
	       pmcg_implements(&pmcg, PMCG_EVENT_TLB_MISS) &&
	       pmcg_implements(&pmcg, PMCG_EVENT_TABLE_WALK_ACCESS);
}

/* On every PMCG. */
PMU_FIXTURE_BETWEEN(traffic, has_three_events, true, traffic_start, traffic_end)

static bool can_tell_apart(const struct machine *machine)
{
	return !machine->hardware.global_filter && machine->hardware.counters >= SHARES;
}

/* On those that can count the shares of two devices and their sum at the same time. */
PMU_FIXTURE_BETWEEN(shares, can_tell_apart, true, traffic_start, traffic_end)

static int open_socket(const char *device)
{
	int one = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one)));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, strlen(device) + 1));
	return fd;
}

/* A broadcast needs no answer. */
static void send_packet(int fd)
{
	struct sockaddr_in everybody = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_BROADCAST),
	};
	char payload[512] = "";
	ssize_t length;

	length = sendto(fd, payload, sizeof(payload), 0, (struct sockaddr *)&everybody,
			sizeof(everybody));
	/* A full queue drains by itself. */
	if (length < 0 && (errno == ENOBUFS || errno == EAGAIN))
		return;
	ASSERT_EQ((ssize_t)sizeof(payload), length)
		TH_LOG("%s", strerror(errno));
}

/* One event three times: all of it, the disk's share and the network card's. */
static int open_shares(unsigned int event)
{
	struct pmcg_filter filters[] = {
		exactly(traffic.disk.stream_id), exactly(traffic.net.stream_id),
	};
	struct perf_event_attr attr = attr_of(event);
	int leader;

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	leader = must_open_attr(&attr, -1);
	must_open_filtered(event, &filters[0], leader);
	must_open_filtered(event, &filters[1], leader);
	return leader;
}

/*
 * Another packet that is sent or was queued is no failure: the measurement is repeated. A
 * wrong filter fails each time.
 */
#define TRIES	10

static void measure_disk(int leader, __u64 *share)
{
	unsigned int tries = TRIES;

	do {
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
		read_disk(traffic.disk_fd);
		/* All three stop at the same instant. */
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, pmu_read_group(leader, share, SHARES));
	} while (share[NET] && --tries);
}

TEST_F_TIMEOUT(shares, disk_only, SLOW)
{
	unsigned int event;
	__u64 share[SHARES];
	int leader;

	for (event = 1; event <= 5; event++) {
		if (!pmcg_has_event(pmu, event))
			continue;
		leader = open_shares(event);
		measure_disk(leader, share);
		EXPECT_EQ(share[ALL], share[DISK])
			TH_LOG("%s", pmcg_event_names[event]);
		EXPECT_EQ(0, share[NET])
			TH_LOG("%s", pmcg_event_names[event]);
		/* A page has to be fetched by a transaction at least. */
		if (event == PMCG_EVENT_TRANSACTION) {
			EXPECT_LE(READS * READ_SIZE / sysconf(_SC_PAGESIZE), share[DISK])
				TH_LOG("%d reads of %d bytes", READS, READ_SIZE);
		}
		close(leader);
	}
}

TEST_F_TIMEOUT(shares, network_only, SLOW)
{
	__u64 share[SHARES];
	int leader, fd;

	fd = open_socket(traffic.net.name);
	leader = open_shares(PMCG_EVENT_TRANSACTION);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	do {
		send_packet(fd);
		ASSERT_EQ(0, pmu_read_group(leader, share, SHARES));
	} while (share[NET] < 100);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pmu_read_group(leader, share, SHARES));
	EXPECT_EQ(share[ALL], share[NET]);
	EXPECT_EQ(0, share[DISK]);
}

TEST_F_TIMEOUT(shares, disk_and_network_add_up, SLOW)
{
	unsigned int event, i;
	__u64 share[SHARES];
	int leader, fd;

	fd = open_socket(traffic.net.name);
	for (event = 1; event <= 5; event++) {
		if (!pmcg_has_event(pmu, event))
			continue;
		leader = open_shares(event);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
		for (i = 0; i < 50; i++)
			send_packet(fd);
		read_disk(traffic.disk_fd);
		for (i = 0; i < 50; i++)
			send_packet(fd);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, pmu_read_group(leader, share, SHARES));
		EXPECT_EQ(share[ALL], share[DISK] + share[NET])
			TH_LOG("%s", pmcg_event_names[event]);
		if (event == PMCG_EVENT_TRANSACTION) {
			EXPECT_LT(0, share[DISK]);
			EXPECT_LT(0, share[NET]);
		}
		close(leader);
	}
}

/* Each miss is one transaction's, and takes one table access or more. */
TEST_F_TIMEOUT(traffic, events_are_in_proportion, SLOW)
{
	struct pmcg_filter disk = exactly(traffic.disk.stream_id);
	struct perf_event_attr attr;
	__u64 values[3];
	int leader;

	ASSERT_EQ(0, pmcg_describe(pmu, &attr, PMCG_EVENT_TRANSACTION, &disk));
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	leader = must_open_attr(&attr, -1);
	must_open_filtered(PMCG_EVENT_TLB_MISS, &disk, leader);
	must_open_filtered(PMCG_EVENT_TABLE_WALK_ACCESS, &disk, leader);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	read_disk(traffic.disk_fd);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pmu_read_group(leader, values, 3));
	EXPECT_LT(0, values[1]);
	EXPECT_LE(values[1], values[0]);
	EXPECT_LE(values[1], values[2]);
}

static enum pmcg_unit unit_of(const struct machine *machine)
{
	struct pmcg_hardware pmcg = pmcg_of(machine);

	return pmcg_unit(&pmcg);
}

static void count_traffic(const struct machine *machine)
{
	struct stimulus stimulus = machine->stimulus;

	stimulus_traffic(&stimulus, true);
}

/* What looks at all PMCGs by itself */
PMU_FIXTURE_BETWEEN(all, is_first, true, traffic_start, traffic_end)

/* The same traffic is the same number on each PMCG, whatever its counters are like. */
TEST_F(all, every_pmcg_sees_the_same)
{
	int fds[PMU_MAX], i, same, used = 0, number;
	const struct machine *all = all_machines(&number);
	unsigned int tries = TRIES;
	__u64 values[PMU_MAX];
	struct pmcg_filter disk = exactly(traffic.disk.stream_id);

	for (i = 0; i < number; i++) {
		if (!all[i].hardware.sane || refuses_every_event(&all[i]) ||
		    unit_of(&all[i]) != PMCG_OF_SMMU || !pmcg_has_spans(&all[i].pmu))
			continue;
		count_traffic(&all[i]);
		/* Every second one by the disk's StreamID, the others without a filter. */
		fds[used] = pmcg_open_filtered(&all[i].pmu, PMCG_EVENT_TRANSACTION,
					       used % 2 ? &disk : NULL, -1);
		ASSERT_LE(0, fds[used]);
		used++;
	}
	/* Half of them count the network card as well: it must stay silent. */
	for (same = 0; same < used && tries; tries--) {
		for (i = 0; i < used; i++) {
			ASSERT_EQ(0, ioctl(fds[i], PERF_EVENT_IOC_RESET, 0))
				TH_LOG("PMCG %d", i);
		}
		read_disk(traffic.disk_fd);
		for (i = 0, same = 0; i < used; i++) {
			values[i] = pmu_value(fds[i]);
			same += values[i] == values[0];
		}
	}
	ASSERT_LT(0, used);
	EXPECT_LT(0, values[0]);
	for (i = 0; i < used; i++) {
		EXPECT_EQ(values[0], values[i])
			TH_LOG("PMCG %d", i);
		close(fds[i]);
	}
}

/* What a unit counts of the events that are compared; 0 where it does not have the event. */
struct unit_count {
	enum pmcg_unit unit;
	int leader;
	unsigned int number;
	unsigned int events[3];
	__u64 values[PMCG_ARCHITECTED_NAMES];
};

/* As one group, of which all members count at the same time. */
static void open_unit(const struct pmu *pmu, struct unit_count *count)
{
	static const unsigned int events[] = {
		PMCG_EVENT_TRANSACTION, PMCG_EVENT_TLB_MISS, PMCG_EVENT_TABLE_WALK_ACCESS,
	};
	struct perf_event_attr attr;
	unsigned int i;
	int fd;

	count->number = count->unit == PMCG_OF_TBU ? 2 : 3;
	for (i = 0; i < count->number; i++) {
		count->events[i] = events[i];
		ASSERT_EQ(0, pmu_describe(pmu, &attr, events[i]));
		attr.read_format = i ? 0 : PERF_FORMAT_GROUP;
		fd = pmu_open_attr(pmu, &attr, i ? count->leader : -1);
		ASSERT_LE(0, fd);
		count->leader = i ? count->leader : fd;
	}
}

/* One PMCG of an SMMU that is one unit, the TCU, and all TBUs. */
static int open_units(struct unit_count *counts)
{
	bool found[PMCG_OF_TBU + 1] = { false };
	int i, used = 0, number;
	const struct machine *all = all_machines(&number);

	for (i = 0; i < number; i++) {
		if (!all[i].hardware.sane)
			continue;
		counts[used].unit = unit_of(&all[i]);
		if (counts[used].unit != PMCG_OF_TBU &&
		    (found[counts[used].unit] || !has_three_events(&all[i])))
			continue;
		count_traffic(&all[i]);
		found[counts[used].unit] = true;
		open_unit(&all[i].pmu, &counts[used++]);
	}
	return found[PMCG_OF_SMMU] && found[PMCG_OF_TCU] && found[PMCG_OF_TBU] ? used : 0;
}

/* Adds up the units of a kind. */
static __u64 sum_of(const struct unit_count *counts, int number, enum pmcg_unit unit,
		    unsigned int event)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < number; i++)
		if (counts[i].unit == unit)
			sum += counts[i].values[event];
	return sum;
}

/* The number of TBUs that a transaction has come through. */
static int tbus_in_use(const struct unit_count *counts, int number)
{
	int i, used = 0;

	for (i = 0; i < number; i++)
		used += counts[i].unit == PMCG_OF_TBU && counts[i].values[PMCG_EVENT_TRANSACTION];
	return used;
}

static void measure_units(struct unit_count *counts, int number, int packets)
{
	__u64 values[3];
	unsigned int n;
	int i;

	for (i = 0; i < number; i++)
		ASSERT_EQ(0, ioctl(counts[i].leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	while (packets--)
		send_packet(traffic.socket);
	/* By the time the disk has answered, the packets are gone. */
	read_disk(traffic.disk_fd);
	for (i = 0; i < number; i++) {
		ASSERT_EQ(0, pmu_read_group(counts[i].leader, values, counts[i].number));
		for (n = 0; n < counts[i].number; n++)
			counts[i].values[counts[i].events[n]] = values[n];
	}
}

/* What a TBU misses it asks the TCU for; what the TCU misses it walks for. */
static bool units_agree(const struct unit_count *counts, int number)
{
	__u64 missed = sum_of(counts, number, PMCG_OF_TBU, PMCG_EVENT_TLB_MISS);

	return sum_of(counts, number, PMCG_OF_SMMU, PMCG_EVENT_TRANSACTION) ==
	       sum_of(counts, number, PMCG_OF_TBU, PMCG_EVENT_TRANSACTION) &&
	       sum_of(counts, number, PMCG_OF_TCU, PMCG_EVENT_TRANSACTION) == missed &&
	       sum_of(counts, number, PMCG_OF_TCU, PMCG_EVENT_TLB_MISS) == missed &&
	       sum_of(counts, number, PMCG_OF_SMMU, PMCG_EVENT_TLB_MISS) == missed &&
	       sum_of(counts, number, PMCG_OF_TCU, PMCG_EVENT_TABLE_WALK_ACCESS) ==
	       sum_of(counts, number, PMCG_OF_SMMU, PMCG_EVENT_TABLE_WALK_ACCESS);
}

static void log_units(const struct unit_count *counts, int number)
{
	static const char * const names[] = { "SMMU", "TCU", "TBU" };
	int i;

	for (i = 0; i < number; i++)
		TH_LOG("%s: %llu transactions, %llu misses, %llu accesses", names[counts[i].unit],
		       counts[i].values[PMCG_EVENT_TRANSACTION],
		       counts[i].values[PMCG_EVENT_TLB_MISS],
		       counts[i].values[PMCG_EVENT_TABLE_WALK_ACCESS]);
}

/* The TBUs see the SMMU's transactions, each the StreamIDs behind it, the TCU their misses. */
TEST_F(all, units_share_the_work)
{
	struct unit_count counts[PMU_MAX] = {};
	unsigned int tries;
	int number;

	traffic.socket = open_socket(traffic.net.name);
	number = open_units(counts);
	if (!number)
		SKIP(return, "the SMMU has no TCU and TBUs with PMCGs of their own");
	for (tries = TRIES; tries; tries--) {
		measure_units(counts, number, 0);
		if (units_agree(counts, number) && tbus_in_use(counts, number) == 1)
			break;
	}
	EXPECT_NE(0, tries)
		log_units(counts, number);
	/* The network card is behind another one. */
	for (tries = TRIES; tries; tries--) {
		measure_units(counts, number, 20);
		if (units_agree(counts, number) && tbus_in_use(counts, number) == 2)
			break;
	}
	EXPECT_NE(0, tries)
		log_units(counts, number);
	EXPECT_LT(0, sum_of(counts, number, PMCG_OF_TCU, PMCG_EVENT_TLB_MISS));
}

TEST_HARNESS_MAIN
