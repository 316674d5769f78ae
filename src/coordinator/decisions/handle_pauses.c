/* handle_pauses.c: time that passes between two starts, and between a failure and the next attempt.
 *
 * A start is whatever is sent to a worker: a first attempt, a further one, a replica.  While none
 * may be, whoever asks is parked, and TIMER says when the next one may be served.  A unit in its
 * pause is in no list of what waits, so that no policy hands it out; when the pause is over it
 * comes back as any other does.
 */
#include <math.h>

#include "coordinator/handlers_private.h"

void ls_retry_pause(struct ls_coordinator *c, uint64_t unit) {
  enum ls_status status = ls_pauses_add(&c->pauses, unit, c->now_s + c->config.retry_delay_s);
  ls_step_fail(c, status);
  if (status == LS_OK) ls_ledger_pause(&c->ledger, unit);
}

void ls_retry_take_up(struct ls_coordinator *c) {
  struct ls_piece_list back;
  uint64_t unit, units = 0;
  ls_piece_list_init(&back);
  while (!c->has_failed && ls_pauses_take(&c->pauses, c->now_s, &unit)) {
    /* Another worker may have had its result. */
    if (c->ledger.state[unit] != LS_UNIT_PAUSED) continue;
    ls_ledger_resume(&c->ledger, unit);
    ls_step_fail(c, ls_ledger_gather(&c->ledger, &back, (struct ls_range){unit, 1}));
    units++;
  }
  if (c->has_failed) return;
  if (units > 0) {
    ls_ledger_return(&c->ledger, &back);
    c->has_returned = true;
    ls_request_return(c, units);
  }
  if (c->pauses.count > 0) ls_step_wake(c, ls_pauses_over_s(&c->pauses));
}
