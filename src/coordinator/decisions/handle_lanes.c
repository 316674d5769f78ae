/* handle_lanes.c: units that not every worker may have.
 *
 * Those of which the same workers may have each wait in a lane of their own: units that need a
 * label and the workers that have it, or units that are at home in one slot, whoever is there. Each
 * lane has a policy, to which it is all the load: its p are the slots that may have the units, its
 * weights, rooms and reports are theirs, and it hears of nobody else.  It knows them by their
 * seats, which are numbered without gaps.  A worker that may have units of several lanes is served
 * first from the one for which the fewest are there.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/handlers_private.h"

/* ---- what goes with it ---- */

/* What moves units between workers, or takes workers away; NULL: nothing does. */
static const char *find_mover(const struct ls_coordinator_config *config) {
  bool is_replicated =
      config->replication != NULL && config->replication != ls_replication_find("none");
  return config->chunking->is_pushed ? config->chunking->name
         : is_replicated             ? config->replication->name
         : config->sizing != NULL    ? config->sizing->name
         : config->recalls           ? "recalls"
         : config->choices_count > 0 ? "choices"
                                     : NULL;
}

static enum ls_status check_homes(const struct ls_coordinator_config *config,
                                  struct ls_error *err) {
  bool is_permuted = config->ordering != NULL && config->ordering->arrange != NULL;
  const char *mover = is_permuted ? config->ordering->name : find_mover(config);
  if (config->has_needs) mover = "needs";
  if (config->homes > config->workers)
    return ls_fail(err, LS_EINVAL, "homes is %zu, must be at most workers (%zu)", config->homes,
                   config->workers);
  if (mover == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "homes is %zu, which excludes %s", config->homes, mover);
}

enum ls_status ls_lane_check(const struct ls_coordinator_config *config, struct ls_error *err) {
  const char *mover = find_mover(config);
  if (config->homes > 0) return check_homes(config, err);
  if (!config->has_needs || mover == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "has_needs is true, which excludes %s", mover);
}

static bool is_divided(const struct ls_coordinator *c) {
  return c->config.homes > 0 || c->config.has_needs;
}

enum ls_status ls_lane_check_iteration(const struct ls_coordinator *c, const struct ls_event *event,
                                       struct ls_error *err) {
  if (event->needs_count > 0 && !c->config.has_needs)
    return ls_fail(err, LS_EINVAL, "ITERATION: units need labels, and has_needs is false");
  if (c->config.homes == 0) return LS_OK;
  if (event->is_incomplete)
    return ls_fail(err, LS_EINVAL,
                   "ITERATION: is incomplete, and all units pinned to a worker are one part");
  if (event->iteration_units % c->config.homes == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "ITERATION: %llu units, must be a multiple of homes (%zu)",
                 (unsigned long long)event->iteration_units, c->config.homes);
}

/* ---- which units are in which lane ---- */

/* Units from `first` on, `units` of them, are in these lanes; those that need nothing in lane 0. */
static enum ls_status read_needs(struct ls_coordinator *c, const struct ls_event_needs *needs,
                                 struct ls_range units, uint32_t *lane_of, struct ls_error *err) {
  for (size_t i = 0; i < needs->count; i++) {
    const struct ls_event_need *need = &needs->items[i];
    uint64_t first = need->units.first - units.first;
    uint32_t lane = 0;
    if (need->units.first < units.first || first > units.count ||
        need->units.count > units.count - first)
      return ls_fail(err, LS_EINVAL, "need %zu is of %llu+%llu, expected within %llu+%llu", i,
                     (unsigned long long)need->units.first, (unsigned long long)need->units.count,
                     (unsigned long long)units.first, (unsigned long long)units.count);
    struct ls_error why;
    enum ls_status status = ls_needs_find_lane(&c->needs, need->label, &lane, &why);
    if (status != LS_OK)
      return ls_fail(err, status, "unit %llu: %s", (unsigned long long)need->units.first + 1,
                     why.text);
    for (uint64_t k = 0; k < need->units.count; k++) lane_of[first + k] = lane;
  }
  return LS_OK;
}

enum ls_status ls_lane_divide(struct ls_coordinator *c, const struct ls_event *event,
                              struct ls_ledger_page *page, struct ls_error *err) {
  if (!is_divided(c)) return LS_OK;
  page->lane_of = calloc(page->units > 0 ? page->units : 1, sizeof *page->lane_of);
  if (page->lane_of == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the needs of %llu units",
                   (unsigned long long)page->units);
  if (c->config.homes > 0) {
    uint64_t part = page->units / c->config.homes;
    for (uint64_t i = 0; i < page->units; i++) page->lane_of[i] = (uint32_t)(i / part);
    page->lanes_count = (uint32_t)c->config.homes;
    return LS_OK;
  }
  const struct ls_event_needs needs = {event->needs, event->needs_count};
  enum ls_status status =
      read_needs(c, &needs, (struct ls_range){0, page->units}, page->lane_of, err);
  page->lanes_count = c->needs.count + 1;
  return status;
}

/* ---- seats ---- */

static bool may_have(const struct ls_coordinator *c, uint32_t slot, uint32_t lane) {
  return c->config.homes > 0 ? slot == lane : ls_needs_are_met(&c->needs, slot, lane);
}

bool ls_lane_may(const struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  return c->crews == NULL || may_have(c, slot, c->ledger.lane_of[unit]);
}

/* LS_INDEX_NONE: it has none. */
static uint32_t find_seat(const struct ls_lane_crew *crew, uint32_t slot) {
  if (slot < crew->seats && crew->slots[slot] == slot) return slot;
  for (uint32_t i = 0; i < crew->seats; i++)
    if (crew->slots[i] == slot) return i;
  return LS_INDEX_NONE;
}

/* The next seat, or the one that a policy has as it needs one, and where nobody is. */
static enum ls_status add_seat(struct ls_lane_crew *crew, uint32_t slot) {
  void *items = crew->slots;
  if (crew->seats == 1 && crew->slots[0] == LS_SLOT_NONE) crew->seats = 0;
  enum ls_status status =
      ls_array_reserve(&items, &crew->capacity, (size_t)crew->seats + 1, sizeof *crew->slots);
  crew->slots = items;
  if (status == LS_OK) crew->slots[crew->seats++] = slot;
  return status;
}

uint32_t ls_lane_find_seat(const struct ls_coordinator *c, uint32_t slot) {
  return find_seat(&c->crews[c->ledger.lane], slot);
}

enum ls_status ls_lane_add_slots(struct ls_coordinator *c, size_t slots) {
  if (!is_divided(c)) return LS_OK;
  struct ls_seat_facts *facts = &c->seat_facts;
  void *weights = facts->weights, *present = facts->is_present, *counted = facts->is_counted;
  void *free_units = facts->units_free;
  size_t known = c->needs.slots_count;
  enum ls_status status =
      ls_array_reserve(&weights, &facts->capacities[0], slots, sizeof *facts->weights);
  facts->weights = weights;
  if (status == LS_OK)
    status = ls_array_reserve(&present, &facts->capacities[1], slots, sizeof *facts->is_present);
  facts->is_present = present;
  if (status == LS_OK)
    status = ls_array_reserve(&counted, &facts->capacities[2], slots, sizeof *facts->is_counted);
  facts->is_counted = counted;
  if (status == LS_OK)
    status = ls_array_reserve(&free_units, &facts->capacities[3], slots, sizeof *facts->units_free);
  facts->units_free = free_units;
  if (status == LS_OK) status = ls_needs_add_slots(&c->needs, slots);
  for (size_t i = known; i < slots && i < c->config.labels_count && status == LS_OK; i++)
    status = ls_needs_tell(&c->needs, (uint32_t)i, c->config.labels[i]);
  return status;
}

const struct ls_chunking_view *ls_lane_view(struct ls_coordinator *c) {
  const struct ls_lane_crew *crew = &c->crews[c->ledger.lane];
  struct ls_seat_facts *facts = &c->seat_facts;
  size_t present = 0;
  for (uint32_t i = 0; i < crew->seats; i++) {
    uint32_t slot = crew->slots[i];
    bool may = slot != LS_SLOT_NONE && may_have(c, slot, c->ledger.lane);
    facts->weights[i] = slot != LS_SLOT_NONE ? c->weights[slot] : c->newcomer_weight;
    facts->is_present[i] = may && c->roster.is_present[slot];
    facts->is_counted[i] = may && c->roster.is_counted[slot];
    facts->units_free[i] = slot != LS_SLOT_NONE && c->rooms.free != NULL ? c->rooms.free[slot] : 0;
    present += facts->is_present[i];
  }
  c->seat_view =
      (struct ls_chunking_view){.now_s = c->now_s,
                                .units = crew->units,
                                .units_unassigned = c->ledger.waiting.units,
                                .workers_present = present,
                                .slots = crew->seats,
                                .weights = facts->weights,
                                .is_present = facts->is_present,
                                .is_counted = facts->is_counted,
                                .units_free = c->rooms.free != NULL ? facts->units_free : NULL};
  return &c->seat_view;
}

/* ---- lanes and their policies ---- */

void ls_lane_close(struct ls_lane_crew *crews, uint32_t count) {
  for (uint32_t i = 0; crews != NULL && i < count; i++) {
    ls_policy_destroy(crews[i].policy);
    free(crews[i].slots);
  }
  free(crews);
}

uint32_t ls_lane_focus(struct ls_coordinator *c, uint32_t lane) {
  if (c->crews == NULL) return 0;
  c->policy = c->crews[lane].policy;
  return ls_ledger_focus(&c->ledger, lane);
}

static enum ls_status open_crew(struct ls_coordinator *c, struct ls_lane_crew *crew, uint32_t lane,
                                struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint32_t i = 0; i < c->view.slots && status == LS_OK; i++)
    if (may_have(c, i, lane)) status = add_seat(crew, i);
  if (status == LS_OK && crew->seats == 0) status = add_seat(crew, LS_SLOT_NONE);
  if (status != LS_OK) return ls_fail(err, status, "no memory for queue %u", (unsigned)lane);
  if (crew->units == 0) return LS_OK;
  const struct ls_policy_start start = {.choice = {c->config.chunking, c->config.arguments},
                                        .weights = c->is_weighed ? c->weights : NULL,
                                        .units = crew->units,
                                        .crew = crew};
  return ls_policy_create(c, &start, &crew->policy, err);
}

/* Crews for the lanes, with policies for those in which so many units wait. */
static enum ls_status open_crews(struct ls_coordinator *c, struct ls_lane_crew *crews,
                                 uint32_t count, struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_weight_renew(c);
  for (uint32_t i = 0; i < count && status == LS_OK; i++) status = open_crew(c, &crews[i], i, err);
  return status;
}

enum ls_status ls_lane_begin(struct ls_coordinator *c, const struct ls_ledger_page *page,
                             struct ls_lane_crew **out, struct ls_error *err) {
  *out = NULL;
  if (!is_divided(c)) return LS_OK;
  struct ls_lane_crew *crews = calloc(page->lanes_count, sizeof *crews);
  if (crews == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the queues of an iteration");
  for (uint64_t i = 0; i < page->units; i++)
    crews[page->lane_of[i]].units += page->state[i] == LS_UNIT_WAITING;
  enum ls_status status = open_crews(c, crews, page->lanes_count, err);
  if (status == LS_OK)
    *out = crews;
  else
    ls_lane_close(crews, page->lanes_count);
  return status;
}

/* Handlers that do not care look at a lane that has a policy, if there is one. */
void ls_lane_put(struct ls_coordinator *c, struct ls_lane_crew *crews) {
  ls_lane_close(c->crews, c->crews_count);
  c->crews = crews;
  c->crews_count = crews != NULL ? c->ledger.lanes_count : 0;
  if (crews == NULL) return;
  (void)ls_lane_focus(c, 0);
  for (uint32_t i = 1; i < c->crews_count && c->policy == NULL; i++) (void)ls_lane_focus(c, i);
}

enum ls_status ls_lane_add(struct ls_coordinator *c, const struct ls_event_added *added,
                           struct ls_error *err) {
  uint32_t *lane_of = calloc(added->units, sizeof *lane_of);
  struct ls_lane_crew *crews = NULL;
  const struct ls_event_needs needs = {added->needs, added->needs_count};
  enum ls_status status = lane_of != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for ADDED");
  if (status == LS_OK)
    status = read_needs(c, &needs, (struct ls_range){c->ledger.units, added->units}, lane_of, err);
  uint32_t count = c->needs.count + 1;
  if (status == LS_OK) crews = calloc(count, sizeof *crews);
  if (status == LS_OK && crews == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for ADDED");
  uint32_t focus = c->ledger.lane;
  for (uint32_t i = 0; i < c->crews_count && status == LS_OK; i++) {
    (void)ls_lane_focus(c, i);
    crews[i].units = c->ledger.waiting.units;
  }
  if (c->crews != NULL) (void)ls_lane_focus(c, focus);
  for (uint64_t i = 0; i < added->units && status == LS_OK; i++) crews[lane_of[i]].units++;
  if (status == LS_OK) status = open_crews(c, crews, count, err);
  if (status == LS_OK) status = ls_record_add_tasks(&c->record, added->units);
  if (status == LS_OK) status = ls_ledger_add_to_lanes(&c->ledger, lane_of, added->units, count);
  free(lane_of);
  if (status == LS_OK)
    ls_lane_put(c, crews);
  else
    ls_lane_close(crews, count);
  return status;
}

/* ---- what policies hear ---- */

void ls_lane_introduce(struct ls_coordinator *c) {
  uint32_t focus = c->ledger.lane;
  for (uint32_t i = 0; i < c->crews_count; i++) {
    const struct ls_lane_crew *crew = &c->crews[i];
    if (crew->policy == NULL || crew->policy->chunking->on_worker == NULL) continue;
    (void)ls_lane_focus(c, i);
    for (uint32_t seat = 0; seat < crew->seats; seat++) {
      const struct ls_chunking_view *view = ls_lane_view(c);
      if (!view->is_counted[seat])
        crew->policy->chunking->on_worker(crew->policy->state, view, seat, LS_CHUNKING_LOST, 0);
    }
  }
  (void)ls_lane_focus(c, focus);
}

void ls_lane_tell(struct ls_coordinator *c, uint32_t slot, enum ls_chunking_change change) {
  uint32_t focus = c->ledger.lane;
  for (uint32_t i = 0; i < c->crews_count; i++) {
    const struct ls_lane_crew *crew = &c->crews[i];
    uint32_t seat = find_seat(crew, slot);
    if (seat == LS_INDEX_NONE || (change != LS_CHUNKING_LOST && !may_have(c, slot, i))) continue;
    (void)ls_lane_focus(c, i);
    uint64_t back = ls_ledger_take_returned(&c->ledger);
    if (crew->policy != NULL && crew->policy->chunking->on_worker != NULL)
      crew->policy->chunking->on_worker(crew->policy->state, ls_lane_view(c), seat, change, back);
  }
  (void)ls_lane_focus(c, focus);
}

void ls_lane_tell_returned(struct ls_coordinator *c) {
  uint32_t focus = c->ledger.lane;
  for (uint32_t i = 0; i < c->crews_count; i++) {
    const struct ls_policy *policy = c->crews[i].policy;
    (void)ls_lane_focus(c, i);
    uint64_t back = ls_ledger_take_returned(&c->ledger);
    if (back > 0 && policy != NULL && policy->chunking->on_return != NULL)
      policy->chunking->on_return(policy->state, ls_lane_view(c), back);
  }
  (void)ls_lane_focus(c, focus);
}

/* The units that a report tells of are of one lane: that of the slot's last result. */
void ls_lane_change(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  uint32_t lane = ls_ledger_lane_of(&c->ledger, unit);
  if (c->visits[slot].lane == lane) return;
  ls_request_report(c, slot);
  c->visits[slot].lane = lane;
}

void ls_lane_report(struct ls_coordinator *c, struct ls_chunking_report *report) {
  uint32_t slot = report->worker, lane = c->visits[slot].lane;
  if (lane >= c->crews_count) return;
  const struct ls_policy *policy = c->crews[lane].policy;
  uint32_t seat = find_seat(&c->crews[lane], slot);
  if (policy == NULL || seat == LS_INDEX_NONE || policy->chunking->on_report == NULL) return;
  uint32_t focus = ls_lane_focus(c, lane);
  report->worker = seat;
  policy->chunking->on_report(policy->state, ls_lane_view(c), report);
  (void)ls_lane_focus(c, focus);
}

void ls_lane_admit(struct ls_coordinator *c, uint32_t slot, const char *labels) {
  if (!is_divided(c)) return;
  enum ls_status status = ls_needs_tell(&c->needs, slot, labels);
  for (uint32_t i = 0; i < c->crews_count && status == LS_OK; i++) {
    struct ls_lane_crew *crew = &c->crews[i];
    if (!may_have(c, slot, i) || find_seat(crew, slot) != LS_INDEX_NONE) continue;
    status = add_seat(crew, slot);
    if (status == LS_OK && crew->policy != NULL && crew->policy->chunking->resize != NULL)
      status = crew->policy->chunking->resize(crew->policy->state, crew->seats, NULL);
  }
  ls_step_fail(c, status);
}

/* ---- who is served from which lane ---- */

static uint64_t count_waiting(const struct ls_coordinator *c, uint32_t lane) {
  const struct ls_ledger *ledger = &c->ledger;
  return lane == ledger->lane ? ledger->waiting.units : ledger->lanes[lane].waiting.units;
}

size_t ls_lane_list(const struct ls_coordinator *c, uint32_t slot, uint32_t lanes[LS_LANES_MAX]) {
  size_t count = 0;
  if (c->config.homes > 0) {
    lanes[0] = slot;
    return slot < c->crews_count && count_waiting(c, slot) > 0 ? 1 : 0;
  }
  for (uint32_t i = 0; i < c->crews_count; i++) {
    if (count_waiting(c, i) == 0 || !may_have(c, slot, i)) continue;
    size_t at = count++;
    for (; at > 0 && c->crews[lanes[at - 1]].seats > c->crews[i].seats; at--)
      lanes[at] = lanes[at - 1];
    lanes[at] = i;
  }
  /* What everybody may have goes last, also where nobody else is there. */
  for (size_t i = 0; i + 1 < count; i++) {
    if (lanes[i] != 0) continue;
    lanes[i] = lanes[i + 1];
    lanes[i + 1] = 0;
  }
  return count;
}

uint64_t ls_lane_count_waiting(const struct ls_coordinator *c, uint32_t slot) {
  uint32_t lanes[LS_LANES_MAX];
  uint64_t units = 0;
  if (c->crews == NULL) return c->ledger.waiting.units;
  size_t count = ls_lane_list(c, slot, lanes);
  for (size_t i = 0; i < count; i++) units += count_waiting(c, lanes[i]);
  return units;
}

/* Of a lane that needs something nobody knows whether those that come have it. */
uint64_t ls_lane_count_eager(const struct ls_coordinator *c) {
  const struct ls_lane_crew *crew = &c->crews[c->ledger.lane];
  uint64_t eager = 0;
  for (uint32_t i = 0; i < crew->seats; i++) {
    uint32_t slot = crew->slots[i];
    bool is_there = slot != LS_SLOT_NONE && c->roster.is_present[slot];
    if (is_there && may_have(c, slot, c->ledger.lane)) eager += !c->roster.slots[slot].has_asked;
  }
  for (uint32_t slot = c->roster.due; slot != LS_SLOT_NONE;
       slot = c->roster.slots[slot].parked_next)
    eager += c->ledger.slots[slot].units == 0 && may_have(c, slot, c->ledger.lane);
  return eager;
}

/* ---- what waits in vain ---- */

static bool is_anybody_able(const struct ls_coordinator *c, uint32_t lane) {
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (ls_roster_is_there(&c->roster, i) && may_have(c, i, lane)) return true;
  return false;
}

bool ls_coordinator_next_lack(struct ls_coordinator *c, uint32_t *lane,
                              struct ls_coordinator_lack *lack) {
  if (c->crews == NULL || !c->config.has_needs || c->is_finished) return false;
  while (++*lane < c->crews_count) {
    if (count_waiting(c, *lane) == 0 || is_anybody_able(c, *lane)) continue;
    uint32_t focus = ls_lane_focus(c, *lane);
    *lack = (struct ls_coordinator_lack){.label = c->needs.labels[*lane - 1],
                                         .units = c->ledger.waiting.units,
                                         .unit = ls_ledger_peek(&c->ledger)};
    (void)ls_lane_focus(c, focus);
    return true;
  }
  return false;
}
