/* supply.c: asks for more units before the workers have to wait for them. */
#include "runtime/master/units/supply.h"

/* Units that wait in the master beside those that wait at its workers. */
enum { AHEAD_LEAST = 4096, AHEAD_PER_WORKER = 16 };

void ls_supply_init(struct ls_supply *supply, const struct ls_app *app, void *state) {
  *supply = (struct ls_supply){
      .app = app, .state = state, .is_open = app->more != NULL, .file = -1, .ahead = UINT64_MAX};
  ls_unit_needs_init(&supply->needs, app, state);
}

void ls_supply_close(struct ls_supply *supply) {
  ls_unit_needs_close(&supply->needs);
}

bool ls_supply_is_short(const struct ls_supply *supply,
                        const struct ls_coordinator_totals *totals) {
  if (!supply->is_open || totals->is_stopping || totals->is_finished) return false;
  uint64_t needed = AHEAD_LEAST + AHEAD_PER_WORKER * (uint64_t)totals->workers_present;
  if (supply->ahead > needed) needed = supply->ahead;
  if (supply->most > 0 && supply->most < needed) needed = supply->most;
  return totals->waiting < needed;
}

enum ls_status ls_supply_take(struct ls_supply *supply, struct ls_event_added *added,
                              struct ls_error *err) {
  struct ls_more more = {.file = -1};
  enum ls_status status = supply->app->more(supply->state, &more, err);
  if (status != LS_OK) return status;
  status = ls_unit_needs_ask(&supply->needs, 0, (struct ls_range){supply->units, more.units}, err);
  if (status != LS_OK) return status;
  *added = (struct ls_event_added){.units = more.units,
                                   .is_last = more.is_last,
                                   .needs = supply->needs.items,
                                   .needs_count = supply->needs.count};
  supply->units += more.units;
  supply->is_open = !more.is_last;
  supply->file = more.file;
  supply->ahead = more.ahead;
  supply->most = more.most;
  return LS_OK;
}
