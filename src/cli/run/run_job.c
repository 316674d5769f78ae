/* run_job.c: what is to be run, and whether it is what the journal holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise/run_advise.h"
#include "base/digest.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/run/command_program.h"
#include "cli/run/command_words.h"
#include "cli/run/quote.h"
#include "cli/run/run_inputs.h"
#include "cli/run/run_left.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"

/* The run's name in a journal, so that another run is recognised. */
static void name_command(struct ls_run *run) {
  struct ls_bytes *text = &run->command_text;
  ls_quote_line(run->command.words, run->command.words_count, text);
  if (run->compiled.is_shell)
    ls_bytes_append_text(text,
                         run->command.words_count > 0 ? " (by the shell)" : "(command lines)");
}

/* Each host of --onall has its part of the tasks in every session. */
static enum ls_status check_hosts(const struct ls_run *run, struct ls_error *err) {
  const struct ls_task_source *source = &run->source;
  size_t count = source->lists_count > 0 ? source->lists[0].count : 0;
  bool is_same = count == run->ssh.places_count;
  for (size_t i = 0; i < count && is_same; i++) {
    const char *name = source->arena.data + source->offsets[source->lists[0].first + i];
    is_same = strcmp(name, run->ssh.places[i]) == 0;
  }
  if (is_same) return LS_OK;
  return ls_fail(err, LS_EMISMATCH,
                 "the run has %zu hosts, the journal has %zu, or others; each task was to run once "
                 "on each of those",
                 run->ssh.places_count, count);
}

static enum ls_status take_recorded(struct ls_run *run, struct ls_error *err) {
  ls_task_source_close(&run->source);
  run->is_recorded = true;
  run->source.is_all_linked = run->options.inputs.is_linked;
  run->source.has_header = run->options.inputs.header != NULL;
  run->source.has_hosts = run->options.logins.is_on_all;
  enum ls_status status = ls_run_resume_inputs(run->options.journal, &run->source, err);
  return status == LS_OK && run->source.has_hosts ? check_hosts(run, err) : status;
}

/* With --onall each host is an input of its own, before all others. */
static enum ls_status read_inputs(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const struct ls_login_options *logins = &options->logins;
  if (!logins->is_on_all) return ls_run_inputs_read(options, run->name, &run->source, err);
  enum ls_status status =
      ls_task_source_add_words(&run->source, run->ssh.places, run->ssh.places_count, false, err);
  run->source.has_hosts = true;
  if (status != LS_OK) return status;
  if (!logins->has_no_inputs) return ls_run_inputs_read(options, run->name, &run->source, err);
  if (run->command.words_count == 0)
    return ls_fail(err, LS_EINVAL, "--nonall has no command, expected one");
  if (run->command.words_count < options->words_count)
    return ls_fail(err, LS_EINVAL, "--nonall is given with '%s', expected a command without inputs",
                   options->words[run->command.words_count]);
  return ls_task_source_finish(&run->source, err);
}

/* May tasks come that are not known? */
static bool may_come(const struct ls_run *run) {
  const struct ls_input_stream *stream = run->source.stream;
  if (run->options.blocks.is_dealt) return !run->options.is_dry;
  return stream != NULL && !ls_input_stream_is_ended(stream);
}

/* Blocks of a file are no inputs that anybody has given. */
static enum ls_status explain_part(const struct ls_run *run, enum ls_status status,
                                   struct ls_error *err) {
  if (status != LS_EMISMATCH || !run->options.blocks.is_part || err == NULL) return status;
  char *hint = strstr(err->text, "; --resume");
  if (hint != NULL) *hint = '\0';
  return ls_fail_while(err, status,
                       "--pipe-part: %s has changed, is another file, or is cut otherwise than "
                       "before (--block, --header, ...)",
                       run->blocks.parts.path);
}

/* Who takes the inputs from a journal is told when it may lack some. */
static enum ls_status agree_on_inputs(struct ls_run *run, struct ls_journal *journal,
                                      struct ls_error *err) {
  struct ls_journal_inputs_known known;
  enum ls_status status = ls_journal_inputs_known(journal, &known, err);
  if (status != LS_OK) return status;
  run->lacks_inputs = run->is_recorded && known.is_open;
  if (run->lacks_inputs && !run->options.is_quiet)
    ls_run_say(run, "%s: %s: has the %llu tasks that had come; for later ones give the input again",
               run->name, run->options.journal, (unsigned long long)run->source.tasks);
  status = ls_run_blocks_resume(run, journal, err);
  if (status == LS_OK) status = ls_run_resume_agree(journal, &run->source, err);
  if (status != LS_OK) return explain_part(run, status, err);
  run->units = run->source.tasks;
  if (known.is_open && !run->is_recorded && run->source.stream == NULL)
    ls_journal_units(journal, run->units, false);
  return LS_OK;
}

/* While the journal is opened: it keeps what a resume needs. */
enum ls_status ls_run_job_agree(void *context, struct ls_journal *journal, struct ls_error *err) {
  struct ls_run *run = context;
  bool is_app = run->user_app != NULL;
  struct ls_bytes words = {0};
  size_t options = 0, command = 0;
  enum ls_status status = ls_journal_read_words(journal, LS_JOURNAL_OPTION, &words, &options, err);
  if (status == LS_OK)
    status = ls_journal_read_words(journal, LS_JOURNAL_COMMAND, &words, &command, err);
  ls_bytes_close(&words);
  if (status == LS_OK && options + command == 0)
    ls_run_resume_record(journal, &run->options,
                         is_app ? run->options.words_count : run->command.words_count);
  return status == LS_OK && !is_app ? agree_on_inputs(run, journal, err) : status;
}

/* --needs '{2}' */
static enum ls_status compile_needs(struct ls_run *run, struct ls_error *err) {
  const char *text = run->options.needs_by_task;
  if (text == NULL) {
    run->app.need = NULL;
    return LS_OK;
  }
  enum ls_status status =
      ls_template_init_text(&run->needs, text, &run->words_of_tasks.grammar, err);
  if (status != LS_OK) return ls_fail_while(err, status, "--needs");
  run->commands.needs = &run->needs;
  if (!ls_template_has(&run->needs, LS_REPLACE_SLOT)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--needs is '%s', and which worker gets a task is not known before the run", text);
}

/* Sources that the command sees; of blocks it is their names, if they have some. */
static size_t count_shown(const struct ls_run *run) {
  const struct ls_block_options *blocks = &run->options.blocks;
  bool has_inputs = !ls_block_options_divide(blocks) || blocks->is_shared;
  return has_inputs ? run->words_of_tasks.grammar.sources_count : ls_blocks_has_name(&run->blocks);
}

/* What the command makes of several inputs, and which inputs it leaves out. */
static enum ls_status group_inputs(struct ls_run *run, size_t sources, struct ls_error *err) {
  const struct ls_bundle_options *bundles = &run->options.bundles;
  struct ls_task_source *source = &run->source;
  size_t group = (size_t)bundles->group;
  enum ls_status status = LS_OK;
  bool has_ascent = ls_template_has(&run->compiled, LS_REPLACE_CHOICE);
  if (has_ascent || ls_template_has(&run->compiled, LS_REPLACE_UNLIKE)) {
    source->choice.rule = has_ascent ? LS_CHOICE_ASCENDING : LS_CHOICE_UNLIKE;
    status = ls_task_source_finish(source, err);
  }
  if (status == LS_OK && group > 0 && source->stream == NULL) ls_task_source_group(source, group);
  if (status == LS_OK && bundles->many != LS_MANY_NONE)
    status = ls_template_take_many(&run->compiled, bundles->many, group, sources, err);
  if (status == LS_OK && bundles->has_none) ls_template_take_none(&run->compiled);
  return status;
}

/* Now that the inputs are there: what they are called, the command, and which of them make tasks.
 */
static enum ls_status compile_command(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  enum ls_status status =
      ls_run_words_read(&run->words_of_tasks, &options->inputs, &run->source, err);
  if (status != LS_OK) return status;
  struct ls_grammar *grammar = &run->words_of_tasks.grammar;
  grammar->sources_count = count_shown(run);
  size_t sources = grammar->sources_count, group = (size_t)options->bundles.group;
  if (group > 0 && grammar->has_columns)
    return ls_fail(err, LS_EINVAL,
                   "-N, -L and -n exclude columns (--colsep, --csv, --header): {1} could be the "
                   "column or the input of that number");
  /* With -N the inputs of a task stand where its sources do else, in all that names them. */
  if (group > sources) grammar->sources_count = group;
  status = ls_template_init(&run->compiled, &run->command, grammar, err);
  if (status == LS_OK) status = group_inputs(run, sources, err);
  return status == LS_OK ? ls_template_check_shell(&run->compiled, err) : status;
}

static enum ls_status open_command(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  size_t words = ls_run_inputs_mark(options);
  if (options->shell[0] != '\0') run->shell = ls_shell_words_of(options->shell);
  run->command = (struct ls_command_line){.words = (const char *const *)options->words,
                                          .words_count = words,
                                          .is_shell = options->is_shell,
                                          .shell = options->shell[0] != '\0' ? &run->shell : NULL};
  return ls_run_words_open(&run->words_of_tasks, &options->inputs, err);
}

enum ls_status ls_run_job_recall(struct ls_run *run, const char *path, struct ls_error *err) {
  static char name[] = "loadstar run";
  run->name = name;
  enum ls_status status = ls_run_resume_recall(&run->resume, &run->options, name, path, err);
  if (status == LS_OK) status = open_command(run, err);
  /* Which hosts there were, nobody needs to say again. */
  run->options.logins.is_on_all = false;
  /* Blocks have no inputs: they are numbered. */
  bool has_inputs = !ls_block_options_divide(&run->options.blocks);
  if (status == LS_OK && has_inputs) status = take_recorded(run, err);
  if (status == LS_OK && has_inputs) status = compile_command(run, err);
  run->commands = (struct ls_commands){.compiled = &run->compiled, .source = &run->source};
  return status;
}

void ls_run_job_close(struct ls_run *run) {
  ls_commands_close(&run->commands);
  ls_template_close(&run->compiled);
  ls_task_source_close(&run->source);
  ls_run_words_close(&run->words_of_tasks);
  ls_run_options_close(&run->options);
  ls_run_resume_close(&run->resume);
}

/* A program that no worker here can run fails all tasks alike: it is said once, before any runs.
 * Nothing may be left to do of a run that goes on, and tasks may choose machines that have it. */
static enum ls_status check_program(const struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const struct ls_file_options *files = &options->files_of_tasks;
  const struct ls_login_options *logins = &options->logins;
  const char *name = ls_command_program_name(&run->command, &run->compiled);
  bool has_tasks =
      run->source.tasks > 0 || may_come(run) || ls_block_options_divide(&options->blocks);
  bool goes_on = (options->is_resumed || options->repeats_failures) &&
                 (options->journal == NULL || access(options->journal, F_OK) == 0);
  if (name == NULL || !has_tasks || goes_on || options->is_dry || options->has_no_local ||
      options->needs_by_task != NULL)
    return LS_OK;
  bool is_elsewhere = logins->workdir != NULL || logins->has_own_rooms ||
                      ls_file_options_sandboxing(files) != LS_SANDBOX_NONE ||
                      ls_file_options_stages(files);
  return ls_command_program_check(name, is_elsewhere, err);
}

enum ls_status ls_run_job_read_commands(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  enum ls_status status = open_command(run, err);
  bool has_blocks = ls_block_options_divide(&options->blocks);
  bool reads_inputs = !has_blocks && !run->resume.takes_tasks && !options->outputs.retries_failed;
  if (status == LS_OK && options->outputs.retries_failed)
    status = ls_run_outputs_read_failed(run, err);
  if (status == LS_OK && has_blocks) status = ls_run_blocks_open(run, err);
  if (status == LS_OK && reads_inputs) status = read_inputs(run, err);
  /* No command lines at standard input either: the journal has them. */
  if (status == LS_OK && run->resume.words != NULL && !has_blocks && run->source.tasks == 0 &&
      !may_come(run))
    status = take_recorded(run, err);
  if (status == LS_OK) status = compile_command(run, err);
  const struct ls_command_words words = {&run->command, &run->compiled,
                                         &run->words_of_tasks.grammar, &run->source};
  if (status == LS_OK) status = ls_command_words_check(&words, err);
  if (status == LS_OK) status = check_program(run, err);
  if (status != LS_OK) return status;
  run->units = run->source.tasks;
  if (run->source.stream == NULL) run->digest = ls_task_source_digest(&run->source);
  run->commands = (struct ls_commands){.compiled = &run->compiled,
                                       .source = &run->source,
                                       .blocks = has_blocks ? &run->blocks : NULL,
                                       .slots = ls_run_pools_workers(options)};
  ls_commands_init(&run->commands);
  run->app = ls_commands_app;
  if (run->options.bundles.tasks.units_max > 0)
    run->app.bundling = run->commands.bundling = &run->options.bundles.tasks;
  if (!may_come(run)) run->app.more = NULL;
  status = compile_needs(run, err);
  if (status == LS_OK) status = ls_run_outputs_prepare(run, err);
  if (status != LS_OK) return status;
  run->state = &run->commands;
  run->commands.is_hurried = ls_interrupts_is_hurried;
  name_command(run);
  return ls_run_files_open(run, err);
}

/* What the results depend on beside the words. */
static enum ls_status add_fingerprint(struct ls_run *run, struct ls_error *err) {
  struct ls_bytes bytes = {0};
  if (run->app.fingerprint == NULL) return LS_OK;
  enum ls_status status = run->app.fingerprint(run->state, &bytes, err);
  if (status == LS_OK && bytes.failed) status = ls_fail(err, LS_ENOMEM, "out of memory");
  if (status == LS_OK) run->digest = ls_digest_add(run->digest, bytes.data, bytes.length);
  ls_bytes_close(&bytes);
  return status;
}

static enum ls_status open_app(struct ls_run *run, size_t words_count, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (run->app.open != NULL)
    status = run->app.open((int)words_count, run->words, &run->state, err);
  else if (words_count > 1)
    status = ls_fail(err, LS_EINVAL, "%s takes no words of its own, and got '%s'", run->app.name,
                     run->words[1]);
  run->is_open = status == LS_OK && run->app.open != NULL;
  return status;
}

enum ls_status ls_run_job_open_app(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  run->app = *run->user_app;
  if (options->needs_by_task != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--needs is '%s', expected a label: units of %s have no values to put there",
                   options->needs_by_task, run->app.name);
  if (run->app.more != NULL && options->journal != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--journal %s: units of %s come while it runs, which no journal could resume",
                   options->journal, run->app.name);
  size_t words_count = options->words_count + 1;
  run->words = calloc(words_count + 1, sizeof *run->words);
  if (run->words == NULL) return ls_fail(err, LS_ENOMEM, "out of memory");
  run->words[0] = (char *)run->app.name;
  for (size_t i = 1; i < words_count; i++) run->words[i] = options->words[i - 1];
  ls_quote_line((const char *const *)run->words, words_count, &run->command_text);
  run->digest =
      ls_digest_add(LS_DIGEST_START, ls_bytes_text(&run->command_text), run->command_text.length);
  enum ls_status status = open_app(run, words_count, err);
  if (status == LS_OK) status = add_fingerprint(run, err);
  return status == LS_OK ? run->app.units(run->state, 0, &run->units, err) : status;
}

/* Sizes that the policy says are known in the run only. */
static void say_sizes(const struct ls_run *run) {
  if (run->commands.bundling == NULL || run->options.is_quiet) return;
  if (run->options.bundles.fills_lines) return;
  const char *policy = run->options.policy;
  bool has_blocks = run->commands.bundling->are_blocks;
  fprintf(stderr,
          "%s: --dry-run: one command with all %llu %s is shown; the run has several, of sizes "
          "that the policy says (%s)%s\n",
          run->name, (unsigned long long)run->units, has_blocks ? "blocks" : "inputs",
          policy == NULL ? ls_run_advise_whole_chunks() : policy,
          has_blocks ? "" : " and a command line takes");
}

/* Of the command with this number, as the run will have it, or all where the policy says. */
static uint64_t count_units(const struct ls_run *run, uint64_t command, uint64_t left) {
  const struct ls_argument_list *lines = &run->options.bundles.line_units;
  if (run->commands.bundling == NULL) return 1;
  if (lines->count == 0) return left;
  double units = lines->items[command < lines->count ? command : lines->count - 1];
  return units < (double)left ? (uint64_t)units : left;
}

void ls_run_job_find_directory(struct ls_run *run) {
  if (getcwd(run->directory, sizeof run->directory) == NULL) run->directory[0] = '\0';
}

struct ls_journal_job ls_run_job_facts(const struct ls_run *run) {
  return (struct ls_journal_job){
      .application = run->app.name,
      .command = ls_bytes_text(&run->command_text),
      .directory = run->directory,
      .input_digest = run->digest,
      .has_inputs = run->user_app == NULL,
      .units = run->units,
      .policy = ls_bytes_text(&run->policy_text),
      .listens = run->site_text.length > 0 ? ls_bytes_text(&run->site_text) : NULL,
      .seed = run->options.seed,
      .workers = run->policy.config.workers};
}

/* What is done stands in no command. */
static uint64_t count_left(const struct ls_run_left *left, struct ls_range task) {
  uint64_t count = 0;
  while (count < task.count && !ls_run_left_is_done(left, task.first + count)) count++;
  return count;
}

static enum ls_status print_commands(struct ls_run *run, const struct ls_run_left *left,
                                     struct ls_error *err) {
  struct ls_range task = {0};
  for (uint64_t command = 0; task.first < run->units; task.first += task.count) {
    task.count = 1;
    if (ls_run_left_is_done(left, task.first)) continue;
    task.count = count_units(run, command++, run->units - task.first);
    task.count = count_left(left, task);
    enum ls_status status = ls_commands_describe(&run->commands, task, 1, err);
    if (status != LS_OK) return status;
    const struct ls_bytes *line = &run->commands.line;
    if (fwrite(line->data, 1, line->length, stdout) != line->length || putchar('\n') == EOF) break;
  }
  return LS_OK;
}

int ls_run_job_print(struct ls_run *run) {
  struct ls_error err = {0};
  struct ls_run_left left = {0};
  enum ls_status status = ls_run_left_read(run, &left, &err);
  if (status == LS_OK) say_sizes(run);
  if (status == LS_OK) status = print_commands(run, &left, &err);
  ls_run_left_close(&left);
  if (status != LS_OK) return ls_console_fail(run->name, &err);
  return LS_EXIT_OK;
}
