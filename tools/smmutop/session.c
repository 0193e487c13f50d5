// SPDX-License-Identifier: GPL-2.0
/*
 * A run of the program: counts in slices, or reads what was counted from a recording, and reports
 * after each interval.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session.h"

/* Without a known end, a round takes so long. */
#define ROUND			(2 * SECOND)
/* So often is looked whether counter groups are still there. */
#define LOOK			(SECOND / 4)
/* The fastest counters count four events per ns. */
#define MOST_PER_NS		8

/* The signal that ends the run; 0: none */
static volatile sig_atomic_t stop_signal;

/* The end of a command only ends a wait. */
static void on_signal(int signal)
{
	if (signal != SIGCHLD)
		stop_signal = signal;
}

static double wall_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/*
 * A counter group that cannot count any more is left out, and the report says so. Returns whether
 * there is another one.
 */
static bool lose_pmcg(struct session *session, size_t index, const char *why)
{
	struct pmcg *pmcg = &session->machine.pmcgs[index];
	const struct pmcg *other;
	bool others = false;

	pmcg_lose(pmcg);
	counting_close(session->counting, index);
	session_choose_slice(session);
	for_each(other, session->machine.pmcgs)
		others |= !other->gone;
	if (others && session->live.on)
		return true;
	terminal_leave();
	if (!pmcg->vanished)
		warnx("%s", why);
	else
		warnx("%s has vanished: was its driver unbound or unloaded?", pmcg->name);
	if (!others)
		session->status = STATUS_ERROR;
	return others;
}

/* What is forbidden is forbidden for all counter groups, and is said once. */
static void give_up(struct session *session)
{
	terminal_leave();
	warnx("%s", counting_error(session->counting));
	session->status = STATUS_ERROR;
}

/* Begins an interval, or a search for the worst rows before the first one. */
static void begin_interval(struct session *session)
{
	uint64_t interval = session->interval == NEVER ? ROUND : session->interval;
	bool may_search = session->searches && !session->options->command;

	session->started = system_now();
	session->planned = session->interval;
	session->slices_begun = 0;
	session->searches -= session->searches > 0;
	session->searching = session->slice &&
			     plan_begin(session->plan, interval / session->cost, may_search);
}

static bool start_slices(struct session *session)
{
	struct slice *slice;
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++) {
		slice = &session->slices[i];
		if (counting_counts(session->counting, i))
			continue;
		if (session->detail)
			detail_next(session->detail, i, slice);
		else
			plan_next(session->plan, i, slice);
		if (!slice->number || counting_start(session->counting, i, slice))
			continue;
		if (counting_is_forbidden(errno)) {
			give_up(session);
			return false;
		}
		if (!lose_pmcg(session, i, counting_error(session->counting)))
			return false;
	}
	session->slices_begun++;
	return true;
}

/*
 * Some blocks that firmware describes as counter groups are something else, and the in-tree driver
 * does not notice: they seem to count more than any clock could. Returns why this is no counter, or
 * NULL.
 */
static const char *find_fault(const struct session *session, size_t index,
			      const struct slice_counts *counts)
{
	static char why[160];
	unsigned int i;

	for (i = 0; i < session->slices[index].number; i++) {
		if (counts->counts[i] / MOST_PER_NS <= counts->running)
			continue;
		snprintf(why, sizeof(why),
			 "%s: %llu events in %llu ns: it is left out, as this is no counter",
			 session->machine.pmcgs[index].name, (unsigned long long)counts->counts[i],
			 (unsigned long long)counts->running);
		return why;
	}
	return NULL;
}

/* Where nothing takes turns, counters go on until the end. */
static bool stop_slice(struct session *session, size_t index, bool last, bool look)
{
	struct slice *slice = &session->slices[index];
	struct slice_counts counts;
	bool again, counted;
	const char *fault;

	if (!counting_counts(session->counting, index))
		return true;
	again = !last && !session->detail && plan_is_steady(session->plan, index);
	counted = counting_stop(session->counting, index, again, &counts);
	/* Then nobody knows when it has stopped to count. */
	if (look && !pmcg_exists(&session->machine.pmcgs[index]))
		return lose_pmcg(session, index, NULL);
	/* Events in an error state never count again: they are opened anew. */
	if (!counted) {
		counting_close(session->counting, index);
		return true;
	}
	fault = find_fault(session, index, &counts);
	if (fault)
		return lose_pmcg(session, index, fault);
	if (session->detail) {
		detail_add(session->detail, index, slice, &counts);
		return true;
	}
	if (session->record)
		record_slice(session->record, index, slice, &counts);
	figures_add(session->figures, index, slice, &counts);
	return true;
}

/* Returns whether there is a counter group left. */
static bool stop_slices(struct session *session, bool last)
{
	bool look = system_now() >= session->looked + LOOK, ok = true;
	size_t i;

	if (look)
		session->looked = system_now();
	for (i = 0; i < session->machine.pmcgs_number; i++)
		ok &= stop_slice(session, i, last, look);
	return ok;
}

/* Writes and shows a report, and takes it over. */
static bool put_report(struct session *session, struct report *report)
{
	bool ok = reporter_write(&session->reporter, report);

	if (session->record)
		ok &= record_report(session->record, report);
	if (session->live.on)
		live_show(&session->live, report, session->figures);
	else
		report_free(report);
	if (!ok)
		session->status = STATUS_ERROR;
	return ok;
}

static bool write_report(struct session *session)
{
	bool whole = session->interval == NEVER;
	uint64_t begin = whole ? session->begun : session->started;
	struct report report;

	figures_report(session->figures, system_now() - begin, whole, &report);
	report.sort = session->sort;
	report.seconds = wall_clock();
	report.slice = session->slice;
	return put_report(session, &report);
}

static void measure_slices(struct session *session)
{
	uint64_t time = system_now() - session->started;

	if (session->turns && session->slices_begun >= 8)
		session->cost = (session->cost + time / session->slices_begun) / 2;
}

static void set_sort(struct session *session)
{
	if (!session->live.on || session->live.wanted.sort == session->sort)
		return;
	session->sort = session->live.wanted.sort;
	plan_set_sort(session->plan, session->sort);
	session_choose_slice(session);
}

/* What was counted decides what is visited next. */
static void next_interval(struct session *session)
{
	const char *word = session->searching ? "forget" : "round";
	bool no_report = session->searching || session->interval == NEVER;

	measure_slices(session);
	plan_learn(session->plan, session->figures);
	if (session->searching)
		figures_forget(session->figures);
	else if (no_report)
		figures_end_round(session->figures);
	else
		figures_next_interval(session->figures);
	if (session->record && no_report)
		record_word(session->record, word);
	begin_interval(session);
}

/* Waits until a time, unless a signal, the command or a key comes first. */
static void wait_until(struct session *session, uint64_t deadline, const sigset_t *mask)
{
	struct pollfd key = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t time = system_now();
	struct timespec timeout;
	int ready;

	/* Signals are taken here only. */
	if (time > deadline)
		time = deadline;
	timeout.tv_sec = (deadline - time) / SECOND;
	timeout.tv_nsec = (deadline - time) % SECOND;
	ready = ppoll(&key, session->live.on ? 1 : 0, &timeout, mask);
	if (session->live.on && ready)
		live_input(&session->live, ready > 0);
	if (session->live.on)
		session->interval = session->live.interval;
}

/* Where nothing takes turns, an interval ends when its time is over. */
static uint64_t next_deadline(const struct session *session, uint64_t slice_end)
{
	uint64_t interval_end = session->started + session->interval;

	return (session->turns && !session->detail) || slice_end < interval_end ?
	       slice_end : interval_end;
}

/* Whether the screen wants to show something else than what is counted. */
static bool wants_other(const struct session *session)
{
	return !session->options->detail &&
	       live_detail(&session->live) != detail_row(session->detail);
}

/* One slice. Returns whether there is to be another one. */
static bool count_slice(struct session *session, const sigset_t *mask)
{
	uint64_t slice_end;

	if (!start_slices(session))
		return false;
	/* A command begins when its events are counted. */
	if (session->options->command && !session->command.pid)
		session->status = child_start(&session->command, session->options->command, mask);
	if (session->status)
		return false;
	slice_end = system_now() + (session->slice ?
				     plan_length(&session->jitter, session->slice) :
				     session->interval);
	do {
		wait_until(session, next_deadline(session, slice_end), mask);
	} while (!stop_signal && !child_has_ended(&session->command) &&
		 !session->live.ended && !wants_other(session) &&
		 system_now() < next_deadline(session, slice_end));
	return true;
}

static bool interval_is_over(const struct session *session)
{
	uint64_t time = system_now() - session->started;

	if (session->detail)
		return time >= session->interval && detail_has_all(session->detail);
	if (!session->turns)
		return time >= session->interval;
	/* A key may have made it shorter. */
	return !plan_slices(session->plan) ||
	       (session->interval < session->planned && time >= session->interval);
}

static bool wants_more(const struct session *session)
{
	const struct options *options = session->options;

	return !options->reports || session->reporter.number < options->reports;
}

/* All events of a device instead of all devices, or the other way round. */
static void switch_detail(struct session *session)
{
	const struct row *row = live_detail(&session->live);
	size_t i;

	stop_slices(session, true);
	/* Of some, nothing is counted next, which nobody would look after. */
	for (i = 0; i < session->machine.pmcgs_number; i++)
		counting_close(session->counting, i);
	/* The time of what is shown next begins now. */
	if (!session->detail)
		figures_forget(session->figures);
	detail_free(session->detail);
	session->detail = row ? detail_new(&session->machine, row) : NULL;
	session_choose_slice(session);
	begin_interval(session);
}

static bool show_detail(struct session *session)
{
	const struct row *row = detail_row(session->detail);
	struct text text = { .data = NULL };

	detail_text(session->detail, &text);
	if (!session->live.on) {
		if (!write_text(&text))
			session->status = STATUS_ERROR;
		text_free(&text);
		return false;
	}
	live_show_detail(&session->live, &text);
	detail_free(session->detail);
	session->detail = detail_new(&session->machine, row);
	session->started = system_now();
	return true;
}

/* With --once, nothing is seen before the end. */
static void tell_duration(const struct session *session)
{
	uint64_t time = plan_slices(session->plan) * session->cost;

	time += session->searching ? session->interval : 0;
	if (session->options->once && session->turns && isatty(STDERR_FILENO))
		warnx("this takes about %.0f s", ceil(time / 1e9));
}

/* A report, and what comes next; false if nothing does. */
static bool end_interval(struct session *session, bool ended)
{
	bool quiet = !session->detail && !ended &&
		     (session->searching || session->interval == NEVER);

	if (session->detail)
		return show_detail(session);
	if (!quiet && !write_report(session))
		return false;
	if (ended || !wants_more(session))
		return false;
	set_sort(session);
	if (!quiet && session_follow_machine(session))
		begin_interval(session);
	else if (!session->status)
		next_interval(session);
	return true;
}

static void count(struct session *session, const sigset_t *mask)
{
	bool ended = false;

	session->begun = system_now();
	begin_interval(session);
	tell_duration(session);
	while (!ended && !session->status && wants_more(session)) {
		if (!count_slice(session, mask))
			break;
		ended = stop_signal || child_has_ended(&session->command) ||
			session->live.ended;
		if (!stop_slices(session, ended))
			break;
		if (!ended && wants_other(session)) {
			switch_detail(session);
			continue;
		}
		if (!ended && !interval_is_over(session))
			continue;
		if (session->live.ended || !end_interval(session, ended))
			break;
	}
	if (session->slices)
		stop_slices(session, true);
}

/* Until the next report is due, or, after the last one, until somebody ends it. */
static void wait_in_replay(struct session *session, uint64_t time, const sigset_t *mask)
{
	uint64_t deadline = time ? system_now() + time : NEVER;

	while (session->live.on && !stop_signal && !session->live.ended &&
	       (system_now() < deadline || session->live.paused))
		wait_until(session, session->live.paused ? NEVER : deadline, mask);
}

/* Takes the report over. Returns whether there is to be another one. */
static bool show_replayed(struct session *session, struct report *report, const sigset_t *mask)
{
	const struct options *options = session->options;
	uint64_t interval = options->interval ? options->interval : report->interval;
	bool ok;

	/* The interval is that of the recording until it is changed by a key. */
	if (session->live.on && !session->reporter.number)
		session->live.interval = interval;
	if (session->live.on)
		interval = session->live.interval;
	if (session->live.on && session->reporter.number)
		report->sort = session->live.wanted.sort;
	else if (options->sort_given)
		report->sort = options->sort;
	session->live.wanted.sort = report->sort;
	ok = put_report(session, report);
	figures_next_interval(session->figures);
	wait_in_replay(session, interval, mask);
	return ok && !stop_signal && !session->live.ended;
}

static void show_recording(struct session *session, const sigset_t *mask)
{
	enum replay_end end = REPLAY_REPORT;
	struct report report;

	while (wants_more(session) &&
	       (end = replay_next(&session->replay, session->figures, &report)) == REPLAY_REPORT &&
	       show_replayed(session, &report, mask))
		;
	if (end == REPLAY_END)
		wait_in_replay(session, 0, mask);
	if (end != REPLAY_ERROR)
		return;
	terminal_leave();
	warnx("--replay %s: line %lu makes no sense", session->options->replay,
	      session->replay.number);
	session->status = STATUS_ERROR;
}

static void catch_signals(sigset_t *mask)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NOCLDSTOP };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, mask);
}

/* Without a terminal, or where one report is wanted, there is no screen. */
static bool may_be_live(const struct options *options)
{
	return options->format == FORMAT_AUTO && !options->once && !options->command &&
	       !options->detail && terminal_has_screen() &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int final_status(const struct session *session)
{
	int status = session->status ? session->status : session->command.status;

	return status ? status : reporter_status(&session->reporter);
}

int session_run(const struct options *options)
{
	struct session session = { .options = options };
	sigset_t mask;

	session.reporter.options = options;
	if (!session_open(&session)) {
		session_close(&session);
		return STATUS_ERROR;
	}
	/* Where there is nothing to restore, each signal may end it at once. */
	if (!options->replay || may_be_live(options))
		catch_signals(&mask);
	if (may_be_live(options))
		live_enter(&session.live, options, session.interval);
	session.live.wanted.sort = session.sort;
	session.reporter.quiet = session.live.on;
	if (options->replay)
		show_recording(&session, &mask);
	else
		count(&session, &mask);
	terminal_leave();
	child_wait(&session.command);
	live_free(&session.live);
	session_close(&session);
	return final_status(&session);
}
