/* results_table.h: --results FILE.csv, .tsv or .json: a row per task with the columns of the job
 * log, the inputs, and both outputs.
 *
 * A row is one write behind all others.  Where a run goes on, the tasks that have a row get no
 * other, and half a row that a killed master left is removed.
 */
#ifndef LS_CLI_RUN_RESULTS_TABLE_H
#define LS_CLI_RUN_RESULTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/grammar.h"
#include "cli/run/joblog.h"
#include "runtime/application.h"

enum ls_table_form { LS_TABLE_NONE, LS_TABLE_CSV, LS_TABLE_TSV, LS_TABLE_JSON, LS_TABLE_COUNT };

/* By the end of the name. */
enum ls_table_form ls_results_table_form(const char *path);

struct ls_table_entry {
  const struct ls_joblog_entry *line;
  const char *const *values;
  size_t values_count;
  size_t columns_count; /* in the heading, of values; those that a task lacks are empty, what is
                           more stands in the last one */
  const struct ls_output *outputs[2];
};

/* The columns of values, in the heading: V1, V2, ... where --header has named none. */
struct ls_table_columns {
  size_t count; /* 0: as many as the first row has */
  const struct ls_value_name *names;
  size_t names_count;
};

/* Appends the heading; JSON has none. */
void ls_results_table_heading(enum ls_table_form form, const struct ls_table_columns *columns,
                              struct ls_bytes *out);
/* Appends a row. LS_EIO: an output cannot be read; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_results_table_row(enum ls_table_form form,
                                               const struct ls_table_entry *entry,
                                               struct ls_bytes *out, struct ls_error *err);

struct ls_results_table;

struct ls_table_setup {
  const char *path;
  struct ls_table_columns columns; /* borrowed until it is closed */
  bool goes_on;                    /* the rows that are there stay */
  bool repeats_failures;           /* a task whose row says that it failed may get another */
  bool is_synced;
};

/* LS_EINVAL names the file. */
LS_CHECKED enum ls_status ls_results_table_open(const struct ls_table_setup *setup,
                                                struct ls_results_table **out,
                                                struct ls_error *err);
LS_CHECKED enum ls_status ls_results_table_add(struct ls_results_table *table,
                                               const struct ls_table_entry *entry,
                                               struct ls_error *err);
void ls_results_table_close(struct ls_results_table *table);

#endif
