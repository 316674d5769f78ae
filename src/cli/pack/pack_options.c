#include "cli/pack/pack_options.h"

#include <argp.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "planners/pack/pack_choice.h"

enum {
  KEY_SPEEDS = 0x300,
  KEY_JOB,
  KEY_START,
  KEY_UNKNOWN_SPEEDS,
  KEY_SIZES,
  KEY_FROM,
  KEY_UNKNOWN,
  KEY_SAME_NAMES,
  KEY_SKIP_BAD,
  KEY_SLURM,
  KEY_MARGIN,
  KEY_INDEX,
  KEY_SEED,
  KEY_WORK
};

enum { SHARDS_MAX = 100000, MACHINES_MAX = 10000 };
#define SPEED_LEAST 1e-6
#define SPEED_MOST  1e6

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Tasks and times", 1},
    {"tasks", 't', "FILE", 0,
     "The tasks, one a line; FILEs tell their times, by name (default: the tasks of the FILEs; -: "
     "standard input)",
     1},
    {"sizes", KEY_SIZES, NULL, 0,
     "Lines of --tasks are a size and a name, as du and wc write them: times unknown are in "
     "proportion to it",
     1},
    {"from", KEY_FROM, "FORM", 0,
     "What the FILEs are: csv, joblog, junit, durations, sacct, journal or list (default: as their "
     "content says)",
     1},
    {"unknown", KEY_UNKNOWN, "HOW", 0,
     "A task without a time takes the median or the mean of the known ones (default: median)", 1},
    {"skip-bad", KEY_SKIP_BAD, NULL, 0,
     "Leave out lines of job logs that are torn or wrong, and say how many", 1},
    {"same-names", KEY_SAME_NAMES, "HOW", 0,
     "A name that comes again in a FILE: refuse, mean (measured again) or each (a task of its own) "
     "(default: refuse)",
     1},
    {NULL, 0, NULL, 0, "Division", 2},
    {"shards", 'k', "K", 0, "Divide among K shards", 2},
    {"speeds", KEY_SPEEDS, "LIST", 0,
     "Speeds of the workers of the shards, such as 1,1,0.5 (default: all 1)", 2},
    {"job-seconds", KEY_JOB, "S", 0,
     "Divide into as few jobs as possible, of at most S seconds each", 2},
    {"start-cost", KEY_START, "S", 0, "Each shard or job takes S seconds longer (default: 0)", 2},
    {"unknown-speeds", KEY_UNKNOWN_SPEEDS, "M", 0,
     "Bags for at most M machines whose speeds are not known; --shards says how many (default: M), "
     "--speeds which speeds they have in the end",
     2},
    {"work", KEY_WORK, "N", 0, "How far to search (default: 50000000 looks at a task)", 2},
    {NULL, 0, NULL, 0, "Output", 3},
    {"output", 'o', "DIR", 0,
     "Write the names of each shard to DIR/shard-0 and so on, or to a name with {} for the number",
     3},
    {"slurm", KEY_SLURM, "FILE", 0,
     "Write a script for an array of jobs of Slurm that runs the shards of --output: their lines "
     "are inputs of COMMAND, or commands",
     3},
    {"time-margin", KEY_MARGIN, "F", 0,
     "The script's limit of time is F times what is expected (default: 1.5)", 3},
    {"index", KEY_INDEX, "I/K", 0, "Print the names of shard I of K, counted from 1, alone", 3},
    {"seed", KEY_SEED, "S", 0, "Seed of the interval (default: 1)", 3},
    {"json", 'j', NULL, 0, "Print JSON, for machines", 3},
    {0}};

static uint64_t take_whole(const char *field, const char *words, struct ls_whole_range range,
                           struct argp_state *state) {
  struct ls_error err = {0};
  uint64_t number = 0;
  if (ls_console_whole(field, words, range, &number, &err) != LS_OK)
    argp_error(state, "%s", err.text);
  return number;
}

static double take_real(const char *field, const char *words, struct ls_real_range range,
                        struct argp_state *state) {
  struct ls_error err = {0};
  double number = 0;
  if (ls_console_real(field, words, range, &number, &err) != LS_OK)
    argp_error(state, "%s", err.text);
  return number;
}

static void take_speeds(struct ls_pack_options *options, const char *words,
                        struct argp_state *state) {
  size_t count = 1;
  for (const char *at = words; *at != '\0'; at++) count += *at == ',';
  char *copy = strdup(words), *next = copy;
  free(options->speeds);
  options->speeds = calloc(count, sizeof *options->speeds);
  if (copy == NULL || options->speeds == NULL) argp_failure(state, 1, 0, "out of memory");
  for (size_t i = 0; i < count; i++) {
    const char *word = strsep(&next, ",");
    options->speeds[i] =
        take_real("--speeds", word, (struct ls_real_range){SPEED_LEAST, SPEED_MOST}, state);
  }
  options->speeds_count = count;
  free(copy);
}

static void take_index(struct ls_pack_options *options, const char *words,
                       struct argp_state *state) {
  const char *bar = strchr(words, '/');
  char *shard = bar == NULL ? NULL : strndup(words, (size_t)(bar - words));
  if (bar == NULL) {
    argp_error(state, "--index is '%s', expected I/K, such as 1/4", words);
    return;
  }
  if (shard == NULL) argp_failure(state, 1, 0, "out of memory");
  uint64_t shards =
      take_whole("--index: K", bar + 1, (struct ls_whole_range){1, SHARDS_MAX}, state);
  options->index = take_whole("--index: I", shard, (struct ls_whole_range){1, shards}, state);
  free(shard);
  options->index_shards = shards;
}

/* One of the words, which NULL ends. */
static size_t take_word(const char *field, const char *words, const char *const *known,
                        struct argp_state *state) {
  char list[128] = "";
  size_t i = 0;
  while (known[i] != NULL && strcmp(words, known[i]) != 0) i++;
  if (known[i] != NULL) return i;
  for (i = 0; known[i] != NULL; i++) {
    (void)strcat(list, i == 0 ? "" : known[i + 1] == NULL ? " or " : ", ");
    (void)strcat(list, known[i]);
  }
  argp_error(state, "%s is '%s', expected %s", field, words, list);
  return 0;
}

static void add_file(struct ls_pack_options *options, char *path, struct argp_state *state) {
  void *items = options->files;
  if (ls_array_reserve(&items, &options->files_capacity, options->files_count + 1,
                       sizeof *options->files) != LS_OK)
    argp_failure(state, 1, 0, "out of memory");
  options->files = items;
  options->files[options->files_count++] = path;
}

/* What excludes what, and what is missing. */
static void check_division(const struct ls_pack_options *options, struct argp_state *state) {
  bool has_jobs = options->job_s > 0;
  const char *other = options->machines > 0       ? "--unknown-speeds"
                      : options->index > 0        ? "--index"
                      : options->shards > 0       ? "--shards"
                      : options->speeds_count > 0 ? "--speeds"
                                                  : NULL;
  if (has_jobs && other != NULL)
    argp_error(state, "--job-seconds is given with %s, expected one of them", other);
  if (has_jobs && !(options->start_s < options->job_s))
    argp_error(state, "--start-cost is %g, expected less than the %g s of --job-seconds",
               options->start_s, options->job_s);
  if (!has_jobs && other == NULL)
    argp_error(state,
               "--shards is missing, expected it, or --speeds, --index I/K, --unknown-speeds or "
               "--job-seconds");
  if (options->index > 0 && options->shards > 0 && options->shards != options->index_shards)
    argp_error(state, "--index is of %llu shards and --shards is %llu, expected the same number",
               (unsigned long long)options->index_shards, (unsigned long long)options->shards);
  if (options->index > 0 && options->machines > 0)
    argp_error(state, "--index is given with --unknown-speeds, expected one of them");
  if (options->machines > 0 && options->speeds_count > options->machines)
    argp_error(state, "--speeds has %zu values, expected at most %llu as --unknown-speeds says",
               options->speeds_count, (unsigned long long)options->machines);
  uint64_t shards = options->index > 0 ? options->index_shards : options->shards;
  if (options->machines == 0 && shards > 0 && options->speeds_count > 0 &&
      options->speeds_count != shards)
    argp_error(state, "--speeds has %zu values, expected %llu, one for each shard",
               options->speeds_count, (unsigned long long)shards);
}

static void check_files(const struct ls_pack_options *options, struct argp_state *state) {
  if (options->files_count == 0 && options->tasks == NULL)
    argp_error(state, "FILE is missing, expected one of times, or --tasks");
  if (options->has_sizes && options->tasks == NULL)
    argp_error(state, "--sizes is given without --tasks");
  if (options->slurm != NULL && options->output == NULL)
    argp_error(state, "--slurm is given without --output, whose files it runs");
  if (options->command_count > 0 && options->slurm == NULL)
    argp_error(state, "COMMAND is given without --slurm");
  if (options->index > 0 && options->wants_json)
    argp_error(state, "--index is given with --json, expected one of them");
  size_t inputs = options->tasks != NULL && strcmp(options->tasks, "-") == 0;
  for (size_t i = 0; i < options->files_count; i++) inputs += strcmp(options->files[i], "-") == 0;
  if (inputs > 1) argp_error(state, "- is given %zu times, standard input is read once", inputs);
}

static error_t parse_tasks(int key, char *argument, struct argp_state *state) {
  static const char *const ways[] = {"median", "mean", NULL};
  static const char *const same[] = {"refuse", "mean", "each", NULL};
  struct ls_pack_options *options = state->input;
  switch (key) {
    case 't':
      options->tasks = argument;
      return 0;
    case KEY_SIZES:
      options->has_sizes = true;
      return 0;
    case KEY_FROM:
      options->form = (enum ls_pack_form)take_word("--from", argument, ls_pack_form_names, state);
      return 0;
    case KEY_UNKNOWN:
      options->uses_mean = take_word("--unknown", argument, ways, state) == 1;
      return 0;
    case KEY_SKIP_BAD:
      options->skips_bad = true;
      return 0;
    case KEY_SAME_NAMES:
      options->same_names = (enum ls_same_names)take_word("--same-names", argument, same, state);
      return 0;
    case ARGP_KEY_ARG:
      add_file(options, argument, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_output(int key, char *argument, struct argp_state *state) {
  struct ls_pack_options *options = state->input;
  switch (key) {
    case 'o':
      options->output = argument;
      return 0;
    case KEY_SLURM:
      options->slurm = argument;
      return 0;
    case KEY_MARGIN:
      options->time_margin =
          take_real("--time-margin", argument, (struct ls_real_range){1, 1e6}, state);
      return 0;
    case KEY_INDEX:
      take_index(options, argument, state);
      return 0;
    case KEY_SEED:
      options->seed = take_whole("--seed", argument, (struct ls_whole_range){0, UINT64_MAX}, state);
      return 0;
    case 'j':
      options->wants_json = true;
      return 0;
    default:
      return parse_tasks(key, argument, state);
  }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_pack_options *options = state->input;
  switch (key) {
    case 'k':
      options->shards =
          take_whole("--shards", argument, (struct ls_whole_range){1, SHARDS_MAX}, state);
      return 0;
    case KEY_SPEEDS:
      take_speeds(options, argument, state);
      return 0;
    case KEY_JOB:
      options->job_s =
          take_real("--job-seconds", argument, (struct ls_real_range){1e-9, DBL_MAX}, state);
      return 0;
    case KEY_START:
      options->start_s =
          take_real("--start-cost", argument, (struct ls_real_range){0, DBL_MAX}, state);
      return 0;
    case KEY_UNKNOWN_SPEEDS:
      options->machines =
          take_whole("--unknown-speeds", argument, (struct ls_whole_range){1, MACHINES_MAX}, state);
      return 0;
    case KEY_WORK:
      options->work = take_whole("--work", argument, (struct ls_whole_range){1, UINT64_MAX}, state);
      return 0;
    case ARGP_KEY_END:
      check_division(options, state);
      check_files(options, state);
      return 0;
    default:
      return parse_output(key, argument, state);
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[FILE...] [-- COMMAND...]",
    .doc =
        "Divides tasks of measured times into shards that end together, or into jobs of a target "
        "length. FILEs tell the times: journals of loadstar run, job logs of GNU parallel, CSV "
        "(name,seconds), JUnit's XML, pytest's .test_durations, what sacct --parsable2 writes."
        "\vExamples:\n"
        "  loadstar pack run.journal --shards 4 --output shards\n"
        "  loadstar pack junit.xml --tasks tests.txt --index 2/5\n"
        "  loadstar pack jobs.log --speeds 1,1,0.5\n"
        "  loadstar pack jobs.log --job-seconds 3600 --start-cost 30 -o jobs --slurm jobs.sh\n"
        "  du -b *.fits | loadstar pack --tasks - --sizes --shards 8\n"
        "  loadstar pack times.csv --unknown-speeds 4 --shards 12\n"};

void ls_pack_options_read(struct ls_pack_options *options, int argc, char **argv) {
  *options = (struct ls_pack_options){.name = argv[0],
                                      .form = LS_PACK_FORM_ANY,
                                      .time_margin = 1.5,
                                      .seed = 1,
                                      .work = LS_PACK_WORK};
  argp_err_exit_status = LS_EXIT_USAGE;
  /* Behind -- stands the command; argp would mix its words with the files. */
  for (int i = 1; i < argc && options->command == NULL; i++) {
    if (strcmp(argv[i], "--") != 0) continue;
    options->command = argv + i + 1;
    options->command_count = (size_t)(argc - i - 1);
    argc = i;
  }
  (void)ls_option_names_parse(&parser, argc, argv, 0, options);
  if (options->index > 0) options->shards = options->index_shards;
  if (options->shards == 0)
    options->shards = options->machines > 0 ? options->machines : options->speeds_count;
}

void ls_pack_options_close(struct ls_pack_options *options) {
  free(options->files);
  free(options->speeds);
}
