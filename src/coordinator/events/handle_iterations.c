/* handle_iterations.c: an iteration begins, ends, and the run with it. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/handlers_private.h"

static bool is_permuted(const struct ls_coordinator *c) {
  return c->config.ordering != NULL && c->config.ordering->arrange != NULL;
}

static enum ls_status settle_past(struct ls_ledger_page *page, const struct ls_range *ranges,
                                  size_t count, enum ls_outcome outcome, struct ls_error *err) {
  for (size_t i = 0; i < count; i++) {
    struct ls_range range = ranges[i];
    if (range.count == 0) continue;
    if (range.first >= page->units || range.count > page->units - range.first)
      return ls_fail(err, LS_EINVAL,
                     "settled range %zu is %llu+%llu, expected within the %llu units of the "
                     "iteration",
                     i, (unsigned long long)range.first, (unsigned long long)range.count,
                     (unsigned long long)page->units);
    ls_ledger_page_settle(page, range, outcome);
  }
  return LS_OK;
}

static enum ls_status arrange(struct ls_coordinator *c, struct ls_ledger_page *page,
                              struct ls_error *err) {
  const struct ls_record_tasks *tasks = &c->record.tasks;
  bool is_declared = tasks->declared_count >= page->units;
  if (!is_permuted(c) || page->units == 0) return LS_OK;
  page->order = calloc(page->units, sizeof *page->order);
  if (page->order == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the order of %llu units",
                   (unsigned long long)page->units);
  struct ls_ordering_view view = {
      .units = page->units,
      .iteration = c->has_past ? c->past.iteration : c->iteration + (c->has_started ? 1 : 0),
      .seed = c->config.seed,
      .expected = is_declared ? tasks->expected : NULL,
      .actual = is_declared ? tasks->actual : NULL,
      .history = tasks->history,
      .arguments = c->ordering};
  enum ls_status status = c->config.ordering->arrange(page->order, &view, err);
  for (uint64_t i = 0; i < page->units && status == LS_OK; i++) {
    uint64_t unit = page->order[i];
    assert(unit < page->units);
    if (page->state[unit] == LS_UNIT_WAITING) page->order[page->order_count++] = unit;
  }
  return status;
}

static enum ls_status prepare_page(struct ls_coordinator *c, const struct ls_event *event,
                                   struct ls_ledger_page *page, struct ls_error *err) {
  const struct ls_coordinator_past *past = &c->past;
  uint64_t units = event->iteration_units;
  if (ls_ledger_page_init(page, units) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for an iteration of %llu units",
                   (unsigned long long)units);
  enum ls_status status = settle_past(page, past->done, past->done_count, LS_OUTCOME_DONE, err);
  if (status == LS_OK)
    status = settle_past(page, past->failed, past->failed_count, LS_OUTCOME_FAILED, err);
  uint64_t done = page->done;
  if (status == LS_OK)
    status = settle_past(page, event->idle, event->idle_count, LS_OUTCOME_DONE, err);
  c->idle_units = page->done - done;
  if (status == LS_OK) status = ls_record_open_tasks(&c->record, units, err);
  if (status == LS_OK) status = arrange(c, page, err);
  if (status == LS_OK) status = ls_lane_divide(c, event, page, err);
  if (status != LS_OK) ls_ledger_page_close(page);
  return status;
}

static int compare_speeds(const void *left, const void *right) {
  const double *a = left, *b = right;
  return *a > *b ? -1 : *a < *b;
}

/* Speeds of the workers that are there, the fastest first; NULL: none was told, or the run is over
 * for want of memory.  The caller frees them. */
static double *gather_speeds(struct ls_coordinator *c) {
  size_t count = 0;
  if (c->config.weights_count == 0 || !c->record.tasks.is_learning) return NULL;
  double *speeds = calloc(c->view.slots, sizeof *speeds);
  if (speeds == NULL) ls_step_fail(c, LS_ENOMEM);
  for (uint32_t i = 0; speeds != NULL && i < c->view.slots; i++)
    if (c->roster.is_present[i]) speeds[count++] = ls_step_speed(c, i);
  if (count > 1) qsort(speeds, count, sizeof *speeds, compare_speeds);
  return speeds;
}

/* What the sizing wants, which is not told of extra workers; all but those where there is none. */
static size_t find_wanted(struct ls_coordinator *c, struct ls_sizing_view *view) {
  size_t most = c->config.workers - c->config.extra;
  size_t active = ls_roster_active(&c->roster);
  if (c->config.sizing == NULL) return most;
  double *speeds = gather_speeds(c);
  view->speeds = speeds;
  view->memory = &c->sizing_memory;
  view->arguments = c->sizing;
  view->wanted = c->roster.wanted > c->extra ? c->roster.wanted - c->extra : 1;
  view->current = active > c->extra ? active - c->extra : active > 0;
  size_t wanted = c->config.sizing->wanted(view, most);
  free(speeds);
  return wanted > 0 ? wanted : 1;
}

/* Extra workers come on top. */
static void ask_sizing(struct ls_coordinator *c, struct ls_sizing_view *view) {
  struct ls_roster *roster = &c->roster;
  bool chooses_extra = c->config.replication != NULL && c->config.replication->extra != NULL;
  if (c->config.sizing == NULL && !chooses_extra) return;
  size_t wanted = find_wanted(c, view);
  c->extra = ls_replica_choose_extra(c, wanted);
  roster->wanted = wanted + c->extra;
  /* Who is above an advised number would go as soon as it comes. */
  if (roster->wanted > roster->most) roster->wanted = roster->most;
  /* The first workers come unasked; more of them than are wanted are not waited for. */
  bool is_before_all = view->is_start || roster->present[LS_PRESENCE_ABSENT] == roster->count;
  if (is_before_all && roster->expected > roster->wanted) roster->expected = roster->wanted;
}

/* What the iteration that ends was like. */
static struct ls_sizing_view look_back(struct ls_coordinator *c) {
  ls_roster_count_time(&c->roster, c->now_s);
  double up_s = c->roster.up_seconds;
  return (struct ls_sizing_view){.iteration = c->iteration,
                                 .is_start = !c->has_started,
                                 .iteration_seconds = c->now_s - c->opened_s,
                                 .efficiency = up_s > 0 ? c->record.working_seconds / up_s : 0,
                                 .was_changed = c->was_changed,
                                 .tasks = c->record.tasks.facts};
}

static void begin_books(struct ls_coordinator *c) {
  ls_speed_renew(c);
  c->record.iterations++;
  c->record.earlier_up_seconds += c->roster.up_seconds;
  c->record.working_seconds = c->record.normal_seconds = c->record.working_units = 0;
  c->roster.up_seconds = 0;
  c->opened_s = c->now_s;
  if (c->has_past) {
    c->iteration = c->past.iteration;
  } else if (c->has_started) {
    c->iteration++;
  }
  c->has_past = false;
  c->past.done_count = c->past.failed_count = 0;
  c->has_started = c->is_open = true;
  c->has_returned = true; /* whoever asked before is served now */
}

/* The first tasks of a list are its longest, as a rule: the fastest worker has the first one. */
static bool is_head_for_fastest(const struct ls_coordinator *c) {
  return c->config.ordering != NULL && c->config.learns_speeds &&
         ls_record_tells_units_apart(&c->record);
}

double ls_coordinator_precedence(const struct ls_coordinator *c, uint32_t worker) {
  return is_head_for_fastest(c) && worker < c->view.slots ? ls_step_speed(c, worker) : 0;
}

static void order_requests(struct ls_coordinator *c) {
  if (!is_head_for_fastest(c)) return;
  double *speeds = calloc(c->view.slots + 1, sizeof *speeds);
  if (speeds == NULL) {
    ls_step_fail(c, LS_ENOMEM);
    return;
  }
  for (uint32_t i = 0; i < c->view.slots; i++) speeds[i] = ls_step_speed(c, i);
  ls_step_fail(c, ls_roster_order_parked(&c->roster, speeds));
  free(speeds);
}

static void begin_work(struct ls_coordinator *c, struct ls_sizing_view *view) {
  view->units = c->view.units = ls_ledger_waiting(&c->ledger);
  if (c->policy != NULL) {
    ask_sizing(c, view);
    ls_worker_release_surplus(c);
  }
  /* Who was released for it does not change the iteration. */
  c->was_changed = false;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_ITERATION,
                                    .worker = LS_WORKER_NONE,
                                    .units = c->ledger.units,
                                    .extra = c->iteration});
  if (c->policy != NULL) {
    ls_worker_introduce(c);
    ls_worker_request(c);
    ls_worker_await(c);
  }
  if (c->config.replication != NULL) ls_replica_open(c);
  if (c->config.deadline_s > 0 && !c->is_stopping)
    ls_step_wake(c, fmax(c->config.deadline_s, c->now_s));
}

static void finish(struct ls_coordinator *c) {
  assert(!c->is_finished && c->ledger.sent == 0);
  for (uint32_t i = 0; i < c->roster.count; i++) {
    /* Who leaves may wait for the word that its last result arrived: nobody would say it later. */
    if (ls_roster_is_there(&c->roster, i))
      ls_step_act(c, LS_ACTION_RELEASE, i)->release = (struct ls_action_release){0};
  }
  ls_step_act(c, LS_ACTION_FINISH, LS_WORKER_NONE);
  c->is_finished = true;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_FINISHED,
                                    .worker = LS_WORKER_NONE,
                                    .units = c->ledger.done,
                                    .extra = c->ledger.units - c->ledger.done});
}

/* A policy that begins with these units, of which there are some; the caller's. */
static enum ls_status create_policy(struct ls_coordinator *c, uint64_t units,
                                    struct ls_policy **policy, struct ls_error *err) {
  ls_weight_renew(c);
  struct ls_policy_start start = {.choice = {c->config.chunking, c->config.arguments},
                                  .weights = c->is_weighed ? c->weights : NULL,
                                  .units = units};
  return ls_policy_create(c, &start, policy, err);
}

enum ls_status ls_iteration_on_iteration(struct ls_coordinator *c, const struct ls_event *event,
                                         struct ls_error *err) {
  struct ls_ledger_page page;
  struct ls_policy *policy = NULL;
  struct ls_lane_crew *crews = NULL;
  uint64_t units = event->iteration_units;
  if (event->is_incomplete && c->config.chunking->is_pushed)
    return ls_fail(err, LS_EINVAL,
                   "ITERATION: is incomplete, and %s sends what was planned for all of it",
                   c->config.chunking->name);
  if (units == 0 && !event->is_incomplete) {
    /* There is no further iteration; the totals stay those of the last one. */
    finish(c);
    return LS_OK;
  }
  enum ls_status status = ls_lane_check_iteration(c, event, err);
  if (status == LS_OK) status = prepare_page(c, event, &page, err);
  if (status != LS_OK) return status;
  uint64_t left = units - page.done - page.failed;
  status = ls_lane_begin(c, &page, &crews, err);
  if (left > 0 && status == LS_OK && crews == NULL) status = create_policy(c, left, &policy, err);
  uint32_t lanes = page.lanes_count;
  struct ls_sizing_view view = look_back(c);
  if (status == LS_OK) status = ls_ledger_open(&c->ledger, &page);
  if (status != LS_OK) {
    ls_policy_destroy(policy);
    ls_lane_close(crews, lanes);
    ls_ledger_page_close(&page);
    return status;
  }
  if (c->crews == NULL) ls_policy_destroy(c->policy);
  c->policy = policy;
  ls_lane_put(c, crews);
  c->policies++;
  ls_return_open(c);
  ls_late_clear(&c->late);
  ls_expiries_clear(&c->expiries);
  ls_pauses_clear(&c->pauses);
  begin_books(c);
  order_requests(c);
  c->is_incomplete = event->is_incomplete;
  begin_work(c, &view);
  return LS_OK;
}

/* What waits is then a load of its own to a policy that begins anew, as after advice. */
enum ls_status ls_iteration_on_added(struct ls_coordinator *c, const struct ls_event_added *added,
                                     struct ls_error *err) {
  struct ls_policy *policy = NULL;
  if (!c->is_incomplete)
    return ls_fail(err, LS_EINVAL, "ADDED: %llu units for an iteration that is complete",
                   (unsigned long long)added->units);
  if (added->needs_count > 0 && !c->config.has_needs)
    return ls_fail(err, LS_EINVAL, "ADDED: units need labels, and has_needs is false");
  enum ls_status status = LS_OK;
  if (added->units > 0 && c->config.has_needs) {
    status = ls_lane_add(c, added, err);
    if (status == LS_EINVAL) return status;
    ls_step_fail(c, status);
  } else if (added->units > 0) {
    status = create_policy(c, ls_ledger_waiting(&c->ledger) + added->units, &policy, err);
    if (status == LS_EINVAL) return status;
    if (status == LS_OK) status = ls_record_add_tasks(&c->record, added->units);
    if (status == LS_OK) status = ls_ledger_add(&c->ledger, added->units);
    ls_step_fail(c, status);
  }
  if (c->has_failed) {
    ls_policy_destroy(policy);
    return LS_OK;
  }
  c->is_incomplete = !added->is_last;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_ADDED,
                                    .worker = LS_WORKER_NONE,
                                    .units = added->units,
                                    .extra = ls_ledger_waiting(&c->ledger)});
  if (added->units == 0) return LS_OK;
  ls_advice_put(c, policy);
  ls_worker_request(c);
  ls_worker_await(c);
  return LS_OK;
}

void ls_iteration_stop(struct ls_coordinator *c, bool is_hard) {
  c->is_stopping = true;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_STOPPING,
                                    .worker = LS_WORKER_NONE,
                                    .units = c->ledger.sent,
                                    .extra = is_hard ? 1 : 0});
  if (!is_hard) return;
  for (uint32_t i = 0; i < c->ledger.slots_count; i++) {
    ls_worker_cancel(c, i);
    /* Who is away does not answer. */
    bool is_away = ls_roster_is(&c->roster, i, LS_PRESENCE_SUSPENDED);
    if (is_away && c->ledger.slots[i].units > 0) ls_absence_give_back(c, i);
  }
}

void ls_iteration_continue(struct ls_coordinator *c) {
  if (c->is_finished || c->has_failed) return;
  if (c->is_open && !c->is_incomplete && ls_ledger_is_settled(&c->ledger)) {
    assert(c->ledger.sent == 0 && ls_ledger_waiting(&c->ledger) == 0);
    c->is_open = false;
    /* What it taught is kept now: an order or a policy may refuse the next one. */
    ls_record_end_iteration(&c->record);
    ls_step_fail(c, ls_record_end_tasks(&c->record));
    ls_step_act(c, LS_ACTION_ITERATION_DONE, LS_WORKER_NONE)->iteration_number = c->iteration;
  }
  if (c->is_stopping) {
    if (c->ledger.sent == 0) {
      finish(c);
    } else if (c->plan.returns_count > 0) {
      ls_return_continue(c);
    }
    return;
  }
  if (ls_roster_active(&c->roster) > c->roster.most) ls_advice_release(c);
  /* Nothing can be recalled any more for those who were kept for that: they are asked again. */
  if (c->was_crowded && c->ledger.crowded == 0 && c->expiries.count > 0) c->has_returned = true;
  ls_retry_continue(c);
  ls_request_serve(c);
  ls_recall_continue(c);
  if (ls_return_is_ordered(c)) ls_return_continue(c);
  const size_t *present = c->roster.present;
  bool is_anybody_absent = present[LS_PRESENCE_SUSPENDED] + present[LS_PRESENCE_LEAVING] > 0;
  if (c->config.replication != NULL || is_anybody_absent || c->replicas.count > 0)
    ls_replica_continue(c);
  c->was_crowded = c->ledger.crowded > 0;
  ls_start_await(c);
}
