#include "cli/run/block_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/run/pattern.h"

enum { COLUMNS_MAX = 1 << 20 };

/* C or 'C s/RE/T/', where C is the number of a column or its name. */
static enum ls_status read_column(struct ls_block_groups *groups, struct ls_error *err) {
  const struct ls_block_options *options = groups->options;
  const char *text = options->group_by, *code = strstr(text, " s");
  groups->name = strndup(text, code == NULL ? strlen(text) : (size_t)(code - text));
  if (groups->name == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for --group-by");
  uint64_t number = 0;
  enum ls_status status = ls_console_whole("--group-by", groups->name,
                                           (struct ls_whole_range){1, COLUMNS_MAX}, &number, NULL);
  if (status != LS_OK && (options->header == NULL || groups->name[0] == '\0'))
    return ls_fail(err, LS_EINVAL,
                   "--group-by is '%.40s', expected the number of a column, or its name and "
                   "--header :, and no code but s/RE/TEXT/ after it",
                   text);
  groups->column = (size_t)number;
  return code == NULL ? LS_OK
                      : ls_substitution_compile("--group-by", code + 1, &groups->change, err);
}

enum ls_status ls_block_groups_open(struct ls_block_groups *groups,
                                    const struct ls_block_options *options,
                                    const struct ls_bytes *header, struct ls_error *failure,
                                    struct ls_error *err) {
  bool is_csv = options->csv.is_csv;
  *groups = (struct ls_block_groups){.options = options, .header = header, .failure = failure};
  groups->rows = (struct ls_row_form){.is_csv = is_csv,
                                      .separator = options->csv.csv_separator,
                                      .trims_left = !is_csv,
                                      .trims_right = !is_csv};
  enum ls_status status = read_column(groups, err);
  if (status != LS_OK || is_csv) return status;
  return ls_pattern_compile("--colsep", options->columns, (struct ls_pattern_traits){0},
                            &groups->rows.columns, err);
}

/* Does a line end in these bytes? `*next` is behind its end, or behind all of them. */
static bool find_line(const struct ls_block_groups *groups, struct ls_subject data, size_t from,
                      size_t *next, size_t *length) {
  struct ls_input_search search = {0};
  *length = data.length - from;
  bool is_whole = ls_input_form_cut(&groups->options->csv, data.data + from, data.length - from,
                                    &search, length);
  *next = from + *length + is_whole;
  return is_whole;
}

static enum ls_status split_line(struct ls_block_groups *groups, const char *line, size_t length) {
  if (length > 0 && memchr(line, '\0', length) != NULL)
    return ls_fail(groups->failure, LS_EINVAL,
                   "--group-by: a line holds a zero byte, expected text with columns");
  ls_bytes_clear(&groups->line);
  ls_bytes_append(&groups->line, line, length);
  const char *text = ls_bytes_text(&groups->line);
  if (groups->line.failed) return ls_fail(groups->failure, LS_ENOMEM, "out of memory for a line");
  return ls_row_make(&groups->rows, &text, 1, &groups->row, groups->failure);
}

/* The header has come by the time that the first line is asked for. */
static enum ls_status find_name(struct ls_block_groups *groups) {
  size_t next = 0, length = 0;
  const struct ls_subject header = {ls_bytes_text(groups->header), groups->header->length};
  (void)find_line(groups, header, 0, &next, &length);
  size_t mark = ls_text_mark(header.data, length);
  enum ls_status status = split_line(groups, header.data + mark, length - mark);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < groups->row.count && groups->column == 0; i++)
    if (strcmp(groups->row.values[i], groups->name) == 0) groups->column = i + 1;
  if (groups->column > 0) return LS_OK;
  return ls_fail(groups->failure, LS_EINVAL,
                 "--group-by is '%.40s', expected the number of a column, or a name in the header",
                 groups->name);
}

/* The value of a line that decides about its group; columns that are lacking are empty. */
static enum ls_status find_value(struct ls_block_groups *groups, const char *line, size_t length,
                                 struct ls_bytes *value) {
  enum ls_status status = groups->column == 0 ? find_name(groups) : LS_OK;
  if (status == LS_OK) status = split_line(groups, line, length);
  if (status != LS_OK) return status;
  const struct ls_row *row = &groups->row;
  const char *text = groups->column <= row->count ? row->values[groups->column - 1] : "";
  ls_bytes_clear(value);
  if (groups->change == NULL)
    ls_bytes_append_text(value, text);
  else
    status = ls_substitution_apply(groups->change, (struct ls_subject){text, strlen(text)}, value,
                                   groups->failure);
  return status == LS_OK && value->failed
             ? ls_fail(groups->failure, LS_ENOMEM, "out of memory for a column")
             : status;
}

static bool is_same(const struct ls_bytes *values) {
  return values[0].length == values[1].length &&
         memcmp(ls_bytes_text(&values[0]), ls_bytes_text(&values[1]), values[0].length) == 0;
}

/* The beginning of the first line that has another value. */
static size_t find_group_end(void *context, const char *bytes, size_t bytes_length, size_t from,
                             bool is_end) {
  struct ls_block_groups *groups = context;
  const struct ls_subject data = {bytes, bytes_length};
  bool is_first = true;
  for (size_t at = from, next = 0; at < data.length; at = next) {
    size_t length = 0;
    bool is_whole = find_line(groups, data, at, &next, &length);
    if (!is_whole && !is_end) return LS_RECORD_NONE;
    if (find_value(groups, data.data + at, length, &groups->values[!is_first]) != LS_OK)
      return LS_RECORD_NONE;
    if (!is_first && !is_same(groups->values)) return at;
    is_first = false;
  }
  return LS_RECORD_NONE;
}

struct ls_records ls_block_groups_records(struct ls_block_groups *groups) {
  return (struct ls_records){.find = find_group_end, .context = groups};
}

void ls_block_groups_close(struct ls_block_groups *groups) {
  ls_pattern_close(groups->rows.columns);
  ls_substitution_close(groups->change);
  ls_row_close(&groups->row);
  ls_bytes_close(&groups->line);
  for (int i = 0; i < 2; i++) ls_bytes_close(&groups->values[i]);
  free(groups->name);
  *groups = (struct ls_block_groups){.column = 0};
}
