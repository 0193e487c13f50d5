// SPDX-License-Identifier: GPL-2.0
/*
 * What a run opens: the machine, its counters, the files that are written, and the command that is
 * measured.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

#define DEFAULT_INTERVAL	(2 * SECOND)
#define LEAST_SLICE		3500000ULL
#define MOST_SLICE		10000000ULL
#define SLICE_OF_EACH		2500000ULL
/* Searches for the worst rows before the first interval, at most */
#define SEARCHES		3
#define SEARCHES_OF_ONCE	10
#define DISCOVERY_INTERVAL	(5 * SECOND)
/* Files that are left for everything else. */
#define OTHER_FILES		32
#define MOST_FILES		8192
/* As in shells */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128

/* Programs that close all files, or use select(), take long or fail with the one that is raised. */
static struct rlimit limit_before;

/*
 * Starts a command with the limit of files from before; the mask is that of signals. Returns 0, or
 * after a message the exit status that shells have for this.
 */
int child_start(struct child *child, char **command, const sigset_t *mask)
{
	posix_spawnattr_t attributes;
	struct rlimit raised;
	int err;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, mask);
	getrlimit(RLIMIT_NOFILE, &raised);
	setrlimit(RLIMIT_NOFILE, &limit_before);
	err = posix_spawnp(&child->pid, command[0], NULL, &attributes, command, environ);
	setrlimit(RLIMIT_NOFILE, &raised);
	if (!err)
		return 0;
	child->pid = 0;
	warnx("%s: %s", command[0], strerror(err));
	return err == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

bool child_has_ended(struct child *child)
{
	int status;

	if (child->pid && !child->ended && waitpid(child->pid, &status, WNOHANG) == child->pid) {
		child->ended = true;
		child->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) :
				WEXITSTATUS(status);
	}
	return child->ended;
}

/*
 * A command gets the signals of the terminal, too. One that does not end is killed by the next
 * signal, of those that are blocked.
 */
void child_wait(struct child *child)
{
	sigset_t blocked;
	int number;

	if (!child->pid || child->ended)
		return;
	kill(child->pid, SIGTERM);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	while (!child_has_ended(child)) {
		number = sigwaitinfo(&blocked, NULL);
		if (number > 0 && number != SIGCHLD)
			kill(child->pid, SIGKILL);
	}
}

/*
 * Each event takes a file. Groups that come again are few: no more files are kept than that makes
 * sense.
 */
static unsigned int raise_file_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (!limit_before.rlim_cur)
		limit_before = limit;
	limit.rlim_cur = limit.rlim_max < MOST_FILES ? limit.rlim_max : MOST_FILES;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur > 2 * OTHER_FILES ? limit.rlim_cur - OTHER_FILES : OTHER_FILES;
}

static bool find_counters(struct session *session)
{
	bool usable = false, forbidden;
	struct pmcg *pmcg;

	for_each(pmcg, session->machine.pmcgs) {
		if (counting_probe(session->counting, pmcg)) {
			usable = true;
			continue;
		}
		forbidden = counting_is_forbidden(errno);
		warnx("%s", counting_error(session->counting));
		if (forbidden)
			return false;
		pmcg_lose(pmcg);
	}
	return usable;
}

static bool discover(struct session *session)
{
	const struct options *options = session->options;
	char **name;

	machine_discover(&session->machine, options->pmus);
	for (name = options->pmus; name && *name; name++) {
		if (machine_has_pmu(*name))
			continue;
		warnx("--pmu %s: there is no such counter group; see /sys/bus/event_source/devices",
		      *name);
		return false;
	}
	if (!session->machine.pmcgs_number) {
		warnx("no counter group of an SMMU was found: smmutop --check says why");
		return false;
	}
	return true;
}

/*
 * As short as one percent of a CPU allows, with the time that the kernel takes to start and to stop
 * a slice of each counter group.
 */
static uint64_t default_slice(const struct session *session)
{
	uint64_t slice = SLICE_OF_EACH * session->machine.pmcgs_number;

	return slice < LEAST_SLICE ? LEAST_SLICE : slice < MOST_SLICE ? slice : MOST_SLICE;
}

/*
 * Where nothing takes turns, slices would only cost time, but the in-tree driver may lose what
 * wraps between two reads, where it has no interrupt.
 */
void session_choose_slice(struct session *session)
{
	bool steady = !session->detail, may_lose = false;
	size_t i;

	for (i = 0; i < session->machine.pmcgs_number; i++) {
		steady &= plan_is_steady(session->plan, i);
		may_lose |= session->machine.pmcgs[i].probed;
	}
	session->turns = !steady;
	session->slice = session->options->slice ? session->options->slice :
			 !steady ? default_slice(session) : may_lose ? SECOND : 0;
	session->cost = session->slice;
}

/* All that depends on the machine. */
static bool open_counting(struct session *session)
{
	const struct options *options = session->options;
	struct plan_options plan_options = {
		.columns = options->columns,
		.sort = session->sort,
		.rows = options->rows ? options->rows : options->all ? UINT_MAX : DEFAULT_ROWS,
		.turns = options->all,
		.seed = system_now(),
	};
	const struct limit *limit;

	for_each(limit, options->limits)
		plan_options.limits |= 1U << limit->column;
	session->discovered = system_now();
	session->counting = counting_new(&session->machine, raise_file_limit());
	if (!find_counters(session))
		return false;
	session->plan = plan_new(&session->machine, &plan_options);
	session->figures = figures_new(&session->machine);
	session->slices = zeros(session->machine.pmcgs_number, sizeof(*session->slices));
	session->searches = options->once ? SEARCHES_OF_ONCE : SEARCHES;
	session_choose_slice(session);
	return true;
}

static void close_counting(struct session *session)
{
	detail_free(session->detail);
	session->detail = NULL;
	counting_free(session->counting);
	plan_free(session->plan);
	figures_free(session->figures);
	free(session->slices);
	text_free(&session->found);
	machine_free(&session->machine);
	session->counting = NULL;
	session->plan = NULL;
	session->figures = NULL;
	session->slices = NULL;
}

/* What was asked for must be counted by a counter group: nothing would be shown of it. */
static bool counts_what_is_wanted(struct session *session)
{
	const struct options *options = session->options;
	const struct limit *limit;

	for_each(limit, options->limits) {
		if (plan_counts(session->plan, limit->column))
			continue;
		warnx("--fail-above %s: no counter group counts this",
		      columns[limit->column].option);
		return false;
	}
	session->sort = plan_sort(session->plan);
	if (session->sort == COLUMNS) {
		warnx("no counter group counts --columns: see smmutop --list");
		return false;
	}
	if (session->sort == options->sort || !options->sort_given)
		return true;
	warnx("--sort %s: no counter group counts this", columns[options->sort].option);
	return false;
}

/* --detail counts one row only. */
static bool open_detail(struct session *session)
{
	const struct row *row = detail_find(&session->machine, session->options->detail);

	if (!row)
		return false;
	session->detail = detail_new(&session->machine, row);
	session_choose_slice(session);
	return true;
}

static bool open_recording(struct session *session)
{
	const char *path = session->options->replay;
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;

	if (!file) {
		warn("--replay %s", path);
		return false;
	}
	if (replay_open(&session->replay, file, &session->machine)) {
		session->figures = figures_new(&session->machine);
		return true;
	}
	warnx("--replay %s: line %lu: this is no recording of smmutop", path,
	      session->replay.number);
	return false;
}

bool session_open(struct session *session)
{
	const struct options *options = session->options;

	session->sort = options->sort;
	session->interval = options->interval ? options->interval :
			    options->command ? NEVER : DEFAULT_INTERVAL;
	if (options->replay)
		return open_recording(session);
	if (!discover(session))
		return false;
	record_machine(&session->found, &session->machine);
	machine_name_devices(&session->machine);
	if (!open_counting(session))
		return false;
	if (options->detail)
		return open_detail(session);
	if (!counts_what_is_wanted(session))
		return false;
	if (!options->record)
		return true;
	machine_describe_devices(&session->machine);
	session->record = recorder_new(options->record, &session->machine);
	return session->record;
}

void session_close(struct session *session)
{
	if (!recorder_free(session->record))
		session->status = STATUS_ERROR;
	free(session->replay.line);
	if (session->replay.file && session->replay.file != stdin)
		fclose(session->replay.file);
	close_counting(session);
}

/* Whether a counter group whose driver was unbound has one again. */
static bool is_one_back(const struct machine *machine)
{
	const struct pmcg *pmcg;

	for_each(pmcg, machine->pmcgs)
		if (pmcg->vanished && pmcg_exists(pmcg))
			return true;
	return false;
}

/*
 * Devices come and go, and so do counter groups. Everything starts again then; a recording has one
 * machine only. Their names are no reason for that: they are read again. Returns whether everything
 * starts again.
 */
bool session_follow_machine(struct session *session)
{
	const struct options *options = session->options;
	struct text found = { .data = NULL };
	struct machine machine;

	if (session->record || system_now() - session->discovered < DISCOVERY_INTERVAL)
		return false;
	session->discovered = system_now();
	machine_discover(&machine, options->pmus);
	record_machine(&found, &machine);
	if (!machine.pmcgs_number ||
	    (!strcmp(found.data, session->found.data) && !is_one_back(&session->machine))) {
		text_free(&found);
		machine_free(&machine);
		machine_name_devices(&session->machine);
		return false;
	}
	live_forget(&session->live);
	close_counting(session);
	session->machine = machine;
	session->found = found;
	machine_name_devices(&session->machine);
	if (!open_counting(session))
		session->status = STATUS_ERROR;
	return !session->status;
}

int session_list(const struct options *options)
{
	struct session session = { .options = options };
	struct text text = { .data = NULL };
	bool ok = discover(&session);

	if (ok) {
		machine_name_devices(&session.machine);
		machine_describe_devices(&session.machine);
		record_machine(&text, &session.machine);
		ok = write_text(&text);
	}
	text_free(&text);
	machine_free(&session.machine);
	return ok ? STATUS_OK : STATUS_ERROR;
}
