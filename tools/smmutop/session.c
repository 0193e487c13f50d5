// SPDX-License-Identifier: GPL-2.0
/*
 * A run of the program: counts in slices, and reports after each interval.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "live.h"
#include "plan.h"
#include "record.h"
#include "report.h"
#include "session.h"
#include "text.h"

#define SECOND			1000000000ULL
#define DEFAULT_INTERVAL	(2 * SECOND)
#define DEFAULT_SLICE		50000000ULL
#define DEFAULT_ROWS		10
#define DISCOVERY_INTERVAL	(5 * SECOND)
/* --once ends after so many intervals at the latest. */
#define MOST_INTERVALS		30
#define MOST_SLICES		1000
/* The fastest counters count four events per ns. */
#define MOST_PER_NS		8
/* Files that are left for everything else. */
#define OTHER_FILES		32

/**
 * struct session - a run
 * @options: the command line
 * @machine: that is measured
 * @found: what was discovered, as text
 * @discovered: when that was
 * @counting: its counters
 * @plan: what they count
 * @figures: what they have counted
 * @slices: what each counter group counts now
 * @report_options: which rows are shown
 * @interval: ns between reports
 * @slice: ns that a slice takes
 * @started: when the interval began
 * @slice_number: of the slice, from 0
 * @first_slice: of the interval
 * @record: where slices are written, or NULL
 * @reporter: where reports go
 * @live: the screen, or NULL
 * @command: that is measured
 * @failed: a report could not be written
 * @status: exit status
 */
struct session {
	const struct options *options;
	struct machine machine;
	char *found;
	uint64_t discovered;
	struct counting *counting;
	struct plan *plan;
	struct figures *figures;
	struct slice *slices;
	struct report_options report_options;
	uint64_t interval;
	uint64_t slice;
	uint64_t started;
	unsigned long slice_number;
	unsigned long first_slice;
	FILE *record;
	struct reporter reporter;
	struct live *live;
	struct child command;
	bool failed;
	int status;
};

static volatile sig_atomic_t stop_signal;

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

static void on_signal(int signal)
{
	stop_signal = signal;
}

/* Takes a signal that came where nothing waits for one. */
static void check_signals(void)
{
	const struct timespec none = { .tv_sec = 0 };
	sigset_t signals;
	int number;

	stop_signals(&signals);
	number = sigtimedwait(&signals, NULL, &none);
	if (number > 0)
		stop_signal = number;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static double wall_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Each event takes a file. Root may raise the limit, and everybody up to the hard one. */
static unsigned int raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 256;
	child_keep_limit(&limit);
	limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	/* Groups that come again are few: no more files are kept than that makes sense. */
	if (limit.rlim_cur > 1024)
		return 1024 - OTHER_FILES;
	return limit.rlim_cur > 2 * OTHER_FILES ? limit.rlim_cur - OTHER_FILES : OTHER_FILES;
}

static bool find_counters(struct session *session)
{
	size_t i, usable = 0;

	for (i = 0; i < session->machine.pmcgs_number; i++) {
		if (counting_probe(session->counting, &session->machine.pmcgs[i])) {
			usable++;
			continue;
		}
		if (errno == EACCES || errno == EPERM || errno == ENOSYS)
			break;
		fprintf(stderr, "smmutop: %s\n", counting_error(session->counting));
		session->machine.pmcgs[i].gone = true;
	}
	if (i == session->machine.pmcgs_number && usable)
		return true;
	if (i < session->machine.pmcgs_number)
		fprintf(stderr, "smmutop: %s\n", counting_error(session->counting));
	return false;
}

static bool discover(struct session *session)
{
	const struct options *options = session->options;
	size_t i;

	machine_discover(&session->machine, options->pmus);
	for (i = 0; options->pmus && options->pmus[i]; i++) {
		if (machine_has_pmu(options->pmus[i]))
			continue;
		fprintf(stderr,
			"smmutop: --pmu %s: there is no such counter group; see /sys/bus/event_source/devices\n",
			options->pmus[i]);
		return false;
	}
	if (!session->machine.pmcgs_number) {
		fputs("smmutop: no counter group of an SMMU was found: smmutop --check says why\n",
		      stderr);
		return false;
	}
	return true;
}

/* What tells one machine from another */
static char *machine_text(const struct machine *machine)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		abort();
	record_machine(file, machine);
	fclose(file);
	return text;
}

static bool is_steady(const struct session *session)
{
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++)
		if (!plan_is_steady(session->plan, i))
			return false;
	return true;
}

/* Where nothing takes turns, slices would only cost time. */
static void choose_slice(struct session *session)
{
	const struct options *options = session->options;

	size_t i;

	session->slice = options->slice ? options->slice :
			 is_steady(session) && !options->each_slice ? 0 : DEFAULT_SLICE;
	/* The in-tree driver may lose what wraps between two reads, where it has no interrupt. */
	for (i = 0; i < session->machine.pmcgs_number; i++)
		if (!session->slice && session->machine.pmcgs[i].probed)
			session->slice = SECOND;
}

static void set_report_options(struct session *session)
{
	const struct options *options = session->options;

	session->report_options = (struct report_options){
		.sort = options->sort,
		.max_rows = options->rows ? options->rows :
			    options->all || session->live ? 0 : DEFAULT_ROWS,
		.min_share = options->min_share,
		.all = options->all,
	};
}

/* All that depends on the machine. */
static bool open_counting(struct session *session, enum column sort)
{
	const struct options *options = session->options;
	struct plan_options plan_options = {
		.columns = options->columns,
		.sort = sort,
		.rows = options->rows ? options->rows : DEFAULT_ROWS,
		.min_share = options->min_share,
		.turns = options->all,
	};

	session->discovered = now();
	session->counting = counting_new(&session->machine, &real_perf_calls,
					 raise_file_limit());
	if (!session->counting || !find_counters(session))
		return false;
	session->plan = plan_new(&session->machine, &plan_options);
	session->figures = figures_new(&session->machine);
	session->slices = calloc(session->machine.pmcgs_number, sizeof(*session->slices));
	choose_slice(session);
	return session->slices;
}

static void close_counting(struct session *session)
{
	counting_free(session->counting);
	plan_free(session->plan);
	figures_free(session->figures);
	free(session->slices);
	free(session->found);
	machine_free(&session->machine);
	session->counting = NULL;
	session->plan = NULL;
	session->figures = NULL;
	session->slices = NULL;
	session->found = NULL;
}

static bool open_session(struct session *session)
{
	const struct options *options = session->options;

	session->interval = options->interval ? options->interval : DEFAULT_INTERVAL;
	if (!discover(session))
		return false;
	session->found = machine_text(&session->machine);
	if (!open_counting(session, options->sort))
		return false;
	if (!options->record)
		return true;
	session->record = fopen(options->record, "we");
	if (!session->record) {
		fprintf(stderr, "smmutop: --record %s: %s\n", options->record, strerror(errno));
		return false;
	}
	record_machine(session->record, &session->machine);
	return true;
}

static bool close_record(struct session *session)
{
	bool ok;

	if (!session->record)
		return true;
	ok = !ferror(session->record);
	ok &= !fclose(session->record);
	if (!ok)
		fprintf(stderr, "smmutop: --record %s: %s\n", session->options->record,
			strerror(errno));
	return ok;
}

static void close_session(struct session *session)
{
	if (!close_record(session))
		session->status = STATUS_ERROR;
	close_counting(session);
}

/*
 * Devices come and go, and so do counter groups. Everything starts again then; a recording has one
 * machine only.
 */
static bool follow_machine(struct session *session)
{
	const struct options *options = session->options;
	enum column sort = session->report_options.sort;
	struct machine machine;
	char *found;

	if (session->record || now() - session->discovered < DISCOVERY_INTERVAL)
		return true;
	session->discovered = now();
	machine_discover(&machine, options->pmus);
	found = machine_text(&machine);
	if (!machine.pmcgs_number || !strcmp(found, session->found)) {
		free(found);
		machine_free(&machine);
		return true;
	}
	live_forget(session->live);
	close_counting(session);
	session->machine = machine;
	session->found = found;
	return open_counting(session, sort);
}

static bool has_pmcgs(const struct session *session)
{
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++)
		if (!session->machine.pmcgs[i].gone)
			return true;
	return false;
}

/*
 * A counter group that cannot count any more is left out, and the report says so. Returns whether
 * there is another one.
 */
static bool lose_pmcg(struct session *session, size_t index)
{
	struct pmcg *pmcg = &session->machine.pmcgs[index];
	size_t i;

	pmcg->gone = true;
	counting_close(session->counting, index);
	for (i = 0; i < session->machine.pmcgs_number; i++)
		if (!session->machine.pmcgs[i].gone)
			break;
	if (i < session->machine.pmcgs_number && session->live)
		return true;
	live_leave(session->live);
	if (pmcg_exists(pmcg))
		fprintf(stderr, "smmutop: %s\n", counting_error(session->counting));
	else
		fprintf(stderr, "smmutop: %s has vanished: was its driver unbound or unloaded?\n",
			pmcg->name);
	if (i < session->machine.pmcgs_number)
		return true;
	session->status = STATUS_ERROR;
	return false;
}

static bool start_slices(struct session *session)
{
	struct slice *slice;
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++) {
		slice = &session->slices[i];
		if (counting_counts(session->counting, i))
			continue;
		plan_next(session->plan, i, slice);
		if (slice->number && !counting_start(session->counting, i, slice) &&
		    !lose_pmcg(session, i))
			return false;
	}
	return true;
}

/*
 * Some blocks that firmware describes as counter groups are something else, and the in-tree driver
 * does not notice: they seem to count more than any clock could.
 */
static bool is_plausible(struct session *session, size_t index, const struct slice_counts *counts)
{
	struct pmcg *pmcg = &session->machine.pmcgs[index];
	unsigned int i;

	for (i = 0; i < session->slices[index].number; i++)
		if (counts->counts[i] / MOST_PER_NS > counts->running)
			break;
	if (i == session->slices[index].number)
		return true;
	pmcg->gone = true;
	counting_close(session->counting, index);
	if (!has_pmcgs(session)) {
		live_leave(session->live);
		session->status = STATUS_ERROR;
	}
	if (!session->live || session->status)
		fprintf(stderr,
			"smmutop: %s: %llu events in %llu ns: it is left out, as this is no counter\n",
			pmcg->name, (unsigned long long)counts->counts[i],
			(unsigned long long)counts->running);
	return false;
}

/*
 * Where nothing takes turns, counters go on until the end. A command that each slice runs takes
 * as long as a slice, by definition, so that what it does has a rate that does not change.
 */
static bool stop_slices(struct session *session, bool last)
{
	struct slice_counts counts;
	bool again, counted, lost = false;
	uint64_t time;
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++) {
		again = !last && plan_is_steady(session->plan, i) &&
			!session->machine.pmcgs[i].gone;
		if (!session->slices[i].number || !counting_counts(session->counting, i))
			continue;
		counted = counting_stop(session->counting, i, again, &counts);
		/* Then nobody knows when it has stopped to count. */
		if (!pmcg_exists(&session->machine.pmcgs[i])) {
			lost |= !lose_pmcg(session, i);
			continue;
		}
		/* Events in an error state never count again: they are opened anew. */
		if (!counted) {
			counting_close(session->counting, i);
			continue;
		}
		time = now();
		if (!session->options->each_slice && !is_plausible(session, i, &counts)) {
			lost |= !has_pmcgs(session);
			continue;
		}
		if (session->options->each_slice && counts.running) {
			counts.running = session->slice;
			counts.enabled = session->slice;
			time = (session->slice_number + 1) * session->slice;
		}
		if (session->record)
			record_slice(session->record, i, &session->slices[i], &counts);
		figures_add(session->figures, i, &session->slices[i], &counts);
		plan_add(session->plan, i, &session->slices[i], &counts, time);
	}
	session->slice_number++;
	return !lost;
}

static bool write_report(struct session *session)
{
	struct search_summary summary;
	struct report report;
	double dispersion;
	uint64_t time = now(), interval = time - session->started;
	bool ok;
	size_t i;

	if (session->options->each_slice)
		interval = (session->slice_number - session->first_slice) * session->slice;
	for (i = 0; i < session->machine.pmcgs_number; i++) {
		plan_summary(session->plan, i, &summary, &dispersion);
		if (session->record)
			record_search(session->record, i, &summary, dispersion);
		figures_set_search(session->figures, i, &summary, dispersion);
	}
	figures_report(session->figures, interval, &session->report_options, &report);
	report.seconds = wall_clock();
	report.slice = session->slice;
	if (session->record)
		record_report(session->record, &report);
	ok = reporter_write(&session->reporter, &report);
	if (session->live)
		live_show(session->live, &report);
	else
		report_free(&report);
	figures_next_interval(session->figures);
	session->started = time;
	session->first_slice = session->slice_number;
	if (!ok)
		session->status = STATUS_ERROR;
	return ok;
}

/* Waits until a time, unless a signal, the command or a key comes first. */
static void wait_until(struct session *session, uint64_t deadline, const sigset_t *mask)
{
	struct pollfd key = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec timeout;
	uint64_t time = now();
	int ready;

	if (time >= deadline)
		return;
	timeout.tv_sec = (deadline - time) / SECOND;
	timeout.tv_nsec = (deadline - time) % SECOND;
	ready = ppoll(&key, session->live ? 1 : 0, &timeout, mask);
	if (session->live && ready)
		live_input(session->live, ready > 0);
}

static uint64_t next_deadline(const struct session *session, uint64_t slice_end)
{
	uint64_t interval_end = session->started + session->interval;

	/* A command without -i is measured as a whole. */
	if (session->options->command && !session->options->interval)
		interval_end = UINT64_MAX / 2;
	/* --once goes on where a counter group has not got a counter yet. */
	if (!session->slice)
		return session->options->once && !session->options->command ? slice_end :
		       interval_end;
	return slice_end < interval_end || session->options->once ? slice_end : interval_end;
}

/* One slice. Returns whether there is to be another one. */
static bool count_slice(struct session *session, const sigset_t *mask)
{
	uint64_t slice_end;

	if (!start_slices(session))
		return false;
	if (!session->slice_number && session->options->command &&
	    !child_go(&session->command)) {
		session->status = STATUS_ERROR;
		return false;
	}
	slice_end = now() + (session->slice ? session->slice : session->interval);
	if (session->options->each_slice) {
		if (child_shell(session->options->each_slice, session->slice_number, mask,
				&stop_signal)) {
			session->status = STATUS_ERROR;
			return false;
		}
	} else {
		while (!stop_signal && !child_has_ended(&session->command) &&
		       !live_has_ended(session->live) &&
		       now() < next_deadline(session, slice_end))
			wait_until(session, next_deadline(session, slice_end), mask);
	}
	return true;
}

static bool interval_is_over(const struct session *session)
{
	const struct options *options = session->options;
	uint64_t time = now() - session->started;

	if (options->command && !options->interval)
		return false;
	if (options->each_slice)
		return plan_covered(session->plan) ||
		       session->slice_number - session->first_slice >= MOST_SLICES;
	if (!options->once)
		return time >= session->interval;
	/* All was looked at, or it does not come to an end because the load changes. */
	return (time >= session->interval && plan_covered(session->plan)) ||
	       time >= MOST_INTERVALS * session->interval;
}

static bool wants_more(const struct session *session)
{
	const struct options *options = session->options;

	if (options->once && session->reporter.number)
		return false;
	return !options->reports || session->reporter.number < options->reports;
}

static void count(struct session *session, const sigset_t *mask)
{
	bool ended = false, over;

	session->started = now();
	while (!ended && wants_more(session)) {
		if (!count_slice(session, mask))
			break;
		check_signals();
		ended = stop_signal || child_has_ended(&session->command) ||
			live_has_ended(session->live);
		if (!stop_slices(session, ended))
			break;
		over = interval_is_over(session);
		if (!over && !ended)
			continue;
		if (live_has_ended(session->live) || !write_report(session))
			break;
		if (session->live && live_sort(session->live) != session->report_options.sort) {
			stop_slices(session, true);
			session->report_options.sort = live_sort(session->live);
			plan_set_sort(session->plan, session->report_options.sort);
			choose_slice(session);
		}
		if (!ended && wants_more(session) && !follow_machine(session)) {
			session->status = STATUS_ERROR;
			break;
		}
	}
	if (session->slices)
		stop_slices(session, true);
}

static void catch_signals(sigset_t *mask)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	stop_signals(&blocked);
	child_catch_signal();
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, mask);
}

/* Without a terminal, or where one report is wanted, there is no screen. */
static bool may_be_live(const struct options *options)
{
	return options->format == FORMAT_AUTO && !options->once && !options->command &&
	       !options->each_slice && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int final_status(struct session *session)
{
	int status = child_status(&session->command);

	if (session->status)
		return session->status;
	if (status)
		return status;
	return session->reporter.above ? STATUS_ABOVE : STATUS_OK;
}

/**
 * session_list - print what was found
 * @options: the command line
 *
 * Return: the exit status
 */
int session_list(const struct options *options)
{
	struct session session = { .options = options };
	bool found = discover(&session);

	if (found)
		record_machine(stdout, &session.machine);
	machine_free(&session.machine);
	return found ? STATUS_OK : STATUS_ERROR;
}

/**
 * session_run - count and report
 * @options: the command line
 *
 * Return: the exit status
 */
int session_run(const struct options *options)
{
	struct session session = { .options = options };
	sigset_t mask, signals;
	int status;

	session.reporter.options = options;
	if (!open_session(&session)) {
		session.status = STATUS_ERROR;
		close_session(&session);
		return STATUS_ERROR;
	}
	catch_signals(&mask);
	if (options->command && !child_start(&session.command, options->command, &mask))
		session.status = STATUS_ERROR;
	if (may_be_live(options))
		session.live = live_enter(options);
	set_report_options(&session);
	session.reporter.quiet = session.live;
	if (!session.status)
		count(&session, &mask);
	live_leave(session.live);
	stop_signals(&signals);
	child_wait(&session.command, &signals);
	close_session(&session);
	status = final_status(&session);
	live_free(session.live);
	return status;
}

/* Until the next report is due, or, after the last one, until somebody ends it. */
static void wait_in_replay(struct session *session, uint64_t time, const sigset_t *mask)
{
	uint64_t deadline = time ? now() + time : UINT64_MAX / 2;

	while (session->live && !stop_signal && !live_has_ended(session->live) &&
	       now() < deadline)
		wait_until(session, deadline, mask);
}

/* What a search says is about the column that was sorted by then. */
static void forget_searches(struct session *session)
{
	const struct search_summary unknown = { .known = false };
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++)
		figures_set_search(session->figures, i, &unknown, 1);
}

static bool replay_report(struct session *session, const struct replay *replay,
			  const sigset_t *mask)
{
	const struct options *options = session->options;
	struct report report;
	bool ok;

	session->report_options.sort = session->live && session->reporter.number ?
				       live_sort(session->live) :
				       options->sort_given ? options->sort : replay->sort;
	if (session->live && !session->reporter.number)
		live_set_sort(session->live, session->report_options.sort);
	if (session->report_options.sort != replay->sort)
		forget_searches(session);
	figures_report(session->figures, replay->interval, &session->report_options, &report);
	report.seconds = replay->seconds;
	report.slice = replay->slice_length;
	ok = reporter_write(&session->reporter, &report);
	figures_next_interval(session->figures);
	session->failed |= !ok;
	if (!session->live) {
		report_free(&report);
		return ok;
	}
	live_show(session->live, &report);
	wait_in_replay(session, options->interval ? options->interval : replay->interval, mask);
	return ok && !stop_signal && !live_has_ended(session->live);
}

/* What was counted in an interval of a recording is shown once the interval is over. */
static bool replay_line(struct session *session, const struct replay *replay,
			enum replay_line line, const sigset_t *mask)
{
	switch (line) {
	case REPLAY_SLICE:
		figures_add(session->figures, replay->pmcg, &replay->slice, &replay->counts);
		return true;
	case REPLAY_SEARCH:
		figures_set_search(session->figures, replay->pmcg, &replay->summary,
				   replay->dispersion);
		return true;
	case REPLAY_REPORT:
		return replay_report(session, replay, mask);
	default:
		return false;
	}
}

static void show_replay(struct session *session, struct replay *replay)
{
	const struct options *options = session->options;
	enum replay_line line;
	sigset_t mask;

	/* Without a screen there is nothing to restore, and each signal may end it at once. */
	if (may_be_live(options))
		catch_signals(&mask);
	session->figures = figures_new(&session->machine);
	if (may_be_live(options))
		session->live = live_enter(options);
	session->reporter.quiet = session->live;
	set_report_options(session);
	while ((line = replay_next(replay, &session->machine)) != REPLAY_END &&
	       wants_more(session))
		if (!replay_line(session, replay, line, &mask))
			break;
	if (line == REPLAY_END)
		wait_in_replay(session, 0, &mask);
	live_leave(session->live);
	if (line == REPLAY_ERROR)
		fprintf(stderr, "smmutop: --replay %s: line %lu makes no sense\n",
			options->replay, replay->number);
	else if (!session->failed)
		session->status = session->reporter.above ? STATUS_ABOVE : STATUS_OK;
}

/**
 * session_replay - show a recording
 * @options: the command line
 *
 * Return: the exit status
 */
int session_replay(const struct options *options)
{
	struct session session = { .options = options, .status = STATUS_ERROR };
	FILE *file = strcmp(options->replay, "-") ? fopen(options->replay, "re") : stdin;
	struct replay replay = { .line = NULL };

	session.reporter.options = options;
	if (!file) {
		fprintf(stderr, "smmutop: --replay %s: %s\n", options->replay, strerror(errno));
		return STATUS_ERROR;
	}
	if (replay_open(&replay, file, &session.machine))
		show_replay(&session, &replay);
	else
		fprintf(stderr, "smmutop: --replay %s: line %lu: this is no recording of smmutop\n",
			options->replay, replay.number);
	replay_close(&replay);
	if (file != stdin)
		fclose(file);
	figures_free(session.figures);
	live_free(session.live);
	machine_free(&session.machine);
	return session.status;
}
