/* policy_table.h: the cases of a grid of policies for people, as JSON, as a drawing.
 */
#ifndef LS_CLI_POLICY_TABLE_H
#define LS_CLI_POLICY_TABLE_H

#include "advise/policy_grid.h"
#include "base/bytes.h"

/* Maps the simulations of a grid over its processes. */
LS_CHECKED enum ls_status ls_policy_table_map(const struct ls_policy_grid *grid,
                                              const struct ls_grid_work *work, void *results,
                                              struct ls_error *err);
/* With `/ bound`, makespan over lower bound, and `regret`, the share of its time that a case takes
 * longer than the best one of the same platform; with the price where a platform has prices.
 * Where the makespans of the grid were wanted, the best cases are marked and those that are tied
 * with them, and notes say which do the same; others say what "auto" is. */
void ls_policy_table_write(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                           struct ls_bytes *out);
void ls_policy_table_write_json(const struct ls_policy_grid *grid,
                                const struct ls_policy_case *cases, struct ls_bytes *out);
/* `, "prices": [...]`: the mean price of each worker of a case; they were wanted. */
void ls_policy_table_write_prices(const struct ls_policy_grid *grid,
                                  const struct ls_policy_case *item, struct ls_bytes *out);
/* Makespan over the bound by case, with the ends of the interval, as a drawing with their names. */
LS_CHECKED enum ls_status ls_policy_table_draw(const struct ls_policy_grid *grid,
                                               const struct ls_policy_case *cases,
                                               struct ls_bytes *out, struct ls_error *err);

#endif
