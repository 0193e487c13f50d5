// SPDX-License-Identifier: GPL-2.0
/*
 * The terminal: taken, and given back as it was, whatever ends the program.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "live.h"

#define OUTPUT_WAIT_MS	200

/* The other screen, without a cursor; and back. */
#define ENTER		"\033[?1049h\033[?25l\033[2J"
#define LEAVE		"\033[?25h\033[?1049l"

/* Enough for the handler of a fatal signal where the stack has overflowed. */
#define SIGNAL_STACK	32768

static volatile sig_atomic_t resized, suspended, taken;

/* As it was before. */
static struct termios before;

/* Nobody waits for the terminal then. */
static bool leaving;

bool terminal_has_screen(void)
{
	const char *term = getenv("TERM");

	return term && term[0] && strcmp(term, "dumb");
}

/* no-color.org: the user wants none if this is set and not empty. */
bool terminal_has_colors(void)
{
	const char *none = getenv("NO_COLOR");

	return terminal_has_screen() && !(none && none[0]);
}

/* As setlocale() would find it: the first one that is set counts. */
bool terminal_has_utf8(void)
{
	static const char * const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && !(value && value[0]); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "UTF-8") || strcasestr(value, "utf8"));
}

static void on_signal(int signal)
{
	if (signal == SIGTSTP)
		suspended = 1;
	else
		resized = 1;
}

/*
 * A bug of ours must not leave the shell without echo. Only functions that are async-signal-safe
 * (POSIX.1-2017, 2.4.3); the default action is back, and ends the program as the signal says.
 */
static void on_fatal(int signal)
{
	ssize_t written;

	if (taken) {
		taken = 0;
		/* Not TCSADRAIN: a terminal that takes nothing would keep us. */
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
		written = write(STDOUT_FILENO, LEAVE, strlen(LEAVE));
		(void)written;
	}
	raise(signal);
}

static void catch_signals(void)
{
	static const int fatal[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	struct sigaction action = { .sa_handler = on_signal };
	static char memory[SIGNAL_STACK];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	sigaddset(&blocked, SIGTSTP);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
	sigaltstack(&stack, NULL);
	action.sa_handler = on_fatal;
	action.sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
	for (i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &action, NULL);
}

static bool is_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP) || sigismember(&pending, SIGQUIT);
}

/* A terminal that takes nothing, as when a connection stalls, must not keep us from ending. */
bool terminal_put(const char *data, size_t length)
{
	struct pollfd ready = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t written;

	while (length) {
		written = write(STDOUT_FILENO, data, length);
		if (written < 0 && errno == EAGAIN && !is_to_end()) {
			if (!poll(&ready, 1, OUTPUT_WAIT_MS) && leaving)
				return false;
			continue;
		}
		if (written <= 0)
			return false;
		data += written;
		length -= written;
	}
	return true;
}

static void put_string(const char *string)
{
	terminal_put(string, strlen(string));
}

/* 80 columns and 24 lines where the kernel does not know, as on a serial console. */
void terminal_find_size(unsigned int *width, unsigned int *height)
{
	struct winsize size;
	bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row;

	*width = known ? size.ws_col : 80;
	*height = known ? size.ws_row : 24;
}

static void take(void)
{
	struct termios raw = before;

	/* Without lines and echo; signals stay. */
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	taken = 1;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	put_string(ENTER);
}

/* Returns false if there is no terminal with a screen. */
bool terminal_enter(void)
{
	if (!terminal_has_screen() || tcgetattr(STDIN_FILENO, &before))
		return false;
	catch_signals();
	atexit(terminal_leave);
	take();
	return true;
}

void terminal_leave(void)
{
	if (!taken)
		return;
	leaving = true;
	put_string(LEAVE);
	leaving = false;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	taken = 0;
}

/*
 * Stops the program if the terminal wants it, and goes on as if nothing had been. Returns whether
 * the size may be another one.
 */
bool terminal_has_changed(void)
{
	bool changed = resized || suspended;

	if (suspended) {
		suspended = 0;
		terminal_leave();
		raise(SIGSTOP);
		take();
	}
	resized = 0;
	return changed;
}
