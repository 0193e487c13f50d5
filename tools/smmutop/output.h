/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats in which a report is written.
 */
#ifndef SMMUTOP_OUTPUT_H
#define SMMUTOP_OUTPUT_H

#include "figures.h"
#include "text.h"

void format_number(char *buffer, size_t size, double number);
void format_time(char *buffer, size_t size, double seconds, const char *format);
void row_stream_ids(struct text *text, const struct machine *machine,
		    const struct report_smmu *report, const struct report_row *row,
		    const char *separator);
void row_tbus(struct text *text, const struct report_row *row, const char *separator);

void output_table(struct text *text, const struct report *report, unsigned int width,
		  size_t *rows);
void output_csv(struct text *text, const struct report *report, bool header);
void output_json(struct text *text, const struct report *report);
void output_prometheus(struct text *text, const struct report *report);

#endif
