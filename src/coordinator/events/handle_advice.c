/* handle_advice.c: advice: another prefetch, policy, number of workers, heartbeat.
 *
 * A new policy begins with the waiting units, as with an iteration of its own; chunks at the
 * workers end under the old policy's numbers.  Workers above an advised number drain: the slowest
 * get nothing more and are released once they have nothing, so that no running unit is thrown away.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/handlers_private.h"

/* The new policy's weights where none were told: by slot; the caller's. */
static enum ls_status measure_weights(const struct ls_coordinator *c, double **weights,
                                      struct ls_error *err) {
  *weights = calloc(c->view.slots, sizeof **weights);
  if (*weights == NULL || ls_record_speeds(&c->record, c->view.slots, 0, *weights) != LS_OK) {
    free(*weights);
    *weights = NULL;
    return ls_fail(err, LS_ENOMEM, "no memory for the weights of %zu workers", c->view.slots);
  }
  return LS_OK;
}

/* In the list of policies. */
static size_t find_index(const struct ls_chunking *chunking) {
  size_t index = 0;
  while (ls_chunkings[index] != NULL && ls_chunkings[index] != chunking) index++;
  return index;
}

static void take_weights(struct ls_coordinator *c, const double *weights) {
  double sum = 0;
  for (size_t i = 0; i < c->view.slots; i++) sum += weights[i];
  memcpy(c->weights, weights, c->view.slots * sizeof *weights);
  c->newcomer_weight = sum / (double)c->view.slots;
  c->is_weighed = true;
}

void ls_advice_put(struct ls_coordinator *c, struct ls_policy *policy) {
  if (c->crews == NULL) {
    ls_policy_destroy(c->policy);
    c->policy = policy;
  }
  c->policies++;
  c->view.units = ls_ledger_waiting(&c->ledger);
  c->has_returned = true; /* requests that the old policy refused go to the new one */
  ls_worker_introduce(c);
}

static void change_policy(struct ls_coordinator *c, const struct ls_coordinator_choice *choice,
                          struct ls_policy *policy) {
  assert(!c->config.chunking->is_pushed && !choice->chunking->is_pushed);
  c->config.chunking = choice->chunking;
  c->config.arguments = choice->arguments;
  ls_policy_listen(c);
  /* Between iterations there is none: the new policy is not asked before it begins. */
  if (policy != NULL) {
    ls_advice_put(c, policy);
  } else {
    ls_policy_destroy(c->policy);
    c->policy = NULL;
    /* What was gathered for the old one is as long as that one wished. */
    for (uint32_t i = 0; i < c->view.slots; i++) ls_record_begin(&c->record, i, c->now_s, false);
  }
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_POLICY,
                                    .worker = LS_WORKER_NONE,
                                    .units = ls_ledger_waiting(&c->ledger),
                                    .extra = find_index(choice->chunking)});
}

static enum ls_status follow_policy(struct ls_coordinator *c,
                                    const struct ls_coordinator_choice *choice,
                                    struct ls_error *err) {
  struct ls_policy *policy = NULL;
  double *measured = NULL;
  uint64_t waiting = ls_ledger_waiting(&c->ledger);
  enum ls_status status = LS_OK;
  if (c->config.weights_count == 0) status = measure_weights(c, &measured, err);
  struct ls_policy_start start = {.choice = *choice,
                                  .weights = measured != NULL ? measured : c->weights,
                                  .units = waiting > 0 ? waiting : 1};
  if (status == LS_OK && c->is_open) status = ls_policy_create(c, &start, &policy, err);
  if (status == LS_OK) {
    if (measured != NULL) take_weights(c, measured);
    change_policy(c, choice, policy);
  }
  free(measured);
  return status;
}

enum ls_status ls_advice_on_advice(struct ls_coordinator *c, const struct ls_event_advice *advice,
                                   struct ls_error *err) {
  const struct ls_coordinator_config *config = &c->config;
  if (!(advice->heartbeat_s >= 0) || !isfinite(advice->heartbeat_s))
    return ls_fail(err, LS_EINVAL, "ADVICE: the heartbeat is %g s, expected a finite time >= 0",
                   advice->heartbeat_s);
  if (advice->heartbeat_s > 0) ls_absence_on_heartbeat(c, advice->heartbeat_s);
  bool is_other = advice->policy > 0 || advice->prefetch > 0 || advice->workers > 0;
  if (c->is_stopping || !is_other) return LS_OK;
  if (advice->policy > config->choices_count)
    return ls_fail(err, LS_EINVAL, "ADVICE: the policy is number %zu, expected 0 to %zu",
                   advice->policy, config->choices_count);
  if (advice->policy > 0) {
    enum ls_status status = follow_policy(c, &config->choices[advice->policy - 1], err);
    if (status != LS_OK) return status;
  }
  if (advice->prefetch > 0 || advice->workers > 0)
    ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_ADVISED,
                                      .worker = LS_WORKER_NONE,
                                      .units = advice->prefetch,
                                      .extra = advice->workers});
  if (advice->prefetch > 0)
    ls_step_act(c, LS_ACTION_SET_PREFETCH, LS_WORKER_NONE)->prefetch = advice->prefetch;
  if (advice->workers > 0) {
    c->roster.wanted =
        advice->workers < config->workers_max ? (size_t)advice->workers : config->workers_max;
    c->roster.most = c->roster.wanted;
    c->is_ranked = false;
    c->has_returned = true; /* workers that were to go may stay now */
    ls_worker_request(c);
  }
  ls_worker_await(c);
  c->recalls.is_due = true;
  return LS_OK;
}

static struct ls_rank find_rank(const struct ls_coordinator *c, uint32_t slot) {
  return (struct ls_rank){ls_record_rate(&c->record, slot), slot};
}

static int compare_ranks(const void *left, const void *right) {
  const struct ls_rank *a = left, *b = right;
  if (a->rate > b->rate) return -1;
  if (a->rate < b->rate) return 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* More workers are there than may stay. */
static void rank_workers(struct ls_coordinator *c) {
  size_t count = 0;
  if (c->is_ranked) return;
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (c->roster.is_present[i]) c->ranks[count++] = find_rank(c, i);
  assert(count > c->roster.most);
  qsort(c->ranks, count, sizeof *c->ranks, compare_ranks);
  c->first_surplus = c->ranks[c->roster.most];
  c->is_ranked = true;
}

bool ls_advice_is_slowest(struct ls_coordinator *c, uint32_t slot) {
  rank_workers(c);
  struct ls_rank rank = find_rank(c, slot);
  return compare_ranks(&rank, &c->first_surplus) >= 0;
}

void ls_advice_release(struct ls_coordinator *c) {
  struct ls_rank first = {0};
  bool is_ranked = false; /* those that go were behind the first, and leave it where it is */
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (ls_roster_active(&c->roster) <= c->roster.most) return;
    if (!c->roster.is_present[i] || c->ledger.slots[i].chunks > 0) continue;
    if (!is_ranked) rank_workers(c);
    if (!is_ranked) first = c->first_surplus;
    is_ranked = true;
    struct ls_rank rank = find_rank(c, i);
    if (compare_ranks(&rank, &first) < 0) continue;
    ls_worker_release(c, i);
    ls_request_tell(c, i, LS_CHUNKING_LOST, 0); /* its reserved units are free */
    c->has_returned = true;
  }
}
