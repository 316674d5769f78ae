/* expiries.h: the units that the end of their worker's lifetime stopped, and how long they had run.
 *
 * Such a unit needs a worker that has twice that time left; one that was stopped too often is given
 * up.  Of the open iteration; each unit stands here once, until it is final.
 */
#ifndef LS_COORDINATOR_BOOKS_EXPIRIES_H
#define LS_COORDINATOR_BOOKS_EXPIRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"

enum { LS_EXPIRIES_MAX = 3 }; /* so many ends of time, and the unit is given up */

struct ls_expiry {
  uint64_t unit;
  uint64_t ends;
  double ran_s;    /* the longest that it ran before an end */
  bool is_lacking; /* at the last end nobody had twice that left */
};

struct ls_expiries {
  struct ls_expiry *items;
  size_t count, capacity;
  uint64_t ends;    /* of the run */
  double longest_s; /* that any unit of the run had run */
  double lacking_s; /* the most that one that was given up needed, and nobody had; 0: none */
};

void ls_expiries_close(struct ls_expiries *expiries);
/* Another iteration begins. */
void ls_expiries_clear(struct ls_expiries *expiries);
/* The unit was stopped after `ran_s` seconds. `*expiry`: borrowed until the next change. */
LS_CHECKED enum ls_status ls_expiries_add(struct ls_expiries *expiries, uint64_t unit, double ran_s,
                                          struct ls_expiry **expiry);
/* The units are final; `has_results`: and did not lack a worker after all. */
void ls_expiries_settle(struct ls_expiries *expiries, struct ls_range units, bool has_results);
/* The most that a unit without a result needs, and nobody had left at its last end; 0: none does.
 */
double ls_expiries_lacking(const struct ls_expiries *expiries);
/* NULL: no end of time stopped it. Borrowed until the next change. */
const struct ls_expiry *ls_expiries_find(const struct ls_expiries *expiries, uint64_t unit);

#endif
