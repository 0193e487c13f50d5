// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program at a tracepoint of the driver reads the event that the driver is handling: the
 * count stays exact.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"

#define TRACING		"/sys/kernel/tracing/events/arm_syspmu/%s/id"

static int map, program, tracepoint = -1;

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int create_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
		.key_size = sizeof(__u32),
		.value_size = sizeof(__u32),
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int set_event(int fd)
{
	__u32 key = 0, value = fd;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
		.flags = BPF_ANY,
	};

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* bpf_perf_event_read(map, 0) */
static int load_program(void)
{
	struct bpf_insn instructions[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_perf_event_read },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (unsigned long)instructions,
		.insn_cnt = ARRAY_SIZE(instructions),
		.license = (unsigned long)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* The program runs whenever the driver hits the tracepoint on this CPU. */
static int attach(const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
	};
	char id[32];
	int fd;

	if (read_text(path_of(TRACING, name), id, sizeof(id)) <= 0)
		return -1;
	attr.config = strtoull(id, NULL, 0);
	fd = syscall(SYS_perf_event_open, &attr, -1, pmu->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program))
		return -1;
	return fd;
}

static void prepare(void)
{
	map = create_map();
	if (map < 0)
		SKIP(return, "this kernel has no BPF");
	/* The map of an earlier test may still hold an event until an RCU grace period ends. */
	while (pmu_enabled_counters(stimulus, hardware))
		usleep(1000);
	program = load_program();
	ASSERT_LE(0, program);
}

static void detach(void)
{
	close(tracepoint);
}

PMU_FIXTURE_BETWEEN(bpf, any, true, prepare, detach)

/* perf marks an event as active before it has a counter, and long before it counts. */
TEST_F(bpf, an_event_is_read_while_it_gets_a_counter)
{
	unsigned int round;
	__u64 total = 0;
	int fd, other;

	fd = must_open(pmu->event, -1);
	ASSERT_EQ(0, set_event(fd));
	tracepoint = attach("arm_syspmu_program");
	ASSERT_LE(0, tracepoint);
	for (round = 1; round <= 10; round++) {
		total += inject(round);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		/* Its counter is used by another event now. */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		other = must_open(pmu->event, -1);
		inject(1000);
		EXPECT_EQ(1000, pmu_value(other));
		close(other);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
}

/* After the overflow status has been cleared, and before the counter is read. */
TEST_F(bpf, an_event_is_read_while_its_overflow_is_handled)
{
	__u64 half = 1ULL << (hardware->bits - 1), total = 0;
	unsigned int round;
	int fd = must_open(pmu->event, -1);

	ASSERT_EQ(0, set_event(fd));
	tracepoint = attach("arm_syspmu_overflow");
	ASSERT_LE(0, tracepoint);
	for (round = 0; round < 10; round++) {
		total += inject(half + round);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
	}
}

TEST_HARNESS_MAIN
