// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of the driver: they are hit when they should be, their records are correct, and
 * tools can decode them.
 */
#include <sys/stat.h>

#include "fixture.h"
#include "ring.h"

#define TRACING		"/sys/kernel/tracing"
#define INSTANCE	TRACING "/instances/arm_syspmu_selftest"

static bool has_tracefs(const struct machine *machine)
{
	(void)machine;
	return !access(TRACING "/events", F_OK);
}

/* An earlier test that died may have left it. */
static void remove_instance(void)
{
	rmdir(INSTANCE);
}

PMU_FIXTURE_WITH(trace, has_tracefs, true, remove_instance)
/* Tools are slow, and decode all in the same way: testing the first PMU is enough. */
static bool is_first_with_tracefs(const struct machine *machine)
{
	return has_tracefs(machine) && is_first(machine);
}

PMU_FIXTURE(tool, is_first_with_tracefs, true)

/* One that records on the PMU's CPU. */
struct tracepoint {
	char format[4096];	/* contents of its format file */
	int fd;	/* of the perf event */
	struct ring ring;	/* where its records are */
	char record[1024];	/* the last one taken out */
	size_t length;	/* of @record */
};

static void start_tracing(const char *system, const char *name, struct tracepoint *tracepoint)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	char text[32];

	ASSERT_LT(0, read_text(path_of(TRACING "/events/%s/%s/format", system, name),
			       tracepoint->format, sizeof(tracepoint->format)))
		TH_LOG("%s/%s", system, name);
	ASSERT_LT(0, read_text(path_of(TRACING "/events/%s/%s/id", system, name), text,
			       sizeof(text)));
	attr.config = strtoul(text, NULL, 10);
	tracepoint->fd = must_open_attr(&attr, -1);
	ASSERT_EQ(0, ring_open(&tracepoint->ring, tracepoint->fd));
}

static bool next_trace(struct tracepoint *tracepoint)
{
	return ring_next_raw(&tracepoint->ring, tracepoint->record, sizeof(tracepoint->record),
			     &tracepoint->length);
}

/* Finds a field in a line "field:TYPE NAME;	offset:O;	size:S;" of the format. */
static bool find_field(const struct tracepoint *tracepoint, const char *name,
		       unsigned int *offset, unsigned int *size)
{
	const char *line = tracepoint->format, *end, *semicolon;
	size_t length = strlen(name);
	char *number;

	while ((line = strstr(line, "field:"))) {
		end = line + strcspn(line, "\n");
		semicolon = line + strcspn(line, ";");
		if ((size_t)(semicolon - line) > length && semicolon[-length - 1] == ' ' &&
		    !strncmp(semicolon - length, name, length)) {
			number = strstr(semicolon, "offset:");
			if (!number || number > end)
				return false;
			*offset = strtoul(number + strlen("offset:"), &number, 10);
			number = strstr(number, "size:");
			if (!number || number > end)
				return false;
			*size = strtoul(number + strlen("size:"), NULL, 10);
			return true;
		}
		line = end;
	}
	return false;
}

static __u64 number_in(const struct tracepoint *tracepoint, const char *name)
{
	unsigned int offset, size;
	__u64 value = 0;

	ASSERT_TRUE(find_field(tracepoint, name, &offset, &size))
		TH_LOG("no field %s in %s", name, tracepoint->format);
	ASSERT_GE(sizeof(value), size);
	ASSERT_LE(offset + size, tracepoint->length);
	memcpy(&value, tracepoint->record + offset, size);
	return value;
}

/* Data of variable size: the field has its length and offset in the record. */
static const char *data_in(const struct tracepoint *tracepoint, const char *name,
			   unsigned int *length)
{
	__u32 location = number_in(tracepoint, name);
	unsigned int offset = location & 0xffff;

	*length = location >> 16;
	ASSERT_LE(offset + *length, tracepoint->length);
	return tracepoint->record + offset;
}

static void expect_name(const struct tracepoint *tracepoint)
{
	unsigned int length;
	const char *name = data_in(tracepoint, "name", &length);

	ASSERT_LT(0, length);
	ASSERT_EQ('\0', name[length - 1]);
	EXPECT_STREQ(pmu->name, name);
}

/* The counter and the contents of its registers when it is programmed. */
TEST_F(trace, program)
{
	struct perf_event_attr attr = filtered_attr();
	__u64 config_base, event_base;
	struct tracepoint program;
	int fd, counter;

	start_tracing("arm_syspmu", "arm_syspmu_program", &program);
	EXPECT_FALSE(next_trace(&program));
	fd = must_open_attr(&attr, -1);
	counter = must_find_counter(pmu->event);
	ASSERT_TRUE(next_trace(&program));
	expect_name(&program);
	EXPECT_EQ(counter, (int)number_in(&program, "idx"));
	pmu->family->programmed(stimulus, hardware, counter, &config_base, &event_base);
	EXPECT_EQ(config_base, number_in(&program, "config_base"));
	EXPECT_EQ(event_base, number_in(&program, "event_base"));
	EXPECT_FALSE(next_trace(&program));
	/* A read programs nothing. */
	pmu_value(fd);
	EXPECT_FALSE(next_trace(&program));
}

TEST_F(trace, overflow)
{
	struct tracepoint overflow;
	unsigned int n, length, round;
	const char *counters;
	int fd, counter;

	if (!has_interrupt(machine))
		SKIP(return, "this PMU has no interrupt");
	start_tracing("arm_syspmu", "arm_syspmu_overflow", &overflow);
	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	for (round = 0; round < 10; round++) {
		while (!pmu_overflow_status(stimulus, hardware)) {
			stimulus_hold(stimulus, true);
			inject(1ULL << (hardware->bits - 1));
		}
		EXPECT_FALSE(next_trace(&overflow));
		stimulus_hold(stimulus, false);
		/* A read returns after the interrupts that were pending. */
		pmu_value(fd);
		ASSERT_TRUE(next_trace(&overflow));
		expect_name(&overflow);
		counters = data_in(&overflow, "counters", &length);
		ASSERT_LE((hardware->counters + 7) / 8, length);
		for (n = 0; n < hardware->counters; n++) {
			EXPECT_EQ((int)n == counter, counters[n / 8] >> n % 8 & 1)
				TH_LOG("counter %u", n);
		}
		EXPECT_FALSE(next_trace(&overflow));
	}
}

TEST_F(trace, capture)
{
	struct tracepoint capture;
	__u64 values[2];
	int leader, i;

	if (!hardware->capture)
		SKIP(return, "this PMU does not capture its counters");
	start_tracing("arm_syspmu", "arm_syspmu_capture", &capture);
	leader = must_open_leader(pmu->event);
	must_open(pmu->other_event, leader);
	EXPECT_FALSE(next_trace(&capture));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		ASSERT_TRUE(next_trace(&capture));
		expect_name(&capture);
		EXPECT_FALSE(next_trace(&capture));
	}
}

TEST_F_TIMEOUT(trace, fault, SLOW)
{
	struct tracepoint fault, overflow;
	unsigned int length;
	const char *reason;
	int fd, i;

	start_tracing("arm_syspmu", "arm_syspmu_fault", &fault);
	start_tracing("arm_syspmu", "arm_syspmu_overflow", &overflow);
	fd = must_open(pmu->event, -1);
	pmu_value(fd);
	EXPECT_FALSE(next_trace(&fault));
	/* The interrupt handler detects it, and reports no overflow. */
	stimulus_hold(stimulus, true);
	for (i = 0; i < 2 && pmu_interrupt_is(pmu, "wired"); i++)
		inject(1ULL << (hardware->bits - 1));
	stimulus_dead(stimulus, true);
	stimulus_hold(stimulus, false);
	for (i = 0; i < 5; i++)
		pmu_value(fd);
	ASSERT_TRUE(next_trace(&fault));
	expect_name(&fault);
	reason = data_in(&fault, "reason", &length);
	ASSERT_LT(1, length);
	EXPECT_EQ('\0', reason[length - 1]);
	EXPECT_FALSE(next_trace(&fault));
	EXPECT_FALSE(next_trace(&overflow));
	close(fd);
	revive();
	expect_exact_counts();
}

#define TRACE_FLAG_HARDIRQ	0x8

/*
 * A read on the CPU of the PMU detects the fault, in a task that may hold a lock that a console
 * needs: the message is printed later, by an irq_work.
 */
TEST_F_TIMEOUT(trace, fault_is_printed_later, SLOW)
{
	const char *text = "";
	struct tracepoint console;
	unsigned int length;
	int fd;

	if (access(TRACING "/events/printk/console", F_OK))
		SKIP(return, "this kernel does not trace its messages");
	start_tracing("printk", "console", &console);
	mark_log();
	fd = must_open(pmu->event, -1);
	stimulus_dead(stimulus, true);
	pmu_value(fd);
	while (!messages_with(pmu->name, "all ones"))
		usleep(1000);
	do {
		ASSERT_TRUE(next_trace(&console));
		text = data_in(&console, "msg", &length);
	} while (!memmem(text, length, "all ones", strlen("all ones")));
	EXPECT_NE(0, number_in(&console, "common_flags") & TRACE_FLAG_HARDIRQ);
	close(fd);
	revive();
}

/* The kernel's own text of a record. */
TEST_F(trace, text)
{
	char text[16384], expected[128];
	int fd;

	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, write_text(INSTANCE "/events/arm_syspmu/enable", "1"));
	fd = must_open(pmu->event, -1);
	inject(1ULL << (hardware->bits - 1));
	inject(1ULL << (hardware->bits - 1));
	pmu_value(fd);
	close(fd);
	EXPECT_EQ(0, write_text(INSTANCE "/events/arm_syspmu/enable", "0"));
	EXPECT_LT(0, read_text(INSTANCE "/trace", text, sizeof(text)));
	EXPECT_EQ(0, rmdir(INSTANCE));
	snprintf(expected, sizeof(expected), "arm_syspmu_program: %s: ", pmu->name);
	EXPECT_NE(NULL, strstr(text, expected))
		TH_LOG("no \"%s\" in %s", expected, text);
	snprintf(expected, sizeof(expected), "arm_syspmu_overflow: %s: counters ", pmu->name);
	if (has_interrupt(machine))
		EXPECT_NE(NULL, strstr(text, expected))
			TH_LOG("no \"%s\" in %s", expected, text);
}

/* Decoded by libtraceevent, with trace-cmd. */
TEST_F_TIMEOUT(tool, decodes_the_records, SLOW)
{
	char command[512], line[512], expected[128];
	bool found = false;
	FILE *report;

	if (system("command -v trace-cmd perf >/dev/null"))
		SKIP(return, "trace-cmd or perf is not installed");
	snprintf(command, sizeof(command), "%s perf stat -a -e %s/event=%#x/ true >/dev/null 2>&1",
		 "trace-cmd record -q -o /tmp/selftest.dat -e arm_syspmu", pmu->name, pmu->event);
	ASSERT_EQ(0, system(command));
	snprintf(expected, sizeof(expected), "%s: counter ", pmu->name);
	report = popen("trace-cmd report -q -i /tmp/selftest.dat 2>/dev/null", "r");
	ASSERT_NE(NULL, report);
	while (fgets(line, sizeof(line), report))
		found |= strstr(line, "arm_syspmu_program:") && strstr(line, expected);
	pclose(report);
	unlink("/tmp/selftest.dat");
	EXPECT_TRUE(found)
		TH_LOG("the report has no \"%s\"", expected);
}

TEST_HARNESS_MAIN
