#include "cli/run/run_resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"

/* A row of the journal has so many values or bytes at most. */
enum { BLOCK_VALUES = 4096, BLOCK_BYTES = 1 << 20 };

/* ---- words ---- */

static enum ls_status read_recorded(struct ls_run_resume *resume, const char *path,
                                    struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK)
    status = ls_journal_read_words(journal, LS_JOURNAL_OPTION, &resume->options,
                                   &resume->options_count, err);
  if (status == LS_OK)
    status = ls_journal_read_words(journal, LS_JOURNAL_COMMAND, &resume->command,
                                   &resume->command_count, err);
  ls_journal_close(journal);
  return status;
}

static char **add_words(char **place, char *at, size_t count) {
  for (size_t i = 0; i < count; i++) {
    *place++ = at;
    at += strlen(at) + 1;
  }
  return place;
}

/* The recorded options, then those of this command line, then the recorded command. */
static int join_words(struct ls_run_resume *resume, int argc, char **argv) {
  static char end_of_options[] = "--";
  size_t most = resume->options_count + (size_t)argc + resume->command_count + 2;
  char **place = resume->words = calloc(most, sizeof *resume->words);
  if (place == NULL) return 0;
  *place++ = argv[0];
  place = add_words(place, resume->options.data, resume->options_count);
  bool is_ended = argc > 1 && strcmp(argv[argc - 1], end_of_options) == 0;
  for (int i = 1; i < argc - is_ended; i++) *place++ = argv[i];
  *place++ = end_of_options;
  place = add_words(place, resume->command.data, resume->command_count);
  return (int)(place - resume->words);
}

/* Command lines without a command may be there to be compared: in a file or from a pipe. */
static bool has_command_lines(void) {
  struct stat about;
  return fstat(STDIN_FILENO, &about) == 0 && (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode));
}

int ls_run_resume_options(struct ls_run_resume *resume, struct ls_run_options *options, int argc,
                          char **argv, const struct ls_app *app) {
  struct ls_error err = {0};
  bool resumes = options->is_resumed || options->repeats_failures;
  bool has_none = options->words_count == 0 && options->files_count == 0;
  if (!resumes || options->journal == NULL || !has_none) return -1;
  /* A journal that is not there begins a new run, where one is given. What comes at standard input
   * may be the data of a run that is not there: a shell must not get them. */
  if (!ls_run_options_may_join(options)) {
    int reason = errno;
    (void)ls_fail(&err, LS_EINVAL, "%s: %s: %s, and a new run %s",
                  options->repeats_failures ? "--resume-failed" : "--resume", options->journal,
                  strerror(reason),
                  app != NULL ? "begins without that option, or with words after --"
                              : "needs a command, or -a FILE of command lines (-a -: "
                                "standard input)");
    ls_console_fail(argv[0], &err);
    return ls_console_exit(err.status);
  }
  if (read_recorded(resume, options->journal, &err) != LS_OK) {
    ls_console_fail(argv[0], &err);
    return ls_console_exit(err.status);
  }
  int count = join_words(resume, argc, argv);
  if (count == 0) {
    (void)ls_fail(&err, LS_ENOMEM, "out of memory for the recorded words");
    return ls_console_fail(argv[0], &err);
  }
  ls_run_options_close(options);
  resume->takes_tasks = resume->command_count > 0 || !has_command_lines();
  int result = ls_run_options_read(options, count, resume->words, app, LS_RUN_ALL_NAMES);
  if (result >= 0 || !ls_run_options_may_join(options)) return result;
  return ls_run_options_check_all(options, app, &err) == LS_OK ? -1
                                                               : ls_console_fail(argv[0], &err);
}

enum ls_status ls_run_resume_recall(struct ls_run_resume *resume, struct ls_run_options *options,
                                    char *name, const char *path, struct ls_error *err) {
  enum ls_status status = read_recorded(resume, path, err);
  if (status != LS_OK) return status;
  int count = join_words(resume, 1, &name);
  if (count == 0) return ls_fail(err, LS_ENOMEM, "%s: out of memory for the recorded words", path);
  if (ls_run_options_read(options, count, resume->words, NULL, LS_RUN_ALL_NAMES) >= 0)
    return ls_fail(err, LS_EINVAL, "%s: holds no command line of a run", path);
  options->journal = path;
  resume->takes_tasks = true;
  return LS_OK;
}

void ls_run_resume_close(struct ls_run_resume *resume) {
  ls_bytes_close(&resume->options);
  ls_bytes_close(&resume->command);
  free(resume->words);
  *resume = (struct ls_run_resume){0};
}

void ls_run_resume_record(struct ls_journal *journal, const struct ls_run_options *options,
                          size_t command_count) {
  char **words = calloc(options->recorded_count + 1, sizeof *words);
  /* Without them a resume needs its command line in full; the run itself does not. */
  if (words == NULL) return;
  add_words(words, options->recorded.data, options->recorded_count);
  ls_journal_words(journal, LS_JOURNAL_OPTION, (const char *const *)words, options->recorded_count);
  ls_journal_words(journal, LS_JOURNAL_COMMAND, (const char *const *)options->words, command_count);
  free(words);
}

/* ---- inputs ---- */

static enum ls_status on_inputs(void *context, const struct ls_journal_inputs *inputs) {
  return ls_task_source_add_recorded(context, inputs, NULL);
}

static enum ls_status load(struct ls_journal *journal, struct ls_task_source *source,
                           struct ls_error *err) {
  struct ls_journal_inputs_known known;
  enum ls_status status = ls_journal_inputs_known(journal, &known, err);
  if (status != LS_OK) return status;
  source->is_open = known.is_open;
  status = ls_journal_each_inputs(journal, on_inputs, source, err);
  if (status == LS_ENOMEM) return ls_fail(err, status, "out of memory for the recorded inputs");
  return status == LS_OK ? ls_task_source_finish(source, err) : status;
}

enum ls_status ls_run_resume_inputs(const char *path, struct ls_task_source *source,
                                    struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = load(journal, source, err);
  ls_journal_close(journal);
  return status;
}

/* The values of a list, some thousands in each row. */
static void write_list(struct ls_journal *journal, const struct ls_task_source *source,
                       size_t number) {
  const struct ls_value_list *list = &source->lists[number];
  /* Its name, if it has one, is the first value here. */
  const size_t begin = list->first - list->has_header, all = list->count + list->has_header;
  size_t at = 0;
  do {
    const char *text = NULL;
    size_t first = at, length = 0, count = 0;
    for (; at < all && count < BLOCK_VALUES && length < BLOCK_BYTES; at++, count++) {
      const char *value = source->arena.data + source->offsets[begin + at];
      if (count == 0) text = value;
      length = (size_t)(value - text) + strlen(value) + 1;
    }
    ls_journal_inputs(journal, &(struct ls_journal_inputs){.source = (uint32_t)number,
                                                           .is_linked = list->is_linked,
                                                           .first = first,
                                                           .count = count,
                                                           .text = text,
                                                           .length = length});
  } while (at < all);
}

static void write_inputs(struct ls_journal *journal, const struct ls_task_source *source) {
  ls_journal_forget_inputs(journal);
  for (size_t i = 0; i < source->lists_count; i++) write_list(journal, source, i);
  ls_journal_units(journal, source->tasks, false);
}

/* The values of a task for people. */
static void show_task(const char **values, size_t count, char *out, size_t out_bytes) {
  struct ls_bytes text = {0};
  for (size_t i = 0; i < count; i++) {
    if (values[i] == NULL) continue;
    if (i > 0) ls_bytes_append_char(&text, ' ');
    ls_bytes_append_text(&text, values[i]);
  }
  ls_console_show(text.failed ? "" : ls_bytes_text(&text), out, out_bytes);
  ls_bytes_close(&text);
}

static bool is_same_task(const char **old_values, const char **new_values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if ((old_values[i] == NULL) != (new_values[i] == NULL) ||
        (old_values[i] != NULL && strcmp(old_values[i], new_values[i]) != 0))
      return false;
  return true;
}

#define HINT "; --resume without a command and inputs takes the journal's"

static enum ls_status compare_tasks(const struct ls_task_source *old_source,
                                    const struct ls_task_source *new_source, const char *what,
                                    const char **values, struct ls_error *err) {
  size_t lists = ls_task_source_values_count(old_source);
  for (uint64_t task = 0; task < old_source->tasks; task++) {
    enum ls_status status = ls_task_source_values(old_source, task, values, err);
    if (status == LS_OK) status = ls_task_source_values(new_source, task, values + lists, err);
    if (status != LS_OK) return status;
    if (is_same_task(values, values + lists, lists)) continue;
    char was[200], is[200];
    show_task(values, lists, was, sizeof was);
    show_task(values + lists, lists, is, sizeof is);
    return ls_fail(err, LS_EMISMATCH, "%s %llu is '%s' now, was '%s'" HINT, what,
                   (unsigned long long)task + 1, is, was);
  }
  return LS_OK;
}

static enum ls_status compare_headers(const struct ls_task_source *old_source,
                                      const struct ls_task_source *new_source,
                                      struct ls_error *err) {
  for (size_t i = 0; i < ls_task_source_shown(old_source); i++) {
    const char *old_name = ls_task_source_header(old_source, i);
    const char *new_name = ls_task_source_header(new_source, i);
    bool is_same = old_name == NULL || new_name == NULL || strcmp(old_name, new_name) == 0;
    if (is_same) continue;
    char was[200], is[200];
    ls_console_show(old_name, was, sizeof was);
    ls_console_show(new_name, is, sizeof is);
    return ls_fail(err, LS_EMISMATCH, "the header of source %zu is '%s' now, was '%s'" HINT, i + 1,
                   is, was);
  }
  return LS_OK;
}

/* `what` the tasks are called. */
static enum ls_status compare(const struct ls_task_source *old_source,
                              const struct ls_task_source *new_source, const char *what,
                              struct ls_error *err) {
  if (old_source->lists_count != new_source->lists_count)
    return ls_fail(err, LS_EMISMATCH, "the run has %zu input sources, the journal has %zu" HINT,
                   new_source->lists_count, old_source->lists_count);
  if (new_source->tasks < old_source->tasks)
    return ls_fail(err, LS_EMISMATCH, "the run has %llu %ss, the journal has %llu" HINT,
                   (unsigned long long)new_source->tasks, what,
                   (unsigned long long)old_source->tasks);
  enum ls_status status = compare_headers(old_source, new_source, err);
  if (status != LS_OK) return status;
  const char **values = calloc(2 * ls_task_source_values_count(old_source) + 1, sizeof *values);
  if (values == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for input values");
  status = compare_tasks(old_source, new_source, what, values, err);
  free(values);
  return status;
}

/* What makes tasks of the inputs, as options: the numbers of tasks mean nothing without it. */
static void write_form(const struct ls_task_source *source, struct ls_bytes *out) {
  const struct ls_row_form *rows = source->rows;
  const char *space = "";
  const struct {
    bool is_so;
    const char *option;
  } facts[] = {{source->is_all_linked && ls_task_source_shown(source) > 1, "--link"},
               {source->has_header, "--header"},
               {source->has_hosts, "--onall"},
               {rows != NULL && rows->columns != NULL, "--colsep"},
               {rows != NULL && rows->is_csv, "--csv"}};
  ls_bytes_clear(out);
  if (source->inputs_per_task > 1) {
    ls_bytes_printf(out, "-N%llu", (unsigned long long)source->inputs_per_task);
    space = " ";
  }
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    if (!facts[i].is_so) continue;
    ls_bytes_printf(out, "%s%s", space, facts[i].option);
    space = " ";
  }
}

static const char *name_form(const char *form) {
  return form[0] == '\0' ? "no option" : form;
}

/* Of a journal that was begun before forms were recorded nothing is known. */
static enum ls_status compare_forms(struct ls_journal *journal, const struct ls_task_source *source,
                                    struct ls_error *err) {
  struct ls_bytes was = {0}, is = {0};
  size_t count = 0;
  enum ls_status status = ls_journal_read_words(journal, LS_JOURNAL_FORM, &was, &count, err);
  write_form(source, &is);
  if (status == LS_OK && (was.failed || is.failed)) {
    status = ls_fail(err, LS_ENOMEM, "out of memory for what makes tasks of inputs");
  } else if (status == LS_OK && count > 0 && strcmp(ls_bytes_text(&was), ls_bytes_text(&is)) != 0) {
    status = ls_fail(err, LS_EMISMATCH, "the inputs make tasks by %s now, by %s before" HINT,
                     name_form(ls_bytes_text(&is)), name_form(ls_bytes_text(&was)));
  }
  ls_bytes_close(&was);
  ls_bytes_close(&is);
  return status;
}

enum ls_status ls_run_resume_inputs_per_task(const char *path, uint64_t *inputs,
                                             struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  struct ls_bytes form = {0};
  size_t count = 0;
  *inputs = 0;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = ls_journal_read_words(journal, LS_JOURNAL_FORM, &form, &count, err);
  ls_journal_close(journal);
  const char *text = ls_bytes_text(&form);
  if (status == LS_OK && count > 0)
    *inputs = strncmp(text, "-N", 2) == 0 ? strtoull(text + 2, NULL, 10) : 1;
  ls_bytes_close(&form);
  return status;
}

static void record_form(struct ls_journal *journal, const struct ls_task_source *source) {
  struct ls_bytes form = {0};
  write_form(source, &form);
  const char *text = ls_bytes_text(&form);
  ls_journal_words(journal, LS_JOURNAL_FORM, &text, 1);
  ls_bytes_close(&form);
}

/* Also those inputs that are no task so far are among those that come. */
static enum ls_status compare_each(const struct ls_task_source *old_source,
                                   const struct ls_task_source *new_source, struct ls_error *err) {
  struct ls_task_source was = *old_source, is = *new_source;
  was.tasks = was.inputs;
  is.tasks = is.inputs;
  was.inputs_per_task = is.inputs_per_task = 0;
  return compare(&was, &is, "input", err);
}

/* `*known` tasks are in the journal. */
static enum ls_status compare_inputs(struct ls_journal *journal,
                                     const struct ls_task_source *source, uint64_t *known,
                                     struct ls_error *err) {
  struct ls_task_source recorded = {.is_all_linked = source->is_all_linked,
                                    .has_hosts = source->has_hosts,
                                    .has_header = source->has_header,
                                    .rows = source->rows,
                                    .choice = {.rule = source->choice.rule}};
  enum ls_status status = load(journal, &recorded, err);
  if (status == LS_OK && source->inputs_per_task > 0)
    ls_task_source_group(&recorded, source->inputs_per_task);
  bool is_new = recorded.lists_count == 0;
  *known = is_new ? 0 : recorded.tasks;
  bool has_inputs = *known > 0 || recorded.inputs > 0;
  bool is_parted = recorded.inputs_per_task > 0 && recorded.is_open && !source->is_open;
  if (status == LS_OK && has_inputs) status = compare_forms(journal, source, err);
  if (status == LS_OK && !is_new)
    status =
        is_parted ? compare_each(&recorded, source, err) : compare(&recorded, source, "task", err);
  ls_task_source_close(&recorded);
  return status;
}

enum ls_status ls_run_resume_compare(struct ls_journal *journal,
                                     const struct ls_task_source *source, struct ls_error *err) {
  uint64_t known;
  return compare_inputs(journal, source, &known, err);
}

/* The numbers of tasks that nobody has recorded yet mean nothing. */
static enum ls_status agree_on_stream(struct ls_journal *journal, struct ls_task_source *source,
                                      struct ls_error *err) {
  struct ls_journal_inputs_known known = {0};
  enum ls_status status = ls_journal_inputs_known(journal, &known, err);
  if (status == LS_OK && known.values > 0) status = compare_forms(journal, source, err);
  if (status == LS_OK) status = ls_input_stream_record(source->stream, journal, err);
  if (status != LS_OK) return status;
  if (known.values == 0) record_form(journal, source);
  source->tasks = ls_input_stream_count(source->stream);
  return LS_OK;
}

enum ls_status ls_run_resume_agree(struct ls_journal *journal, struct ls_task_source *source,
                                   struct ls_error *err) {
  uint64_t known;
  if (source->stream != NULL) return agree_on_stream(journal, source, err);
  enum ls_status status = compare_inputs(journal, source, &known, err);
  if (status != LS_OK) return status;
  if (known == 0) record_form(journal, source);
  if (known == 0 || source->tasks > known) write_inputs(journal, source);
  return LS_OK;
}
