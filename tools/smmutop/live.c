// SPDX-License-Identifier: GPL-2.0
/*
 * The screen that is drawn again after each interval, in ANSI escape sequences (ECMA-48) that all
 * terminals know.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_BELOW	"\033[J"
#define REVERSE		"\033[7m"
#define NORMAL		"\033[m"

/* After so long, ESC was a key. Counting goes on meanwhile. */
#define ESCAPE_WAIT_MS	100
/* In ns, by keys */
#define LEAST_INTERVAL	100000000ULL
#define MOST_INTERVAL	1000000000000ULL

static const char help_of_keys[] =
"\n"
" up, down, j, k    select a row; page up, page down, home, end: scroll\n"
" s or >, <         sort by the next column, or the one before; r: in reverse\n"
" /                 only rows with this in a name, StreamID or SMMU; ESC: all\n"
" +, -              report less often, or more often\n"
" f                 totals of all SMMUs, of each one, or of each counter group\n"
" a                 means since the start, or of the last interval\n"
" d, return         all events of the row that is selected, or of the first one;\n"
"                   other devices are not counted meanwhile\n"
" space             stop and go on with the display; counting goes on\n"
" ESC, q            back to the table; quit\n"
"\n";

static const char help_of_marks[] =
" +-%     Error of what is sorted by, in percent of it: 19 of 20 lie within.\n"
" SHARE   Part of the total of what is sorted by.\n"
" SAMPLED Part of the time in which the row was counted; figures are of all of it.\n"
" ~       a difference of what was counted at different times\n";

/* Keys that are no letters, by the end of what the terminal sends, and by a number before a "~" */
#define SEQUENCE(final)	(256 + (final))
#define NUMBERED(number)	(512 + (number))

/* Keys that do the same as others: those that other programs of this kind have for it. */
static const struct {
	int key;
	int same_as;
} other_keys[] = {
	{ '?', 'h' }, { SEQUENCE('P'), 'h' }, { NUMBERED(11), 'h' },
	{ '>', 's' }, { SEQUENCE('C'), 's' }, { NUMBERED(17), 's' }, { SEQUENCE('D'), '<' },
	{ 'I', 'r' }, { '\\', '/' }, { SEQUENCE('R'), '/' }, { SEQUENCE('S'), '/' },
	{ NUMBERED(13), '/' }, { NUMBERED(14), '/' }, { 'e', 'f' }, { NUMBERED(15), 'f' },
	{ '\r', 'd' }, { '\n', 'd' }, { 'p', ' ' }, { 'Z', ' ' }, { NUMBERED(21), 'q' },
	{ SEQUENCE('A'), 'k' }, { SEQUENCE('B'), 'j' },
	{ NUMBERED(1), SEQUENCE('H') }, { NUMBERED(7), SEQUENCE('H') },
	{ NUMBERED(4), SEQUENCE('F') }, { NUMBERED(8), SEQUENCE('F') },
};

/* Takes the terminal, if there is one. */
void live_enter(struct live *live, const struct options *options, uint64_t interval)
{
	live->options = options;
	live->interval = interval;
	live->wanted = (struct view_options){
		.sort = options->sort,
		.max_rows = options->rows,
		.min_share = options->min_share,
		.all = options->all,
		.filter = live->filter,
	};
	live->on = terminal_enter();
	if (live->on)
		terminal_find_size(&live->width, &live->height);
}

/* What is shown is about a machine that is no more. */
void live_forget(struct live *live)
{
	view_free(&live->view);
	report_free(&live->report);
	report_free(&live->whole);
	history_free(live->history);
	live->history = NULL;
	live->figures = NULL;
	live->elapsed = 0;
	live->selected = NULL;
	live->detailing = false;
}

void live_free(struct live *live)
{
	live_forget(live);
	text_free(&live->detail);
}

/* The row of which all events are to be counted, or NULL */
const struct row *live_detail(const struct live *live)
{
	return live->detailing && !live->options->replay ? live->selected : NULL;
}

/* Whatever has changed of what is shown. */
static void remake_view(struct live *live)
{
	struct report_smmu *smmu;

	view_free(&live->view);
	report_free(&live->whole);
	if (!live->report.machine)
		return;
	/* It does not say which rows have the most: not all of them were counted all the time. */
	if (live->since_start) {
		figures_report(live->figures, live->elapsed, true, &live->whole);
		for_each(smmu, live->whole.smmus)
			smmu->searched = false;
		live->whole.sort = live->report.sort;
		live->whole.seconds = live->report.seconds;
		live->whole.slice = live->report.slice;
	}
	view_make(&live->view, live->since_start ? &live->whole : &live->report, &live->wanted);
}

static void add_title(struct text *text, const struct live *live)
{
	const char *known = live->helping || live->detailing ? "ESC back  q quit" :
			    "h help  q quit";
	uint64_t interval = live->interval;
	char when[32] = "", seconds[24];
	struct text line = { .data = NULL };
	size_t used;

	format_time(when, sizeof(when), live->report.seconds);
	text_add(&line, "smmutop  %s   %s   ",
		 live->report.machine ? live->report.machine->host : "", when);
	if (live->since_start && live->view.report)
		interval = live->view.report->interval;
	else if (live->options->replay || live->report.interval > interval)
		interval = live->report.interval;
	format_seconds(seconds, sizeof(seconds), interval);
	text_add(&line, "%s %s   ", live->since_start ? "mean of" : "every", seconds);
	if (live->detailing)
		text_add(&line, "one device");
	else
		text_add(&line, "sort %s%s", live->wanted.by_device ? "DEVICE" :
			 columns[live->wanted.sort].title, live->wanted.ascending ? " up" : "");
	if (live->filtering || live->filter[0])
		text_add(&line, "   /%s%s", live->filter, live->filtering ? "_" : "");
	if (live->paused)
		text_add(&line, "   paused");
	used = text_columns(line.data);
	if (used + strlen(known) + 2 <= live->width)
		text_add(&line, "%*s%s", (int)(live->width - used - strlen(known)), "", known);
	text_add_bytes(text, line.data, text_bytes(line.data, live->width));
	text_free(&line);
}

/* Returns the start of the line after so many, or as many as there are. */
static const char *skip_lines(const char *body, unsigned int lines)
{
	while (lines-- && strchr(body, '\n'))
		body = strchr(body, '\n') + 1;
	return body;
}

static unsigned int count_lines(const char *body)
{
	unsigned int lines = 0;

	for (; *body; body++)
		lines += *body == '\n';
	return lines;
}

static void add_help(struct text *text)
{
	const struct column_info *info;

	text_add_string(text, help_of_keys);
	for (info = columns; info < columns + COLUMNS; info++)
		text_add(text, " %-7s %s\n", info->title, info->help);
	text_add_string(text, help_of_marks);
}

static bool shows_table(const struct live *live)
{
	return !live->helping && !live->detailing && live->view.report;
}

/* What the screen shows below its title. Returns how many lines are above the rows of a table. */
static unsigned int make_body(const struct live *live, struct text *body)
{
	struct table_style style = {
		.width = live->width,
		.color = terminal_has_colors(),
		.utf8 = terminal_has_utf8(),
		.fold = live->fold,
		.history = live->history,
	};

	if (shows_table(live))
		return output_table(body, &live->view, &style);
	if (live->helping)
		add_help(body);
	else if (live->detailing && live->options->replay)
		text_add(body, "\n A recording has no other events than those of the table.\n");
	else if (live->detailing && live->detail.length)
		text_add_bytes(body, live->detail.data, live->detail.length);
	else
		text_add(body, "\n counting ...\n");
	return 0;
}

/* Where the row that is selected is in the order, or how many there are if it is not there. */
static size_t find_selected(const struct live *live)
{
	size_t i = 0;

	while (i < live->view.shown && live->view.rows[i].row->row != live->selected)
		i++;
	return i;
}

static void select_row(struct live *live, size_t place)
{
	live->selected = place < live->view.shown ? live->view.rows[place].row->row : NULL;
}

/* The row that is selected is in reverse, and has no other colours. */
static void add_line(struct text *screen, const char *line, size_t length, bool selected)
{
	size_t i = 0;

	text_add(screen, "\r\n%s", selected ? REVERSE : "");
	while (i < length) {
		if (selected && line[i] == '\033')
			i += strcspn(line + i, "m") + 1;
		else
			text_add_bytes(screen, &line[i++], 1);
	}
	text_add(screen, "%s" CLEAR_LINE, selected ? NORMAL : "");
}

/* Scrolls to a line if it is not on the screen, and not beyond the last one. */
static void choose_scroll(struct live *live, unsigned int lines, unsigned int room,
			  unsigned int selected)
{
	if (live->reveal && selected < live->scroll)
		live->scroll = selected;
	if (live->reveal && selected < lines && room && selected >= live->scroll + room)
		live->scroll = selected - room + 1;
	live->reveal = false;
	if (live->scroll + room > lines)
		live->scroll = lines > room ? lines - room : 0;
}

/* The title, the head of a table, and then as much as there is room for. */
static void draw(struct live *live)
{
	struct text body = { .data = NULL }, screen = { .data = NULL };
	unsigned int line, head = 0, above = make_body(live, &body), selected = UINT_MAX;
	size_t place = find_selected(live), length;
	const char *next;
	size_t most;

	if (shows_table(live) && live->height >= TABLE_HEAD + 3)
		head = TABLE_HEAD;
	if (shows_table(live) && place < live->view.shown)
		selected = above + place - head + (live->view.judged && place >= live->view.judged);
	choose_scroll(live, count_lines(skip_lines(body.data, head)), live->height - 1 - head,
		      selected);
	text_add(&screen, HOME);
	add_title(&screen, live);
	text_add(&screen, CLEAR_LINE);
	next = body.data;
	for (line = 1; line < live->height && *next; line++) {
		if (line == head + 1)
			next = skip_lines(next, live->scroll);
		length = strcspn(next, "\n");
		/* A table is as wide as the screen, other texts are as they are. */
		most = shows_table(live) ? length : text_bytes(next, live->width);
		add_line(&screen, next, length > most ? most : length,
			 line > head && line - 1 - head + live->scroll == selected);
		next += length + (next[length] == '\n');
	}
	text_add(&screen, CLEAR_BELOW);
	if (!terminal_put(screen.data, screen.length))
		live->ended = true;
	text_free(&body);
	text_free(&screen);
}

/* Takes the report over, which was made of these figures. */
void live_show(struct live *live, struct report *report, struct figures *figures)
{
	if (!live->history)
		live->history = history_new(report->machine);
	history_add(live->history, report);
	live->figures = figures;
	live->elapsed += report->interval;
	if (live->paused) {
		report_free(report);
		return;
	}
	report_free(&live->report);
	live->report = *report;
	if (!live->fold_chosen)
		live->fold = default_fold(report);
	remake_view(live);
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

/* The columns from the left, then by device; the column that is searched stays then. */
static void change_sort(struct live *live, int direction)
{
	int place = live->wanted.by_device ? COLUMNS : (int)live->wanted.sort;

	do {
		place = (place + direction + COLUMNS + 1) % (COLUMNS + 1);
	} while (place < COLUMNS && !(live->options->columns & 1U << place));
	live->wanted.by_device = place == COLUMNS;
	if (place < COLUMNS)
		live->wanted.sort = place;
	live->reveal = true;
}

static void scroll(struct live *live, int lines)
{
	if (lines < 0 && live->scroll < (unsigned int)-lines)
		live->scroll = 0;
	else
		live->scroll += lines;
}

/* Each step is twice as long as the one before, or nearly: 1, 2, 5, 10 and so on. */
static void change_interval(struct live *live, bool longer)
{
	uint64_t step = LEAST_INTERVAL, last = step;
	unsigned int i;

	for (i = 1; step <= live->interval - !longer && step < MOST_INTERVAL; i++) {
		last = step;
		step = step * (i % 3 == 2 ? 5 : 4) / 2;
	}
	step = longer ? step : last;
	/* What was given may be beyond all steps. */
	if (longer ? step > live->interval : step < live->interval)
		live->interval = step;
}

/* The first row is the one below none, which has the top of the screen above it. */
static void move_up(struct live *live)
{
	size_t place = find_selected(live);

	if (!shows_table(live) || place == live->view.shown) {
		scroll(live, -1);
		return;
	}
	live->reveal = place;
	if (!place)
		live->scroll = 0;
	select_row(live, place ? place - 1 : SIZE_MAX);
}

/* What is below the last row can only be looked at. */
static void move_down(struct live *live)
{
	size_t place = find_selected(live), number = live->view.shown;

	if (!shows_table(live) || !number || place + 1 == number) {
		scroll(live, 1);
		return;
	}
	select_row(live, place == number ? 0 : place + 1);
	live->reveal = true;
}

/* One level up: from the help, from the events of a device, or from rows with a filter. */
static void go_back(struct live *live)
{
	if (live->helping)
		live->helping = false;
	else if (live->detailing)
		live->detailing = false;
	else
		live->filter[0] = '\0';
	live->pending[0] = '\0';
	live->filtering = false;
	live->scroll = 0;
	live->reveal = true;
	remake_view(live);
}

/* The first row where none is selected. */
static void show_detail(struct live *live)
{
	if (!live->report.machine || !live->view.shown)
		return;
	if (find_selected(live) == live->view.shown)
		select_row(live, 0);
	live->detailing = true;
	live->paused &= !!live->options->replay;
	text_free(&live->detail);
	live->scroll = 0;
}

static void act(struct live *live, int key)
{
	int page = live->height > TABLE_HEAD + 3 ? live->height - 2 - TABLE_HEAD : 1;

	switch (key) {
	case 'q':
		live->ended = true;
		break;
	case 'h':
		live->helping = !live->helping;
		live->scroll = 0;
		break;
	case 's':
	case '<':
		if (!live->detailing)
			change_sort(live, key == 's' ? 1 : -1);
		break;
	case 'r':
		live->wanted.ascending = !live->wanted.ascending;
		break;
	case '/':
		live->filtering = shows_table(live);
		break;
	case 'f':
		live->fold = (live->fold + 1) % FOLDS;
		live->fold_chosen = true;
		break;
	case '+':
	case '-':
		change_interval(live, key == '+');
		break;
	case 'a':
		live->since_start = !live->since_start;
		break;
	case 'd':
		if (live->helping || live->detailing)
			go_back(live);
		else
			show_detail(live);
		break;
	case ' ':
		live->paused = !live->paused;
		break;
	case 'k':
		move_up(live);
		break;
	case 'j':
		move_down(live);
		break;
	case NUMBERED(5):
	case NUMBERED(6):
		scroll(live, key == NUMBERED(5) ? -page : page);
		break;
	case SEQUENCE('H'):
	case SEQUENCE('F'):
		live->scroll = key == SEQUENCE('H') ? 0 : UINT_MAX / 2;
		break;
	}
	remake_view(live);
}

/* A filter that is typed applies at once. */
static void take_filter_key(struct live *live, char key)
{
	size_t length = strlen(live->filter);

	if (key == '\r' || key == '\n') {
		live->filtering = false;
	} else if (key == 0x7f || key == '\b') {
		while (length && (live->filter[length - 1] & 0xc0) == 0x80)
			length--;
		live->filter[length ? length - 1 : 0] = '\0';
	} else if ((unsigned char)key >= ' ' && length + 1 < sizeof(live->filter)) {
		live->filter[length] = key;
		live->filter[length + 1] = '\0';
	}
	remake_view(live);
}

static void take_key(struct live *live, int key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(other_keys); i++)
		if (other_keys[i].key == key) {
			act(live, other_keys[i].same_as);
			return;
		}
	act(live, key);
}

/*
 * What follows ESC [ or ESC O: parameters and a final byte. F1 to F5 of the Linux console are
 * ESC [ [ A to ESC [ [ E.
 */
static void take_sequence(struct live *live, const char *parameters, char final)
{
	take_key(live, final == '~' ? NUMBERED((int)strtoul(parameters, NULL, 10) % 256) :
		 parameters[0] == '[' ? NUMBERED(11 + final - 'A') : SEQUENCE(final));
}

/*
 * ESC is a key, or the beginning of a sequence: ESC [, or ESC O, parameters, and a final byte
 * (ECMA-48 5.4). A serial line delivers a sequence in parts: @pending has what came of it.
 */
static void take_byte(struct live *live, char byte)
{
	size_t length = strlen(live->pending);

	if (length == 1 && byte != '[' && byte != 'O') {
		length = 0;
		go_back(live);
	}
	if (!length && byte != '\033') {
		if (live->filtering)
			take_filter_key(live, byte);
		else
			take_key(live, (unsigned char)byte);
		return;
	}
	/* No sequence that is known is that long. */
	if (length + 1 < sizeof(live->pending)) {
		live->pending[length] = byte;
		live->pending[length + 1] = '\0';
	}
	if (length < 2 || strchr("0123456789;?", byte) || (length == 2 && byte == '['))
		return;
	take_sequence(live, live->pending + 2, byte);
	live->pending[0] = '\0';
}

/* Whether an ESC, where it means something, is a key, as nothing follows soon. */
static bool is_escape(const struct live *live)
{
	struct pollfd key = { .fd = STDIN_FILENO, .events = POLLIN };

	return !strcmp(live->pending, "\033") &&
	       (live->helping || live->detailing || live->filtering || live->filter[0]) &&
	       !poll(&key, 1, ESCAPE_WAIT_MS);
}

/* Takes keys, if there are any, and what signals say. */
void live_input(struct live *live, bool readable)
{
	ssize_t length, i;
	char bytes[64];

	if (readable) {
		length = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (!length || (length < 0 && errno != EAGAIN))
			live->ended = true;
		for (i = 0; i < length; i++)
			take_byte(live, bytes[i]);
		if (is_escape(live))
			go_back(live);
	}
	if (terminal_has_changed())
		terminal_find_size(&live->width, &live->height);
	draw(live);
}
