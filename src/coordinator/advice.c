/* advice.c: an adviser's word: another prefetch, another policy, another number of workers.
 *
 * A new policy begins with what waits, as with an iteration of its own; what is at the workers ends
 * under the old one's numbers.  Workers above an advised number drain: the slowest get nothing more
 * and are released once they have nothing, so that nothing that runs is thrown away.
 */
#include <stdlib.h>

#include "coordinator/coordinator_private.h"
#include "model/speeds.h"

/* Units per second as measured; 0: nothing is known of the worker. */
static double measure_rate(const struct ls_coordinator *c, uint32_t worker) {
  const struct ls_chunking_earlier *seen = &c->earlier[worker];
  assert(worker < c->config.workers_max);
  return seen->units > 0 && seen->seconds > 0 ? seen->units / seen->seconds : 0;
}

/* False: no memory.  Of workers that nothing is known of, the mean is expected. */
static bool measure_weights(const struct ls_coordinator *c, double *weights) {
  size_t workers = c->config.workers_max, seen = c->members_seen;
  struct ls_speed_sample *samples = calloc(seen + 1, sizeof *samples);
  if (samples == NULL) return false;
  assert(seen <= workers);
  for (size_t i = 0; i < seen; i++)
    samples[i] = (struct ls_speed_sample){c->earlier[i].units, c->earlier[i].seconds};
  double mean_s = ls_speeds_estimate(samples, seen, c->observed.squares, weights);
  for (size_t i = 0; i < workers; i++) weights[i] = i < seen ? 1 / weights[i] : 1 / mean_s;
  free(samples);
  return true;
}

static enum ls_status prepare_policy(const struct ls_coordinator *c, struct ls_advised *advised,
                                     struct ls_error *err) {
  assert(advised->choice != NULL);
  if (c->weights == NULL) {
    advised->measured = calloc(c->config.workers_max, sizeof *advised->measured);
    if (advised->measured == NULL || !measure_weights(c, advised->measured)) {
      return ls_fail(err, LS_ENOMEM, "no memory for the weights of %zu workers",
                     c->config.workers_max);
    }
  }
  if (!c->is_open) return LS_OK; /* the next iteration makes the state */
  struct ls_policy_start start = {.choice = *advised->choice,
                                  .weights = c->weights != NULL ? c->weights : advised->measured,
                                  .units = c->waiting.units > 0 ? c->waiting.units : 1};
  return ls_policy_prepare(c, &start, &advised->policy_state, err);
}

enum ls_status ls_advice_prepare(const struct ls_coordinator *c, const struct ls_event *event,
                                 struct ls_advised *advised, struct ls_error *err) {
  const struct ls_coordinator_config *config = &c->config;
  uint64_t number = event->units.first;
  struct ls_advised made = {0};
  assert(event->kind == LS_EVENT_ADVICE);
  if (number > config->choices_count) {
    return ls_fail(err, LS_EINVAL, "ADVICE: the policy is number %llu, expected 0 to %zu",
                   (unsigned long long)number, config->choices_count);
  }
  if (number > 0) {
    made.choice = &config->choices[number - 1];
    enum ls_status status = prepare_policy(c, &made, err);
    if (status != LS_OK) {
      free(made.measured);
      return status;
    }
  }
  *advised = made;
  return LS_OK;
}

static size_t find_place(const struct ls_chunking *chunking) {
  size_t place = 0;
  while (ls_chunkings[place] != NULL && ls_chunkings[place] != chunking) place++;
  return place;
}

static void change_policy(struct ls_coordinator *c, struct ls_advised *advised) {
  assert(!c->config.chunking->is_pushed && !advised->choice->chunking->is_pushed);
  c->config.chunking = advised->choice->chunking;
  c->config.arguments = advised->choice->arguments;
  c->report_every = ls_chunking_report_every(c->config.chunking, &c->config.arguments);
  if (advised->measured != NULL) {
    free(c->measured);
    c->measured = advised->measured;
  }
  /* Between iterations there is none: nobody hears the new policy before it begins. */
  free(c->policy_state);
  c->policy_state = advised->policy_state;
  if (c->policy_state != NULL) {
    c->view.units = c->waiting.units;
    c->has_returned = true; /* whom the old policy refused asks the new one */
    ls_worker_introduce(c);
  }
  *advised = (struct ls_advised){0};
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_POLICY,
                                   .worker = LS_WORKER_NONE,
                                   .units = c->waiting.units,
                                   .extra = find_place(c->config.chunking)});
}

void ls_advice_follow(struct ls_coordinator *c, const struct ls_event *event,
                      struct ls_advised *advised) {
  uint64_t prefetch = event->units.count, workers = event->count;
  assert(event->kind == LS_EVENT_ADVICE && !c->is_stopping);
  if (prefetch > 0 || workers > 0) {
    ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_ADVISED,
                                     .worker = LS_WORKER_NONE,
                                     .units = prefetch,
                                     .extra = workers});
  }
  if (prefetch > 0) {
    ls_actions_add(c, LS_ACTION_SET_PREFETCH, LS_WORKER_NONE)->count = prefetch;
  }
  if (advised->choice != NULL) change_policy(c, advised);
  if (workers > 0) {
    c->wanted = workers < c->config.workers_max ? (size_t)workers : c->config.workers_max;
    c->workers_most = c->wanted;
    c->has_returned = true; /* who was to go may stay now */
    ls_worker_request(c);
  }
  ls_worker_await(c);
  c->is_usual = c->is_open && ls_usual_is_possible(c);
}

bool ls_advice_is_surplus(const struct ls_coordinator *c, uint32_t worker) {
  if (c->active <= c->workers_most) return false;
  double rate = measure_rate(c, worker);
  size_t better = 0;
  assert(c->is_active[worker]);
  for (uint32_t i = 0; i < c->members_seen; i++) {
    if (!c->is_active[i] || i == worker) continue;
    double other = measure_rate(c, i);
    bool is_equal = !(other > rate) && !(other < rate);
    better += other > rate || (is_equal && i < worker);
  }
  return better >= c->workers_most;
}

void ls_advice_release(struct ls_coordinator *c) {
  assert(c->active > c->workers_most && !c->is_finished);
  for (uint32_t i = 0; i < c->members_seen && c->active > c->workers_most; i++) {
    if (!c->is_active[i] || c->members[i].chunks > 0 || !ls_advice_is_surplus(c, i)) continue;
    ls_worker_release(c, i);
    ls_request_tell_worker(c, i, LS_CHUNKING_LOST, 0); /* what was kept for it is free */
    c->has_returned = true;
  }
}
