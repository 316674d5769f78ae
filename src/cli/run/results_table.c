#include "cli/run/results_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"

static const char *const own_columns[] = {"Seq",     "Host",    "Starttime", "JobRuntime", "Send",
                                          "Receive", "Exitval", "Signal",    "Command"};
enum { COLUMNS = sizeof own_columns / sizeof *own_columns, NUMBER_BYTES = 32 };

struct ls_results_table {
  int file;
  char *path;
  enum ls_table_form form;
  bool is_synced, awaits_heading;
  struct ls_table_columns columns; /* of a heading that does not stand there yet */
  size_t count;                    /* of values, in the heading that stands there; 0: none does */
  uint64_t *known;                 /* tasks that have a row, as it was opened; ascending */
  size_t known_count, known_capacity;
  struct ls_bytes row;
};

enum ls_table_form ls_results_table_form(const char *path) {
  static const char *const ends[] = {
      [LS_TABLE_CSV] = ".csv", [LS_TABLE_TSV] = ".tsv", [LS_TABLE_JSON] = ".json"};
  size_t length = strlen(path);
  for (int i = LS_TABLE_CSV; i < LS_TABLE_COUNT; i++) {
    size_t end = strlen(ends[i]);
    if (length > end && strcmp(path + length - end, ends[i]) == 0) return (enum ls_table_form)i;
  }
  return LS_TABLE_NONE;
}

static char get_separator(enum ls_table_form form) {
  return form == LS_TABLE_CSV ? ',' : '\t';
}

/* RFC 4180; also of a table with tabs, as other programs read and write it. */
static void append_field(enum ls_table_form form, const char *text, size_t length,
                         struct ls_bytes *out) {
  char separator = get_separator(form);
  bool is_plain = memchr(text, '"', length) == NULL && memchr(text, '\n', length) == NULL &&
                  memchr(text, '\r', length) == NULL && memchr(text, separator, length) == NULL &&
                  memchr(text, ' ', length) == NULL;
  if (is_plain) {
    ls_bytes_append(out, text, length);
    return;
  }
  ls_bytes_append_char(out, '"');
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"') ls_bytes_append_char(out, '"');
    ls_bytes_append_char(out, text[i]);
  }
  ls_bytes_append_char(out, '"');
}

/* No two columns have one name: V and a number is what others may have. */
static bool is_taken(const char *name) {
  bool is_numbered =
      name[0] == 'V' && name[1] != '\0' && name[1 + strspn(name + 1, "0123456789")] == '\0';
  if (is_numbered || strcmp(name, "Stdout") == 0 || strcmp(name, "Stderr") == 0) return true;
  for (size_t i = 0; i < COLUMNS; i++)
    if (strcmp(name, own_columns[i]) == 0) return true;
  return false;
}

static const char *find_name(const struct ls_table_columns *columns, size_t value) {
  for (size_t i = 0; i < columns->names_count; i++)
    if (columns->names[i].value == value && !is_taken(columns->names[i].text))
      return columns->names[i].text;
  return NULL;
}

void ls_results_table_heading(enum ls_table_form form, const struct ls_table_columns *columns,
                              struct ls_bytes *out) {
  char separator = get_separator(form);
  if (form == LS_TABLE_JSON) return;
  for (size_t i = 0; i < COLUMNS; i++) ls_bytes_printf(out, "%s%c", own_columns[i], separator);
  for (size_t i = 0; i < columns->count; i++) {
    const char *name = find_name(columns, i);
    if (name != NULL)
      append_field(form, name, strlen(name), out);
    else
      ls_bytes_printf(out, "V%zu", i + 1);
    ls_bytes_append_char(out, separator);
  }
  ls_bytes_printf(out, "Stdout%cStderr\n", separator);
}

static enum ls_status read_output(const struct ls_output *output, struct ls_bytes *out,
                                  struct ls_error *err) {
  char block[1 << 14];
  ls_bytes_clear(out);
  if (output->data != NULL) ls_bytes_append(out, output->data, output->length);
  for (uint64_t done = 0; output->data == NULL && done < output->length;) {
    ssize_t got = pread(output->file, block, sizeof block, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EIO, "an output cannot be read: %s", strerror(errno));
    if (got == 0) break;
    ls_bytes_append(out, block, (size_t)got);
    done += (uint64_t)got;
  }
  return out->failed ? ls_fail(err, LS_ENOMEM, "out of memory for an output of a table") : LS_OK;
}

/* Of a text that may hold zero bytes, and has one behind its end. */
static void append_json_text(const char *text, size_t length, struct ls_bytes *out) {
  for (size_t at = 0;; at++) {
    size_t begin = out->length, piece = strlen(text + at);
    ls_json_write_string(out, text + at);
    if (out->failed) return;
    if (at > 0) memmove(out->data + begin, out->data + begin + 1, out->length - begin - 1);
    out->length -= at > 0;
    at += piece;
    if (at >= length) return;
    out->length--;
    ls_bytes_append_text(out, "\\u0000");
  }
}

/* As RFC 4648 has it. */
static void append_base64(const char *data, size_t length, struct ls_bytes *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  ls_bytes_append_char(out, '"');
  for (size_t at = 0; at < length; at += 3) {
    size_t left = length - at;
    uint32_t bits = (uint32_t)(unsigned char)data[at] << 16;
    if (left > 1) bits |= (uint32_t)(unsigned char)data[at + 1] << 8;
    if (left > 2) bits |= (unsigned char)data[at + 2];
    char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                    digits[bits & 63]};
    if (left < 3) four[3] = '=';
    if (left < 2) four[2] = '=';
    ls_bytes_append(out, four, sizeof four);
  }
  ls_bytes_append_char(out, '"');
}

/* A member; what JSON cannot hold stands, as it is, in a further one. */
static void append_member(const char *name, const char *text, size_t length, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  append_json_text(text, length, out);
  if (ls_json_is_text(text, length)) return;
  ls_bytes_printf(out, ", \"%s_base64\": ", name);
  append_base64(text, length, out);
}

static void append_values(const struct ls_table_entry *entry, struct ls_bytes *out) {
  bool is_text = true;
  ls_bytes_append_text(out, ", \"V\": [");
  for (size_t i = 0; i < entry->values_count; i++) {
    const char *value = entry->values[i];
    ls_bytes_append_text(out, i > 0 ? ", " : " ");
    append_json_text(value, strlen(value), out);
    is_text = is_text && ls_json_is_text(value, strlen(value));
  }
  ls_bytes_append_text(out, " ]");
  if (is_text) return;
  ls_bytes_append_text(out, ", \"V_base64\": [");
  for (size_t i = 0; i < entry->values_count; i++) {
    ls_bytes_append_text(out, i > 0 ? ", " : " ");
    append_base64(entry->values[i], strlen(entry->values[i]), out);
  }
  ls_bytes_append_text(out, " ]");
}

static void append_numbers(const struct ls_joblog_entry *line,
                           char numbers[COLUMNS - 1][NUMBER_BYTES]) {
  snprintf(numbers[0], NUMBER_BYTES, "%llu", (unsigned long long)line->sequence);
  snprintf(numbers[2], NUMBER_BYTES, "%.3f", line->start_s);
  snprintf(numbers[3], NUMBER_BYTES, "%.3f", line->seconds);
  snprintf(numbers[4], NUMBER_BYTES, "%llu", (unsigned long long)line->sent);
  snprintf(numbers[5], NUMBER_BYTES, "%llu", (unsigned long long)line->received);
  snprintf(numbers[6], NUMBER_BYTES, "%d", line->exit_code);
  snprintf(numbers[7], NUMBER_BYTES, "%d", line->signal);
}

/* Of a table whose rows are read on the way a later one may be wider than the heading: what is more
 * stands in the last column, so that the outputs keep their place. */
static void append_rest(enum ls_table_form form, const struct ls_table_entry *entry, size_t first,
                        struct ls_bytes *out) {
  struct ls_bytes rest = {0};
  for (size_t i = first; i < entry->values_count; i++) {
    if (i > first) ls_bytes_append_char(&rest, get_separator(form));
    ls_bytes_append_text(&rest, entry->values[i]);
  }
  append_field(form, ls_bytes_text(&rest), rest.length, out);
  if (rest.failed) out->failed = true;
  ls_bytes_close(&rest);
}

static void append_row(enum ls_table_form form, const struct ls_table_entry *entry,
                       const struct ls_bytes texts[2], struct ls_bytes *out) {
  const struct ls_joblog_entry *line = entry->line;
  char numbers[COLUMNS - 1][NUMBER_BYTES], separator = get_separator(form);
  append_numbers(line, numbers);
  for (size_t i = 0; i + 1 < COLUMNS; i++)
    ls_bytes_printf(out, "%s%c", i == 1 ? line->host : numbers[i], separator);
  append_field(form, line->command, line->command_length, out);
  for (size_t i = 0; i < entry->columns_count; i++) {
    const char *value = i < entry->values_count ? entry->values[i] : "";
    ls_bytes_append_char(out, separator);
    if (i + 1 == entry->columns_count && entry->values_count > entry->columns_count)
      append_rest(form, entry, i, out);
    else
      append_field(form, value, strlen(value), out);
  }
  for (int i = 0; i < 2; i++) {
    ls_bytes_append_char(out, separator);
    append_field(form, ls_bytes_text(&texts[i]), texts[i].length, out);
  }
  ls_bytes_append_char(out, '\n');
}

static void append_object(const struct ls_table_entry *entry, const struct ls_bytes texts[2],
                          struct ls_bytes *out) {
  const struct ls_joblog_entry *line = entry->line;
  char numbers[COLUMNS - 1][NUMBER_BYTES];
  append_numbers(line, numbers);
  ls_bytes_append_text(out, "{ ");
  for (size_t i = 0; i + 1 < COLUMNS; i++) {
    ls_bytes_printf(out, "%s\"%s\": ", i > 0 ? ", " : "", own_columns[i]);
    if (i == 1)
      append_json_text(line->host, strlen(line->host), out);
    else
      ls_bytes_append_text(out, numbers[i]);
  }
  append_member("Command", line->command, line->command_length, out);
  append_values(entry, out);
  append_member("Stdout", ls_bytes_text(&texts[0]), texts[0].length, out);
  append_member("Stderr", ls_bytes_text(&texts[1]), texts[1].length, out);
  ls_bytes_append_text(out, " }\n");
}

enum ls_status ls_results_table_row(enum ls_table_form form, const struct ls_table_entry *entry,
                                    struct ls_bytes *out, struct ls_error *err) {
  struct ls_bytes texts[2] = {{0}, {0}};
  enum ls_status status = LS_OK;
  for (int i = 0; i < 2 && status == LS_OK; i++)
    status = read_output(entry->outputs[i], &texts[i], err);
  if (status == LS_OK && form == LS_TABLE_JSON) append_object(entry, texts, out);
  if (status == LS_OK && form != LS_TABLE_JSON) append_row(form, entry, texts, out);
  for (int i = 0; i < 2; i++) ls_bytes_close(&texts[i]);
  if (status == LS_OK && out->failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for a row of --results");
  return status;
}

/* ---- the file ---- */

static int compare_numbers(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* The end of the row that begins at `text`; NULL: it has none. A line end within quotes is none; an
 * object of JSON holds none at all. */
static const char *find_end(enum ls_table_form form, const char *text, const char *end) {
  bool is_quoted = false;
  if (form == LS_TABLE_JSON) {
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    return line_end != NULL ? line_end + 1 : NULL;
  }
  for (; text < end; text++) {
    if (*text == '"') is_quoted = !is_quoted;
    if (*text == '\n' && !is_quoted) return text + 1;
  }
  return NULL;
}

/* So many fields of the heading are of values. */
static size_t count_columns(enum ls_table_form form, const char *heading, const char *end) {
  size_t fields = 1;
  bool is_quoted = false;
  if (form == LS_TABLE_JSON) return 0;
  for (; heading < end; heading++) {
    if (*heading == '"') is_quoted = !is_quoted;
    fields += *heading == get_separator(form) && !is_quoted;
  }
  return fields > COLUMNS + 2 ? fields - COLUMNS - 2 : 0;
}

/* Did the task of the row fail? Nothing before its exit value holds quotes or separators. */
static bool says_failure(enum ls_table_form form, const char *row) {
  const char *exit_value = row;
  if (form == LS_TABLE_JSON) {
    static const char exit_name[] = "\"Exitval\": ", signal_name[] = "\"Signal\": ";
    exit_value = strstr(row, exit_name);
    const char *signal = exit_value != NULL ? strstr(exit_value, signal_name) : NULL;
    return signal != NULL && (strtol(exit_value + strlen(exit_name), NULL, 10) != 0 ||
                              strtol(signal + strlen(signal_name), NULL, 10) != 0);
  }
  for (int i = 0; i < 6 && exit_value != NULL; i++) {
    exit_value = strchr(exit_value, get_separator(form));
    if (exit_value != NULL) exit_value++;
  }
  const char *signal = exit_value != NULL ? strchr(exit_value, get_separator(form)) : NULL;
  return signal != NULL && (strtol(exit_value, NULL, 10) != 0 || strtol(signal + 1, NULL, 10) != 0);
}

/* The tasks whose row counts, and where the last whole one ends. */
static enum ls_status read_rows(struct ls_results_table *table, bool repeats_failures,
                                size_t *kept_bytes, struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read_most(table->path, LS_CONSOLE_BYTES_MOST, &text, err);
  const char *at = ls_bytes_text(&text), *end = at + text.length, *next;
  at += ls_text_mark(at, text.length);
  if (status == LS_OK && (next = find_end(table->form, at, end)) != NULL)
    table->count = count_columns(table->form, at, next);
  while (status == LS_OK && (next = find_end(table->form, at, end)) != NULL) {
    const char *number = table->form == LS_TABLE_JSON ? at + strcspn(at, "0123456789\n") : at;
    uint64_t task = strtoull(number, NULL, 10);
    if (task > 0 && !(repeats_failures && says_failure(table->form, at))) {
      status = ls_array_reserve((void **)&table->known, &table->known_capacity,
                                table->known_count + 1, sizeof *table->known);
      if (status == LS_OK)
        table->known[table->known_count++] = task;
      else
        (void)ls_fail(err, status, "%s: out of memory", table->path);
    }
    at = next;
  }
  *kept_bytes = (size_t)(at - ls_bytes_text(&text));
  ls_bytes_close(&text);
  if (table->known_count > 0)
    qsort(table->known, table->known_count, sizeof *table->known, compare_numbers);
  return status;
}

static enum ls_status begin(struct ls_results_table *table, const struct ls_table_setup *setup,
                            struct ls_error *err) {
  size_t kept_bytes = 0;
  if (table->path == NULL) return ls_fail(err, LS_ENOMEM, "--results: out of memory");
  table->file = open(setup->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
  if (table->file < 0)
    return ls_fail(err, LS_EINVAL, "--results %s: %s", setup->path, strerror(errno));
  if (flock(table->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return ls_fail(err, LS_EBUSY, "--results %s: another run writes it", setup->path);
  enum ls_status status =
      setup->goes_on ? read_rows(table, setup->repeats_failures, &kept_bytes, err) : LS_OK;
  if (status != LS_OK) return status;
  if (ftruncate(table->file, (off_t)kept_bytes) != 0 && errno != EINVAL)
    return ls_fail(err, LS_EIO, "--results %s: %s", setup->path, strerror(errno));
  table->awaits_heading = kept_bytes == 0 && setup->columns.count == 0;
  if (kept_bytes == 0 && setup->columns.count > 0)
    ls_results_table_heading(table->form, &setup->columns, &table->row);
  bool is_written = ls_console_write(table->file, table->row.data, table->row.length);
  return is_written ? LS_OK
                    : ls_fail(err, LS_EIO, "--results %s: %s", setup->path, strerror(errno));
}

enum ls_status ls_results_table_open(const struct ls_table_setup *setup,
                                     struct ls_results_table **out, struct ls_error *err) {
  struct ls_results_table *table = calloc(1, sizeof *table);
  if (table == NULL) return ls_fail(err, LS_ENOMEM, "--results: out of memory");
  *table = (struct ls_results_table){.file = -1,
                                     .path = strdup(setup->path),
                                     .form = ls_results_table_form(setup->path),
                                     .columns = setup->columns,
                                     .is_synced = setup->is_synced};
  enum ls_status status = begin(table, setup, err);
  if (status == LS_OK)
    *out = table;
  else
    ls_results_table_close(table);
  return status;
}

enum ls_status ls_results_table_add(struct ls_results_table *table,
                                    const struct ls_table_entry *entry, struct ls_error *err) {
  uint64_t task = entry->line->sequence;
  bool is_known = table->known_count > 0 && bsearch(&task, table->known, table->known_count,
                                                    sizeof task, compare_numbers) != NULL;
  if (is_known) return LS_OK;
  ls_bytes_clear(&table->row);
  table->columns.count = entry->columns_count;
  if (table->awaits_heading) ls_results_table_heading(table->form, &table->columns, &table->row);
  table->awaits_heading = false;
  struct ls_table_entry row = *entry;
  if (table->count > 0) row.columns_count = table->count;
  enum ls_status status = ls_results_table_row(table->form, &row, &table->row, err);
  if (status != LS_OK) return status;
  bool is_written = ls_console_write(table->file, table->row.data, table->row.length) &&
                    (!table->is_synced || fdatasync(table->file) == 0 || errno == EINVAL);
  return is_written ? LS_OK
                    : ls_fail(err, LS_EIO, "--results %s: %s", table->path, strerror(errno));
}

void ls_results_table_close(struct ls_results_table *table) {
  if (table == NULL) return;
  if (table->file >= 0) close(table->file);
  free(table->path);
  free(table->known);
  ls_bytes_close(&table->row);
  free(table);
}
