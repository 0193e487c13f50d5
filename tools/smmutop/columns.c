// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of a row.
 */
#include <string.h>

#include "columns.h"
#include "text.h"

#define COLUMN(name, ...)	\
	[name] = { __VA_ARGS__ },
#define TEXT(...)

const struct column_info columns[COLUMNS] = {
#include "column_table.h"
};

#undef COLUMN
#undef TEXT
#define COLUMN(...)
#define TEXT(name, ...)	\
	[name] = { __VA_ARGS__ },

const struct row_text_info row_texts[ROW_TEXTS] = {
#include "column_table.h"
};

/* Finds a column by its option name; false if there is none. */
bool column_find(const char *option, size_t length, enum column *column)
{
	for (*column = 0; *column < COLUMNS; ++*column)
		if (strlen(columns[*column].option) == length &&
		    !memcmp(columns[*column].option, option, length))
			return true;
	return false;
}

/* "txn, miss and walk", with what is said of the default; valid until the next call. */
const char *column_names(const char *of_default, const char *last)
{
	static struct text names;
	unsigned int column;

	text_clear(&names);
	for (column = 0; column < COLUMNS; column++)
		text_add(&names, "%s%s%s", !column ? "" : column < COLUMNS - 1 ? ", " : last,
			 columns[column].option, column == DEFAULT_SORT ? of_default : "");
	return names.data;
}

/* Whether counter groups of a kind count a column. */
bool column_is_of(enum column column, enum pmcg_kind kind)
{
	return kind == KIND_ALL || kind == columns[column].kind;
}

/* The first rate of an event that counter groups of a kind count; COLUMNS if there is none. */
enum column column_of_event(enum pmcg_event event, enum pmcg_kind kind)
{
	enum column column;

	for (column = 0; column < COLUMNS; column++)
		if (columns[column].event == event && !columns[column].base &&
		    column_is_of(column, kind))
			break;
	return column;
}

/* What a ratio is a ratio of; COLUMNS if the column is none. */
enum column column_of_base(enum column ratio)
{
	return columns[ratio].base ? column_of_event(columns[ratio].base, columns[ratio].kind) :
	       COLUMNS;
}

/* A ratio has no share of a total: it is that of its numerator, or of what it is a ratio of. */
enum column column_of_share(enum column column)
{
	enum column numerator = column_of_event(columns[column].event, columns[column].kind);

	return !columns[column].base ? column : numerator < COLUMNS ? numerator :
	       column_of_base(column);
}

/* The ratio that a column is, or is part of, or NULL. */
const struct column_info *column_ratio(enum column part)
{
	const struct column_info *info = &columns[part], *ratio;

	if (info->base)
		return info;
	for (ratio = columns; ratio < columns + COLUMNS; ratio++)
		if (ratio->base && ratio->kind == info->kind &&
		    (ratio->event == info->event || ratio->base == info->event))
			return ratio;
	return NULL;
}

/* A value in the unit that people see. */
double column_shown(enum column column, double value)
{
	return columns[column].percent ? 100 * value : value;
}
