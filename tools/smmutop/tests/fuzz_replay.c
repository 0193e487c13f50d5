// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings with mistakes: whatever is in a file, reading and showing it does nothing wrong that
 * the sanitizers know. The mistakes are the same each time.
 */
#include <stdlib.h>
#include <string.h>

#include "../output.h"
#include "../record.h"
#include "test.h"

#define FILES	3000

static const char good[] =
"smmutop-recording\t2\n"
"host\tarm07\n"
"smmu\tsmmu3.2b400000\tarm-smmu-v3.0.auto\t24\n"
"smmu\tsmmu3.3b400000\tarm-smmu-v3.1.auto\t24\n"
"pmcg\tsmmuv3_pmcg_2b402\tTCU\tMMU-600\tarm_smmuv3_pmcg\t0\tTCU\t4\tone\t0x7f\t24\n"
"pmcg\tsmmuv3_pmcg_2b422\tTBU0\tMMU-600\tarm_smmuv3_pmcg\t0\tTBU\t4\tone\t0x87\t24\n"
"pmcg\tsmmuv3_pmcg_3b422\tall\t\tarm_smmuv3_pmcg\t1\tall\t8\teach\t0xff\t32\n"
"device\t0000:81:00.0\tnvme\tnvme3n1\t41\tlazy\n"
"device\t0000:41:00.1\tmlx5_core\teth3\t42\tstrict\n"
"stream\t0\t0x8100\t0\t0\n"
"stream\t0\t0x8200\t1\t1\n"
"stream\t1\t0x1008100\t1\t0\n"
"begin\n"
"slice\t1\t50000000\t50000000\t0x8100/0:2=301\t0x8100/0:1=2100\n"
"slice\t1\t50000000\t40000000\t0x8200/3:2=60\t0x8200/3:1=1220\n"
"slice\t1\t50000000\t50000000\t*:2=388\t*:1=7910\n"
"slice\t0\t50000000\t50000000\t0x8100/0:2=90\t0x8100/0:4=360\t0x8100/0:3=1\t0x8100/0:6=2\n"
"slice\t0\t50000000\t50000000\t*:2=118\t*:4=460\t*:3=15\t*:6=1\n"
"slice\t2\t50000000\t50000000\t0x1008100/0:2=5\t*:2=9\t0x1008100/0:1=17\t*:1=20\n"
"report\t1795343529.000\t2000000000\t50000000\tmiss\n"
"gone\t2\n"
"forget\n"
"round\n"
"slice\t1\t50000000\t50000000\t0x8100/0:2=302\t0x8100/0:1=2101\n"
"slice\t1\t50000000\t50000000\t*:2=389\t*:1=7911\n"
"whole\t1795343531.000\t2000000000\t50000000\twalk\n";

static uint64_t state = 1;

/* xorshift64 */
static size_t random_below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* One mistake: a byte, a number, a part that is not there or is there twice, or an early end. */
static size_t make_mistake(char *text, size_t length, size_t size)
{
	static const char * const numbers[] = {
		"0", "1", "31", "32", "63", "64", "255", "4294967295", "4294967296", "-1", "nan",
		"18446744073709551615", "1e308", "inf", "0x", "miss%", "\t",
	};
	size_t place = random_below(length), part = random_below(length - place) % 80, more;
	const char *number;

	switch (random_below(5)) {
	case 0:
		text[place] = random_below(256);
		return length;
	case 1:
		memmove(text + place, text + place + part, length - place - part);
		return length - part;
	case 2:
		if (length + part >= size)
			return length;
		memmove(text + place + part, text + place, length - place);
		return length + part;
	case 3:
		return random_below(8) ? length : place + 1;
	default:
		while (place < length - 1 && !strchr("\t=/:", text[place]))
			place++;
		place++;
		part = strcspn(text + place, "\t\n=/:");
		number = numbers[random_below(ARRAY_SIZE(numbers))];
		more = strlen(number);
		if (place + part > length || length + more >= size)
			return length;
		memmove(text + place + more, text + place + part, length - place - part);
		memcpy(text + place, number, more);
		return length + more - part;
	}
}

static void show(struct history *history, const struct report *report)
{
	struct view_options options = {
		.sort = random_below(COLUMNS),
		.ascending = random_below(2),
		.by_device = !random_below(4),
		.max_rows = random_below(3),
		.min_share = random_below(3) / 4.0,
		.all = random_below(2),
		.filter = random_below(4) ? "" : "8",
	};
	struct table_style style = {
		.width = 1 + random_below(300),
		.color = random_below(2),
		.utf8 = random_below(2),
		.fold = random_below(FOLDS),
		.history = random_below(2) ? history : NULL,
	};
	struct text text = { .data = NULL };
	struct view view;

	view_make(&view, report, &options);
	output_table(&text, &view, &style);
	output_csv(&text, &view, true);
	output_json(&text, &view);
	output_prometheus(&text, &view);
	CHECK(text.length > 0, "nothing is shown");
	text_free(&text);
	view_free(&view);
}

/* Returns how many reports there were. */
static unsigned int replay_file(FILE *file)
{
	struct history *history = NULL;
	struct report report;
	struct figures *figures;
	struct machine machine;
	unsigned int reports = 0;
	struct replay replay;

	if (replay_open(&replay, file, &machine)) {
		figures = figures_new(&machine);
		while (replay_next(&replay, figures, &report) == REPLAY_REPORT) {
			if (!history)
				history = history_new(report.machine);
			history_add(history, &report);
			show(history, &report);
			report_free(&report);
			figures_next_interval(figures);
			reports++;
		}
		history_free(history);
		figures_free(figures);
	}
	free(replay.line);
	machine_free(&machine);
	return reports;
}

static void mistakes(void)
{
	char text[2 * sizeof(good)];
	unsigned int i, j, number, shown = 0;
	size_t length;
	FILE *file;

	for (i = 0; i < FILES; i++) {
		length = strlen(good);
		memcpy(text, good, sizeof(good));
		number = random_below(6);
		for (j = 0; j < number; j++)
			length = make_mistake(text, length, sizeof(text));
		file = fmemopen(text, length, "r");
		CHECK(file, "no file");
		if (file) {
			shown += replay_file(file);
			fclose(file);
		}
	}
	/* The mistakes are not such that nothing is ever shown. */
	CHECK(shown > FILES / 2, "only %u reports", shown);
}

static const struct test tests[] = { TEST(mistakes) };

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
