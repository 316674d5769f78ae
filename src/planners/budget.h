/* budget.h: how far a search may go, and how far it went.
 *
 * A search counts its work (nodes, programs or replays) as it goes and asks before each step
 * whether the budget is spent; from then on it is, whatever the clock says later, and the search
 * gives the best that it has.
 */
#ifndef LS_PLANNERS_BUDGET_H
#define LS_PLANNERS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct ls_budget {
  uint64_t work_max; /* 0: no limit */
  /* Asked now and then; true: stop. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
  /* Kept by the search: */
  uint64_t work;
  bool is_stopped;
  uint64_t next_question; /* the work at which a search of short steps asks `stop` again */
};

/* The same clock for a part of the search with a limit of its own, nothing spent. `whole` may be
 * NULL. */
struct ls_budget ls_budget_part(const struct ls_budget *whole, uint64_t work_max);
/* Counts work; NULL: nobody counts. */
void ls_budget_spend(struct ls_budget *budget, uint64_t work);
/* What the part spent is spent of the whole; stopped, the whole is stopped, too. */
void ls_budget_add(struct ls_budget *whole, const struct ls_budget *part);
/* Is there no work left, or no time? NULL: never. */
bool ls_budget_is_spent(struct ls_budget *budget);
/* The same for steps of microseconds, in which a look at the clock would be felt. */
bool ls_budget_is_spent_shortly(struct ls_budget *budget);

#endif
