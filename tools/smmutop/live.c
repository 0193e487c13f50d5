// SPDX-License-Identifier: GPL-2.0
/*
 * The screen that is drawn again after each interval, in ANSI escape sequences (ECMA-48) that all
 * terminals know. A serial console does not know its size: it is asked where its last column and
 * line are, and has 80 columns and 24 lines until it answers.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "live.h"
#include "output.h"
#include "text.h"

#define DEFAULT_WIDTH	80
#define DEFAULT_HEIGHT	24
#define OUTPUT_WAIT_MS	200

/* The other screen, without a cursor; and back. */
#define ENTER		"\033[?1049h\033[?25l\033[2J"
#define LEAVE		"\033[?25h\033[?1049l"
#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_BELOW	"\033[J"
#define ASK_SIZE	"\033[999;999H\033[6n"

static const char help[] =
"\n"
" q                quit\n"
" s                sort by the next column\n"
" space            stop and go on with the display; counting goes on\n"
" up, down         scroll by a line\n"
" page up, down    scroll by a page\n"
" h                this help, and back\n"
"\n"
" TXN/s MISS/s MISS%      transactions and TLB misses, in the TBUs\n"
" WALK/s ACC/W            table walks, and table accesses of each, in the TCU\n"
" CFG/s ATS/s             configuration misses, ATS requests, in the TCU\n"
" +-%                     error of what is sorted by: 19 of 20 lie within;\n"
"                         ! means that the load is bursty, so it says little\n"
" SEEN                    part of the time that the row was counted\n"
" ~                       a difference of what was counted at different times\n"
" *                       counted in an earlier interval, not in this one\n";

/**
 * struct live - the screen
 * @options: the command line
 * @before: the terminal as it was
 * @entered: it is as we want it
 * @paused: it stays as it is
 * @helping: it shows the help
 * @ended: somebody has pressed q, or nobody can any more
 * @sort: column that is sorted by
 * @scroll: lines that are above the screen
 * @width: of the screen
 * @height: of the screen
 * @size_known: the kernel knows the size
 * @report: that is shown
 */
struct live {
	const struct options *options;
	struct termios before;
	bool entered;
	bool paused;
	bool helping;
	bool ended;
	enum column sort;
	unsigned int scroll;
	unsigned int width;
	unsigned int height;
	bool size_known;
	struct report report;
};

static volatile sig_atomic_t resized, suspended;

static void on_resize(int signal)
{
	(void)signal;
	resized = 1;
}

static void on_suspend(int signal)
{
	(void)signal;
	suspended = 1;
}

/* Nobody waits for the terminal then. */
static bool leaving;

static bool is_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP) || sigismember(&pending, SIGQUIT);
}

/* A terminal that takes nothing, as when a connection stalls, must not keep us from ending. */
static bool put(const char *data, size_t length)
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
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		data += written;
		length -= written;
	}
	return true;
}

static void put_string(const char *string)
{
	put(string, strlen(string));
}

static void find_size(struct live *live)
{
	struct winsize size;

	live->size_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row;
	if (live->size_known) {
		live->width = size.ws_col;
		live->height = size.ws_row;
	} else {
		put_string(ASK_SIZE);
	}
}

static struct live *entered;

static void leave_at_exit(void)
{
	live_leave(entered);
}

static void take_terminal(struct live *live)
{
	struct termios raw = live->before;

	/* Without lines and echo; signals stay. */
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	put_string(ENTER);
	live->entered = true;
	find_size(live);
}

/**
 * live_enter - take the terminal
 * @options: the command line
 *
 * Return: the screen, or NULL if there is no terminal
 */
struct live *live_enter(const struct options *options)
{
	struct sigaction action = { .sa_handler = on_resize };
	struct live *live = grow(NULL, 0, sizeof(*live));
	sigset_t blocked;

	live->options = options;
	live->sort = options->sort;
	live->width = DEFAULT_WIDTH;
	live->height = DEFAULT_HEIGHT;
	if (tcgetattr(STDIN_FILENO, &live->before)) {
		free(live);
		return NULL;
	}
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	sigaddset(&blocked, SIGTSTP);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGWINCH, &action, NULL);
	action.sa_handler = on_suspend;
	sigaction(SIGTSTP, &action, NULL);
	entered = live;
	atexit(leave_at_exit);
	take_terminal(live);
	return live;
}

/* Gives the terminal back as it was. */
void live_leave(struct live *live)
{
	if (!live || !live->entered)
		return;
	live->entered = false;
	leaving = true;
	put_string(LEAVE);
	leaving = false;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &live->before);
}

void live_free(struct live *live)
{
	if (!live)
		return;
	entered = NULL;
	report_free(&live->report);
	free(live);
}

bool live_has_ended(const struct live *live)
{
	return live && live->ended;
}

enum column live_sort(const struct live *live)
{
	return live->sort;
}

void live_set_sort(struct live *live, enum column sort)
{
	live->sort = sort;
}

static void add_title(struct text *text, const struct live *live)
{
	static const char keys[] = "h help  q quit";
	struct text line = { .data = NULL };
	uint64_t interval = live->options->interval;
	char when[32] = "";
	size_t used;

	format_time(when, sizeof(when), live->report.seconds, "%H:%M:%S");
	text_add(&line, "smmutop  %s   %s   every %g s   sort %s%s",
		 live->report.machine ? live->report.machine->host : "", when,
		 interval ? interval / 1e9 : 2, columns[live->sort].title,
		 live->paused ? "   paused" : "");
	used = text_columns(line.data);
	if (used + strlen(keys) + 2 <= live->width)
		text_add(&line, "%*s%s", (int)(live->width - used - strlen(keys)), "", keys);
	text_add(text, "%.*s", (int)live->width, line.data);
	text_free(&line);
}

/* Returns how many lines a text has, and the start of the one that comes first on the screen. */
static const char *skip_lines(const char *body, unsigned int *skip)
{
	unsigned int skipped;

	for (skipped = 0; skipped < *skip && strchr(body, '\n'); skipped++)
		body = strchr(body, '\n') + 1;
	*skip = skipped;
	return body;
}

static unsigned int count_lines(const char *body)
{
	unsigned int lines = 0;

	for (; (body = strchr(body, '\n')); body++)
		lines++;
	return lines;
}

static void draw(struct live *live)
{
	struct text body = { .data = NULL }, screen = { .data = NULL };
	unsigned int line, lines, length;
	const char *next;

	if (!live->entered)
		return;
	if (live->helping)
		text_add(&body, "%s", help);
	else if (live->report.machine)
		output_table(&body, &live->report, live->width);
	else
		text_add(&body, "\n counting ...\n");
	lines = count_lines(body.data);
	if (live->scroll + live->height - 1 > lines)
		live->scroll = lines > live->height - 1 ? lines - (live->height - 1) : 0;
	next = skip_lines(body.data, &live->scroll);
	text_add(&screen, HOME);
	add_title(&screen, live);
	text_add(&screen, CLEAR_LINE);
	for (line = 1; line < live->height && *next; line++) {
		length = strcspn(next, "\n");
		text_add(&screen, "\r\n%.*s" CLEAR_LINE, (int)length, next);
		next += length + (next[length] == '\n');
	}
	text_add(&screen, CLEAR_BELOW);
	if (!put(screen.data, screen.length))
		live->ended = true;
	text_free(&body);
	text_free(&screen);
}

/* What is shown is about a machine that is no more. */
void live_forget(struct live *live)
{
	if (live)
		report_free(&live->report);
}

/* Takes the report over. */
void live_show(struct live *live, const struct report *report)
{
	struct report mine = *report;

	if (live->paused) {
		report_free(&mine);
		return;
	}
	report_free(&live->report);
	live->report = mine;
	draw(live);
}

static enum column next_sort(const struct live *live)
{
	unsigned int column = live->sort;

	do {
		column = (column + 1) % COLUMNS;
	} while (!(live->options->columns & 1U << column));
	return column;
}

static void scroll(struct live *live, int lines)
{
	if (lines < 0 && live->scroll < (unsigned int)-lines)
		live->scroll = 0;
	else
		live->scroll += lines;
}

/* What follows ESC [: parameters and a final byte. */
static void take_sequence(struct live *live, const char *parameters, char final)
{
	unsigned int row, column;
	int page = live->height - 2;

	switch (final) {
	case 'A':
		scroll(live, -1);
		break;
	case 'B':
		scroll(live, 1);
		break;
	case '~':
		if (parameters[0] == '5')
			scroll(live, -page);
		if (parameters[0] == '6')
			scroll(live, page);
		break;
	case 'R':
		/* The kernel knows better if it knows at all. */
		if (!live->size_known && sscanf(parameters, "%u;%u", &row, &column) == 2 &&
		    row > 2 && column > 10) {
			live->height = row;
			live->width = column;
		}
		break;
	}
}

static void take_key(struct live *live, char key)
{
	switch (key) {
	case 'q':
		live->ended = true;
		break;
	case 's':
		live->sort = next_sort(live);
		report_sort(&live->report, live->sort);
		break;
	case ' ':
		live->paused = !live->paused;
		break;
	case 'h':
	case '?':
		live->helping = !live->helping;
		live->scroll = 0;
		break;
	case 'k':
		scroll(live, -1);
		break;
	case 'j':
		scroll(live, 1);
		break;
	}
}

static void take_keys(struct live *live, const char *keys)
{
	size_t length;

	for (; *keys; keys++) {
		if (*keys != '\033' || (keys[1] != '[' && keys[1] != 'O')) {
			take_key(live, *keys);
			continue;
		}
		keys += 2;
		length = strspn(keys, "0123456789;?");
		if (!keys[length])
			return;
		take_sequence(live, keys, keys[length]);
		keys += length;
	}
}

/* Stops the program as the terminal wants it, and goes on as if nothing had been. */
static void suspend(struct live *live)
{
	suspended = 0;
	live_leave(live);
	raise(SIGSTOP);
	take_terminal(live);
}

/**
 * live_input - take keys and what signals say
 * @live: the screen
 * @readable: there are keys
 */
void live_input(struct live *live, bool readable)
{
	char keys[64] = "";
	ssize_t length;

	if (readable) {
		length = read(STDIN_FILENO, keys, sizeof(keys) - 1);
		if (!length || (length < 0 && errno != EINTR && errno != EAGAIN))
			live->ended = true;
		if (length > 0)
			take_keys(live, keys);
	}
	if (suspended)
		suspend(live);
	if (resized) {
		resized = 0;
		find_size(live);
	}
	draw(live);
}
