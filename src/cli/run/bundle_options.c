#include "cli/run/bundle_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/results_table.h"
#include "cli/run/run_pools.h"
#include "cli/terms_options.h"
#include "runtime/os/launcher.h"

/* Away from those of the other tables. */
enum { KEY_UNITS_MAX = 3072, KEY_SPLIT_FAILED, KEY_XARGS, KEY_CONTEXT_FILL, KEY_END };

/* The inputs that the user counts himself; one command takes no more. Records of data may be more.
 */
enum { GROUP_MOST = 1 << 20 };
#define RECORDS_MOST (UINT64_C(1) << 40)

const struct argp_option ls_bundle_options_table[] = {
    {NULL, 0, NULL, 0, "Several inputs in one command", 14},
    {"context-replace", 'X', NULL, 0,
     "As many inputs in a command as the policy says and a command line takes; a word with a "
     "replacement string is repeated for each",
     14},
    {"many", 'm', NULL, 0,
     "As many inputs in a command as its line takes, in the place of the replacement string; the "
     "workers share the rest",
     14},
    {"xargs", KEY_XARGS, NULL, 0, "As -m; the rest is one command", 14},
    {"max-replace-args", 'N', "N", 0,
     "N inputs in a command: {1} {2} ... are its inputs, {} all of them, as with -X; 0: read one, "
     "and insert none",
     14},
    {"max-lines", 'L', "N", 0, "The same", 14},
    {"max-args", 'n', "N", 0, "The same, as with -m", 14},
    {"max-chars", 's', "SIZE", 0,
     "With -X, -m or --xargs: no command line longer than SIZE bytes (default: what the system "
     "takes)",
     14},
    {"units-max", KEY_UNITS_MAX, "N", 0, "With -X, -m or --xargs: at most N inputs in a command",
     14},
    {"split-failed", KEY_SPLIT_FAILED, NULL, 0,
     "With -X, -m or --xargs: halve a command that failed until the inputs that fail are known",
     14},
    {0}};

const struct argp_option ls_bundle_dialect_table[] = {
    {"context-fill", KEY_CONTEXT_FILL, NULL, 0, NULL, 14}, {0}};

bool ls_bundle_options_has(int key) {
  return (key > 0 && key < 128 && strchr("XmNLns", key) != NULL) ||
         (key >= KEY_UNITS_MAX && key < KEY_END);
}

static enum ls_status fill(struct ls_bundle_options *options, const char *name, enum ls_many many,
                           struct ls_error *err) {
  if (options->fills != NULL && strcmp(options->fills, name) != 0)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other", options->fills, name);
  options->fills = name;
  options->many = many;
  return LS_OK;
}

static enum ls_status group(struct ls_bundle_options *options, const char *name, const char *text,
                            struct ls_error *err) {
  bool may_be_none = strcmp(name, "-N") == 0;
  enum ls_status status = ls_console_whole(
      name, text, (struct ls_whole_range){may_be_none ? 0 : 1, RECORDS_MOST}, &options->group, err);
  if (status != LS_OK) return status;
  if (options->groups != NULL && strcmp(options->groups, name) != 0)
    options->clash = options->groups;
  if (may_be_none) options->records = options->group;
  if (strcmp(name, "-L") == 0) options->lines = options->group;
  options->groups = name;
  options->has_none = options->group == 0;
  return LS_OK;
}

enum ls_status ls_bundle_options_read(struct ls_bundle_options *options, int key, const char *text,
                                      struct ls_error *err) {
  enum ls_status status = LS_OK;
  switch (key) {
    case 'X':
      return fill(options, "-X", LS_MANY_REPEATED, err);
    case KEY_CONTEXT_FILL:
      options->is_filled = true;
      return fill(options, "-X", LS_MANY_REPEATED, err);
    case 'm':
      return fill(options, "-m", LS_MANY_JOINED, err);
    case KEY_XARGS:
      return fill(options, "--xargs", LS_MANY_JOINED, err);
    case 'N':
      return group(options, "-N", text, err);
    case 'L':
      return group(options, "-L", text, err);
    case 'n':
      return group(options, "-n", text, err);
    case 's':
      status = ls_console_size("-s", text, &options->tasks.line_bytes_max, err);
      if (status != LS_OK || options->tasks.line_bytes_max > 0) return status;
      return ls_fail(err, LS_EINVAL, "-s is %s, expected a size >= 1", text);
    case KEY_UNITS_MAX:
      return ls_console_whole("--units-max", text, (struct ls_whole_range){1, UINT32_MAX},
                              &options->tasks.units_max, err);
    default:
      options->tasks.splits_failed = true;
      return LS_OK;
  }
}

/* What is of one input cannot be of several that are not known before the run. */
static enum ls_status check_exclusions(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_bundle_options *bundles = &options->bundles;
  const char *mine = bundles->fills != NULL ? bundles->fills : bundles->groups;
  const struct {
    const char *name;
    bool is_given, is_for_fills; /* the latter excludes -X, -m and --xargs only */
  } others[] = {{"--stage-in, --stage-out and the like",
                 ls_file_options_stages(&options->files_of_tasks), false},
                {"--onall", options->logins.is_on_all, false},
                {"--needs by task", options->needs_by_task != NULL, false},
                {"--times", options->times != NULL, true},
                {"--results as a table",
                 options->outputs.results != NULL &&
                     ls_results_table_form(options->outputs.results) != LS_TABLE_NONE,
                 true},
                {"--joblog with --resume, without --journal,",
                 ls_output_options_follow_joblog(options), true},
                {"--replication", options->replication != NULL, true}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].is_given && (bundles->fills != NULL || !others[i].is_for_fills))
      return ls_fail(err, LS_EINVAL, "%s and %s exclude each other", mine, others[i].name);
  return LS_OK;
}

/* One worker, and nothing asks for several commands: sharing would only make more of them, and what
 * merges its inputs (sort -m {}) needs all. */
static bool is_alone(const struct ls_run_options *options) {
  return options->workers == 1 && !options->has_worker_by_task && options->workers_file == NULL &&
         options->sizing == NULL && !ls_terms_are_given(&options->terms) &&
         strcmp(options->order, "fifo") == 0 && options->ssh == NULL && !options->has_slurm &&
         !ls_run_pools_is_remote(options) && ls_launcher_find().mpi == NULL;
}

enum ls_status ls_bundle_options_check(struct ls_run_options *options, struct ls_error *err) {
  struct ls_bundle_options *bundles = &options->bundles;
  const char *needy = bundles->tasks.line_bytes_max > 0 ? "-s"
                      : bundles->tasks.units_max > 0    ? "--units-max"
                      : bundles->tasks.splits_failed    ? "--split-failed"
                                                        : NULL;
  bool has_blocks = bundles->tasks.are_blocks;
  if (bundles->fills == NULL && needy != NULL && !has_blocks)
    return ls_fail(err, LS_EINVAL, "%s needs -X, -m or --xargs", needy);
  if (bundles->fills == NULL && bundles->groups == NULL) return LS_OK;
  if (bundles->clash != NULL)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other", bundles->clash, bundles->groups);
  if (bundles->group > GROUP_MOST)
    return ls_fail(err, LS_EINVAL, "%s is %llu, expected at most %d inputs", bundles->groups,
                   (unsigned long long)bundles->group, (int)GROUP_MOST);
  bool has_policy = options->policy != NULL || options->plan != NULL;
  bool is_repeated = bundles->fills != NULL && strcmp(bundles->fills, "-X") == 0;
  /* With -X the policy says how many, unless the user does, or nobody is there to share with. */
  if (is_repeated && bundles->group > 0 && needy == NULL && !has_policy) bundles->fills = NULL;
  enum ls_status status = check_exclusions(options, err);
  if (status != LS_OK) return status;
  if (bundles->fills == NULL) {
    bool is_joined = strcmp(bundles->groups, "-n") == 0 && !is_repeated;
    bundles->many = is_joined ? LS_MANY_JOINED : LS_MANY_REPEATED;
    if (bundles->has_none) bundles->many = LS_MANY_NONE;
    return LS_OK;
  }
  if (bundles->has_none)
    return ls_fail(err, LS_EINVAL, "-N is 0 with %s, expected at least 1", bundles->fills);
  bundles->fills_lines = !has_policy && (!is_repeated || bundles->is_filled || is_alone(options));
  bundles->spreads_rest = bundles->fills_lines && strcmp(bundles->fills, "--xargs") != 0;
  /* A line has no more inputs than the smaller number, where there are two. */
  if (bundles->tasks.units_max == 0) bundles->tasks.units_max = UINT32_MAX;
  if (bundles->group > 0 && bundles->group < bundles->tasks.units_max)
    bundles->tasks.units_max = bundles->group;
  bundles->group = 0;
  options->has_whole_chunks = true;
  if (!bundles->fills_lines) return LS_OK;
  options->policy = "given";
  /* Nothing is recalled, so a line that waited at a worker would wait for the one before it. */
  if (!options->has_prefetch) options->prefetch = 0;
  if (strcmp(options->order, "fifo") == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s and another order (%s) exclude each other: lines have their inputs in order",
                 bundles->fills, options->order);
}

void ls_bundle_options_close(struct ls_bundle_options *options) {
  free(options->line_units.items);
  options->line_units = (struct ls_argument_list){NULL, 0};
}
