#include "cli/run/run_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/policy_name.h"

/* A file of so many bytes is read in less time than a worker takes to start. */
enum { WHOLE_BYTES_MAX = 4 << 20 };
/* Tasks that are known when the run begins let policies choose well: `find` and `seq` are waited
 * for, who writes slowly is not. */
enum { BEGIN_VALUES_MAX = 1 << 16 };
static const double BEGIN_S = 0.05;

size_t ls_run_inputs_mark(const struct ls_run_options *options) {
  size_t words = 0;
  while (words < options->words_count &&
         !ls_task_source_is_mark(options->words[words], &options->inputs.marks))
    words++;
  return words;
}

/* The file that is the only source; NULL: there are others. */
static const char *find_single(const struct ls_run_options *options) {
  size_t mark = ls_run_inputs_mark(options), marked = options->words_count - mark;
  if (options->files_count == 1 && marked == 0) return options->files[0];
  if (options->files_count > 0) return NULL;
  if (marked == 0) return "-";
  const char *files = options->inputs.marks.files;
  bool is_file = marked == 2 && strcmp(options->words[mark], files == NULL ? "::::" : files) == 0;
  return is_file ? options->words[mark + 1] : NULL;
}

bool ls_run_inputs_need_all(const struct ls_run_options *options) {
  bool counts = ls_input_options_need_all(&options->inputs, ls_bytes_text(&options->recorded),
                                          options->recorded.length);
  for (size_t i = 0; i < ls_run_inputs_mark(options); i++)
    counts = counts || ls_input_options_need_all(&options->inputs, options->words[i],
                                                 strlen(options->words[i]));
  return counts;
}

/* The sizes of this policy are of all units, in their order. */
static bool has_sizes(const struct ls_run_options *options) {
  char name[LS_POLICY_NAME_BYTES];
  if (options->policy == NULL) return false;
  (void)ls_policy_name_cut(options->policy, name);
  return strcmp(name, "given") == 0;
}

/* Does nothing in this run need all tasks first? */
static bool may_stream(const struct ls_run_options *options) {
  bool is_fifo = strcmp(options->order, "fifo") == 0;
  return is_fifo && !ls_output_options_follow_joblog(options) && !options->logins.is_on_all &&
         !ls_run_inputs_need_all(options) && !ls_file_options_stages(&options->files_of_tasks) &&
         options->plan == NULL && !has_sizes(options) && options->times == NULL &&
         options->needs_by_task == NULL && !options->is_dry && !(options->halt.percent > 0);
}

/* A policy that was asked for, or chosen by knowledge, shares all tasks that a file has. */
static bool is_worth_reading(const struct ls_run_options *options, int file) {
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  bool is_automatic = options->policy == NULL || strcmp(options->policy, "auto") == 0;
  return !is_automatic || options->history != NULL || options->platform != NULL ||
         about.st_size <= WHOLE_BYTES_MAX;
}

static enum ls_status open_stream(const struct ls_run_options *options, const char *path,
                                  struct ls_task_source *source, bool *is_open,
                                  struct ls_error *err) {
  bool is_input = strcmp(path, "-") == 0;
  char shown[256];
  ls_console_show(is_input ? "standard input" : path, shown, sizeof shown);
  int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return ls_fail(err, LS_EINVAL, "%s: %s", shown, strerror(errno));
  if (is_worth_reading(options, file)) {
    if (!is_input) close(file);
    return LS_OK;
  }
  *is_open = true;
  source->has_read_input = is_input;
  source->inputs_per_task = options->bundles.group;
  return ls_task_source_add_stream(source, file, shown, err);
}

static enum ls_status read_whole(const struct ls_run_options *options,
                                 struct ls_task_source *source, struct ls_error *err) {
  size_t mark = ls_run_inputs_mark(options);
  enum ls_status status = LS_OK;
  source->is_all_linked = options->inputs.is_linked;
  for (size_t i = 0; i < options->files_count && status == LS_OK; i++)
    status = ls_task_source_add_file(source, options->files[i], false, err);
  if (status == LS_OK)
    status = ls_task_source_add_marked(source, options->words + mark, options->words_count - mark,
                                       &options->inputs.marks, err);
  if (status == LS_OK && ls_task_source_shown(source) == 0)
    status = ls_task_source_add_file(source, "-", false, err);
  return status == LS_OK ? ls_task_source_finish(source, err) : status;
}

/* A standard input that was closed is held open by one that nobody can read. */
static bool is_closed_input(void) {
  int flags = fcntl(STDIN_FILENO, F_GETFL);
  return flags < 0 || (flags & O_ACCMODE) == O_WRONLY;
}

enum ls_status ls_run_inputs_read(const struct ls_run_options *options, const char *name,
                                  struct ls_task_source *source, struct ls_error *err) {
  const char *single = find_single(options);
  source->form = &options->inputs.form;
  source->has_header = options->inputs.header != NULL;
  bool is_input = single != NULL && strcmp(single, "-") == 0, is_stream = false;
  if (is_input && ls_login_options_take_input(&options->logins))
    return ls_fail(err, LS_EINVAL,
                   "--sshloginfile is '-', which has the hosts, expected inputs after ::: or in a "
                   "file");
  if (is_input && options->files_count == 0 && is_closed_input())
    return ls_fail(err, LS_EINVAL, "no inputs: standard input is closed, and there is no :::");
  if (is_input && !options->is_quiet && isatty(STDIN_FILENO) == 1)
    fprintf(stderr, "%s: reading inputs from the terminal, one per line; Ctrl-D ends them\n", name);
  enum ls_status status = LS_OK;
  if (single != NULL && may_stream(options))
    status = open_stream(options, single, source, &is_stream, err);
  if (status != LS_OK || !is_stream)
    return status == LS_OK ? read_whole(options, source, err) : status;
  status = ls_input_stream_wait(source->stream, BEGIN_VALUES_MAX, BEGIN_S, err);
  source->tasks = ls_input_stream_count(source->stream);
  return status;
}
