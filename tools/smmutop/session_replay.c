// SPDX-License-Identifier: GPL-2.0
/*
 * A recording is shown as if it were counted now.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "session_private.h"

/* Until the next report is due, or, after the last one, until somebody ends it. */
static void wait_in_replay(struct session *session, uint64_t time, const sigset_t *mask)
{
	uint64_t never = UINT64_MAX / 2, deadline = time ? session_now() + time : never;

	while (session->live && !session_stop_signal && !live_has_ended(session->live) &&
	       (session_now() < deadline || live_is_paused(session->live)))
		session_wait_until(session, live_is_paused(session->live) ? never : deadline,
				   mask);
}

static bool replay_report(struct session *session, const struct replay *replay,
			  const sigset_t *mask)
{
	const struct options *options = session->options;
	struct report report;
	bool ok;

	figures_report(session->figures, replay->interval, &report);
	report.sort = session->live && session->reporter.number ? live_sort(session->live) :
		      options->sort_given ? options->sort : replay->sort;
	if (session->live && !session->reporter.number)
		live_set_sort(session->live, report.sort);
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
	return ok && !session_stop_signal && !live_has_ended(session->live);
}

/* What was counted in an interval of a recording is shown once the interval is over. */
static bool replay_line(struct session *session, const struct replay *replay,
			enum replay_line line, const sigset_t *mask)
{
	switch (line) {
	case REPLAY_SLICE:
		figures_add(session->figures, replay->pmcg, &replay->slice, &replay->counts);
		return true;
	case REPLAY_FORGET:
		figures_next_interval(session->figures);
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
	if (session_may_be_live(options))
		session_catch_signals(&mask);
	session->figures = figures_new(&session->machine);
	if (session_may_be_live(options))
		session->live = live_enter(options);
	session->reporter.quiet = session->live;
	while ((line = replay_next(replay, &session->machine)) != REPLAY_END &&
	       session_wants_more(session))
		if (!replay_line(session, replay, line, &mask))
			break;
	if (line == REPLAY_END)
		wait_in_replay(session, 0, &mask);
	live_leave(session->live);
	if (line == REPLAY_ERROR)
		fprintf(stderr, "smmutop: --replay %s: line %lu makes no sense\n",
			options->replay, replay->number);
	else if (!session->failed)
		session->status = reporter_status(&session->reporter);
}

/**
 * session_replay - show a recording
 * @options: the command line
 *
 * Return: the exit status
 */
int session_replay(const struct options *options)
{
	struct session session = {
		.options = options,
		.sort = options->sort,
		.status = STATUS_ERROR,
	};
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
