#include "cli/run/block_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/results_table.h"
#include "cli/run/run_options.h"
#include "cli/terms_options.h"

/* Away from those of run_option_table.h. */
enum {
  KEY_PIPE = 3328,
  KEY_PIPE_PART,
  KEY_BLOCK,
  KEY_RECEND,
  KEY_RECSTART,
  KEY_REGEXP,
  KEY_RRS,
  KEY_CAT,
  KEY_FIFO,
  KEY_TEE,
  KEY_GROUP_BY,
  KEY_ROUND_ROBIN,
  KEY_END
};

/* A group of this table has its own number. */
const struct argp_option ls_block_options_table[] = {
    {NULL, 0, NULL, 0, "Standard input in blocks", 13},
    {"pipe", KEY_PIPE, NULL, 0,
     "Standard input is data, not inputs: each command reads a block of whole records of it", 13},
    {"pipe-part", KEY_PIPE_PART, NULL, 0,
     "The same of the file that -a names; workers read their parts themselves", 13},
    {"block", KEY_BLOCK, "SIZE", 0,
     "A block ends at the last record end within SIZE bytes (default: 1M, and the policy gives a "
     "command several); -n with --pipe-part: n blocks per worker",
     13},
    {"recend", KEY_RECEND, "S", 0, "A record ends with S (default: a line end)", 13},
    {"recstart", KEY_RECSTART, "S", 0, "A record begins with S", 13},
    {"regexp", KEY_REGEXP, NULL, 0, "--recend and --recstart are regular expressions", 13},
    {"rrs", KEY_RRS, NULL, 0, "Remove what --recend and --recstart match", 13},
    {"group-by", KEY_GROUP_BY, "C", 0,
     "Consecutive lines, or rows of --csv, with the same value in column C are one record; C is a "
     "number, or a name with --header :, and --colsep separates columns; 'C s/RE/TEXT/' compares "
     "what that leaves",
     13},
    {"cat", KEY_CAT, NULL, 0, "The block is a temporary file, whose name is {}", 13},
    {"fifo", KEY_FIFO, NULL, 0, "The block is a named pipe, whose name is {}", 13},
    {"tee", KEY_TEE, NULL, 0, "Every task gets all of standard input", 13},
    {"round-robin", KEY_ROUND_ROBIN, NULL, 0,
     "As many processes as workers, each of which gets blocks until the end: one that has read "
     "its block gets the next one; implies --pipe",
     13},
    {0}};

bool ls_block_options_has(int key) {
  return key >= KEY_PIPE && key < KEY_END;
}

/* -n: blocks per worker. */
static enum ls_status read_block(struct ls_block_options *options, const char *text,
                                 struct ls_error *err) {
  if (text[0] == '-')
    return ls_console_whole("--block -", text + 1, (struct ls_whole_range){1, 1 << 20},
                            &options->blocks_per_worker, err);
  enum ls_status status = ls_console_size("--block", text, &options->bytes, err);
  if (status != LS_OK) return status;
  if (options->bytes > 0 && options->bytes <= (uint64_t)1 << 40) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--block is '%s', expected 1 to 1024G bytes", text);
}

static enum ls_status choose_form(struct ls_block_options *options, enum ls_block_form form,
                                  struct ls_error *err) {
  if (options->form != LS_BLOCK_INPUT && options->form != form)
    return ls_fail(err, LS_EINVAL, "--cat and --fifo exclude each other");
  options->form = form;
  return LS_OK;
}

enum ls_status ls_block_options_read(struct ls_block_options *options, int key, const char *text,
                                     struct ls_error *err) {
  switch (key) {
    case KEY_PIPE:
      options->is_piped = true;
      return LS_OK;
    case KEY_PIPE_PART:
      options->is_part = true;
      return LS_OK;
    case KEY_BLOCK:
      return read_block(options, text, err);
    case KEY_RECEND:
      options->end = text;
      return LS_OK;
    case KEY_RECSTART:
      options->start = text;
      return LS_OK;
    case KEY_REGEXP:
      options->is_pattern = true;
      return LS_OK;
    case KEY_RRS:
      options->removes = true;
      return LS_OK;
    case KEY_GROUP_BY:
      options->group_by = text;
      return LS_OK;
    case KEY_ROUND_ROBIN:
      options->is_dealt = true;
      return LS_OK;
    case KEY_CAT:
      return choose_form(options, LS_BLOCK_FILE, err);
    case KEY_FIFO:
      return choose_form(options, LS_BLOCK_FIFO, err);
    default:
      options->is_shared = true;
      return LS_OK;
  }
}

bool ls_block_options_divide(const struct ls_block_options *options) {
  return options->is_piped || options->is_part;
}

/* ---- what goes together ---- */

static const char *find_needy(const struct ls_block_options *options) {
  return options->bytes + options->blocks_per_worker > 0 ? "--block"
         : options->end != NULL                          ? "--recend"
         : options->start != NULL                        ? "--recstart"
         : options->is_pattern                           ? "--regexp"
         : options->removes                              ? "--rrs"
         : options->group_by != NULL                     ? "--group-by"
         : options->is_shared                            ? "--tee"
                                                         : NULL;
}

static enum ls_status check_part(const struct ls_run_options *run, struct ls_error *err) {
  const struct ls_block_options *options = &run->blocks;
  const char *other = options->records > 0 ? "-N"
                      : options->lines > 0 ? "-L"
                      : options->removes   ? "--rrs"
                                           : NULL;
  if (other != NULL)
    return ls_fail(err, LS_EINVAL,
                   "%s needs all of the data in their order: --pipe < FILE, not "
                   "--pipe-part",
                   other);
  if (run->files_count > 1)
    return ls_fail(err, LS_EINVAL, "--pipe-part reads one file, and %zu are given with -a",
                   run->files_count);
  if (run->files_count == 0 || strcmp(run->files[0], "-") == 0)
    return ls_fail(err, LS_EINVAL, "--pipe-part needs -a FILE, a file to be read in parts");
  return LS_OK;
}

static const char *name_data(const struct ls_block_options *options) {
  return options->is_part ? "--pipe-part" : "--pipe";
}

/* With data these options count records, not inputs. */
static enum ls_status take_counts(struct ls_run_options *run, struct ls_error *err) {
  struct ls_bundle_options *bundles = &run->bundles;
  const char *data = name_data(&run->blocks);
  const char *other = bundles->fills != NULL ? bundles->fills
                      : bundles->groups != NULL && strcmp(bundles->groups, "-n") == 0 ? "-n"
                                                                                      : NULL;
  if (bundles->tasks.line_bytes_max > 0) other = "-s";
  if (other != NULL)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other: there are no inputs", data,
                   other);
  if (bundles->has_none) return ls_fail(err, LS_EINVAL, "-N is 0 with %s, expected >= 1", data);
  run->blocks.records = bundles->records;
  run->blocks.lines = bundles->lines;
  bundles->group = 0;
  bundles->groups = bundles->clash = NULL;
  return LS_OK;
}

/* Options about inputs, of which there are none. */
static const char *find_of_inputs(const struct ls_run_options *run) {
  const struct ls_input_options *inputs = &run->inputs;
  bool has_columns = inputs->form.is_csv || run->blocks.group_by != NULL;
  return inputs->form.stop_length > 0             ? "--null or --delimiter"
         : inputs->form.last != NULL              ? "--eof"
         : inputs->form.skips_blank               ? "--no-run-if-empty"
         : inputs->is_linked                      ? "--link"
         : inputs->has_trim                       ? "--trim"
         : inputs->colsep != NULL && !has_columns ? "--colsep without --csv or --group-by"
         : run->outputs.retries_failed            ? "--retry-failed"
                                                  : NULL;
}

/* Rows and groups of them are separated in their own way. */
static enum ls_status check_forms(const struct ls_block_options *options, struct ls_error *err) {
  const char *form = options->group_by != NULL ? "--group-by"
                     : options->csv.is_csv     ? "--csv"
                                               : NULL;
  const char *separator = options->end != NULL     ? "--recend"
                          : options->start != NULL ? "--recstart"
                          : options->is_pattern    ? "--regexp"
                          : options->removes       ? "--rrs"
                                                   : NULL;
  if (options->group_by != NULL && options->lines > 0) separator = "-L";
  if (form != NULL && separator != NULL)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other: a record is %s", form, separator,
                   options->group_by != NULL ? "a group of lines" : "a row");
  if (options->group_by != NULL && !options->csv.is_csv && options->columns == NULL)
    return ls_fail(err, LS_EINVAL,
                   "--group-by %.40s needs --colsep RE, or --csv, which separate columns",
                   options->group_by);
  return LS_OK;
}

/* With data these options are about the stream. */
static enum ls_status take_forms(struct ls_run_options *run, struct ls_error *err) {
  struct ls_block_options *options = &run->blocks;
  const char *other = find_of_inputs(run);
  if (other != NULL)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other: there are no inputs",
                   name_data(options), other);
  options->header = run->inputs.header;
  run->inputs.header = NULL;
  enum ls_status status = ls_input_options_check(&run->inputs, err);
  if (status != LS_OK) return status;
  options->csv = run->inputs.form;
  run->inputs.form = (struct ls_input_form){.is_csv = false};
  options->columns = run->inputs.colsep;
  run->inputs.colsep = NULL;
  return check_forms(options, err);
}

/* All tasks of --tee read the same. */
static enum ls_status check_shared(const struct ls_run_options *run, struct ls_error *err) {
  const struct ls_block_options *options = &run->blocks;
  const char *other = options->bytes + options->blocks_per_worker > 0 ? "--block"
                      : options->end != NULL                          ? "--recend"
                      : options->start != NULL                        ? "--recstart"
                      : options->is_pattern                           ? "--regexp"
                      : options->removes                              ? "--rrs"
                      : options->group_by != NULL                     ? "--group-by"
                                                                      : run->bundles.fills;
  if (other != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--tee and %s exclude each other: each task reads all of the data", other);
  if (options->form == LS_BLOCK_INPUT) return LS_OK;
  return ls_fail(
      err, LS_EINVAL,
      "--tee and %s exclude each other: {} is the input of a task there, not a file with "
      "the data",
      options->form == LS_BLOCK_FILE ? "--cat" : "--fifo");
}

/* What needs all tasks before the first one begins, or takes one at a time. */
static enum ls_status check_others(const struct ls_run_options *run, struct ls_error *err) {
  bool is_stream = run->blocks.is_piped;
  const struct {
    const char *name;
    bool is_given, is_for_streams;
  } others[] = {
      {"--order", strcmp(run->order, "fifo") != 0, true},
      {"--plan", run->plan != NULL, true},
      {"--times", run->times != NULL, true},
      {"--halt with a percentage", run->halt.percent > 0, true},
      {"--joblog with --resume, without --journal,", ls_output_options_follow_joblog(run), false}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].is_given && (is_stream || !others[i].is_for_streams))
      return ls_fail(err, LS_EINVAL, "%s and %s exclude each other: %s", name_data(&run->blocks),
                     others[i].name,
                     others[i].is_for_streams
                         ? "how many blocks there are is not known, expected --pipe-part -a FILE"
                         : "a job log does not know the data, a journal does");
  return LS_OK;
}

/* Without a size the policy says how many blocks one command reads. */
static bool has_table(const struct ls_output_options *outputs) {
  return outputs->results != NULL && ls_results_table_form(outputs->results) != LS_TABLE_NONE;
}

static void leave_to_policy(struct ls_run_options *run) {
  const struct ls_block_options *options = &run->blocks;
  if (options->is_dealt) return;
  bool is_said = options->bytes + options->blocks_per_worker + options->records > 0;
  bool is_single = run->replication != NULL || run->times != NULL || run->plan != NULL ||
                   run->outputs.tells_beginnings || run->timeout_percent > 0 ||
                   has_table(&run->outputs) || ls_file_options_stages(&run->files_of_tasks);
  if (is_said || is_single || options->is_shared) return;
  if (run->bundles.tasks.units_max == 0) run->bundles.tasks.units_max = UINT32_MAX;
  run->bundles.tasks.are_blocks = true;
  run->has_whole_chunks = true;
}

static enum ls_status check_pipe(const struct ls_run_options *run, struct ls_error *err) {
  const struct ls_block_options *options = &run->blocks;
  if (options->blocks_per_worker > 0)
    return ls_fail(err, LS_EINVAL,
                   "--block -%llu: how long standard input is, is not known; expected --pipe-part "
                   "-a FILE, or a size",
                   (unsigned long long)options->blocks_per_worker);
  if (run->files_count > 1)
    return ls_fail(err, LS_EINVAL, "--pipe reads one file, and %zu are given with -a",
                   run->files_count);
  return LS_OK;
}

/* No block can be repeated, and a process is where its blocks are: here. */
static enum ls_status check_dealt(struct ls_run_options *run, struct ls_error *err) {
  static const char by_whom[] = "a block goes to whichever process takes it",
                    once[] = "what a process has read cannot be read again",
                    name[] = "a block is written to the standard input of a process that runs",
                    here[] = "a process is fed through a pipe of this machine",
                    all[] = "each block has one reader";
  const struct ls_block_options *options = &run->blocks;
  const struct {
    const char *name;
    bool is_given;
    const char *reason;
  } others[] = {{"--pipe-part", options->is_part, "workers read the parts of a file themselves"},
                {"--tee", options->is_shared, all},
                {"--cat", options->form == LS_BLOCK_FILE, name},
                {"--fifo", options->form == LS_BLOCK_FIFO, name},
                {"-k", run->keeps_order, "no output belongs to one place of the data"},
                {"--retries", run->retries > 0, once},
                {"--losses", run->losses != LS_RUN_LOSSES, once},
                {"--journal", run->journal != NULL, once},
                {"--resume", run->is_resumed, once},
                {"--resume-failed", run->repeats_failures, once},
                {"--replication", run->replication != NULL, once},
                {"--policy", run->policy != NULL, by_whom},
                {"--prefetch", run->has_prefetch, by_whom},
                {"--sizing", run->sizing != NULL, by_whom},
                {"--deadline and --price-max", ls_terms_are_given(&run->terms), by_whom},
                {"--units-max", run->bundles.tasks.units_max > 0, by_whom},
                {"--split-failed", run->bundles.tasks.splits_failed, once},
                {"--listen", run->listen != NULL, here},
                {"--ssh", run->ssh != NULL, here},
                {"--slurm", run->has_slurm, here},
                {"-S", run->elsewhere.door != NULL, here}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].is_given)
      return ls_fail(err, LS_EINVAL, "--round-robin and %s exclude each other: %s", others[i].name,
                     others[i].reason);
  run->policy = "ss";
  run->losses = 1;
  run->prefetch = 0;
  run->has_prefetch = true;
  return LS_OK;
}

enum ls_status ls_block_options_check(struct ls_run_options *run, struct ls_error *err) {
  struct ls_block_options *options = &run->blocks;
  /* These say that there is data, and nothing else. */
  bool is_data = options->is_dealt || options->form != LS_BLOCK_INPUT;
  if (is_data && !options->is_part) options->is_piped = true;
  const char *needy = find_needy(options);
  if (!ls_block_options_divide(options)) {
    if (needy == NULL) return LS_OK;
    return ls_fail(err, LS_EINVAL, "%s needs --pipe, or --pipe-part -a FILE", needy);
  }
  if (options->is_piped && options->is_part)
    return ls_fail(err, LS_EINVAL, "--pipe and --pipe-part exclude each other");
  enum ls_status status = options->is_dealt ? check_dealt(run, err) : LS_OK;
  if (status != LS_OK) return status;
  if (options->is_shared)
    status = check_shared(run, err);
  else
    status = take_counts(run, err);
  if (status == LS_OK && !options->is_shared) status = take_forms(run, err);
  if (status == LS_OK && !options->is_shared) status = check_others(run, err);
  if (status == LS_OK) status = options->is_part ? check_part(run, err) : check_pipe(run, err);
  /* Each task reads the file from its beginning: as a stream it is the same. */
  if (options->is_shared && options->is_part) {
    options->is_part = false;
    options->is_piped = true;
  }
  if (status == LS_OK) leave_to_policy(run);
  return status;
}

static int read_hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

enum ls_status ls_block_options_decode(const char *option, const char *text, struct ls_bytes *out,
                                       struct ls_error *err) {
  static const char letters[] = "ntr0\\", bytes[] = "\n\t\r\0\\";
  for (const char *at = text; *at != '\0'; at++) {
    if (*at != '\\' || at[1] == '\0') {
      ls_bytes_append_char(out, *at);
      continue;
    }
    const char *letter = strchr(letters, *++at);
    if (letter != NULL) {
      ls_bytes_append_char(out, bytes[letter - letters]);
    } else if (*at == 'x' && read_hexadecimal(at[1]) >= 0 && read_hexadecimal(at[2]) >= 0) {
      ls_bytes_append_char(out, (char)(16 * read_hexadecimal(at[1]) + read_hexadecimal(at[2])));
      at += 2;
    } else {
      return ls_fail(err, LS_EINVAL, "%s '%s': '\\%c' is not one of \\n \\t \\r \\0 \\\\ \\xHH",
                     option, text, *at);
    }
  }
  return out->failed ? ls_fail(err, LS_ENOMEM, "out of memory for %s", option) : LS_OK;
}
