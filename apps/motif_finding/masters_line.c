#include "masters_line.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 4096, OWN_WORDS = 13 };

/* How far the options have been read. */
struct reading {
  struct masters_line *line;
  char **argv;
  int argc, at;
};

static uint64_t count_cores(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint64_t)CPU_COUNT(&cores) : 1;
}

/* The value of `--name VALUE` or `--name=VALUE`; NULL: the word is not this option. */
static const char *find_value(struct reading *reading, const char *name, struct ls_error *err,
                              enum ls_status *status) {
  const char *word = reading->argv[reading->at];
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0) return NULL;
  if (word[length] == '=') return word + length + 1;
  if (word[length] != 0) return NULL;
  if (reading->at + 1 < reading->argc) return reading->argv[++reading->at];
  *status = ls_fail(err, LS_EINVAL, "motif: %s lacks its value", name);
  return word;
}

static enum ls_status read_workers(const char *text, struct masters_line *line,
                                   struct ls_error *err) {
  char *end;
  line->workers = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == 0 && line->workers >= 1 &&
      line->workers <= WORKERS_MAX) {
    return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "motif: --workers is '%s', expected a whole number from 1 to %d",
                 text, WORKERS_MAX);
}

/* The masters check what the texts say. */
static enum ls_status read_speeds(const char *text, struct masters_line *line,
                                  struct ls_error *err) {
  size_t count = 1;
  for (const char *c = text; *c != 0; c++) count += *c == ',';
  line->speeds = calloc(count, sizeof *line->speeds);
  for (const char *c = text; line->speeds != NULL && line->speeds_count < count;) {
    size_t length = strcspn(c, ",");
    char *speed = strndup(c, length);
    if (speed == NULL) break;
    line->speeds[line->speeds_count++] = speed;
    c += length + 1;
  }
  if (line->speeds_count == count) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu speeds", count);
}

/* Letters of one word: those before -j are switches. */
static enum ls_status read_letters(struct reading *reading, struct ls_error *err) {
  const char *word = reading->argv[reading->at], *jobs = strchr(word, 'j');
  struct masters_line *line = reading->line;
  if (jobs == NULL) {
    line->options[line->options_count++] = word;
    return LS_OK;
  }
  for (const char *c = word + 1; c < jobs; c++) {
    if (*c != 'q' && *c != 'v') {
      return ls_fail(err, LS_EINVAL, "motif: '%s' is no option before --masters", word);
    }
    line->options[line->options_count++] = *c == 'q' ? "-q" : "-v";
  }
  if (jobs[1] != 0) return read_workers(jobs + 1, line, err);
  if (++reading->at < reading->argc) return read_workers(reading->argv[reading->at], line, err);
  return ls_fail(err, LS_EINVAL, "motif: -j lacks its value");
}

/* What two masters must not both write; false: the word is none of these. */
static bool read_file(struct reading *reading, struct ls_error *err, enum ls_status *status) {
  struct masters_line *line = reading->line;
  const struct {
    const char *name, **file;
  } files[] = {{"--journal", &line->journal},
               {"--svg", &line->drawing},
               {"--json", &line->summary},
               {"--calibrate", &line->platform},
               {"--key", &line->key}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *value = find_value(reading, files[i].name, err, status);
    if (value == NULL) continue;
    *files[i].file = value;
    return true;
  }
  return false;
}

static enum ls_status read_option(struct reading *reading, struct ls_error *err) {
  struct masters_line *line = reading->line;
  const char *word = reading->argv[reading->at], *value;
  enum ls_status status = LS_OK;
  if (word[0] == '-' && word[1] != '-') return read_letters(reading, err);
  if (strcmp(word, "--json") == 0) {
    return ls_fail(err, LS_EINVAL, "motif: --json needs =FILE with --masters: a summary each");
  }
  if ((value = find_value(reading, "--workers", err, &status)) != NULL ||
      (value = find_value(reading, "--jobs", err, &status)) != NULL) {
    return status == LS_OK ? read_workers(value, line, err) : status;
  }
  if ((value = find_value(reading, "--speeds", err, &status)) != NULL) {
    return status == LS_OK ? read_speeds(value, line, err) : status;
  }
  if ((value = find_value(reading, "--transport", err, &status)) != NULL) {
    line->transport = value;
    return status;
  }
  if (read_file(reading, err, &status)) return status;
  line->options[line->options_count++] = word;
  return LS_OK;
}

/* The words without --masters K. */
static void keep_words(struct masters_line *line, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    bool is_masters = strncmp(argv[i], "--masters", strlen("--masters")) == 0;
    if (!is_masters) line->words[line->words_count++] = argv[i];
    if (is_masters && strcmp(argv[i], "--masters") == 0) i++;
  }
}

static enum ls_status check_workers(struct masters_line *line, struct ls_error *err) {
  if (line->workers == 0) line->workers = line->speeds_count;
  if (line->workers == 0) line->workers = count_cores();
  if (line->workers >= line->masters) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "motif: --masters is %" PRIu64 " with %" PRIu64
                 " workers, expected a worker for each (-j)",
                 line->masters, line->workers);
}

enum ls_status masters_line_read(struct masters_line *line, int argc, char **argv,
                                 struct ls_error *err) {
  int dashes = 2;
  struct masters_line made = {0};
  struct words words;
  while (dashes < argc && strcmp(argv[dashes], "--") != 0) dashes++;
  struct reading reading = {&made, argv, dashes, 2};
  made.options = calloc(2 * (size_t)argc + 2, sizeof *made.options);
  made.words = calloc((size_t)argc + 2, sizeof *made.words);
  enum ls_status status = LS_OK;
  if (made.options == NULL || made.words == NULL) {
    status = ls_fail(err, LS_ENOMEM, "motif: out of memory");
  }
  if (status == LS_OK) {
    keep_words(&made, argc - dashes, argv + dashes);
    made.words[0] = argv[0];
    /* The reader of words puts them into another order: it gets the given ones. */
    status = words_read(&words, argc - dashes, argv + dashes, err);
    made.masters = words.masters;
  }
  for (; status == LS_OK && reading.at < dashes; reading.at++) {
    status = read_option(&reading, err);
  }
  if (status == LS_OK) status = check_workers(&made, err);
  if (status != LS_OK) {
    masters_line_close(&made);
    return status;
  }
  *line = made;
  return LS_OK;
}

void masters_line_close(struct masters_line *line) {
  for (size_t i = 0; i < line->speeds_count; i++) free(line->speeds[i]);
  free(line->speeds);
  free(line->options);
  free(line->words);
  *line = (struct masters_line){0};
}

/* ---- the command line of one master ---- */

struct made {
  char **words;
  size_t count;
  bool has_failed;
};

static void add(struct made *made, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct made *made, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *word = NULL;
  if (vasprintf(&word, format, arguments) < 0) {
    made->has_failed = true;
  } else {
    made->words[made->count++] = word;
  }
  va_end(arguments);
}

static void add_file(struct made *made, const char *option, const char *file, uint64_t number) {
  if (file != NULL) add(made, "--%s=%s.%" PRIu64, option, file, number);
}

static void add_speeds(struct made *made, const struct masters_line *line,
                       struct ls_range workers) {
  struct ls_bytes list = {0};
  for (uint64_t i = 0; i < workers.count; i++) {
    ls_bytes_printf(&list, "%s%s", i > 0 ? "," : "",
                    line->speeds[(workers.first + i) % line->speeds_count]);
  }
  made->has_failed = made->has_failed || list.failed;
  add(made, "--speeds=%s", ls_bytes_text(&list));
  ls_bytes_close(&list);
}

char **masters_line_make(const struct masters_line *line, const char *program, uint64_t number) {
  size_t most = line->options_count + line->words_count + OWN_WORDS;
  struct made made = {.words = calloc(most, sizeof *made.words)};
  struct ls_range workers = words_share(line->workers, number, line->masters);
  if (made.words == NULL) return NULL;
  add(&made, "%s", program);
  add(&made, "run");
  add(&made, "--workers=%" PRIu64, workers.count);
  if (line->speeds_count > 0) add_speeds(&made, line, workers);
  if (line->transport != NULL) add(&made, "--transport=%s", line->transport);
  add_file(&made, "journal", line->journal, number);
  add_file(&made, "svg", line->drawing, number);
  add_file(&made, "json", line->summary, number);
  add_file(&made, "calibrate", line->platform, number);
  add_file(&made, "key", line->key, number);
  for (size_t i = 0; i < line->options_count; i++) add(&made, "%s", line->options[i]);
  add(&made, "--");
  for (size_t i = 1; i < line->words_count; i++) add(&made, "%s", line->words[i]);
  add(&made, "--share=%" PRIu64 "/%" PRIu64, number, line->masters);
  if (!made.has_failed) return made.words;
  masters_line_free(made.words);
  return NULL;
}

void masters_line_free(char **words) {
  for (size_t i = 0; words != NULL && words[i] != NULL; i++) free(words[i]);
  free(words);
}
