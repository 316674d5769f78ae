/* best_search.h: local search over sequences of messages. */
#ifndef LS_PLANNERS_SEARCH_BEST_SEARCH_H
#define LS_PLANNERS_SEARCH_BEST_SEARCH_H

#include "base/status.h"
#include "planners/search/best.h"

/* The plan of `candidate`, which `who` made, is the best now. */
void ls_best_keep(struct ls_best *best, struct ls_plan *candidate, const char *who,
                  double makespan_s);
/* Local search over sequences until the work is spent or nothing more is found. */
LS_CHECKED enum ls_status ls_best_search(struct ls_best *best, struct ls_error *err);

#endif
