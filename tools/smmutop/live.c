// SPDX-License-Identifier: GPL-2.0
/*
 * The screen that is drawn again after each interval, in ANSI escape sequences (ECMA-48) that all
 * terminals know. A serial console does not know its size: it is asked where its last column and
 * line are, and has 80 columns and 24 lines until it answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "output.h"
#include "terminal.h"
#include "text.h"

#define DEFAULT_WIDTH	80
#define DEFAULT_HEIGHT	24

#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_BELOW	"\033[J"
#define REVERSE		"\033[7m"
#define NORMAL		"\033[m"

/* After so long, ESC was a key. */
#define ESCAPE_WAIT	500000000ULL

static const char help_of_keys[] =
"\n"
" q                quit\n"
" s                sort by the next column\n"
" up, down         select a row\n"
" d, return        all events of the row that is selected, or of the first one;\n"
"                  other devices are not counted meanwhile\n"
" d, return, ESC   back to the table\n"
" space            stop and go on with the display; counting goes on\n"
" page up, down    scroll by a page\n"
" h                this help, and back\n"
"\n";

static const char help_of_marks[] =
" +-%                     error of what is sorted by: 19 of 20 lie within;\n"
"                         ! means that the load is bursty, so it says little\n"
" SEEN                    part of the time that the row was counted\n"
" ~                       a difference of what was counted at different times\n"
" *                       counted in an earlier interval, not in this one\n";

/**
 * struct live - the screen
 * @options: the command line
 * @paused: it stays as it is
 * @helping: it shows the help
 * @detailing: it shows all events of the row that is selected
 * @ended: somebody has pressed q, or nobody can any more
 * @sort: column that is sorted by
 * @scroll: lines that are above the screen
 * @width: of the screen
 * @height: of the screen
 * @size_known: the kernel knows the size
 * @selected: a row is selected
 * @selected_smmu: index of its SMMU
 * @selected_row: its index
 * @reveal: scroll to it
 * @pending: the beginning of an escape sequence
 * @report: that is shown
 * @detail: that is shown instead
 */
struct live {
	const struct options *options;
	bool paused;
	bool helping;
	bool detailing;
	bool ended;
	enum column sort;
	unsigned int scroll;
	unsigned int width;
	unsigned int height;
	bool size_known;
	bool selected;
	size_t selected_smmu;
	size_t selected_row;
	bool reveal;
	char pending[24];
	struct report report;
	struct text detail;
};

static void find_size(struct live *live)
{
	live->size_known = terminal_find_size(&live->width, &live->height);
}

/**
 * live_enter - take the terminal
 * @options: the command line
 *
 * Return: the screen, or NULL if there is no terminal
 */
struct live *live_enter(const struct options *options)
{
	struct live *live = grow(NULL, 0, sizeof(*live));

	live->options = options;
	live->sort = options->sort;
	live->width = DEFAULT_WIDTH;
	live->height = DEFAULT_HEIGHT;
	if (!terminal_enter()) {
		free(live);
		return NULL;
	}
	find_size(live);
	return live;
}

/* Gives the terminal back as it was. */
void live_leave(struct live *live)
{
	if (live)
		terminal_leave();
}

void live_free(struct live *live)
{
	if (!live)
		return;
	report_free(&live->report);
	text_free(&live->detail);
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

/**
 * live_detail - whether all events of a row are to be counted
 * @live: the screen, or NULL
 * @smmu: set to the index of its SMMU
 * @row: set to its index
 *
 * Return: whether it is so
 */
bool live_detail(const struct live *live, size_t *smmu, size_t *row)
{
	if (!live || !live->detailing || live->options->replay)
		return false;
	*smmu = live->selected_smmu;
	*row = live->selected_row;
	return true;
}

static void add_title(struct text *text, const struct live *live)
{
	const char *keys = live->helping || live->detailing ? "ESC back  q quit" :
			   "h help  q quit";
	struct text line = { .data = NULL };
	uint64_t interval = live->options->interval;
	char when[32] = "";
	size_t used;

	format_time(when, sizeof(when), live->report.seconds, "%H:%M:%S");
	text_add(&line, "smmutop  %s   %s   every %g s   %s%s%s",
		 live->report.machine ? live->report.machine->host : "", when,
		 interval ? interval / 1e9 : 2, live->detailing ? "one device" : "sort ",
		 live->detailing ? "" : columns[live->sort].head.title,
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

static unsigned int count_lines(const char *body, const char *end)
{
	unsigned int lines = 0;

	for (; body < end; body++)
		lines += *body == '\n';
	return lines;
}

static void add_help(struct text *text)
{
	const struct column_info *info;
	size_t begin;

	text_add(text, "%s", help_of_keys);
	begin = text->length;
	for (info = columns; info < columns + COLUMNS; info++) {
		text_add(text, " %s", info->head.title);
		if (!info->help)
			continue;
		text_add(text, "%*s%s\n", (int)(begin + 25 - text->length), "", info->help);
		begin = text->length;
	}
	text_add(text, "%s", help_of_marks);
}

/* What the screen shows below its title; the offsets of rows in a table, for each row. */
static void make_body(const struct live *live, struct text *body, size_t *rows)
{
	if (live->helping)
		add_help(body);
	else if (live->detailing && live->options->replay)
		text_add(body, "\n A recording has no other events than those of the table.\n");
	else if (live->detailing && live->detail.length)
		text_add_bytes(body, live->detail.data, live->detail.length);
	else if (live->detailing || !live->report.machine)
		text_add(body, "\n counting ...\n");
	else
		output_table(body, &live->report, live->width, rows);
}

static size_t number_of_rows(const struct live *live)
{
	size_t i, number = 0;

	for (i = 0; i < live->report.smmus_number; i++)
		number += live->report.smmus[i].rows_number;
	return number;
}

/* Where the row that is selected is on the screen, or how many there are if it is not there. */
static size_t find_selected(const struct live *live)
{
	const struct report_smmu *smmu;
	size_t i, j, place = 0;

	for (i = 0; i < live->report.smmus_number; i++) {
		smmu = &live->report.smmus[i];
		for (j = 0; j < smmu->rows_number; j++, place++)
			if (live->selected && smmu->smmu == live->selected_smmu &&
			    smmu->rows[j].row == live->selected_row)
				return place;
	}
	return place;
}

static void select_row(struct live *live, size_t place)
{
	const struct report_smmu *smmu;
	size_t i;

	for (i = 0; i < live->report.smmus_number; i++) {
		smmu = &live->report.smmus[i];
		if (place < smmu->rows_number) {
			live->selected = true;
			live->selected_smmu = smmu->smmu;
			live->selected_row = smmu->rows[place].row;
			return;
		}
		place -= smmu->rows_number;
	}
}

static bool shows_table(const struct live *live)
{
	return !live->helping && !live->detailing && live->report.machine;
}

/* Scrolls to a line if it is not on the screen. */
static void reveal_line(struct live *live, unsigned int line)
{
	if (line < live->scroll)
		live->scroll = line;
	if (live->height > 1 && line > live->scroll + live->height - 2)
		live->scroll = line - (live->height - 2);
}

static void draw(struct live *live)
{
	struct text body = { .data = NULL }, screen = { .data = NULL };
	const char *next, *selected = NULL;
	unsigned int line, lines, length, shown;
	size_t *rows, place;

	if (!terminal_is_taken())
		return;
	rows = calloc(number_of_rows(live) + 1, sizeof(*rows));
	if (!rows)
		return;
	make_body(live, &body, rows);
	place = find_selected(live);
	if (shows_table(live) && place < number_of_rows(live)) {
		selected = body.data + rows[place];
		if (live->reveal)
			reveal_line(live, count_lines(body.data, selected));
	}
	live->reveal = false;
	lines = count_lines(body.data, body.data + body.length);
	if (live->scroll + live->height - 1 > lines)
		live->scroll = lines > live->height - 1 ? lines - (live->height - 1) : 0;
	next = skip_lines(body.data, &live->scroll);
	text_add(&screen, HOME);
	add_title(&screen, live);
	text_add(&screen, CLEAR_LINE);
	for (line = 1; line < live->height && *next; line++) {
		length = strcspn(next, "\n");
		/* A table is as wide as the screen, other texts are as they are. */
		shown = length > live->width && !shows_table(live) ? live->width : length;
		text_add(&screen, "\r\n%s%.*s%s" CLEAR_LINE, next == selected ? REVERSE : "",
			 (int)shown, next, next == selected ? NORMAL : "");
		next += length + (next[length] == '\n');
	}
	text_add(&screen, CLEAR_BELOW);
	if (!terminal_put(screen.data, screen.length))
		live->ended = true;
	free(rows);
	text_free(&body);
	text_free(&screen);
}

/* What is shown is about a machine that is no more. */
void live_forget(struct live *live)
{
	if (!live)
		return;
	report_free(&live->report);
	live->selected = false;
	live->detailing = false;
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

/* Takes the text over. */
void live_show_detail(struct live *live, struct text *text)
{
	if (live->paused) {
		text_free(text);
		return;
	}
	text_free(&live->detail);
	live->detail = *text;
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

/* The first row is the one below none, which has the top of the screen above it. */
static void move_up(struct live *live)
{
	size_t place = find_selected(live);

	if (!shows_table(live) || place == number_of_rows(live)) {
		scroll(live, -1);
		return;
	}
	live->reveal = place;
	if (place)
		select_row(live, place - 1);
	else
		live->selected = false;
	if (!place)
		live->scroll = 0;
}

/* What is below the last row can only be looked at. */
static void move_down(struct live *live)
{
	size_t place = find_selected(live), number = number_of_rows(live);

	if (!shows_table(live) || !number || place + 1 == number) {
		scroll(live, 1);
		return;
	}
	select_row(live, place == number ? 0 : place + 1);
	live->reveal = true;
}

/* What follows ESC [: parameters and a final byte. */
static void take_sequence(struct live *live, const char *parameters, char final)
{
	unsigned int row, column;
	int page = live->height - 2;

	switch (final) {
	case 'A':
		move_up(live);
		break;
	case 'B':
		move_down(live);
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

/* One level up: from the help, or from the events of a device. */
static void go_back(struct live *live)
{
	if (live->helping)
		live->helping = false;
	else if (live->detailing)
		live->detailing = false;
	else
		return;
	live->scroll = 0;
	live->reveal = true;
}

/* The worst row where none is selected. */
static void show_detail(struct live *live)
{
	size_t number = number_of_rows(live);

	if (!live->report.machine || !number)
		return;
	if (find_selected(live) == number)
		select_row(live, 0);
	live->detailing = true;
	live->paused = false;
	text_free(&live->detail);
	live->scroll = 0;
}

static void take_key(struct live *live, char key)
{
	switch (key) {
	case 'q':
		live->ended = true;
		break;
	case 's':
		if (live->detailing)
			break;
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
	case 'd':
	case '\r':
	case '\n':
		if (live->helping || live->detailing)
			go_back(live);
		else
			show_detail(live);
		break;
	case 'k':
		move_up(live);
		break;
	case 'j':
		move_down(live);
		break;
	}
}

/*
 * ESC is a key, or the beginning of a sequence: ESC [, or ESC O, parameters, and a final byte
 * (ECMA-48 5.4). A serial line delivers a sequence in parts: @pending has what came of it.
 */
static void take_byte(struct live *live, char byte)
{
	size_t length = strlen(live->pending);

	if (length == 1 && byte != '[' && byte != 'O') {
		live->pending[0] = '\0';
		length = 0;
		go_back(live);
	}
	if (!length && byte != '\033') {
		take_key(live, byte);
		return;
	}
	/* No sequence that is known is that long. */
	if (length + 1 < sizeof(live->pending)) {
		live->pending[length] = byte;
		live->pending[length + 1] = '\0';
	}
	if (length < 2 || strchr("0123456789;?", byte))
		return;
	take_sequence(live, live->pending + 2, byte);
	live->pending[0] = '\0';
}

/**
 * live_timeout - when ESC is known to be a key, as nothing follows
 * @live: the screen, or NULL
 *
 * It only matters where it means something: otherwise, what belongs to it may take as long as it
 * likes.
 *
 * Return: ns after it was read, or 0 if there is nothing to wait for
 */
uint64_t live_timeout(const struct live *live)
{
	if (!live || strcmp(live->pending, "\033") || !(live->helping || live->detailing))
		return 0;
	return ESCAPE_WAIT;
}

/* Nothing has followed an ESC. */
void live_take_escape(struct live *live)
{
	live->pending[0] = '\0';
	go_back(live);
	draw(live);
}

/* Stops the program as the terminal wants it, and goes on as if nothing had been. */
static void suspend(struct live *live)
{
	terminal_suspend();
	find_size(live);
}

/**
 * live_input - take keys and what signals say
 * @live: the screen
 * @readable: there are keys
 */
void live_input(struct live *live, bool readable)
{
	ssize_t length, i;
	char keys[64];

	if (readable) {
		length = read(STDIN_FILENO, keys, sizeof(keys));
		if (!length || (length < 0 && errno != EINTR && errno != EAGAIN))
			live->ended = true;
		for (i = 0; i < length; i++)
			take_byte(live, keys[i]);
	}
	if (terminal_was_suspended())
		suspend(live);
	if (terminal_was_resized())
		find_size(live);
	draw(live);
}
