/* run_blocks.c: data that are divided take the place of inputs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_inputs.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "runtime/execute/block_source.h"

/* A stream that comes at once is known to the policy when the run begins. */
static const double BEGIN_S = 0.05;

/* With --tee inputs make the tasks; else there are none. */
static enum ls_status check_inputs(const struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  size_t mark = ls_run_inputs_mark(options);
  bool has_inputs = mark < options->words_count;
  if (run->command.words_count == 0)
    return ls_fail(err, LS_EINVAL, "--pipe has no command, expected one that reads standard input");
  if (options->logins.is_on_all)
    return ls_fail(err, LS_EINVAL, "--pipe and --onall exclude each other: a block is done once");
  if (options->blocks.is_dealt && ls_run_pools_is_remote(options))
    return ls_fail(err, LS_EINVAL,
                   "--round-robin and workers on other machines exclude each other: a process is "
                   "fed through a pipe of this one");
  if (options->blocks.is_shared && !has_inputs)
    return ls_fail(err, LS_EINVAL,
                   "--tee has no inputs, expected ::: or ::::, which make the tasks");
  if (options->blocks.is_shared && options->journal != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--tee and --journal exclude each other: what all tasks read is "
                   "not recorded");
  if (!options->blocks.is_shared && ls_run_inputs_need_all(options))
    return ls_fail(err, LS_EINVAL,
                   "{##}, {0#}, {uniq} and {choose_k} need all inputs, which %s does not have",
                   options->blocks.is_part ? "--pipe-part" : "--pipe");
  if (has_inputs && !options->blocks.is_shared)
    return ls_fail(err, LS_EINVAL, "'%s' names inputs, expected none with --pipe but for --tee",
                   options->words[mark]);
  return LS_OK;
}

/* ---- files ---- */

/* Two sources of values: which file it is, and its blocks. */
static enum ls_status add_parts(struct ls_run *run, struct ls_error *err) {
  const struct ls_block_parts *parts = &run->blocks.parts;
  struct ls_bytes text = {0};
  ls_bytes_printf(&text, "%s: ", parts->path);
  ls_block_source_describe(&parts->source, &text);
  char *word = text.data;
  enum ls_status status = text.failed
                              ? ls_fail(err, LS_ENOMEM, "out of memory for the blocks")
                              : ls_task_source_add_words(&run->source, &word, 1, false, err);
  if (status == LS_OK) status = ls_task_source_add_words(&run->source, NULL, 0, false, err);
  for (size_t i = 0; i < parts->count && status == LS_OK; i++) {
    ls_bytes_clear(&text);
    ls_blocks_describe_part(&run->blocks, i, &text);
    status = text.failed ? ls_fail(err, LS_ENOMEM, "out of memory for the blocks")
                         : ls_task_source_add_value(&run->source, ls_bytes_text(&text), err);
  }
  ls_bytes_close(&text);
  return status == LS_OK ? ls_task_source_finish(&run->source, err) : status;
}

static enum ls_status open_file(struct ls_run *run, struct ls_error *err) {
  enum ls_status status = ls_blocks_cut_file(&run->blocks, run->options.files[0],
                                             ls_run_pools_workers(&run->options), err);
  return status == LS_OK ? add_parts(run, err) : status;
}

/* ---- streams ---- */

/* Standard input, or what -a names. */
static int open_data(const struct ls_run *run, char *shown, size_t shown_bytes,
                     struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const char *path = options->files_count > 0 ? options->files[0] : "-";
  bool is_input = strcmp(path, "-") == 0;
  ls_console_show(is_input ? "standard input" : path, shown, shown_bytes);
  if (is_input && !options->is_quiet && isatty(STDIN_FILENO) == 1)
    fprintf(stderr, "%s: reading data from the terminal; Ctrl-D ends them\n", run->name);
  int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) (void)ls_fail(err, LS_EINVAL, "%s: %s", shown, strerror(errno));
  return file;
}

static enum ls_status open_stream(struct ls_run *run, int file, const char *shown,
                                  struct ls_error *err) {
  const struct ls_input_cutter cutter = {.context = &run->blocks, .cut = ls_blocks_cut};
  enum ls_status status = ls_task_source_add_cut(&run->source, file, &cutter, shown, err);
  if (status != LS_OK) return status;
  struct ls_input_stream *stream = run->source.stream;
  bool is_dry = run->options.is_dry;
  uint64_t most = is_dry ? (uint64_t)1 << 53 : ls_blocks_most(&run->blocks);
  status = ls_input_stream_wait(stream, most, is_dry ? 1e9 : BEGIN_S, err);
  run->source.tasks = ls_input_stream_count(stream);
  return status;
}

/* All of the data, and the inputs that make the tasks. */
static enum ls_status open_shared(struct ls_run *run, int file, const char *shown,
                                  struct ls_error *err) {
  enum ls_status status = ls_blocks_keep_all(&run->blocks, file, shown, err);
  if (file != STDIN_FILENO) close(file);
  run->source.has_read_input = true;
  run->options.files_count = 0;
  return status == LS_OK ? ls_run_inputs_read(&run->options, run->name, &run->source, err) : status;
}

/* ---- processes that are fed ---- */

/* As many tasks as workers, each of which begins with its first block. */
static enum ls_status open_dealt(struct ls_run *run, int file, const char *shown,
                                 struct ls_error *err) {
  size_t processes = ls_run_pools_workers(&run->options);
  enum ls_status status = ls_task_source_add_words(&run->source, NULL, 0, false, err);
  for (size_t i = 0; i < processes && status == LS_OK; i++) {
    char text[64];
    (void)snprintf(text, sizeof text, "process %zu of at most %zu", i + 1, processes);
    status = ls_task_source_add_value(&run->source, text, err);
  }
  if (status == LS_OK) status = ls_task_source_finish(&run->source, err);
  if (status != LS_OK || run->options.is_dry) return status;
  run->source.tasks = 0;
  const struct ls_dealing_setup setup = {
      .blocks = &run->blocks, .file = file, .name = shown, .processes = processes};
  return ls_dealing_start(&run->blocks.dealing, &setup, err);
}

void ls_run_blocks_attend(struct ls_run *run, bool is_ending) {
  if (run->options.blocks.is_dealt && is_ending) ls_dealing_stop(&run->blocks.dealing);
}

void ls_run_blocks_finish(struct ls_run *run) {
  uint64_t unread = ls_dealing_finish(&run->blocks.dealing);
  if (unread > 0 && !run->options.is_quiet)
    ls_run_say(
        run,
        "%s: --round-robin: no process has read all of the data: at least %llu block%s came when "
        "all processes had ended",
        run->name, (unsigned long long)unread, unread == 1 ? "" : "s");
}

/* Who ends the workers of a dead master removes their files of --cat and --fifo. */
static void entrust_files(const struct ls_run *run) {
  const char *slash = strrchr(ls_bytes_text(&run->blocks.prefix), '/');
  if (run->keeper.keeper == NULL || slash == NULL) return;
  ls_keeper_entrust(run->keeper.keeper, slash + 1);
}

enum ls_status ls_run_blocks_open(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const struct ls_blocks_setup setup = {.options = &options->blocks,
                                        .is_remote = ls_run_pools_is_remote(options),
                                        .has_sums = options->journal != NULL};
  char shown[256];
  enum ls_status status = check_inputs(run, err);
  if (status == LS_OK) status = ls_blocks_open(&run->blocks, &setup, err);
  if (status != LS_OK) return status;
  entrust_files(run);
  if (options->blocks.is_part) return open_file(run, err);
  int file = open_data(run, shown, sizeof shown, err);
  if (file < 0) return LS_EINVAL;
  if (options->blocks.is_shared) return open_shared(run, file, shown, err);
  return options->blocks.is_dealt ? open_dealt(run, file, shown, err)
                                  : open_stream(run, file, shown, err);
}

/* ---- resume ---- */

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct ls_run *run = context;
  bool is_repeated = run->options.repeats_failures && result->outcome != LS_OUTCOME_DONE;
  return is_repeated ? LS_OK : ls_blocks_settle(&run->blocks, result->units, NULL);
}

enum ls_status ls_run_blocks_resume(struct ls_run *run, struct ls_journal *journal,
                                    struct ls_error *err) {
  if (run->commands.blocks == NULL || run->source.stream == NULL) return LS_OK;
  return ls_journal_each_result(journal, on_result, run, err);
}
