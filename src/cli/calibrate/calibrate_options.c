#include "cli/calibrate/calibrate_options.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/window_grid.h"
#include "cli/console.h"

enum {
  KEY_FROM = 256,
  KEY_TOLERANCE,
  KEY_ONE_LAW,
  KEY_FIT,
  KEY_WINDOW,
  KEY_PLOT,
  KEY_CHECK,
  KEY_SKIP_BAD
};
enum { KEY_PROBE = 300, KEY_SIZES, KEY_SECONDS, KEY_WORKERS, KEY_MEASUREMENTS, KEY_SEED };
enum { WORKERS_MAX = 1024 };

static const double SIZE_MOST = 1e9, SECONDS_DEFAULT = 10;

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Measurements", 2},
    {"from", KEY_FROM, "FORM", 0,
     "What the files are: csv, joblog, sacct or journal (default: as their content says)", 2},
    {"skip-bad", KEY_SKIP_BAD, NULL, 0,
     "Leave out lines of job logs that are torn or wrong, and say how many", 2},
    {"tolerance", KEY_TOLERANCE, "TOL", 0,
     "Workers whose latencies (s) and rates (s a unit) differ by at most TOL are alike (default: "
     "those whose times differ by at most 5 %, or by what noise explains)",
     2},
    {"one-law", KEY_ONE_LAW, NULL, 0, "Look for no windows: one law over all sizes", 2},
    {"fit", KEY_FIT, "ROAD", 0,
     "What the costs are fitted to: measurements (default), or makespan: journals, whose replays "
     "are made to last as long as the runs did; both are compared",
     2},
    {NULL, 0, NULL, 0, "Measuring", 4},
    {"probe", KEY_PROBE, NULL, 0,
     "Measure a command on local workers: its words stand in place of files, {} for the size; an "
     "application measures its own units, by the words after --",
     4},
    {"sizes", KEY_SIZES, "FROM-TO", 0, "The sizes that may be measured (default: 1-1000)", 4},
    {"seconds", KEY_SECONDS, "S", 0, "How long to measure (default: 10)", 4},
    {"measurements", KEY_MEASUREMENTS, "N", 0, "Measure at most so often (default: no limit)", 4},
    {"workers", KEY_WORKERS, "N", 0, "Workers that measure at once (default: 1)", 4},
    {"seed", KEY_SEED, "S", 0, "Seed of the order (default: 1)", 4},
    {NULL, 0, NULL, 0, "Output", 3},
    {"output", 'o', "FILE", 0, "Write the platform: JSON, or SimGrid XML to a name in .xml", 3},
    {"window", KEY_WINDOW, "N", 0,
     "The platform has the Nth window of each group only (default: all)", 3},
    {"plot", KEY_PLOT, "FILE", 0, "Draw points, laws, windows and residuals, as SVG", 3},
    {"check", KEY_CHECK, "JOURNAL", 0,
     "Say what the platform would have predicted for this run, and what happened; may be repeated",
     3},
    {"json", 'j', NULL, 0, "Write JSON, for machines", 3},
    {0}};

static error_t take_form(struct ls_calibrate_options *options, const char *word,
                         struct argp_state *state) {
  for (int i = 0; i < LS_CALIBRATE_FORMS; i++) {
    if (strcmp(word, ls_calibrate_form_names[i]) != 0) continue;
    options->form = (enum ls_calibrate_form)i;
    return 0;
  }
  argp_error(state, "--from is '%s', expected csv, joblog, sacct or journal", word);
  return EINVAL;
}

/* Whole numbers with a minus between. */
static error_t take_sizes(struct ls_calibrate_options *options, char *words,
                          struct argp_state *state) {
  char *end = NULL;
  struct ls_size_range *sizes = &options->probe.sizes;
  sizes->least = strtod(words, &end);
  sizes->most = end != words && *end == '-' ? strtod(end + 1, &end) : 0;
  bool is_whole = floor(sizes->least) >= sizes->least && floor(sizes->most) >= sizes->most;
  if (*end != '\0' || !is_whole || !(sizes->least >= 1) || !(sizes->most >= sizes->least) ||
      sizes->most > SIZE_MOST)
    argp_error(state, "--sizes is '%s', expected FROM-TO, whole numbers from 1 to 1e9", words);
  return 0;
}

static error_t take_whole(const char *field, const char *words, struct ls_whole_range range,
                          uint64_t *number, struct argp_state *state) {
  struct ls_error err = {0};
  if (ls_console_whole(field, words, range, number, &err) != LS_OK)
    argp_error(state, "%s", err.text);
  return 0;
}

static error_t take_real(const char *field, const char *words, struct ls_real_range range,
                         double *number, struct argp_state *state) {
  struct ls_error err = {0};
  if (ls_console_real(field, words, range, number, &err) != LS_OK)
    argp_error(state, "%s", err.text);
  return 0;
}

static error_t parse_measuring(int key, char *argument, struct argp_state *state) {
  struct ls_calibrate_options *options = state->input;
  struct ls_probe_setup *probe = &options->probe;
  uint64_t workers = 1;
  switch (key) {
    case KEY_SIZES:
      options->measuring = "--sizes";
      return take_sizes(options, argument, state);
    case KEY_SECONDS:
      options->measuring = "--seconds";
      return take_real(options->measuring, argument, (struct ls_real_range){1e-3, DBL_MAX},
                       &probe->seconds, state);
    case KEY_MEASUREMENTS:
      options->measuring = "--measurements";
      return take_whole(options->measuring, argument, (struct ls_whole_range){1, UINT64_MAX},
                        &probe->measurements_most, state);
    case KEY_WORKERS:
      options->measuring = "--workers";
      take_whole(options->measuring, argument, (struct ls_whole_range){1, WORKERS_MAX}, &workers,
                 state);
      probe->workers = (size_t)workers;
      return 0;
    case KEY_SEED:
      options->measuring = "--seed";
      return take_whole(options->measuring, argument, (struct ls_whole_range){0, UINT64_MAX},
                        &probe->seed, state);
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t take_road(struct ls_calibrate_options *options, const char *word,
                         struct argp_state *state) {
  options->wants_makespans = strcmp(word, "makespan") == 0;
  if (!options->wants_makespans && strcmp(word, "measurements") != 0)
    argp_error(state, "--fit is '%s', expected measurements or makespan", word);
  return 0;
}

static bool is_standard_output(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

/* The table yields; what was asked for does not. */
static void check_outputs(const struct ls_calibrate_options *options, struct argp_state *state) {
  bool has_text = options->wants_json || options->checks_count > 0;
  int takers = is_standard_output(options->output) + is_standard_output(options->plot) + has_text;
  if (takers > 1)
    argp_error(state,
               "standard output has room for one of --output=-, --plot=- and what %s prints: give "
               "the others a file",
               options->wants_json || options->checks_count == 0 ? "--json" : "--check");
  /* Before measurements that take minutes. */
  struct ls_error err = {0};
  enum ls_status status = ls_console_check_option("--output", options->output, &err);
  if (status == LS_OK) status = ls_console_check_option("--plot", options->plot, &err);
  if (status != LS_OK) argp_error(state, "%s", err.text);
}

static error_t end_options(struct ls_calibrate_options *options, struct argp_state *state) {
  bool has_platform = options->platform.text != NULL;
  if (has_platform && options->files_count > 0)
    argp_error(state, "--platform is given with measurements: the platform comes of them");
  if (has_platform && options->checks_count == 0)
    argp_error(state, "--platform is given without --check");
  if (has_platform && (options->plot != NULL || options->output != NULL))
    argp_error(state, "--plot and --output need measurements");
  if (options->wants_makespans && options->form != LS_CALIBRATE_ANY &&
      options->form != LS_CALIBRATE_JOURNAL)
    argp_error(state, "--fit=makespan needs journals");
  if (options->wants_probe && (options->wants_makespans || options->form != LS_CALIBRATE_ANY))
    argp_error(state, "--probe measures by itself: --fit and --from need files");
  if (options->measuring != NULL && !options->wants_probe)
    argp_error(state, "%s is given without --probe", options->measuring);
  check_outputs(options, state);
  if (options->wants_makespans) options->form = LS_CALIBRATE_JOURNAL;
  bool is_of_app = options->wants_probe && options->probe.app != NULL;
  if (!has_platform && options->files_count == 0 && !is_of_app)
    argp_error(state, options->wants_probe ? "the command is missing, as in --probe -- ./work {}"
                                           : "FILE is missing (- is standard input)");
  return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_calibrate_options *options = state->input;
  uint64_t window = 0;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->platform;
      return 0;
    case KEY_FROM:
      return take_form(options, argument, state);
    case KEY_TOLERANCE:
      return take_real("--tolerance", argument, (struct ls_real_range){0, DBL_MAX},
                       &options->calibration.tolerance, state);
    case KEY_SKIP_BAD:
      options->skips_bad = true;
      return 0;
    case KEY_ONE_LAW:
      options->calibration.seeks_windows = false;
      return 0;
    case KEY_FIT:
      return take_road(options, argument, state);
    case 'o':
      options->output = argument;
      return 0;
    case KEY_WINDOW:
      take_whole("--window", argument, (struct ls_whole_range){1, LS_WINDOW_SIZES_MAX}, &window,
                 state);
      options->window = (size_t)window;
      return 0;
    case KEY_PROBE:
      options->wants_probe = true;
      return 0;
    case KEY_PLOT:
      options->plot = argument;
      return 0;
    case KEY_CHECK:
      if (options->checks_count == LS_CALIBRATE_CHECKS_MAX)
        argp_error(state, "--check is given too often, at most %d times", LS_CALIBRATE_CHECKS_MAX);
      options->checks[options->checks_count++] = argument;
      return 0;
    case 'j':
      options->wants_json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->files_count == LS_CALIBRATE_FILES_MAX)
        argp_error(state, "there are more than %d files", LS_CALIBRATE_FILES_MAX);
      options->files[options->files_count++] = argument;
      return 0;
    case ARGP_KEY_END:
      return end_options(options, state);
    default:
      return parse_measuring(key, argument, state);
  }
}

static const struct argp_child children[] = {{&ls_platform_source_argp, 0, NULL, 0}, {0}};

const struct argp ls_calibrate_options_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE...\n--probe -- COMMAND {}...",
    .children = children,
    .doc =
        "Fits the costs of a platform to measurements: CSV of operation, worker, units, seconds; "
        "journals of loadstar run; job logs of GNU parallel; what sacct --parsable2 writes. Says "
        "how sure each coefficient is, in which windows of sizes the laws hold, which workers are "
        "alike, how the times of tasks are spread, and what the measurements cannot tell.\v"
        "FILE - is standard input, or output. Examples:\n"
        "  loadstar calibrate measured.csv -o platform.json --plot laws.svg\n"
        "  loadstar calibrate monday.journal tuesday.journal --check wednesday.journal\n"
        "  sacct --parsable2 -o JobID,NodeList,State,ElapsedRaw | loadstar calibrate -\n"
        "  loadstar calibrate --probe --sizes 1-500 --seconds 60 -o me.json -- ./work {}\n"
        "  loadstar calibrate --platform platform.json --check run.journal --json\n"};

struct ls_calibrate_options ls_calibrate_options_default(void) {
  return (struct ls_calibrate_options){
      .form = LS_CALIBRATE_ANY,
      .calibration = {.tolerance = (double)NAN, .seeks_windows = true},
      .platform = ls_platform_source_default(),
      .probe = {.sizes = {1, 1000, true}, .seconds = SECONDS_DEFAULT, .workers = 1, .seed = 1}};
}
