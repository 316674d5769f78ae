/* journal_places.h: how many workers a run had, by pool and by time, as its journal tells it.
 *
 * Pools: those of the table `slots`, by their names; "local" for the workers of the run's own
 * machine; "guests" for those that came by themselves.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_JOURNAL_PLACES_H
#define LS_RUNTIME_JOURNAL_PAST_JOURNAL_PLACES_H

#include "base/status.h"
#include "model/places.h"
#include "runtime/journal/journal.h"

/* Fills `places`, which starts as {0}, and sorts them; the caller closes them in any case. Times
 * are those of the run, its sessions one behind the other. */
LS_CHECKED enum ls_status ls_journal_read_places(struct ls_journal *journal,
                                                 struct ls_places *places, struct ls_error *err);

#endif
