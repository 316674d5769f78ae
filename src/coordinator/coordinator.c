/* coordinator.c: create, restore, totals. */
#include "coordinator/coordinator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/decisions/handle_spares_private.h"
#include "coordinator/handlers_private.h"
#include "coordinator/running.h"
#include "coordinator/side_settings.h"

enum { RETRIES_MAX = 65533 /* failures, at most two more, are counted in 16 bits */ };

static enum ls_status check_times(const struct ls_coordinator_config *config,
                                  struct ls_error *err) {
  const struct {
    const char *name;
    double value;
  } times[] = {{"silence_s", config->silence_s},
               {"patience_s", config->patience_s},
               {"heartbeat_s", config->heartbeat_s},
               {"grant_s", config->grant_s},
               {"deadline_s", config->deadline_s}};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (times[i].value >= 0 && isfinite(times[i].value)) continue;
    return ls_fail(err, LS_EINVAL, "%s is %g, must be >= 0 and finite", times[i].name,
                   times[i].value);
  }
  return LS_OK;
}

/* Advice changes how workers are answered; a pushed policy answers none. */
static enum ls_status check_choices(const struct ls_coordinator_config *config,
                                    struct ls_error *err) {
  for (size_t i = 0; i < config->choices_count; i++) {
    bool is_pushed = config->choices[i].chunking->is_pushed;
    if (!is_pushed && !config->chunking->is_pushed) continue;
    return ls_fail(err, LS_EINVAL, "choice %zu: %s, the policy cannot change %s %s", i,
                   config->choices[i].chunking->name, is_pushed ? "to" : "from",
                   is_pushed ? config->choices[i].chunking->name : config->chunking->name);
  }
  return LS_OK;
}

/* A chunk that fits at no time would be waited for for ever. */
static enum ls_status check_plan(const struct ls_coordinator_config *config, struct ls_error *err) {
  const struct ls_plan *plan = config->plan;
  if (plan == NULL) return LS_OK;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (chunk->worker >= config->workers)
      return ls_fail(err, LS_EINVAL, "chunk %zu of the plan: worker is %u, must be < %zu", i,
                     (unsigned)chunk->worker, config->workers);
    struct ls_room room = {0};
    if (chunk->worker < config->rooms_count) room = config->rooms[chunk->worker];
    bool is_room_less = room.units > 0 && (room.chunk_units == 0 || room.units < room.chunk_units);
    uint64_t most = is_room_less ? room.units : room.chunk_units;
    if (most == 0 || chunk->units <= (double)most) continue;
    return ls_fail(err, LS_EINVAL,
                   "chunk %zu of the plan: units is %g, worker %u takes at most %llu at once", i,
                   chunk->units, (unsigned)chunk->worker, (unsigned long long)most);
  }
  return ls_plan_check_returns(plan, err);
}

static enum ls_status check_config(const struct ls_coordinator_config *config,
                                   struct ls_error *err) {
  if (config->workers < 1 || config->workers > config->workers_max) {
    return ls_fail(err, LS_EINVAL, "workers is %zu, must be 1 to workers_max (%zu)",
                   config->workers, config->workers_max);
  }
  if (config->workers_max >= LS_WORKER_NONE) {
    return ls_fail(err, LS_EINVAL, "workers_max is %zu, must be < %u", config->workers_max,
                   (unsigned)LS_WORKER_NONE);
  }
  if (config->retries > RETRIES_MAX) {
    return ls_fail(err, LS_EINVAL, "retries is %u, must be <= %d", (unsigned)config->retries,
                   (int)RETRIES_MAX);
  }
  if (config->kills_max > LS_KILLS_MAX) {
    return ls_fail(err, LS_EINVAL, "kills_max is %u, must be <= %d", (unsigned)config->kills_max,
                   LS_KILLS_MAX);
  }
  if (config->extra >= config->workers) {
    return ls_fail(err, LS_EINVAL, "extra is %zu, must be < workers (%zu)", config->extra,
                   config->workers);
  }
  if (!(config->retry_delay_s >= 0) || !isfinite(config->retry_delay_s) ||
      !(config->start_delay_s >= 0) || !isfinite(config->start_delay_s)) {
    return ls_fail(err, LS_EINVAL,
                   "retry_delay_s is %g and start_delay_s %g, must be >= 0 and finite",
                   config->retry_delay_s, config->start_delay_s);
  }
  if (config->start_delay_s > 0 && config->chunking->is_pushed) {
    return ls_fail(err, LS_EINVAL, "start_delay_s is %g, and %s sends when its plan says",
                   config->start_delay_s, config->chunking->name);
  }
  if (!(config->loss_rate >= 0) || !isfinite(config->loss_rate)) {
    return ls_fail(err, LS_EINVAL, "loss_rate is %g, must be >= 0 and finite", config->loss_rate);
  }
  for (size_t i = 0; config->weights != NULL && i < config->weights_count; i++) {
    if (config->weights[i] >= 0 && isfinite(config->weights[i])) continue;
    return ls_fail(err, LS_EINVAL, "worker %zu: weight is %g, must be >= 0 and finite", i,
                   config->weights[i]);
  }
  if (config->recalls && !config->spares_newcomers) {
    return ls_fail(err, LS_EINVAL, "recalls is true, which needs spares_newcomers");
  }
  enum ls_status status = check_plan(config, err);
  if (status == LS_OK) status = ls_lane_check(config, err);
  if (status == LS_OK) status = check_choices(config, err);
  return status == LS_OK ? check_times(config, err) : status;
}

/* `*copy` stays NULL for no items. */
static bool copy_items(void **copy, const void *items, size_t count, size_t item_bytes) {
  *copy = NULL;
  if (items == NULL || count == 0) return true;
  *copy = calloc(count, item_bytes);
  if (*copy == NULL) return false;
  memcpy(*copy, items, count * item_bytes);
  return true;
}

/* What the coordinator and its policy need of the plan. */
static bool copy_plan(struct ls_coordinator *c, const struct ls_plan *plan) {
  void *chunks = NULL, *order = NULL;
  if (plan == NULL) return true;
  bool is_copied = copy_items(&chunks, plan->chunks, plan->chunks_count, sizeof *plan->chunks) &&
                   copy_items(&order, plan->returns, plan->returns_count, sizeof *plan->returns);
  c->plan = (struct ls_plan){.chunks = chunks,
                             .chunks_count = plan->chunks_count,
                             .repeat = plan->repeat,
                             .has_returns = plan->has_returns,
                             .returns = order,
                             .returns_count = plan->returns_count};
  c->plan.repeat.last_end_s = NULL;
  c->config.plan = &c->plan;
  if (!is_copied || order == NULL) return is_copied;
  c->fetching.ranks = calloc(plan->chunks_count, sizeof *c->fetching.ranks);
  c->fetching.sent = calloc(plan->chunks_count, sizeof *c->fetching.sent);
  c->fetching.slots = calloc(plan->chunks_count, sizeof *c->fetching.slots);
  c->fetching.was_asked = calloc(plan->chunks_count, sizeof *c->fetching.was_asked);
  return c->fetching.ranks != NULL && c->fetching.sent != NULL && c->fetching.slots != NULL &&
         c->fetching.was_asked != NULL;
}

/* The lists of the config become the coordinator's own. */
static bool copy_config(struct ls_coordinator *c, const struct ls_coordinator_config *config) {
  void *weights = NULL, *choices = NULL, *rooms = NULL, *hosts = NULL;
  bool is_copied =
      copy_items(&weights, config->weights, config->weights_count, sizeof *config->weights) &&
      copy_items(&rooms, config->rooms, config->rooms_count, sizeof *config->rooms) &&
      copy_items(&hosts, config->hosts, config->hosts_count, sizeof *config->hosts) &&
      copy_items(&choices, config->choices, config->choices_count, sizeof *config->choices);
  c->config = *config;
  c->config.weights = weights;
  if (weights == NULL) c->config.weights_count = 0;
  c->config.rooms = c->rooms.told = rooms;
  c->config.rooms_count = c->rooms.told_count = rooms != NULL ? config->rooms_count : 0;
  c->config.hosts = hosts;
  if (hosts == NULL) c->config.hosts_count = 0;
  c->config.plan = NULL;
  c->config.choices = choices;
  c->config.lessons = NULL;
  c->config.slowness = NULL;
  return is_copied && copy_plan(c, config->plan);
}

static void take_arguments(struct ls_arguments *own, const struct ls_arguments *given,
                           const struct ls_parameter *parameters) {
  if (given != NULL) {
    *own = *given;
  } else {
    ls_arguments_init(own, parameters);
  }
}

static bool wants_history(const struct ls_coordinator_config *config) {
  return (config->ordering != NULL && config->ordering->learns) ||
         (config->replication != NULL && config->replication->learns);
}

static enum ls_status open_record(struct ls_coordinator *c,
                                  const struct ls_coordinator_config *config,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_policy_listen(c);
  c->record.tasks.is_learning = ls_side_is_learning(config);
  if (wants_history(config)) status = ls_record_keep_history(&c->record, err);
  for (size_t i = 0; i < config->lessons_count && status == LS_OK; i++) {
    const struct ls_coordinator_lesson *lesson = &config->lessons[i];
    status = ls_record_learn(&c->record, lesson->units, lesson->seconds, err);
    bool is_last = i + 1 == config->lessons_count;
    if (c->record.tasks.history != NULL && (is_last || lesson[1].iteration != lesson->iteration))
      ls_task_history_close_iteration(c->record.tasks.history);
  }
  return status;
}

static enum ls_status open_books(struct ls_coordinator *c,
                                 const struct ls_coordinator_config *config, struct ls_error *err) {
  take_arguments(&c->ordering, config->ordering_arguments,
                 config->ordering != NULL ? config->ordering->parameters : NULL);
  take_arguments(&c->sizing, config->sizing_arguments,
                 config->sizing != NULL ? config->sizing->parameters : NULL);
  take_arguments(&c->replication, config->replication_arguments,
                 config->replication != NULL ? config->replication->parameters : NULL);
  if (config->slowness != NULL) ls_spares_believe(&c->spares, config->slowness);
  c->newcomer_weight = 1;
  c->extra = config->extra;
  c->is_weighed = c->config.weights != NULL;
  c->wake_s = c->outlast_s = HUGE_VAL;
  c->start_s = -HUGE_VAL;
  ls_recalls_init(&c->recalls);
  c->patience = (struct ls_patience){.heartbeat_s = config->heartbeat_s,
                                     .first_grant_s = config->grant_s,
                                     .silence_s = config->silence_s,
                                     .patience_s = config->patience_s};
  ls_patience_ask(&c->patience, config->workers, 0);
  /* The driver starts the first workers by itself. */
  c->roster.wanted = c->roster.expected = config->workers;
  if (ls_step_add_slots(c, config->workers) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for a coordinator of %zu workers", config->workers);
  return open_record(c, config, err);
}

enum ls_status ls_coordinator_create(const struct ls_coordinator_config *config,
                                     struct ls_coordinator **out, struct ls_error *err) {
  enum ls_status status = check_config(config, err);
  if (status != LS_OK) return status;
  struct ls_coordinator *c = calloc(1, sizeof *c);
  if (c == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a coordinator");
  ls_ledger_init(&c->ledger);
  ls_roster_init(&c->roster);
  c->roster.keeps_empty = config->replacing == LS_REPLACING_NEVER;
  status = copy_config(c, config)
               ? open_books(c, config, err)
               : ls_fail(err, LS_ENOMEM, "no memory for the facts of a coordinator");
  if (status != LS_OK) {
    ls_coordinator_destroy(c);
    return status;
  }
  *out = c;
  return LS_OK;
}

static void release_past(struct ls_coordinator *c) {
  free((void *)c->past.done);
  free((void *)c->past.failed);
  c->past = (struct ls_coordinator_past){0};
}

void ls_coordinator_destroy(struct ls_coordinator *c) {
  if (c == NULL) return;
  assert(c->actions == NULL);
  release_past(c);
  free((void *)c->config.weights);
  free((void *)c->config.rooms);
  free((void *)c->config.hosts);
  ls_plan_close(&c->plan);
  free((void *)c->config.choices);
  free(c->fetching.ranks);
  free(c->fetching.sent);
  free(c->fetching.slots);
  free(c->fetching.was_asked);
  free(c->weights);
  free(c->ranks);
  free(c->visits);
  if (c->crews == NULL) ls_policy_destroy(c->policy);
  ls_lane_close(c->crews, c->crews_count);
  ls_needs_close(&c->needs);
  free(c->seat_facts.weights);
  free(c->seat_facts.is_present);
  free(c->seat_facts.is_counted);
  free(c->seat_facts.units_free);
  ls_ledger_close(&c->ledger);
  ls_roster_close(&c->roster);
  ls_record_close(&c->record);
  ls_replicas_close(&c->replicas);
  ls_spares_close(&c->spares);
  ls_rooms_close(&c->rooms);
  ls_late_close(&c->late);
  ls_expiries_close(&c->expiries);
  ls_pauses_close(&c->pauses);
  free(c->lasting);
  free(c);
}

enum ls_status ls_coordinator_restore(struct ls_coordinator *c,
                                      const struct ls_coordinator_past *past,
                                      struct ls_error *err) {
  void *done = NULL, *failed = NULL;
  if (c->has_started || c->roster.present[LS_PRESENCE_ABSENT] < c->roster.count)
    return ls_fail(err, LS_EINVAL, "the past of a run must be told before its first event");
  if (!copy_items(&done, past->done, past->done_count, sizeof *past->done) ||
      !copy_items(&failed, past->failed, past->failed_count, sizeof *past->failed)) {
    free(done);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu settled ranges",
                   past->done_count + past->failed_count);
  }
  release_past(c);
  c->past = *past;
  c->past.done = done;
  c->past.failed = failed;
  c->has_past = true;
  return LS_OK;
}

enum ls_status ls_coordinator_declare(struct ls_coordinator *c,
                                      const struct ls_coordinator_times *times,
                                      struct ls_error *err) {
  return ls_record_declare(&c->record, times->expected, times->actual, times->count, err);
}

void ls_coordinator_slowness(const struct ls_coordinator *c, struct ls_slowness *slowness) {
  *slowness = c->spares.slowness;
}

static size_t count_unheard(const struct ls_coordinator *c) {
  size_t count = 0, left = c->roster.present[LS_PRESENCE_SUSPENDED];
  for (uint32_t i = 0; i < c->roster.count && left > 0; i++) {
    left -= ls_roster_is(&c->roster, i, LS_PRESENCE_SUSPENDED);
    count += ls_coordinator_is_unheard(c, i);
  }
  return count;
}

void ls_coordinator_totals(const struct ls_coordinator *c, struct ls_coordinator_totals *totals) {
  const struct ls_ledger *ledger = &c->ledger;
  const size_t *present = c->roster.present;
  *totals = (struct ls_coordinator_totals){
      .units = ledger->units,
      .waiting = ls_ledger_waiting(ledger) + ledger->paused,
      .is_pausing = ledger->paused > 0 || !ls_start_is_free(c),
      .sent = ledger->sent,
      .done = ledger->done,
      .failed = ledger->failed,
      .given_up = ledger->given_up,
      .units_idle = c->idle_units,
      .chunks = ledger->next_chunk - c->chunks_unbegun,
      .units_unbegun = c->units_unbegun,
      .requests = c->requests,
      .results_dropped = c->results_dropped,
      .results_late = c->results_late,
      .expiries = c->expiries.ends,
      .expired_s = c->expiries.longest_s,
      .lacking_s = ls_expiries_lacking(&c->expiries),
      .units_retried = c->units_retried,
      .units_returned = ledger->returned,
      .recalls = c->recalls.count,
      .replicas = c->replicas.sent,
      .replicas_won = c->replicas.won,
      .workers_wanted = c->roster.wanted,
      .workers_present = present[LS_PRESENCE_ACTIVE] + present[LS_PRESENCE_SUSPENDED] +
                         present[LS_PRESENCE_LEAVING],
      .workers_lost = c->lost,
      .workers_suspended = present[LS_PRESENCE_SUSPENDED],
      .workers_unheard = count_unheard(c),
      .grant_s = ls_patience_grant(&c->patience),
      .loss_rate = ls_replica_loss_rate(c),
      .losses = c->roster.losses,
      .up_s = c->record.earlier_up_seconds + c->roster.up_seconds,
      .replicas_lost_s = c->replicas.lost_s,
      .chunking = c->config.chunking,
      .iteration = c->iteration,
      .is_stopping = c->is_stopping,
      .is_finished = c->is_finished};
}

static bool are_doubts_sound(const struct ls_coordinator *c, const struct ls_doubts *doubts) {
  for (size_t i = 0; i < doubts->count; i++) {
    uint32_t slot = doubts->items[i].slot;
    if (slot != LS_SLOT_NONE && !ls_absence_is_doubtful(c, slot)) return false;
  }
  return true;
}

bool ls_coordinator_is_sound(const struct ls_coordinator *c) {
  if (c->has_failed) return true;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    bool may_hold = ls_roster_is_there(&c->roster, i);
    if (c->ledger.slots[i].chunks > 0 && !may_hold) return false;
    /* What waits goes back at once; in a planned order results may wait for their turn. */
    bool may_wait = c->roster.is_present[i] || c->plan.has_returns;
    if (c->ledger.slots[i].units > 1 && !may_wait) return false;
  }
  for (uint32_t i = 0; i < c->ledger.lanes_count; i++)
    if (i != c->ledger.lane && !are_doubts_sound(c, &c->ledger.lanes[i].doubts)) return false;
  if (!are_doubts_sound(c, &c->ledger.doubts)) return false;
  return ls_ledger_is_sound(&c->ledger) && ls_roster_is_sound(&c->roster) &&
         ls_record_is_sound(&c->record) && ls_replicas_are_sound(&c->replicas, &c->ledger) &&
         ls_rooms_are_sound(&c->rooms) && ls_patience_is_sound(&c->patience) &&
         ls_recalls_are_sound(&c->recalls) && ls_late_is_sound(&c->late);
}
