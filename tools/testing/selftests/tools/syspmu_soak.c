// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once, on all PMUs of an emulated machine, for as long as is wanted: counters wrap,
 * events are opened, sampled, multiplexed and closed, CPUs come and go, drivers are unbound and
 * bound, the system sleeps and blocks lose their registers, MSIs are lost or aborted,
 * acknowledgments are late or do not come, blocks die and return, a disk is read, and a command
 * counts beside:
 *
 *	syspmu_soak MINUTES SEED PMUS [COMMAND...]
 *
 * Each read of a count, at any time, must include all events that were injected before it, and none
 * that was injected after it. The seed determines what is done in which order. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <kselftest.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "kmsg.h"
#include "platform.h"
#include "pmu.h"
#include "random.h"
#include "ring.h"

#define READERS		2
#define GUESTS		6
#define PERIOD		1000
#define MOST_DEAD	3
#define MOST_MESSAGES	5
#define BIND_TRIES	300
#define ACK_NEVER	(~0U)

/* Events of the group that each PMU counts all the time; the first two are the same. */
enum { LEADER, TWIN, OTHER, MEMBERS };

/* A PMU. */
struct target {
	struct pmu pmu;
	struct stimulus stimulus;	/* with its instance selected; for the main thread */
	struct pmu_hardware hardware;	/* behind it */
	struct perf_event_attr attrs[MEMBERS];	/* of the group */
	pthread_rwlock_t lock;	/* for writing: the events are replaced */
	int fds[MEMBERS];	/* the group, -1: none */
	unsigned int number;	/* of events in the group */
	int sampler;	/* an event that samples, or -1 */
	struct ring ring;	/* of @sampler */
	struct ring_tally tally;	/* of its records */
	__u64 periods;	/* the sum of all its periods */
	__u64 announced[MEMBERS];	/* how many events will have been injected in a moment */
	__u64 done[MEMBERS];	/* how many have been */
	__u64 last[READERS + 1][MEMBERS];	/* counts that each thread read last */
	bool traffic;	/* it also counts real events, and some before each read of a counter */
	bool dead;	/* it may have lost its power */
	bool late;	/* its interrupts may have been lost */
	unsigned int findings;	/* number of things that were wrong */
};

static struct {
	struct target targets[PMU_MAX];
	unsigned int number;	/* of @targets */
	__u64 random;	/* state of the main thread's choices */
	__u64 step;	/* of the main thread */
	int away;	/* CPU that is offline, or -1 */
	unsigned int dead;	/* number of targets that are */
	bool over;	/* all threads are to end */
	__u64 reads, samples, guests;	/* that were looked at */
	__u64 injected, lost;	/* number of events */
	__u64 wrong;	/* findings */
} soak = { .away = -1 };

static __u64 get(const __u64 *value)
{
	return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

static void add(__u64 *value, __u64 number)
{
	__atomic_fetch_add(value, number, __ATOMIC_SEQ_CST);
}

static __u64 below(__u64 limit)
{
	return (next_random(&soak.random) >> 8) % limit;
}

static void __attribute__((format(printf, 2, 3)))
wrong(struct target *target, const char *format, ...)
{
	char text[256];
	va_list arguments;

	add(&soak.wrong, 1);
	if (target && __atomic_fetch_add(&target->findings, 1, __ATOMIC_RELAXED) >= MOST_MESSAGES)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ksft_print_msg("step %llu, %s: %s\n", get(&soak.step), target ? target->pmu.name : "all",
		       text);
}

/* Reads the group of a target, with its lock held, and compares it with what was injected. */
static void check(struct target *target, unsigned int reader)
{
	__u64 low[MEMBERS], high, values[MEMBERS], *last = target->last[reader];
	bool dead = is_set(&target->dead);
	unsigned int n;
	int error;

	for (n = 0; n < target->number; n++)
		low[n] = get(&target->done[n]);
	error = pmu_read_group(target->fds[LEADER], values, target->number);
	if (error) {
		wrong(target, "the group cannot be read: %s", strerror(-error));
		return;
	}
	dead |= is_set(&target->dead);
	for (n = 0; n < target->number; n++) {
		high = get(&target->announced[n]);
		if (values[n] < last[n])
			wrong(target, "event %u: %#llx after %#llx", n, values[n], last[n]);
		last[n] = values[n];
		if (!target->traffic && values[n] > high)
			wrong(target, "event %u: %#llx of %#llx", n, values[n], high);
		if (dead || values[n] >= low[n])
			continue;
		wrong(target, "event %u: %#llx, but %#llx were before", n, values[n], low[n]);
		add(&soak.lost, low[n] - values[n]);
	}
	if (target->hardware.capture && !dead && values[LEADER] != values[TWIN])
		wrong(target, "twins are %#llx and %#llx", values[LEADER], values[TWIN]);
	add(&soak.reads, 1);
}

static void take_samples(struct target *target)
{
	struct ring_sample sample;

	while (target->ring.control && ring_next_sample(&target->ring, &target->tally, &sample)) {
		target->periods += sample.period;
		soak.samples++;
		if (!target->traffic && sample.values[0] > target->announced[LEADER])
			wrong(target, "a sample: %#llx of %#llx", sample.values[0],
			      target->announced[LEADER]);
	}
}

/*
 * The periods of all samples, and what is left, add up to the count. An event that is stopped
 * before the interrupt of its last overflow is taken has no sample of it, so await that.
 */
static void check_periods(struct target *target)
{
	unsigned int tries = BIND_TRIES;
	__u64 value;

	if (target->sampler < 0 || target->dead || target->late)
		return;
	while (pmu_overflow_status(&target->stimulus, &target->hardware) && --tries)
		usleep(1000);
	if (ioctl(target->sampler, PERF_EVENT_IOC_DISABLE, 0) ||
	    pmu_read_group(target->sampler, &value, 1))
		wrong(target, "the sampling event cannot be stopped and read");
	take_samples(target);
	if (target->periods > value || value - target->periods > PERIOD || target->tally.lost)
		wrong(target, "%#llx in samples and %llu lost ones, of %#llx", target->periods,
		      target->tally.lost, value);
	if (ioctl(target->sampler, PERF_EVENT_IOC_ENABLE, 0))
		wrong(target, "the sampling event cannot be started");
}

static void close_events(struct target *target)
{
	ring_close(&target->ring);
	if (target->sampler >= 0)
		close(target->sampler);
	target->sampler = -1;
	while (target->number)
		close(target->fds[--target->number]);
}

/* One counter is left for guests. Returns 0 or a negative errno. */
static int open_events(struct target *target)
{
	unsigned int wanted = target->hardware.counters > 3 ? MEMBERS : OTHER;
	struct perf_event_attr attr = target->attrs[LEADER];
	__u64 values[MEMBERS];
	int fd;

	memset(&target->tally, 0, sizeof(target->tally));
	memset(target->last, 0, sizeof(target->last));
	memset(target->done, 0, sizeof(target->done));
	memset(target->announced, 0, sizeof(target->announced));
	target->periods = 0;
	target->late = false;
	while (target->number < wanted) {
		target->attrs[target->number].type = target->pmu.type;
		fd = pmu_open_attr(&target->pmu, &target->attrs[target->number],
				   target->number ? target->fds[LEADER] : -1);
		if (fd < 0)
			return fd;
		target->fds[target->number++] = fd;
	}
	if (pmu_can_sample(&target->pmu) && target->hardware.counters > 4 && !target->traffic) {
		attr.type = target->pmu.type;
		attr.disabled = 0;
		attr.sample_period = PERIOD;
		attr.sample_type = RING_SAMPLE_TYPE;
		target->sampler = pmu_open_attr(&target->pmu, &attr, -1);
		if (target->sampler < 0 || ring_open(&target->ring, target->sampler))
			return target->sampler < 0 ? target->sampler : -ENOBUFS;
	}
	if (ioctl(target->fds[LEADER], PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return pmu_read_group(target->fds[LEADER], values, target->number);
}

/* Actions, which return whether they were possible */

/*
 * Less than a wrap, but some of them together more; then a read comes before the next one, since a
 * PMU may have no interrupt.
 */
static bool inject(struct target *target)
{
	unsigned int bits = target->hardware.bits, kind = below(3) ? LEADER : OTHER;
	bool jump = !below(8);
	__u64 number = below(2 * PERIOD);

	if (jump)
		number += 1ULL << (bits < 64 ? bits - 2 : 30);
	add(&target->announced[kind], number);
	if (kind == LEADER)
		add(&target->announced[TWIN], number);
	stimulus_inject(&target->stimulus, kind == LEADER ? target->pmu.event :
			target->pmu.other_event, target->pmu.source, number);
	add(&target->done[kind], number);
	if (kind == LEADER)
		add(&target->done[TWIN], number);
	soak.injected += number;
	if (jump || !below(4))
		check(target, READERS);
	take_samples(target);
	return true;
}

/* Takes the CPU of the PMU offline, or the one that is away online. */
static bool hotplug(struct target *target)
{
	struct pmu pmu = target->pmu;
	bool online = soak.away >= 0;
	int error;

	if (!online && (pmu_read_cpu(&pmu) || !cpu_can_go_offline(pmu.cpu) ||
			cpu_other_than(pmu.cpu) < 0))
		return false;
	if (!online)
		soak.away = pmu.cpu;
	error = cpu_set_online(soak.away, online);
	if (error)
		wrong(NULL, "CPU %d, online %d: %s", soak.away, online, strerror(-error));
	if (online)
		soak.away = -1;
	check(target, READERS);
	return true;
}

/* Returns 0 or a negative errno, with what the kernel said last of the device. */
static int bind_again(struct target *target)
{
	const char * const words[] = { target->pmu.device, NULL };
	unsigned int tries = BIND_TRIES;
	int error, log = kmsg_mark();
	char line[256] = "";

	while ((error = device_bind(target->pmu.driver, target->pmu.device)) == -EBUSY && --tries)
		usleep(100000);
	if (error) {
		while (kmsg_find_line(log, words, line, sizeof(line)))
			;
		wrong(target, "it cannot be bound: %s: %s", strerror(-error), line);
	}
	close(log);
	return error;
}

/* Unbinds while others count, which keep their counts, and binds when they have gone. */
static bool rebind(struct target *target)
{
	int error;

	check_periods(target);
	if (device_unbind(target->pmu.driver, target->pmu.device))
		wrong(target, "it cannot be unbound");
	check(target, READERS);
	pthread_rwlock_wrlock(&target->lock);
	close_events(target);
	if (target->dead)
		stimulus_dead(&target->stimulus, false);
	soak.dead -= target->dead;
	target->dead = false;
	error = bind_again(target) ?: pmu_find(&target->pmu, target->pmu.name) ?:
		open_events(target);
	if (error) {
		wrong(target, "%u events were opened on CPU %d: %s", target->number,
		      target->pmu.cpu, strerror(-error));
		soak.over = true;
	}
	pthread_rwlock_unlock(&target->lock);
	return true;
}

/*
 * One in four blocks loses its registers. Linux 7.3 does not complete a request of virtio_blk, with
 * or without our drivers, if it goes to sleep while a CPU is offline.
 */
static bool sleep_once(struct target *target)
{
	unsigned int i;
	int error;

	if (!power_can_suspend())
		return false;
	if (!kernel_is_before(7, 0) && soak.away >= 0)
		hotplug(target);
	for (i = 0; i < soak.number; i++)
		if (!soak.targets[i].dead && !below(4))
			stimulus_lose_state(&soak.targets[i].stimulus, soak.step);
	error = power_suspend();
	if (error)
		wrong(NULL, "no sleep: %s", strerror(-error));
	check(target, READERS);
	return true;
}

static bool change_msis(struct target *target)
{
	__u32 fate = below(3);

	if (!pmu_interrupt_is(&target->pmu, "msi"))
		return false;
	target->late = true;
	stimulus_msi_fate(&target->stimulus, fate);
	return true;
}

static bool change_acknowledgments(struct target *target)
{
	static const __u32 reads[] = { 0, 1, 40, ACK_NEVER };

	if (stimulus_family(&target->stimulus) != STIMULUS_PMCG)
		return false;
	stimulus_acknowledge_late(&target->stimulus, reads[below(ARRAY_SIZE(reads))]);
	return true;
}

/* It returns when it is bound again. */
static bool die(struct target *target)
{
	if (target->dead || soak.dead == MOST_DEAD)
		return false;
	__atomic_store_n(&target->dead, true, __ATOMIC_SEQ_CST);
	soak.dead++;
	stimulus_dead_after(&target->stimulus, 1 + below(16));
	return true;
}

static bool revive(struct target *target)
{
	return target->dead && rebind(target);
}

static struct action {
	const char *what;
	bool (*perform)(struct target *target);
	unsigned int weight;
	__u64 done;
} actions[] = {
	{ "injections", inject, 900, 0 },
	{ "CPUs offline or online", hotplug, 6, 0 },
	{ "unbound and bound", rebind, 6, 0 },
	{ "sleeps", sleep_once, 3, 0 },
	{ "changes of what happens to MSIs", change_msis, 60, 0 },
	{ "changes of acknowledgments", change_acknowledgments, 12, 0 },
	{ "deaths", die, 5, 0 },
	{ "returns", revive, 60, 0 },
};

static void act(void)
{
	struct target *target = &soak.targets[below(soak.number)];
	struct action *action = actions;
	unsigned int all = 0, chosen;

	for (chosen = 0; chosen < ARRAY_SIZE(actions); chosen++)
		all += actions[chosen].weight;
	for (chosen = below(all); chosen >= action->weight; action++)
		chosen -= action->weight;
	action->done += action->perform(target);
	add(&soak.step, 1);
}

/* Threads */

static void *read_counts(void *data)
{
	unsigned int i;

	while (!is_set(&soak.over))
		for (i = 0; i < soak.number; i++) {
			pthread_rwlock_rdlock(&soak.targets[i].lock);
			if (soak.targets[i].number)
				check(&soak.targets[i], (unsigned long)data);
			pthread_rwlock_unlock(&soak.targets[i].lock);
		}
	return NULL;
}

/* More events than there are counters, so that they take turns; the first one samples. */
static unsigned int open_guests(struct target *target, int *fds, struct ring *ring)
{
	struct perf_event_attr attr;
	struct pmu pmu = target->pmu;
	unsigned int n;

	pmu_read_cpu(&pmu);
	for (n = 0; n < GUESTS; n++) {
		attr = target->attrs[n % 2 ? OTHER : LEADER];
		attr.type = pmu.type;
		attr.pinned = 0;
		attr.disabled = 0;
		attr.sample_period = n || !pmu_can_sample(&pmu) ? 0 : PERIOD;
		attr.sample_type = attr.sample_period ? RING_SAMPLE_TYPE : 0;
		fds[n] = pmu_open_attr(&pmu, &attr, -1);
		/* The CPU has gone, or the PMU. */
		if (fds[n] == -ENODEV || fds[n] == -ENOENT)
			break;
		if (fds[n] < 0)
			wrong(target, "a guest cannot be opened: %s", strerror(-fds[n]));
		if (fds[n] < 0)
			break;
		if (attr.sample_period && ring_open(ring, fds[n])) {
			wrong(target, "a guest has no ring");
			return n + 1;
		}
	}
	return n;
}

static void *be_guests(void *data)
{
	__u64 random = (unsigned long)data, value, last[GUESTS];
	unsigned int n, number, round;
	struct ring_tally tally;
	struct target *target;
	int fds[GUESTS];

	while (!is_set(&soak.over)) {
		struct ring ring = { 0 };

		target = &soak.targets[(next_random(&random) >> 8) % soak.number];
		memset(last, 0, sizeof(last));
		pthread_rwlock_rdlock(&target->lock);
		number = open_guests(target, fds, &ring);
		pthread_rwlock_unlock(&target->lock);
		for (round = 0; round < 10; round++, usleep(1000))
			for (n = 0; n < number; n++) {
				if (pmu_read_group(fds[n], &value, 1) || value < last[n])
					wrong(target, "guest %u cannot be read or goes back", n);
				last[n] = value;
			}
		if (ring.control)
			ring_drain(&ring, &tally);
		ring_close(&ring);
		while (number)
			close(fds[--number]);
		add(&soak.guests, 1);
	}
	return NULL;
}

static void *read_disk(void *data)
{
	static char buffer[65536] __attribute__((aligned(4096)));
	int fd = open("/dev/vda", O_RDONLY | O_DIRECT | O_CLOEXEC);
	off_t offset = 0;

	(void)data;
	while (!is_set(&soak.over) && pread(fd, buffer, sizeof(buffer), offset) > 0) {
		offset = (offset + sizeof(buffer)) % (16 << 20);
		usleep(1000);
	}
	if (!is_set(&soak.over))
		wrong(NULL, "the disk cannot be read: %s", strerror(errno));
	close(fd);
	return NULL;
}

static pid_t start_command(char **command)
{
	pid_t child = *command ? fork() : 0;
	int null;

	if (child || !*command)
		return child;
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(*command, command);
	_exit(127);
}

/* It may end by itself when it has lost its PMUs, and die of SIGINT while it starts. */
static void end_command(pid_t child)
{
	int status = 0;

	if (!child)
		return;
	kill(child, SIGINT);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGINT : WEXITSTATUS(status) > 1)
		wrong(NULL, "the wait status of the command is %#x", status);
}

static bool inject_one(struct target *target)
{
	__u64 values[MEMBERS];
	unsigned int n;

	stimulus_inject(&target->stimulus, target->pmu.event, target->pmu.source, 1);
	for (n = LEADER; n <= TWIN; n++) {
		target->announced[n] = 1;
		target->done[n] = 1;
	}
	return !pmu_read_group(target->fds[LEADER], values, target->number) &&
	       (target->traffic || values[LEADER] == 1);
}

/* PMUs whose events count all sources, and go on counting while others are opened. */
static bool take(struct target *target, struct stimulus *stimulus)
{
	unsigned int n;
	int error;

	if (stimulus_choose(stimulus, target->pmu.page) || target->pmu.reference)
		return false;
	target->stimulus = *stimulus;
	pmu_identify(&target->pmu, stimulus, &target->hardware);
	if (!target->hardware.sane || target->hardware.stops || target->hardware.bits < 32 ||
	    target->hardware.counters < 2)
		return false;
	target->traffic = soak.number % 4 == 3;
	stimulus_traffic(stimulus, target->traffic);
	if (target->traffic)
		stimulus_step(stimulus, target->pmu.event, target->pmu.source, 1 + below(32));
	target->sampler = -1;
	pthread_rwlock_init(&target->lock, NULL);
	for (n = 0; n < MEMBERS; n++) {
		if (pmu_describe(&target->pmu, &target->attrs[n], n == OTHER ?
				 target->pmu.other_event : target->pmu.event))
			return false;
		target->attrs[n].read_format = PERF_FORMAT_GROUP;
		target->attrs[n].pinned = !n;
		target->attrs[n].disabled = !n;
	}
	error = open_events(target);
	if (!error && inject_one(target))
		return true;
	ksft_print_msg("without %s: %s\n", target->pmu.name,
		       error ? strerror(-error) : "it does not count each event once");
	close_events(target);
	return false;
}

static void take_all(unsigned int expected)
{
	static struct pmu list[PMU_MAX];
	int i, number = pmu_list(list, PMU_MAX);
	struct stimulus stimulus;

	if (stimulus_open(&stimulus))
		ksft_exit_skip("%s\n", stimulus.missing);
	for (i = 0; i < number; i++) {
		soak.targets[soak.number].pmu = list[i];
		soak.number += take(&soak.targets[soak.number], &stimulus);
	}
	ksft_test_result(soak.number == expected, "%u of %d PMUs take part, %u are expected to\n",
			 soak.number, number, expected);
}

/* All is as it was before. */
static void finish(void)
{
	struct target *target;
	unsigned int i;

	cpu_all_online();
	for (i = 0; i < soak.number; i++) {
		target = &soak.targets[i];
		stimulus_msi_fate(&target->stimulus, STIMULUS_MSI_DELIVERED);
		if (stimulus_family(&target->stimulus) == STIMULUS_PMCG)
			stimulus_acknowledge_late(&target->stimulus, 0);
		if (target->number)
			rebind(target);
		close_events(target);
		stimulus_traffic(&target->stimulus, true);
		stimulus_step(&target->stimulus, 0, 0, 0);
	}
}

/* Each gets its number. */
static void *(* const threads_do[])(void *data) = {
	read_counts, read_counts, be_guests, read_disk
};

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 3 ? 60 * strtol(argv[1], NULL, 0) : 0);
	pthread_t threads[ARRAY_SIZE(threads_do)];
	unsigned int i;
	pid_t child;

	ksft_print_header();
	ksft_set_plan(2);
	if (argc < 4)
		ksft_exit_fail_msg("usage: syspmu_soak MINUTES SEED PMUS [COMMAND...]\n");
	soak.random = strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15 ^ 0x5eed;
	take_all(strtoul(argv[3], NULL, 0));
	child = start_command(argv + 4);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_create(&threads[i], NULL, threads_do[i], (void *)(unsigned long)i);
	while (time(NULL) < end && !is_set(&soak.over)) {
		act();
		if (child && process_has_ended(child)) {
			end_command(child);
			child = start_command(argv + 4);
		}
	}
	end_command(child);
	__atomic_store_n(&soak.over, true, __ATOMIC_SEQ_CST);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	finish();
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		ksft_print_msg("%llu %s\n", actions[i].done, actions[i].what);
	ksft_print_msg("%llu reads of groups, %llu samples, %llu turns of guests\n", soak.reads,
		       soak.samples, soak.guests);
	ksft_print_msg("seed %s: %llu steps, %llu events, %llu lost, %llu findings\n", argv[2],
		       soak.step, soak.injected, soak.lost, soak.wrong);
	ksft_test_result(!soak.wrong, "counts stay exact\n");
	ksft_finished();
}
