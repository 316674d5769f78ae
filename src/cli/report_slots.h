/* report_slots.h: `loadstar report --explain`: what became of the workers of pools elsewhere.
 */
#ifndef LS_CLI_REPORT_SLOTS_H
#define LS_CLI_REPORT_SLOTS_H

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/journal/journal.h"

/* A line for each change, workers of one job together; or why there are none. */
LS_CHECKED enum ls_status ls_report_slots_write(struct ls_journal *journal, struct ls_bytes *out,
                                                struct ls_error *err);

#endif
