/* compare_grid.h: `loadstar compare --grid FILE`: planners, policies and programs that write plans,
 * on every platform of a grid.
 */
#ifndef LS_CLI_COMPARE_GRID_H
#define LS_CLI_COMPARE_GRID_H

#include <argp.h>
#include <stdbool.h>

#include "base/status.h"
#include "cli/planner_options.h"
#include "cli/simulate_policies.h"
#include "model/platform_grid.h"

/* Filled by ls_grid_options_argp, a child parser: its input. Starts as {0}; closed by
 * ls_grid_options_close. */
struct ls_grid_options {
  const char *file; /* NULL: no grid */
  const char *csv;
  enum ls_grid_axis by;
  bool has_by, ties_for_first, has_ties;
  struct ls_word_list commands;
};
extern const struct argp ls_grid_options_argp;

void ls_grid_options_close(struct ls_grid_options *options);
/* One of the options that were given without --grid and need it; NULL: none was. */
const char *ls_grid_options_extra(const struct ls_grid_options *options);

struct ls_grid_request {
  const struct ls_grid_options *options;
  struct ls_policy_words planners;        /* labels */
  const struct ls_planner_limits *limits; /* the load is the grid's */
  const struct ls_policy_options *policies;
  bool wants_json;
  const char *picture; /* NULL: none */
};

/* Prints how they stand. `has_answer`: something applies somewhere. LS_EINVAL names the file, the
 * option or the platform at fault. */
LS_CHECKED enum ls_status ls_compare_grid(const struct ls_grid_request *request, bool *has_answer,
                                          struct ls_error *err);

#endif
