#include "cli/run/run_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"

/* --header without --colsep: a table with tabs. */
#define HEADER_COLUMNS "\t"

static enum ls_status open_rows(struct ls_row_form *rows, const struct ls_input_options *options,
                                struct ls_error *err) {
  bool has_columns = options->colsep != NULL || options->form.is_csv;
  *rows = (struct ls_row_form){
      .is_csv = options->form.is_csv,
      .separator = options->form.csv_separator,
      .trims_left = options->has_trim ? options->trims_left : options->colsep != NULL,
      .trims_right = options->has_trim ? options->trims_right : options->colsep != NULL};
  const char *columns = options->colsep != NULL                   ? options->colsep
                        : options->header != NULL && !has_columns ? HEADER_COLUMNS
                                                                  : NULL;
  if (columns == NULL || rows->is_csv) return LS_OK;
  return ls_pattern_compile("--colsep", columns, (struct ls_pattern_traits){0}, &rows->columns,
                            err);
}

enum ls_status ls_run_words_open(struct ls_run_words *words, const struct ls_input_options *options,
                                 struct ls_error *err) {
  words->rules = calloc(options->rules_count + 1, sizeof *words->rules);
  words->grammar =
      (struct ls_grammar){.has_plus = options->has_plus,
                          .parens = options->parens,
                          .rules = words->rules,
                          .has_columns = options->colsep != NULL || options->form.is_csv};
  memcpy(words->grammar.spellings, options->spellings, sizeof words->grammar.spellings);
  if (words->rules == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for --rpl");
  enum ls_status status = open_rows(&words->rows, options, err);
  for (size_t i = 0; i < options->rules_count && status == LS_OK; i++) {
    status = ls_rule_compile(options->rules[i], &words->rules[i], err);
    words->grammar.rules_count += status == LS_OK;
  }
  return status;
}

static enum ls_status add_name(struct ls_run_words *words, const struct ls_value_name *name,
                               struct ls_error *err) {
  void *names = words->names;
  if (ls_array_reserve(&names, &words->names_capacity, words->names_count + 1,
                       sizeof *words->names) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for names");
  words->names = names;
  for (size_t i = 0; i < words->names_count; i++) {
    if (strcmp(words->names[i].text, name->text) != 0) continue;
    char shown[96];
    ls_console_show(name->text, shown, sizeof shown);
    return ls_fail(err, LS_EINVAL,
                   "--header: two columns are named '%s', expected names that differ", shown);
  }
  char *copy = strdup(name->text);
  if (copy == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for names");
  words->names[words->names_count] = *name;
  words->names[words->names_count++].text = copy;
  return LS_OK;
}

/* The most columns of a source, and those of all sources. */
struct widths {
  size_t most, all;
};

/* The names of the columns of one source. */
static enum ls_status name_columns(struct ls_run_words *words, const char *header, size_t source,
                                   struct widths *columns, struct ls_error *err) {
  struct ls_row row = {0};
  struct ls_row_form form = words->rows;
  form.trims_left = form.trims_right = true;
  enum ls_status status = ls_row_make(&form, &header, 1, &row, err);
  for (size_t i = 0; i < row.count && status == LS_OK; i++)
    if (row.values[i][0] != '\0')
      status = add_name(words,
                        &(struct ls_value_name){.text = row.values[i],
                                                .place = {.source = source + 1, .column = i + 1},
                                                .value = columns->all + i},
                        err);
  if (row.count > columns->most) columns->most = row.count;
  columns->all += row.count;
  ls_row_close(&row);
  return status;
}

enum ls_status ls_run_words_read(struct ls_run_words *words, const struct ls_input_options *options,
                                 struct ls_task_source *source, struct ls_error *err) {
  size_t shown = ls_task_source_shown(source);
  struct widths columns = {0, 0};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < shown && options->header != NULL && status == LS_OK; i++) {
    const char *header = ls_task_source_header(source, i);
    if (header != NULL) status = name_columns(words, header, i, &columns, err);
  }
  /* With several sources a row that lacks a column has what follows in another place. */
  for (size_t i = 0; i < words->names_count && shown > 1 && columns.most > 1; i++)
    words->names[i].value = SIZE_MAX;
  /* A tab within a value divides it only where the header has tabs, too. */
  bool is_single = options->colsep == NULL && !words->rows.is_csv && columns.most < 2;
  if (is_single) {
    ls_pattern_close(words->rows.columns);
    words->rows.columns = NULL;
  }
  words->grammar.has_columns = words->grammar.has_columns || columns.most > 1;
  words->grammar.names = words->names;
  words->grammar.names_count = words->names_count;
  words->grammar.sources_count = shown;
  source->rows = ls_row_form_is_plain(&words->rows) ? NULL : &words->rows;
  return status;
}

void ls_run_words_close(struct ls_run_words *words) {
  for (size_t i = 0; i < words->grammar.rules_count; i++) ls_rule_close(&words->rules[i]);
  for (size_t i = 0; i < words->names_count; i++) free((char *)words->names[i].text);
  free(words->rules);
  free(words->names);
  ls_pattern_close(words->rows.columns);
  *words = (struct ls_run_words){0};
}
