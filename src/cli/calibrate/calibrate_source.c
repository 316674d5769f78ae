#include "cli/calibrate/calibrate_source.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/console.h"
#include "formats/measurements_text.h"
#include "formats/sacct_lines.h"
#include "runtime/journal/past/journal_course.h"

const char *const ls_calibrate_form_names[LS_CALIBRATE_FORMS] = {"csv", "joblog", "sacct",
                                                                 "journal"};

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

static enum ls_calibrate_form guess_form(const struct ls_text *text) {
  static const char heading[] = "Seq\tHost";
  const char *end = memchr(text->data, '\n', text->length);
  size_t length = end == NULL ? text->length : (size_t)(end - text->data);
  if (length >= sizeof heading - 1 && memcmp(text->data, heading, sizeof heading - 1) == 0)
    return LS_CALIBRATE_JOBLOG;
  return ls_sacct_is_ours(*text) ? LS_CALIBRATE_SACCT : LS_CALIBRATE_CSV;
}

static enum ls_status read_text(struct ls_calibrate_sources *sources, struct ls_text text,
                                enum ls_calibrate_form form, struct ls_error *err) {
  struct ls_measurements_read read = {.skips_bad = sources->skips_bad};
  enum ls_status status;
  if (form == LS_CALIBRATE_ANY) form = guess_form(&text);
  if (form == LS_CALIBRATE_JOBLOG)
    status = ls_measurements_read_joblog(&sources->measurements, text, &read, err);
  else if (form == LS_CALIBRATE_SACCT)
    status = ls_measurements_read_sacct(&sources->measurements, text, &read, err);
  else
    status = ls_measurements_read_csv(&sources->measurements, text, &read, err);
  sources->failed += read.failed;
  sources->skipped += read.skipped;
  if (status != LS_EINVAL || form != LS_CALIBRATE_JOBLOG || sources->skips_bad) return status;
  struct ls_error why = *err;
  return ls_fail(err, status, "%s (--skip-bad leaves such lines out)", why.text);
}

enum ls_status ls_calibrate_source_read(struct ls_calibrate_sources *sources, const char *path,
                                        enum ls_calibrate_form form, struct ls_error *err) {
  if (form == LS_CALIBRATE_JOURNAL || (form == LS_CALIBRATE_ANY && is_database(path)))
    return ls_journal_measure(path, &sources->measurements, &sources->failed, err);
  struct ls_bytes bytes = {0};
  enum ls_status status = ls_console_read(path, &bytes, err);
  const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
  struct ls_text text = {ls_bytes_text(&bytes), bytes.length, name};
  if (status == LS_OK) status = read_text(sources, text, form, err);
  ls_bytes_close(&bytes);
  return status;
}

void ls_calibrate_sources_close(struct ls_calibrate_sources *sources) {
  ls_measurements_close(&sources->measurements);
}
