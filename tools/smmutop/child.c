// SPDX-License-Identifier: GPL-2.0
/*
 * The command that is measured. It waits until its events are counted before it begins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

/* As in shells */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128

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
		signal(SIGCHLD, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		sigprocmask(SIG_SETMASK, mask, NULL);
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

/* A command that has not begun never will; one that has gets the signals of the terminal, too. */
void child_wait(struct child *child)
{
	int status;

	if (!child->pid || child->ended)
		return;
	if (child->gate > 0)
		close(child->gate);
	else
		kill(child->pid, SIGTERM);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	set_status(child, status);
}

int child_status(const struct child *child)
{
	return child->status;
}

/* Runs a shell command to its end, with the number of the slice in its environment. */
int child_shell(const char *command, unsigned long slice)
{
	char number[24];
	int status;

	snprintf(number, sizeof(number), "%lu", slice);
	setenv("SMMUTOP_SLICE", number, 1);
	fflush(NULL);
	status = system(command);
	if (status)
		fprintf(stderr, "smmutop: %s: failed\n", command);
	return status;
}
