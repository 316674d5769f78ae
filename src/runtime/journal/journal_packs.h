/* journal_packs.h: when a master packed the inputs of chunks, when they travelled, and how long
 * that took, in a journal.
 *
 * The tables `packs` and `transfers` are made when they are needed: packing that costs a master
 * nearly nothing is none of its matters, and where there is no network nothing travels.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_PACKS_H
#define LS_RUNTIME_JOURNAL_JOURNAL_PACKS_H

#include <stdint.h>

#include "base/status.h"
#include "runtime/journal/journal.h"

/* Numbers and times are the session's; the run's, when read. */
struct ls_journal_pack {
  uint32_t worker;
  uint64_t chunk, units;
  double start_s, seconds;
};

/* Committed with what is appended next. */
void ls_journal_pack(struct ls_journal *journal, const struct ls_journal_pack *pack);
/* The same of an input on its way. */
void ls_journal_transfer(struct ls_journal *journal, const struct ls_journal_pack *transfer);
typedef enum ls_status (*ls_journal_pack_fn)(void *context, const struct ls_journal_pack *pack);
/* All of them, in their order; none where there is no table. LS_ECORRUPT: a time that is none. */
LS_CHECKED enum ls_status ls_journal_each_pack(struct ls_journal *journal, ls_journal_pack_fn visit,
                                               void *context, struct ls_error *err);
LS_CHECKED enum ls_status ls_journal_each_transfer(struct ls_journal *journal,
                                                   ls_journal_pack_fn visit, void *context,
                                                   struct ls_error *err);

#endif
