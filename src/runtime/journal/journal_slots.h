/* journal_slots.h: what became of the workers that pools on other machines were asked for, and why
 * there are not more, in a journal.
 *
 * The table `slots` is made when it is needed; journals of runs without such pools have none.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_SLOTS_H
#define LS_RUNTIME_JOURNAL_JOURNAL_SLOTS_H

#include "base/status.h"
#include "runtime/journal/journal.h"

/* Texts are borrowed. */
struct ls_journal_slot {
  double time_s;    /* of the session; of the run, when read */
  const char *pool; /* "": it is about all */
  uint32_t slot;    /* 0: it is about the pool */
  uint64_t workers; /* of a pool: how many */
  const char *kind; /* "granted", "suspended", "resumed", "ended", "released", "lost", "pending",
                       "denied", "refused", "explained" */
  const char *why;  /* in words; "": nothing to say */
};

/* Committed with what is appended next. */
void ls_journal_slot(struct ls_journal *journal, const struct ls_journal_slot *slot);
typedef enum ls_status (*ls_journal_slot_fn)(void *context, const struct ls_journal_slot *slot);
/* All of them, in their order; none where there is no table. */
LS_CHECKED enum ls_status ls_journal_each_slot(struct ls_journal *journal, ls_journal_slot_fn visit,
                                               void *context, struct ls_error *err);

#endif
