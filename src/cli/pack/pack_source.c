#include "cli/pack/pack_source.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/console.h"
#include "cli/pack/pack_journal.h"
#include "formats/sacct_lines.h"
#include "formats/task_times_text.h"

const char *const ls_pack_form_names[LS_PACK_FORMS + 1] = {"csv",   "joblog",  "junit", "durations",
                                                           "sacct", "journal", "list",  NULL};

static const char DATABASE[] = "SQLite format 3";

/* A database is read by its name. */
static bool is_database(const char *path) {
  char head[sizeof DATABASE] = {0};
  FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
  if (file == NULL) return false;
  size_t length = fread(head, 1, sizeof head, file);
  (void)fclose(file);
  return length == sizeof head && memcmp(head, DATABASE, sizeof head) == 0;
}

static enum ls_pack_form guess_form(const struct ls_text *text) {
  static const char heading[] = "Seq\tHost";
  size_t start = 0;
  while (start < text->length && strchr(" \t\r\n", text->data[start]) != NULL) start++;
  const char *line = text->data + start;
  size_t left = text->length - start;
  const char *end = memchr(line, '\n', left);
  size_t length = end == NULL ? left : (size_t)(end - line);
  if (length > 0 && line[length - 1] == '\r') length--;
  if (length > 0 && line[0] == '<') return LS_PACK_FORM_JUNIT;
  if (length > 0 && (line[0] == '{' || line[0] == '[')) return LS_PACK_FORM_DURATIONS;
  if (length >= sizeof heading - 1 && memcmp(line, heading, sizeof heading - 1) == 0)
    return LS_PACK_FORM_JOBLOG;
  if (ls_sacct_is_ours(*text)) return LS_PACK_FORM_SACCT;
  return ls_task_times_is_csv(line, length) ? LS_PACK_FORM_CSV : LS_PACK_FORM_ANY;
}

static enum ls_status read_text(struct ls_task_times *times, struct ls_text text,
                                enum ls_pack_form form, struct ls_error *err) {
  static const ls_task_times_reader_fn readers[LS_PACK_FORMS] = {
      [LS_PACK_FORM_CSV] = ls_task_times_read_csv,
      [LS_PACK_FORM_JOBLOG] = ls_task_times_read_joblog,
      [LS_PACK_FORM_JUNIT] = ls_task_times_read_junit,
      [LS_PACK_FORM_DURATIONS] = ls_task_times_read_durations,
      [LS_PACK_FORM_SACCT] = ls_task_times_read_sacct};
  if (text.length == 0)
    return ls_fail(err, LS_EINVAL, "%s: is empty, expected times of tasks", text.source);
  if (form == LS_PACK_FORM_ANY) form = guess_form(&text);
  if (form == LS_PACK_FORM_LIST) return ls_task_times_read_list(times, text, false, err);
  if (form == LS_PACK_FORM_ANY)
    return ls_fail(err, LS_EINVAL,
                   "%s: its format is unknown, expected a journal, a job log, CSV with a heading "
                   "such as name,seconds, JUnit's XML, .test_durations, or what sacct --parsable2 "
                   "writes (--from says which; a list of tasks is given as --tasks)",
                   text.source);
  enum ls_status status = readers[form](times, text, err);
  if (status != LS_EINVAL || form != LS_PACK_FORM_JOBLOG || times->skips_bad) return status;
  struct ls_error why = *err;
  return ls_fail(err, status, "%s (--skip-bad leaves such lines out)", why.text);
}

/* The text of a file, for messages under its name; the caller closes `bytes`. */
static enum ls_status load(const char *path, struct ls_bytes *bytes, struct ls_text *text,
                           struct ls_error *err) {
  enum ls_status status = ls_console_read(path, bytes, err);
  if (status != LS_OK) return status;
  *text = (struct ls_text){ls_bytes_text(bytes), bytes->length,
                           strcmp(path, "-") == 0 ? "standard input" : path};
  return LS_OK;
}

enum ls_status ls_pack_source_read(struct ls_task_times *times, const char *path,
                                   enum ls_pack_form form, struct ls_error *err) {
  struct ls_bytes bytes = {0};
  struct ls_text text;
  size_t before = times->count;
  if (form == LS_PACK_FORM_JOURNAL || (form == LS_PACK_FORM_ANY && is_database(path)))
    return ls_pack_journal_read(times, path, err);
  enum ls_status status = load(path, &bytes, &text, err);
  if (status == LS_OK) status = read_text(times, text, form, err);
  if (status == LS_OK && times->count == before && times->count == 0)
    status = ls_fail(err, LS_EINVAL, "%s: names no task, expected at least one", text.source);
  ls_bytes_close(&bytes);
  return status;
}

enum ls_status ls_pack_source_list(struct ls_task_times *list, const char *path, bool has_sizes,
                                   struct ls_error *err) {
  struct ls_bytes bytes = {0};
  struct ls_text text;
  enum ls_status status = load(path, &bytes, &text, err);
  if (status == LS_OK) status = ls_task_times_read_list(list, text, has_sizes, err);
  if (status == LS_OK && list->count == 0)
    status = ls_fail(err, LS_EINVAL, "%s: is empty, expected a task on each line", text.source);
  ls_bytes_close(&bytes);
  return status;
}
