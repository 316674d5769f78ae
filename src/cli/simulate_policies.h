/* simulate_policies.h: the options that say which policies are simulated in which world, and what
 * `loadstar simulate --policy` does with them.
 */
#ifndef LS_CLI_SIMULATE_POLICIES_H
#define LS_CLI_SIMULATE_POLICIES_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/chart_options.h"
#include "cli/policy_table.h"
#include "model/platform.h"

/* Words that may be given several times, or as one list "a,b". */
struct ls_word_list {
  const char **items; /* owned, as each of them is */
  size_t count;
};

/* A copy of the first `length` bytes of the word; false: there is no memory. */
LS_CHECKED bool ls_word_list_add(struct ls_word_list *list, const char *word, size_t length);
void ls_word_list_close(struct ls_word_list *list);

/* Filled by ls_policy_options_argp, a child parser: its input. Starts as {0}; closed by
 * ls_policy_options_close. */
struct ls_policy_options {
  struct ls_word_list policies, orders, platforms;
  struct ls_word_list settings; /* NAME=VALUE */
  const char *sizing, *replication, *arguments;
  bool has_seed, has_error, knows_facts;
  double error;                    /* of what is expected of a chunk */
  uint64_t seed, seeds, processes; /* 0: the default */
};
extern const struct argp ls_policy_options_argp;

void ls_policy_options_close(struct ls_policy_options *options);
/* One of the options that were given beside --policy and concern policies alone; NULL: none was. */
const char *ls_policy_options_of_policies(const struct ls_policy_options *options);
/* One of those that concern what is drawn, for plans, too. */
const char *ls_policy_options_of_chance(const struct ls_policy_options *options);
/* One of both. */
const char *ls_policy_options_extra(const struct ls_policy_options *options);

/* The options, read and resolved: the grid points into it. */
struct ls_policy_run {
  struct ls_policy_grid grid;
  json_t *document;
  struct ls_platform *platforms;
  const char **platform_names;
};

/* The first platform, under the name the user gave it, and the load. */
struct ls_policy_place {
  const struct ls_platform *platform; /* borrowed */
  const char *name;
  double load; /* units, a whole number */
};

/* LS_EINVAL names the option at fault. */
LS_CHECKED enum ls_status ls_policy_run_open(struct ls_policy_run *run,
                                             const struct ls_policy_options *options,
                                             const struct ls_policy_place *place,
                                             struct ls_error *err);
void ls_policy_run_close(struct ls_policy_run *run);

/* One policy, order, platform and seed: its timeline, as `chart` wants it. Several: a table, or
 * JSON; the drawing is then of the table. */
LS_CHECKED enum ls_status ls_simulate_policies(const struct ls_policy_run *run,
                                               const struct ls_chart_options *chart,
                                               bool wants_spans, struct ls_error *err);

#endif
