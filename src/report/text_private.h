/* text_private.h: names and numbers as the formats of this folder write them.
 *
 * A worker's name may hold any byte: what is no printable UTF-8 is replaced before it reaches a
 * terminal or a document.
 */
#ifndef LS_REPORT_TEXT_PRIVATE_H
#define LS_REPORT_TEXT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "model/timeline.h"
#include "report/report.h"

enum { LS_REPORT_NAME_BYTES = 64 };

/* The name of a worker, "worker-N" for one that the timeline does not list; the caller's buffer
 * holds it in the second case. */
const char *ls_report_worker(const struct ls_timeline *timeline, uint32_t worker,
                             char buffer[LS_REPORT_NAME_BYTES]);
/* As it is drawn: done, failed (also what timed out), or lost (all else that gave no result). */
enum ls_outcome ls_report_outcome(const struct ls_span *span);
/* Appends text with every control character and broken sequence as "?" (all beyond ASCII, too, when
 * `is_ascii`), cut to `columns` characters (0: all of them). Returns how many were written; `out`
 * NULL: would be. */
size_t ls_report_clean(const char *text, bool is_ascii, size_t columns, struct ls_bytes *out);
/* The same with padding: at least `columns` characters, the text at the left. */
void ls_report_pad(const char *text, bool is_ascii, size_t columns, struct ls_bytes *out);
/* As ls_report_clean, with & < > and quotes escaped for XML. */
void ls_report_xml(const char *text, struct ls_bytes *out);

/* At most `columns` characters of it, whole words, with an ellipsis for the rest. */
void ls_report_shorten(const char *text, size_t columns, struct ls_bytes *out);

/* Rows of a chart: the resources that have spans, then every worker, whose reader, if any worker's
 * has spans, has a row above it. */
struct ls_report_rows {
  bool has[LS_RESOURCE_WORKER]; /* master, network, return */
  size_t resources_count;       /* how many of them */
  size_t per_worker;            /* 1, or 2 with readers */
  size_t count;                 /* of all rows */
  /* Results return, and there are no more messages than workers: the rows of the workers then show
   * their messages, too, as the papers on such loads draw them. */
  bool has_messages;
};

void ls_report_rows(const struct ls_timeline *timeline, struct ls_report_rows *rows);
/* The row of a span, or the number of rows for a worker out of range. */
size_t ls_report_row(const struct ls_report_rows *rows, const struct ls_span *span);
/* The row of the worker whose message this span is, where such rows show messages; else the number
 * of rows. */
size_t ls_report_message_row(const struct ls_report_rows *rows, const struct ls_span *span);
/* The name of a row ("node1 reader"); `buffer` as above. */
const char *ls_report_row_name(const struct ls_timeline *timeline,
                               const struct ls_report_rows *rows, size_t row,
                               char buffer[LS_REPORT_NAME_BYTES]);
/* The worker of a row, also of its reader's; NULL for master and networks. */
const struct ls_timeline_worker *ls_report_row_worker(const struct ls_timeline *timeline,
                                                      const struct ls_report_rows *rows,
                                                      size_t row);

/* At most four significant digits, none of a whole number lost. */
void ls_report_number(double number, struct ls_bytes *out);

/* The drawing of svg.c with at most so many rectangles of work; a row gets at least one. */
void ls_report_svg_brief(const struct ls_timeline *timeline,
                         const struct ls_report_options *options, size_t rectangles,
                         struct ls_bytes *out);

/* The right end of a time axis: the makespan, or the last end of a span, at least a little. */
double ls_report_end(const struct ls_timeline *timeline);
/* The distance of marks on an axis of `end_s` seconds with at most `count` of them: 1, 2 or 5 times
 * a power of ten. */
double ls_report_tick(double end_s, size_t count);

#endif
