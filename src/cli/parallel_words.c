#include "cli/parallel_words.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/parallel_options.h"
#include "cli/run/run_option_table.h"

/* Keys of options without a letter: the row of the table, or of those of `run', added. */
enum { KEY_ROW = 1024, KEY_OWN = 4096, OPTIONS_MAX = 512 };

/* What argp parses by. */
struct tables {
  struct argp_option options[OPTIONS_MAX], own[OPTIONS_MAX];
};

/* Options of ours whose absence has a meaning. */
enum { PIPE, PART, BLOCK, DEALT, SHARED, FILLS, COUNTED, RESUMES, JOURNAL, LOGGED, GIVEN };
static const struct {
  const char *name;
  int what;
} noted[] = {{"pipe", PIPE},
             {"pipe-part", PART},
             {"cat", PIPE},
             {"fifo", PIPE},
             {"block", BLOCK},
             {"round-robin", DEALT},
             {"tee", SHARED},
             {"context-fill", FILLS},
             {"many", FILLS},
             {"xargs", FILLS},
             {"max-replace-args", COUNTED},
             {"max-lines", COUNTED},
             {"max-args", COUNTED},
             {"max-chars", COUNTED},
             {"resume", RESUMES},
             {"resume-failed", RESUMES},
             {"journal", JOURNAL},
             {"retry-failed", LOGGED}};

struct reading {
  struct ls_parallel_words *words;
  const struct tables *tables;
  struct ls_error err;
  bool has[GIVEN];
  bool is_quoted; /* -q */
  bool is_late;   /* --no-keep-order */
  bool is_silent; /* --silent */
  char **command; /* with its inputs; NULL: none */
  size_t command_count;
};

static void add_word(struct ls_parallel_words *words, const char *name, const char *value) {
  char *word = NULL;
  words->has_failed =
      words->has_failed ||
      ls_array_reserve((void **)&words->items, &words->capacity, words->count + 2,
                       sizeof *words->items) != LS_OK ||
      (value == NULL ? asprintf(&word, "%s", name) : asprintf(&word, "%s=%s", name, value)) < 0;
  if (words->has_failed) return;
  words->items[words->count++] = word;
  words->items[words->count] = NULL;
}

static void add_option(struct ls_parallel_words *words, const char *name, const char *value) {
  char full[64];
  (void)snprintf(full, sizeof full, "--%s", name);
  add_word(words, full, value);
}

/* ---- tables for argp ---- */

static bool is_heading(const struct ls_parallel_option *row) {
  return row->name == NULL && row->letter == 0;
}

/* Shown are those that have a help, and their synonyms. */
static void fill_options(struct argp_option *options) {
  int group = 0, flags = 0;
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const struct ls_parallel_option *row = &ls_parallel_options[i];
    bool is_synonym = row->way == LS_PARALLEL_SYNONYM;
    bool is_optional = row->argument != NULL && row->argument[0] == '[';
    group += is_heading(row);
    if (!is_synonym) flags = row->help == NULL ? OPTION_HIDDEN : 0;
    options[i] = (struct argp_option){
        .name = row->name,
        .key = is_heading(row) || (is_synonym && row->letter == 0) ? 0
               : row->letter != 0                                  ? row->letter
                                                                   : KEY_ROW + (int)i,
        .arg = is_optional ? "TEXT" : row->argument,
        .flags = flags | (is_synonym ? OPTION_ALIAS : 0) | (is_optional ? OPTION_ARG_OPTIONAL : 0),
        .doc = row->help,
        .group = group};
  }
}

static bool has_name(const char *name) {
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const char *theirs = ls_parallel_options[i].name;
    if (theirs != NULL && strcmp(theirs, name) == 0) return true;
  }
  return false;
}

static size_t add_own(struct argp_option *own, size_t count, const struct argp_option *option) {
  for (; option->name != NULL || option->doc != NULL; option++) {
    if (option->name == NULL || has_name(option->name)) continue;
    assert(count + 1 < OPTIONS_MAX);
    own[count] = *option;
    own[count].key = KEY_OWN + (int)count;
    own[count].flags |= OPTION_HIDDEN;
    own[count].doc = NULL;
    count++;
  }
  return count;
}

/* Options of `run' that GNU parallel has not: all those whose name means nothing there. */
static void fill_own(struct argp_option *own) {
  size_t count = 0;
  for (size_t i = 0; ls_run_option_tables[i] != NULL; i++)
    count = add_own(own, count, ls_run_option_tables[i]);
  for (size_t i = 0; ls_run_dialect_tables[i] != NULL; i++)
    count = add_own(own, count, ls_run_dialect_tables[i]);
}

/* ---- translation ---- */

static const struct ls_parallel_option *find_row(int key) {
  const struct ls_parallel_option *found = NULL;
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const struct ls_parallel_option *row = &ls_parallel_options[i];
    if (row->way != LS_PARALLEL_SYNONYM) found = row;
    bool is_key = row->letter != 0 ? row->letter == key : KEY_ROW + (int)i == key;
    if (is_key && !is_heading(row)) return found;
  }
  return NULL;
}

/* N tries in all are N - 1 more; 0: as long as it takes. */
static enum ls_status add_tries(struct reading *reading, const char *text) {
  enum { MOST = 1000000 };
  uint64_t tries = 0;
  char more[24];
  enum ls_status status =
      ls_console_whole("--retries", text, (struct ls_whole_range){0, MOST}, &tries, &reading->err);
  (void)snprintf(more, sizeof more, "%llu", tries == 0 ? MOST : (unsigned long long)tries - 1);
  if (status == LS_OK) add_option(reading->words, "retries", more);
  return status;
}

static void note(struct reading *reading, const char *name) {
  for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
    if (strcmp(noted[i].name, name) == 0) reading->has[noted[i].what] = true;
}

/* An option of `run'; "name=value" has its value already. */
static void add_ours(struct reading *reading, const char *ours, const char *text) {
  note(reading, ours);
  add_option(reading->words, ours, strchr(ours, '=') != NULL ? NULL : text);
}

static enum ls_status translate(struct reading *reading, const struct ls_parallel_option *row,
                                const char *text) {
  char shown[3] = {'-', (char)row->letter, '\0'};
  const char *value = text;
  switch (row->way) {
    case LS_PARALLEL_TRIES:
      return add_tries(reading, text);
    case LS_PARALLEL_QUOTED:
      reading->is_quoted = true;
      return LS_OK;
    case LS_PARALLEL_LATE_ORDER:
      reading->is_late = true;
      return LS_OK;
    case LS_PARALLEL_SILENT:
      reading->is_silent = true;
      return LS_OK;
    case LS_PARALLEL_LINES:
      value = text == NULL ? "1" : text;
      break;
    case LS_PARALLEL_INPUTS:
      add_ours(reading, strcmp(text, "0") == 0 ? "max-replace-args" : row->ours, text);
      return LS_OK;
    case LS_PARALLEL_REFUSED:
      return ls_fail(&reading->err, LS_EINVAL, "%s%s is not taken: %s",
                     row->name != NULL ? "--" : shown, row->name != NULL ? row->name : "",
                     row->ours);
    case LS_PARALLEL_OURS:
      break;
    case LS_PARALLEL_NOTHING:
    case LS_PARALLEL_SYNONYM:
      return LS_OK;
  }
  if (row->argument != NULL && value == NULL) return LS_OK; /* -i: {}, as ever */
  add_ours(reading, row->ours, value);
  return LS_OK;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (key == ARGP_KEY_INIT) state->child_inputs[0] = reading;
  if (key == ARGP_KEY_ARG) {
    /* The first word that is no option begins the command; the rest belongs to it. */
    reading->command = state->argv + state->next - 1;
    reading->command_count = (size_t)(state->argc - state->next) + 1;
    state->next = state->argc;
    return 0;
  }
  const struct ls_parallel_option *row = find_row(key);
  if (row == NULL) return ARGP_ERR_UNKNOWN;
  return translate(reading, row, text) == LS_OK ? 0 : EINVAL;
}

static error_t parse_own(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (key < KEY_OWN || key >= KEY_OWN + OPTIONS_MAX) return ARGP_ERR_UNKNOWN;
  add_ours(reading, reading->tables->own[key - KEY_OWN].name, text);
  return 0;
}

static const char doc[] =
    "Runs a command for each input, as GNU parallel does: with its options, its defaults and its "
    "exit status, on the workers of `loadstar run'. The words of COMMAND are given to a shell; "
    "without COMMAND each input is a command line.\n\n"
    "Replacement strings: {} the input, {.} without extension, {/} its last part, {//} its "
    "directory, {/.} last part without extension, {#} number of the task, {%} slot of the worker; "
    "{1} {2.} ... of one of several sources. Without any, the inputs are appended."
    "\v"
    "Options of `loadstar run' that GNU parallel has not, such as --journal, --policy, --listen "
    "and --json, are taken, too. What differs is in loadstar-parallel(1).\n\n"
    "Examples:\n"
    "  loadstar parallel gzip -k {} ::: *.txt\n"
    "  loadstar parallel -j4 --joblog log 'sort {} | uniq > {.}.out' ::: *.txt\n"
    "  find . -name '*.jpg' | loadstar parallel --bar convert {} {.}.png\n"
    "  loadstar parallel --pipe --block 4M -k grep -c x < big\n"
    "  ln -s \"$(command -v loadstar)\" ~/bin/parallel\n\n"
    "Exit status: 0 all tasks succeeded, 1 to 100 that number failed, 101 more failed, 255 bad "
    "usage or no workers, 130 interrupted.";

/* Without options that only end --no-keep-order and the like. */
static void drop(struct ls_parallel_words *words, const char *word) {
  size_t kept = 0;
  for (size_t i = 0; i < words->count; i++) {
    if (strcmp(words->items[i], word) == 0)
      free(words->items[i]);
    else
      words->items[kept++] = words->items[i];
  }
  words->count = kept;
  if (words->items != NULL) words->items[kept] = NULL;
}

/* Half of what the system takes as one word; a block has 1M, or a worker gets ten. */
static void add_sizes(const struct reading *reading) {
  const bool *has = reading->has;
  if (has[FILLS] && !has[COUNTED]) add_option(reading->words, "max-chars", "63664");
  if (has[BLOCK] || has[SHARED]) return;
  if (has[PART])
    add_option(reading->words, "block", "-10");
  else if (has[PIPE] || has[DEALT])
    add_option(reading->words, "block", "1M");
}

/* What GNU parallel does unless told otherwise. */
static void add_defaults(const struct reading *reading) {
  const char *shell = getenv("PARALLEL_SHELL");
  /* The journal has the command, and how it is run. */
  bool is_recorded = reading->has[RESUMES] && reading->has[JOURNAL] && reading->command == NULL;
  if (reading->is_late) drop(reading->words, "--keep-order");
  if (reading->is_silent) drop(reading->words, "--print-commands");
  if (!is_recorded) add_sizes(reading);
  if (reading->is_quoted || is_recorded) return;
  add_option(reading->words, "shell", shell != NULL && shell[0] != '\0' ? shell : NULL);
}

enum ls_status ls_parallel_words_read(struct ls_parallel_words *words, int argc, char **argv,
                                      struct ls_error *err) {
  struct tables *tables = calloc(1, sizeof *tables);
  struct reading reading = {.words = words, .tables = tables};
  if (tables == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for options");
  fill_options(tables->options);
  fill_own(tables->own);
  add_word(words, argv[0], NULL);
  const struct argp own = {.options = tables->own, .parser = parse_own};
  const struct argp_child children[] = {{.argp = &own}, {0}};
  const struct argp argp = {.options = tables->options,
                            .parser = parse,
                            .args_doc = "[COMMAND [WORD...]] [::: VALUE... | :::: FILE...]",
                            .doc = doc,
                            .children = children};
  error_t result = ls_option_names_parse(&argp, argc, argv, ARGP_IN_ORDER, &reading);
  if (result == 0) add_defaults(&reading);
  add_word(words, "--", NULL);
  /* The job log has the commands. */
  if (reading.has[LOGGED]) reading.command_count = 0;
  for (size_t i = 0; i < reading.command_count; i++) add_word(words, reading.command[i], NULL);
  free(tables);
  if (words->has_failed) return ls_fail(err, LS_ENOMEM, "out of memory for the command line");
  if (result == 0) return LS_OK;
  if (reading.err.status != LS_OK) return ls_fail(err, reading.err.status, "%s", reading.err.text);
  return ls_fail(err, LS_EINVAL, "the command line cannot be read: %s", strerror(result));
}

void ls_parallel_words_close(struct ls_parallel_words *words) {
  for (size_t i = 0; i < words->count; i++) free(words->items[i]);
  free(words->items);
  *words = (struct ls_parallel_words){0};
}
