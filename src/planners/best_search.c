/* best_search.c: local search over the send order.
 *
 * Reference:  the project's own; the sizes of a sequence are those of best_sizes.c.
 * Assumes:    reduced workers (umr_private.h) with compute_per_unit_s > 0, a thousand at most; else
 *             only the linear programs are tried.
 * Answers:    never a plan worse than what there was.
 * Cost:       one replay, or the proof that none is needed, for each sequence tried; then a few
 *             linear programs.
 * Symbols:    none.
 *
 * First a *pattern* is searched: the order of the last round (tail) and of all rounds before
 * (body), which may leave workers out or send to one twice.  Then single messages of the best
 * sequence are moved, dropped and added.  In the end linear programs size the best sequence: where
 * workers differ, waiting a little can pay.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "planners/best_private.h"
#include "planners/lp_private.h"

enum { WORKERS_MAX = 1000, PROGRAM_MESSAGES_MAX = 100, PROGRAM_TURNS = 3, PROGRAM_WORK = 20 };

/* A list of workers (by index). */
struct order {
  uint32_t *items;
  size_t count, capacity;
};

struct pattern {
  struct order tail, body;
};

struct search {
  struct ls_best *best;
  struct ls_umr_workers workers; /* in the platform's order */
  bool is_identical;
  struct ls_best_sizes sizes;
  struct order sequence; /* scratch: what is evaluated */
  size_t used;           /* messages of the best sequence of the current search */
  struct pattern current, trial;
  struct order messages, messages_trial;
  double current_s;
  uint32_t *rounds; /* by worker: its last round + 1, scratch */
  struct ls_random random;
};

static enum ls_status open_order(struct order *order, size_t capacity, struct ls_error *err) {
  order->items = calloc(capacity + 1, sizeof *order->items);
  if (order->items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", capacity);
  order->capacity = capacity;
  return LS_OK;
}

static void copy_order(struct order *to, const struct order *from) {
  memcpy(to->items, from->items, from->count * sizeof *from->items);
  to->count = from->count;
}

static void swap_items(struct order *order, size_t i, size_t j) {
  uint32_t item = order->items[i];
  order->items[i] = order->items[j];
  order->items[j] = item;
}

static bool insert_item(struct order *order, size_t place, uint32_t item) {
  if (order->count == order->capacity) return false;
  memmove(order->items + place + 1, order->items + place,
          (order->count - place) * sizeof *order->items);
  order->items[place] = item;
  order->count++;
  return true;
}

static void remove_item(struct order *order, size_t place) {
  order->count--;
  memmove(order->items + place, order->items + place + 1,
          (order->count - place) * sizeof *order->items);
}

static bool find_item(const struct order *order, uint32_t item, size_t *place) {
  for (size_t i = 0; i < order->count; i++) {
    if (order->items[i] != item) continue;
    *place = i;
    return true;
  }
  return false;
}

static size_t draw(struct search *search, size_t count) {
  return (size_t)ls_random_below(&search->random, count);
}

/* A round ends where a worker would get a second message. */
static void build_plan(struct search *search, const struct ls_best_suffix *suffix,
                       struct ls_plan *plan) {
  double least = 1e-12 * search->best->setup->load;
  uint32_t round = 0;
  for (size_t i = 0; i < search->workers.count; i++) search->rounds[i] = 0;
  for (size_t k = suffix->first; k < search->sequence.count; k++) {
    double units = ls_best_sizes_units(&search->sizes, suffix, k);
    if (!(units > least)) continue;
    uint32_t index = search->sequence.items[k];
    if (search->rounds[index] > round) round++;
    search->rounds[index] = round + 1;
    ls_plan_add(plan, search->workers.items[index].number, round, units);
  }
}

/* Plays search->sequence with its best suffix; *makespan_s is INFINITY when it cannot be played, or
 * (where the theory is exact) is not better than `limit_s`. */
static enum ls_status evaluate(struct search *search, double limit_s, double *makespan_s,
                               struct ls_error *err) {
  struct ls_best *best = search->best;
  struct ls_best_suffix suffix;
  struct ls_plan plan;
  *makespan_s = (double)INFINITY;
  if (!ls_best_sizes_find(&search->sizes, &search->workers, search->sequence.items,
                          search->sequence.count, best->setup->load, &suffix) ||
      (search->workers.is_exact && !best->setup->is_whole &&
       !(suffix.makespan_s < limit_s * (1 - ls_best_least_gain)))) {
    best->work++;
    return LS_OK;
  }
  ls_plan_init(&plan, "search", best->setup->load);
  build_plan(search, &suffix, &plan);
  struct ls_umr_notes notes = {0};
  ls_umr_tell(&notes, &search->workers, &plan);
  enum ls_status status = ls_best_offer(best, &plan, "search", makespan_s, err);
  ls_plan_close(&plan);
  if (status == LS_OK && *makespan_s < limit_s) {
    search->used = search->sequence.count - suffix.first;
  }
  return status;
}

/* Writes the pattern's rounds, as many messages as may be worth it, into search->sequence. */
static void write_pattern(struct search *search, const struct pattern *pattern) {
  struct order *sequence = &search->sequence;
  size_t most = pattern->tail.count + (LS_UMR_ROUNDS_MAX - 1) * pattern->body.count;
  if (search->used > 0) {
    size_t window = 2 * (search->used + search->workers.count);
    most = most < window ? most : window;
  }
  if (most > sequence->capacity) most = sequence->capacity;
  sequence->count = most;
  for (size_t r = 0; r < most; r++) {
    uint32_t *item = &sequence->items[most - 1 - r];
    if (r < pattern->tail.count) {
      *item = pattern->tail.items[pattern->tail.count - 1 - r];
    } else {
      size_t place = (r - pattern->tail.count) % pattern->body.count;
      *item = pattern->body.items[pattern->body.count - 1 - place];
    }
  }
}

static void copy_pattern(struct pattern *to, const struct pattern *from) {
  copy_order(&to->tail, &from->tail);
  copy_order(&to->body, &from->body);
}

/* Removes a worker from every round. */
static bool drop_worker(struct search *search, struct pattern *pattern) {
  if (pattern->tail.count < 2) return false;
  size_t place = draw(search, pattern->tail.count);
  uint32_t item = pattern->tail.items[place];
  remove_item(&pattern->tail, place);
  while (find_item(&pattern->body, item, &place)) remove_item(&pattern->body, place);
  return true;
}

/* Adds an unused worker to every round. */
static bool add_worker(struct search *search, struct pattern *pattern) {
  size_t unused = search->workers.count - pattern->tail.count, place;
  if (unused == 0) return false;
  size_t wanted = draw(search, unused);
  uint32_t item = 0;
  for (;; item++) {
    if (find_item(&pattern->tail, item, &place)) continue;
    if (wanted-- == 0) break;
  }
  place = draw(search, pattern->tail.count + 1);
  size_t body_place = place < pattern->body.count ? place : pattern->body.count;
  return insert_item(&pattern->tail, place, item) && insert_item(&pattern->body, body_place, item);
}

static bool swap_in(struct search *search, struct order *order) {
  if (search->is_identical || order->count < 2) return false;
  size_t i = draw(search, order->count), j = draw(search, order->count - 1);
  swap_items(order, i, j < i ? j : j + 1);
  return true;
}

/* The same two workers change places in all rounds. */
static bool swap_everywhere(struct search *search, struct pattern *pattern) {
  if (search->is_identical || pattern->tail.count < 2) return false;
  size_t i = draw(search, pattern->tail.count), j = draw(search, pattern->tail.count - 1);
  if (j >= i) j++;
  uint32_t a = pattern->tail.items[i], b = pattern->tail.items[j];
  swap_items(&pattern->tail, i, j);
  for (size_t k = 0; k < pattern->body.count; k++) {
    uint32_t *item = &pattern->body.items[k];
    *item = *item == a ? b : *item == b ? a : *item;
  }
  return true;
}

static bool move_in_body(struct search *search, struct pattern *pattern) {
  if (pattern->body.count < 2) return false;
  size_t place = draw(search, pattern->body.count);
  uint32_t item = pattern->body.items[place];
  remove_item(&pattern->body, place);
  return insert_item(&pattern->body, draw(search, pattern->body.count + 1), item);
}

static bool drop_from_body(struct search *search, struct pattern *pattern) {
  if (pattern->body.count == 0) return false;
  remove_item(&pattern->body, draw(search, pattern->body.count));
  return true;
}

static bool add_to_body(struct search *search, struct pattern *pattern) {
  uint32_t item = pattern->tail.items[draw(search, pattern->tail.count)];
  return insert_item(&pattern->body, draw(search, pattern->body.count + 1), item);
}

enum { MOVES = 8 };

/* Changes the pattern at random; false: this change is not possible. */
static bool change_pattern(struct search *search, struct pattern *pattern) {
  switch (draw(search, MOVES)) {
    case 0:
      return drop_worker(search, pattern);
    case 1:
      return add_worker(search, pattern);
    case 2:
      return swap_in(search, &pattern->tail);
    case 3:
      return swap_in(search, &pattern->body);
    case 4:
      return swap_everywhere(search, pattern);
    case 5:
      return move_in_body(search, pattern);
    case 6:
      return drop_from_body(search, pattern);
    default:
      return add_to_body(search, pattern);
  }
}

/* Starts from the better of this order and what there is. */
static enum ls_status start_from(struct search *search, const uint32_t *items, size_t count,
                                 struct ls_error *err) {
  double makespan_s;
  struct pattern *trial = &search->trial;
  memcpy(trial->tail.items, items, count * sizeof *items);
  memcpy(trial->body.items, items, count * sizeof *items);
  trial->tail.count = trial->body.count = count;
  size_t used = search->used;
  search->used = 0;
  write_pattern(search, trial);
  enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
  if (status == LS_OK && makespan_s < search->current_s) {
    copy_pattern(&search->current, trial);
    search->current_s = makespan_s;
  } else {
    search->used = used;
  }
  return status;
}

/* The sets of workers that the planners try, and for identical workers all their numbers. */
static enum ls_status start(struct search *search, struct ls_error *err) {
  struct ls_umr_workers sets[LS_UMR_SETS];
  size_t sets_count = 0;
  enum ls_status status = ls_umr_sets_init(sets, &sets_count, search->best->setup->platform, err);
  if (status != LS_OK) return status;
  uint32_t *items = search->messages_trial.items;
  for (size_t i = 0; i < sets_count && status == LS_OK; i++) {
    for (size_t k = 0; k < sets[i].count; k++) items[k] = sets[i].items[k].number;
    status = start_from(search, items, sets[i].count, err);
  }
  for (size_t count = search->workers.count - 1; search->is_identical && count > 0; count--) {
    if (status != LS_OK || !ls_best_goes_on(search->best)) break;
    status = start_from(search, items, count, err);
  }
  ls_umr_sets_close(sets, sets_count);
  return status;
}

/* Tries changes of the pattern until many in a row bring nothing. */
static enum ls_status climb_patterns(struct search *search, uint64_t work_max,
                                     struct ls_error *err) {
  size_t workers = search->workers.count, patience = 100 + 4 * workers * (workers + 4);
  double makespan_s;
  for (size_t failures = 0; failures < patience; failures++) {
    if (search->best->work >= work_max || !ls_best_goes_on(search->best)) break;
    copy_pattern(&search->trial, &search->current);
    if (!change_pattern(search, &search->trial)) continue;
    write_pattern(search, &search->trial);
    enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
    if (status != LS_OK) return status;
    if (!(makespan_s < search->current_s * (1 - ls_best_least_gain))) continue;
    copy_pattern(&search->current, &search->trial);
    search->current_s = makespan_s;
    failures = 0;
  }
  return LS_OK;
}

/* Changes single messages; false: this change is not possible. */
static bool change_messages(struct search *search, struct order *messages) {
  size_t place = draw(search, messages->count);
  uint32_t item = (uint32_t)draw(search, search->workers.count);
  switch (draw(search, 4)) {
    case 0:
      if (messages->count < 2) return false;
      remove_item(messages, place);
      return true;
    case 1:
      return insert_item(messages, place, item);
    case 2:
      if (place + 1 == messages->count) return false;
      swap_items(messages, place, place + 1);
      return true;
    default:
      if (messages->items[place] == item) return false;
      messages->items[place] = item;
      return true;
  }
}

/* Tries changes of single messages until many in a row bring nothing. */
static enum ls_status climb_messages(struct search *search, struct ls_error *err) {
  size_t patience = 100 + 4 * search->workers.count * search->used;
  double makespan_s;
  write_pattern(search, &search->current);
  struct order tail = search->sequence;
  /* A round more than is used: longer suffixes may become the best. */
  size_t wanted = search->used + search->workers.count;
  if (wanted < tail.count) {
    tail.items += tail.count - wanted;
    tail.count = wanted;
  }
  copy_order(&search->messages, &tail);
  for (size_t failures = 0; failures < patience && ls_best_goes_on(search->best); failures++) {
    copy_order(&search->messages_trial, &search->messages);
    if (!change_messages(search, &search->messages_trial)) continue;
    copy_order(&search->sequence, &search->messages_trial);
    enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
    if (status != LS_OK) return status;
    if (!(makespan_s < search->current_s * (1 - ls_best_least_gain))) continue;
    copy_order(&search->messages, &search->messages_trial);
    search->current_s = makespan_s;
    failures = 0;
  }
  return LS_OK;
}

/* Sizes the best plan's messages by linear programs: each drops what the one before left empty. */
static enum ls_status polish(struct search *search, struct ls_error *err) {
  struct ls_best *best = search->best;
  struct ls_message messages[PROGRAM_MESSAGES_MAX];
  enum ls_status status = LS_OK;
  for (int turn = 0; turn < PROGRAM_TURNS && status == LS_OK; turn++) {
    size_t count = best->plan.chunks_count;
    if (count == 0 || count > PROGRAM_MESSAGES_MAX || best->plan.has_returns) break;
    if (best->work + PROGRAM_WORK >= best->work_max || !ls_best_goes_on(best)) break;
    for (size_t i = 0; i < count; i++) {
      messages[i].worker = best->plan.chunks[i].worker;
      messages[i].round = best->plan.chunks[i].round;
    }
    struct ls_plan plan;
    double before_s = best->makespan_s, makespan_s = (double)INFINITY;
    ls_plan_init(&plan, "search", best->setup->load);
    status = ls_lp_plan(best->setup, messages, count, &plan, err);
    best->work += PROGRAM_WORK;
    if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
      struct ls_umr_notes notes = {0};
      ls_umr_tell(&notes, &search->workers, &plan);
      status = ls_best_offer(best, &plan, "search", &makespan_s, err);
    }
    ls_plan_close(&plan);
    if (!(makespan_s < before_s * (1 - ls_best_least_gain))) break;
  }
  return status;
}

static bool is_covered(const struct ls_umr_workers *workers) {
  if (workers->count > WORKERS_MAX) return false;
  for (size_t i = 0; i < workers->count; i++) {
    if (!(workers->items[i].compute_per_unit_s > 0)) return false;
  }
  return true;
}

/* For identical workers never idling is optimal in every round-robin sequence, and their order does
 * not matter: nothing is left to search. */
static bool is_solved(const struct search *search) {
  return search->is_identical && search->workers.is_exact && !search->best->setup->is_whole;
}

static enum ls_status open_search(struct search *search, struct ls_error *err) {
  size_t workers = search->workers.count, most = workers * LS_UMR_ROUNDS_MAX;
  ls_random_init(&search->random, 1, "best");
  search->current_s = (double)INFINITY;
  enum ls_status status = ls_best_sizes_init(&search->sizes, workers, most, err);
  if (status == LS_OK) status = open_order(&search->sequence, most, err);
  if (status == LS_OK) status = open_order(&search->messages, most, err);
  if (status == LS_OK) status = open_order(&search->messages_trial, most, err);
  if (status == LS_OK) status = open_order(&search->current.tail, workers, err);
  if (status == LS_OK) status = open_order(&search->current.body, 2 * workers, err);
  if (status == LS_OK) status = open_order(&search->trial.tail, workers, err);
  if (status == LS_OK) status = open_order(&search->trial.body, 2 * workers, err);
  if (status != LS_OK) return status;
  search->rounds = calloc(workers, sizeof *search->rounds);
  if (search->rounds == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  return LS_OK;
}

static void close_search(struct search *search) {
  ls_best_sizes_close(&search->sizes);
  free(search->sequence.items);
  free(search->messages.items);
  free(search->messages_trial.items);
  free(search->current.tail.items);
  free(search->current.body.items);
  free(search->trial.tail.items);
  free(search->trial.body.items);
  free(search->rounds);
  ls_umr_workers_close(&search->workers);
}

/* Messages are searched with what patterns leave of the work: half of it at least. */
static enum ls_status climb(struct search *search, struct ls_error *err) {
  struct ls_best *best = search->best;
  enum ls_status status = open_search(search, err);
  if (status == LS_OK) status = start(search, err);
  if (status != LS_OK || is_solved(search) || !(search->current_s < (double)INFINITY)) {
    return status;
  }
  uint64_t left = best->work < best->work_max ? best->work_max - best->work : 0;
  status = climb_patterns(search, best->work + left / 2, err);
  if (status == LS_OK) status = climb_messages(search, err);
  return status;
}

enum ls_status ls_best_search(struct ls_best *best, struct ls_error *err) {
  struct search search = {.best = best};
  enum ls_status status = ls_umr_workers_init(&search.workers, best->setup->platform, err);
  if (status != LS_OK) return status;
  search.is_identical = ls_umr_is_identical(search.workers.items, search.workers.count);
  if (is_covered(&search.workers) && ls_best_goes_on(best)) status = climb(&search, err);
  if (status == LS_OK && !is_solved(&search)) status = polish(&search, err);
  close_search(&search);
  return status;
}
