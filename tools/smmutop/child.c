// SPDX-License-Identifier: GPL-2.0
/*
 * The command that is measured. It waits until its events are counted before it begins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

/* As in shells */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128

static struct rlimit limit_before;
static bool limit_is_known;

/* Programs that close all files, or use select(), take long or fail with our limit. */
void child_keep_limit(const struct rlimit *limit)
{
	if (limit_is_known)
		return;
	limit_is_known = true;
	limit_before = *limit;
}

/* Only ends a wait. */
static void on_child(int signal)
{
	(void)signal;
}

void child_catch_signal(void)
{
	struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP };

	sigaction(SIGCHLD, &action, NULL);
}

static void run(char **command, int gate)
{
	char go;

	/* Without a word, the measurement has failed, and the command is not to run. */
	if (read(gate, &go, 1) != 1)
		_exit(STATUS_CANNOT_RUN);
	close(gate);
	execvp(command[0], command);
	fprintf(stderr, "smmutop: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

static void default_signals(const sigset_t *mask)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (limit_is_known)
		setrlimit(RLIMIT_NOFILE, &limit_before);
}

/* Makes the process, which waits for child_go(). The mask is that of signals before ours. */
bool child_start(struct child *child, char **command, const sigset_t *mask)
{
	int ends[2];

	if (pipe(ends)) {
		fprintf(stderr, "smmutop: %s: %s\n", command[0], strerror(errno));
		return false;
	}
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0) {
		fprintf(stderr, "smmutop: %s: %s\n", command[0], strerror(errno));
		child->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	if (!child->pid) {
		default_signals(mask);
		close(ends[1]);
		run(command, ends[0]);
	}
	close(ends[0]);
	child->gate = ends[1];
	return true;
}

bool child_go(struct child *child)
{
	bool ok = write(child->gate, "", 1) == 1;

	close(child->gate);
	child->gate = -1;
	return ok;
}

static void set_status(struct child *child, int status)
{
	child->ended = true;
	child->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) :
			WEXITSTATUS(status);
}

bool child_has_ended(struct child *child)
{
	int status;

	if (child->pid && !child->ended && waitpid(child->pid, &status, WNOHANG) == child->pid)
		set_status(child, status);
	return child->ended;
}

/*
 * A command that has not begun never will; one that has gets the signals of the terminal, too. One
 * that does not end is killed by the next signal, of those that are blocked.
 */
void child_wait(struct child *child, const sigset_t *signals)
{
	sigset_t wanted = *signals;
	int number;

	if (!child->pid || child->ended)
		return;
	if (child->gate > 0)
		close(child->gate);
	else
		kill(child->pid, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	while (!child_has_ended(child)) {
		number = sigwaitinfo(&wanted, NULL);
		if (number > 0 && number != SIGCHLD)
			kill(child->pid, SIGKILL);
	}
}
