/* supply.h: units that become known while a run goes on, asked of the application as they are
 * needed.
 *
 * As long as enough of them wait nothing is asked, so whoever writes them is held up, and memory
 * stays bounded.  An application that keeps its units elsewhere may allow more.
 */
#ifndef LS_RUNTIME_MASTER_UNITS_SUPPLY_H
#define LS_RUNTIME_MASTER_UNITS_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/coordinator.h"
#include "coordinator/event.h"
#include "runtime/application.h"
#include "runtime/master/units/unit_needs.h"

struct ls_supply {
  const struct ls_app *app;
  void *state;
  bool is_open;   /* more units may come */
  int file;       /* to wait for while it is short, as in struct ls_more; -1: nothing */
  uint64_t ahead; /* as there; before it has said so: any number, so that it is asked once */
  uint64_t most;  /* as there */
  uint64_t units; /* so many are known */
  struct ls_unit_needs needs;
};

void ls_supply_init(struct ls_supply *supply, const struct ls_app *app, void *state);
void ls_supply_close(struct ls_supply *supply);
/* Are more units wanted? */
bool ls_supply_is_short(const struct ls_supply *supply, const struct ls_coordinator_totals *totals);
/* What has come, and what it needs, borrowed until the next one; the event is worth a step when it
 * has units or is the last. */
LS_CHECKED enum ls_status ls_supply_take(struct ls_supply *supply, struct ls_event_added *added,
                                         struct ls_error *err);

#endif
