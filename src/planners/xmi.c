/* xmi.c: extended multi-installment: no worker ever waits after its first chunk, all end together,
 * latencies counted.
 *
 * Reference:  beyond the papers: the recurrences of bharadwaj1996, chapter 10, with the latencies
 *             of yang2002 and for different workers (section 3.9 of the project's specification).
 * Assumes:    one message after another, round-robin; receiving and computing overlap; results cost
 *             nothing.
 * Answers:    NOT_APPLICABLE when computing costs nothing per unit; with a number of rounds given
 *             also when some chunk of that many rounds would be negative, or it is below 1.
 * Cost:       O(50 N) per set of workers where the theory leaves nothing out: one backward pass
 *             serves every number of messages.  Else 64 replays of O(50 N) more.
 * Symbols:    K -> messages, r -> messages sent after this one, N -> count, p_r, q_r -> p, q;
 *             units of message r = p_r x + q_r; W -> load.
 */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/replay.h"
#include "planners/planner.h"
#include "planners/umr_private.h"

static const struct ls_parameter xmi_parameters[] = {
    {"rounds", "rounds to send; absent: the best number of messages", LS_PARAMETER_WHOLE,
     (double)NAN, 0, 10000, NULL},
    {0}};

/* Chunks of that part of the load are rounding: not sent when positive, no fault when negative. */
static const double NEGLIGIBLE = 1e-12;

/* Replays per set, where the theory leaves a station out. */
enum { REPLAYS_PER_SET = 64 };

/* The backward pass: what is known after message r = done - 1. */
struct pass {
  const struct ls_umr_workers *workers;
  double load;
  size_t done;
  double *p, *q;             /* of all messages so far */
  double *p_tails, *q_tails; /* by worker: sums over the block before, from here to its end */
  double *p_own, *q_own;     /* by worker: sums over its messages */
  double *free_s;            /* by worker: for replays */
  double p_head, q_head;     /* sums over the block's own beginning */
  struct ls_sum p_sum, q_sum;
  double x_least; /* below it some chunk is negative */
  double x_sent;  /* below it some chunk with a latency is too small to be sent */
};

/* One number of messages of one set; 0: one round (one_round.c), which may leave workers out
 * anywhere. */
struct candidate {
  size_t set, messages;
  double x;
  double makespan_s; /* by the theory, until it is replayed */
};

struct search {
  const struct ls_planner_setup *setup;
  struct ls_umr_workers sets[LS_UMR_SETS];
  struct pass passes[LS_UMR_SETS];
  size_t sets_count;
  struct candidate *candidates; /* of one set, where the theory leaves something out; else NULL */
  size_t candidates_count;
  uint64_t replays;
  bool is_stopped;
  struct candidate best;
};

static void close_pass(struct pass *pass) {
  free(pass->p);
  *pass = (struct pass){0};
}

static enum ls_status open_pass(struct pass *pass, const struct ls_umr_workers *workers,
                                size_t messages, double load, struct ls_error *err) {
  size_t count = workers->count;
  double *memory = calloc(2 * messages + 5 * count, sizeof *memory);
  if (memory == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", messages);
  *pass =
      (struct pass){.workers = workers, .load = load, .x_least = -HUGE_VAL, .x_sent = -HUGE_VAL};
  pass->p = memory;
  pass->q = memory + messages;
  pass->p_tails = pass->q + messages;
  pass->q_tails = pass->p_tails + count;
  pass->p_own = pass->q_tails + count;
  pass->q_own = pass->p_own + count;
  pass->free_s = pass->q_own + count;
  return LS_OK;
}

/* The worker of message r, counted from the end: the last message goes to the last worker. */
static const struct ls_umr_worker *find_receiver(const struct ls_umr_workers *workers, size_t r) {
  return &workers->items[workers->count - 1 - r % workers->count];
}

/* A worker's last chunk ends with that of the message after it. */
static void end_together(struct pass *pass, const struct ls_umr_worker *own) {
  size_t r = pass->done;
  if (r == 0) {
    pass->p[0] = 1;
    return;
  }
  const struct ls_umr_worker *next = find_receiver(pass->workers, r - 1);
  double seconds = next->send_per_unit_s + next->compute_per_unit_s;
  pass->p[r] = seconds * pass->p[r - 1] / own->compute_per_unit_s;
  pass->q[r] = (seconds * pass->q[r - 1] + next->send_latency_s + next->compute_latency_s +
                next->delay_s - own->compute_latency_s - own->delay_s) /
               own->compute_per_unit_s;
}

/* Before a new block, sums from each message of the last one to its end: so that the sum over the N
 * messages after one is a tail and a head, nothing is subtracted, and small chunks keep their
 * digits. */
static void start_block(struct pass *pass) {
  size_t count = pass->workers->count;
  double p = 0, q = 0;
  for (size_t i = count; i-- > 0;) {
    size_t m = pass->done - count + i;
    const struct ls_umr_worker *receiver = find_receiver(pass->workers, m);
    p += pass->p[m] * receiver->send_per_unit_s;
    q += pass->q[m] * receiver->send_per_unit_s + receiver->send_latency_s;
    pass->p_tails[i] = p;
    pass->q_tails[i] = q;
  }
  pass->p_head = 0;
  pass->q_head = 0;
}

/* A chunk lasts until the worker's next one is there. */
static void stay_busy(struct pass *pass, const struct ls_umr_worker *own, size_t place) {
  size_t r = pass->done;
  if (place == 0) start_block(pass);
  double p = pass->p_tails[place] + pass->p_head, q = pass->q_tails[place] + pass->q_head;
  pass->p[r] = p / own->compute_per_unit_s;
  pass->q[r] = (q - own->compute_latency_s) / own->compute_per_unit_s;
  pass->p_head += pass->p[r] * own->send_per_unit_s;
  pass->q_head += pass->q[r] * own->send_per_unit_s + own->send_latency_s;
}

/* Raises `*least` to (units - q) / p, if that is more. Dividing only then is what makes the pass
 * fast. */
static void raise_least(double *least, double units, double p, double q) {
  if (units - q > *least * p) *least = (units - q) / p;
}

/* Goes one message towards the front. `place` is its worker, counted from the last. False: no
 * further number of messages can be used. */
static bool extend_pass(struct pass *pass, size_t place) {
  const struct ls_umr_worker *own = &pass->workers->items[pass->workers->count - 1 - place];
  double negligible = NEGLIGIBLE * pass->load;
  size_t r = pass->done;
  if (r < pass->workers->count) {
    end_together(pass, own);
  } else {
    stay_busy(pass, own, place);
  }
  double p = pass->p[r], q = pass->q[r];
  bool has_latency = own->send_latency_s > 0 || own->compute_latency_s > 0;
  /* Shares that grow beyond all bounds leave the chunks after them nothing. */
  if (!(p < 1e250) || !isfinite(q) || (!(p > 0) && q < -negligible)) return false;
  if (p > 0) {
    raise_least(&pass->x_least, -negligible, p, q);
    if (has_latency) raise_least(&pass->x_sent, negligible, p, q);
  } else if (has_latency && !(q > negligible)) {
    pass->x_sent = HUGE_VAL;
  }
  pass->p_own[place] += p * own->compute_per_unit_s;
  pass->q_own[place] += q * own->compute_per_unit_s + own->compute_latency_s;
  ls_sum_add(&pass->p_sum, p);
  ls_sum_add(&pass->q_sum, q);
  pass->done++;
  return true;
}

static double solve_x(const struct pass *pass) {
  return (pass->load - ls_sum_value(&pass->q_sum)) / ls_sum_value(&pass->p_sum);
}

/* When all end, if every message is sent: as the first worker's chunks follow each other. */
static double find_end(const struct pass *pass, size_t place, double x) {
  const struct ls_umr_worker *own = &pass->workers->items[pass->workers->count - 1 - place];
  size_t r = pass->done - 1;
  return own->send_latency_s + own->delay_s + pass->q[r] * own->send_per_unit_s +
         pass->q_own[place] + x * (pass->p[r] * own->send_per_unit_s + pass->p_own[place]);
}

static double find_units(const struct pass *pass, size_t r, double x) {
  double units = pass->p[r] * x + pass->q[r];
  return units > NEGLIGIBLE * pass->load ? units : 0;
}

/* The end when some messages are too small to be sent: an exact replay. */
static double replay_end(struct pass *pass, double x) {
  size_t count = pass->workers->count;
  double sent_s = 0, end_s = 0;
  for (size_t i = 0; i < count; i++) pass->free_s[i] = 0;
  for (size_t r = pass->done; r-- > 0;) {
    const struct ls_umr_worker *own = find_receiver(pass->workers, r);
    double units = find_units(pass, r, x), *free_s = &pass->free_s[r % count];
    if (!(units > 0)) continue;
    sent_s += own->send_latency_s + units * own->send_per_unit_s;
    *free_s = fmax(sent_s + own->delay_s, *free_s);
    *free_s += own->compute_latency_s + units * own->compute_per_unit_s;
    end_s = fmax(end_s, *free_s);
  }
  return end_s;
}

/* Notes the number of messages that the pass stands at, if it can be used. */
static void note_messages(struct search *search, size_t set, size_t place) {
  struct pass *pass = &search->passes[set];
  double x = solve_x(pass);
  if (!(x >= pass->x_least)) return;
  double end_s = x >= pass->x_sent ? find_end(pass, place, x) : replay_end(pass, x);
  struct candidate candidate = {set, pass->done, x, end_s};
  if (search->candidates != NULL) {
    search->candidates[search->candidates_count++] = candidate;
  } else if (end_s < search->best.makespan_s) {
    search->best = candidate;
  }
}

static bool may_go_on(struct search *search) {
  const struct ls_planner_setup *setup = search->setup;
  search->is_stopped = (setup->work_max > 0 && search->replays >= setup->work_max) ||
                       (setup->stop != NULL && setup->stop(setup->stop_context));
  return !search->is_stopped;
}

/* Adds the chunks of a candidate that is not one round. */
static void add_messages(const struct pass *pass, const struct candidate *candidate,
                         struct ls_plan *plan) {
  size_t count = pass->workers->count;
  size_t rounds = (candidate->messages + count - 1) / count;
  for (size_t r = candidate->messages; r-- > 0;) {
    double units = find_units(pass, r, candidate->x);
    if (!(units > 0)) continue;
    ls_plan_add(plan, find_receiver(pass->workers, r)->number, (uint32_t)(rounds - 1 - r / count),
                units);
  }
}

static enum ls_status make_candidate(const struct search *search, const struct candidate *candidate,
                                     struct ls_umr_notes *notes, struct ls_plan *plan,
                                     struct ls_error *err) {
  plan->chunks_count = 0;
  if (candidate->messages == 0) {
    return ls_one_round_add(&search->sets[candidate->set], plan->load, notes, plan, err);
  }
  add_messages(&search->passes[candidate->set], candidate, plan);
  return LS_OK;
}

static enum ls_status replay_candidate(struct search *search, struct candidate candidate,
                                       struct ls_plan *plan, struct ls_error *err) {
  struct ls_umr_notes notes = {0};
  enum ls_status status = make_candidate(search, &candidate, &notes, plan, err);
  if (status != LS_OK) return status;
  status = ls_replay_makespan(plan, search->setup->platform, &candidate.makespan_s, err);
  if (status != LS_OK) return status;
  search->replays++;
  if (candidate.makespan_s < search->best.makespan_s) search->best = candidate;
  return LS_OK;
}

static int compare_candidates(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->makespan_s < b->makespan_s) return -1;
  if (a->makespan_s > b->makespan_s) return 1;
  return a->messages < b->messages ? -1 : a->messages > b->messages;
}

/* Replays those that the theory, which leaves something out, thinks best. */
static enum ls_status replay_candidates(struct search *search, struct ls_plan *plan,
                                        struct ls_error *err) {
  enum ls_status status = LS_OK;
  qsort(search->candidates, search->candidates_count, sizeof *search->candidates,
        compare_candidates);
  for (size_t i = 0; i < search->candidates_count && i < REPLAYS_PER_SET; i++) {
    if (status != LS_OK || !may_go_on(search)) break;
    status = replay_candidate(search, search->candidates[i], plan, err);
  }
  return status;
}

static enum ls_status try_set(struct search *search, size_t set, struct ls_plan *plan,
                              struct ls_error *err) {
  const struct ls_umr_workers *workers = &search->sets[set];
  size_t most = LS_UMR_ROUNDS_MAX * workers->count;
  enum ls_status status = open_pass(&search->passes[set], workers, most, plan->load, err);
  if (status != LS_OK) return status;
  if (!workers->is_exact) {
    search->candidates_count = 0;
    search->candidates = calloc(most, sizeof *search->candidates);
    if (search->candidates == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu ends", most);
  }
  bool goes_on = true;
  for (size_t round = 0; round < LS_UMR_ROUNDS_MAX && goes_on; round++) {
    for (size_t place = 0; place < workers->count && goes_on; place++) {
      goes_on = extend_pass(&search->passes[set], place);
      if (goes_on) note_messages(search, set, place);
    }
  }
  status = replay_candidate(search, (struct candidate){.set = set}, plan, err);
  if (status == LS_OK && search->candidates != NULL) status = replay_candidates(search, plan, err);
  free(search->candidates);
  search->candidates = NULL;
  return status;
}

static void tell_best(const struct search *search, struct ls_umr_notes *notes,
                      struct ls_plan *plan) {
  const struct ls_umr_workers *workers = &search->sets[search->best.set];
  size_t all = search->setup->platform->workers_count;
  size_t partial = search->best.messages % workers->count;
  if (workers->count < all) ls_umr_note(notes, "%zu workers are left out", all - workers->count);
  if (partial > 0) {
    ls_umr_note(notes, "the first round goes to the last %zu of %zu workers", partial,
                workers->count);
  }
  ls_plan_set(plan, "predicted_makespan", search->best.makespan_s);
  if (search->is_stopped) ls_plan_set_flag(plan, "stopped", true);
  ls_umr_tell(notes, workers, plan);
}

/* Sets that are equal have been left out already. */
static enum ls_status search_sets(struct search *search, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_umr_notes notes = {0};
  enum ls_status status = LS_OK;
  for (size_t set = 0; set < search->sets_count && status == LS_OK && !search->is_stopped; set++) {
    status = try_set(search, set, plan, err);
  }
  if (status == LS_OK) status = make_candidate(search, &search->best, &notes, plan, err);
  if (status == LS_OK) tell_best(search, &notes, plan);
  return status;
}

/* The number of rounds is given: all workers, in the platform's order. */
static enum ls_status plan_rounds(struct search *search, size_t rounds, struct ls_plan *plan,
                                  struct ls_error *err) {
  const struct ls_umr_workers *workers = &search->sets[0];
  struct pass *pass = &search->passes[0];
  struct ls_umr_notes notes = {0};
  enum ls_status status = open_pass(pass, workers, rounds * workers->count, plan->load, err);
  if (status != LS_OK) return status;
  bool is_usable = true;
  while (is_usable && pass->done < rounds * workers->count) {
    is_usable = extend_pass(pass, pass->done % workers->count);
  }
  double x = solve_x(pass);
  if (!is_usable || !(x >= pass->x_least)) {
    ls_plan_refuse(plan, "in %zu rounds without a wait some chunk would be negative", rounds);
    return LS_OK;
  }
  search->best = (struct candidate){0, pass->done, x, find_end(pass, workers->count - 1, x)};
  add_messages(pass, &search->best, plan);
  tell_best(search, &notes, plan);
  return LS_OK;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                struct ls_error *err) {
  double given = ls_arguments_get(&setup->arguments, xmi_parameters, "rounds");
  struct search search = {.setup = setup, .best.makespan_s = HUGE_VAL};
  enum ls_status status = ls_umr_sets_init(search.sets, &search.sets_count, setup->platform, err);
  if (status != LS_OK) return status;
  if (given < 1) {
    ls_plan_refuse(plan, "the number of rounds is 0");
  } else if (!ls_umr_refuses(&search.sets[0], false, plan)) {
    status = isnan(given) ? search_sets(&search, plan, err)
                          : plan_rounds(&search, (size_t)given, plan, err);
  }
  for (size_t set = 0; set < search.sets_count; set++) close_pass(&search.passes[set]);
  ls_umr_sets_close(search.sets, search.sets_count);
  return status;
}

const struct ls_planner ls_planner_xmi = {
    .name = "xmi",
    .summary = "extended multi-installment: never idle, latencies counted, best number of messages",
    .reference = "yang2002",
    .parameters = xmi_parameters,
    .plan = make_plan,
};
