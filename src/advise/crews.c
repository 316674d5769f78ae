#include "advise/crews.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "theory/list_schedule.h"

/* With more kinds of workers no crew changes one for one of another kind: there are too many. */
enum { SWAPS_KINDS_MAX = 12 };
/* Of an order the first n workers are tried for each n up to this and a part of the tries; beyond,
 * n grows by so many steps to its multiple. */
enum { STEPS_LEAST = 16, STEPS_SHARE = 32 };

/* A platform by kinds, and what was tried: crew i has counts[i * kinds + k] workers of kind k. */
struct kinds {
  const struct ls_crew_search *search;
  size_t *kind_of; /* of each worker */
  size_t *sizes;   /* workers of each kind */
  size_t count, most;
  size_t *counts;
  size_t crews, capacity; /* in `counts`: those to be judged stand behind those that are */
  bool *is_expanded;
  size_t expanded_capacity;
};

static bool is_same_cost(const struct ls_cost *a, const struct ls_cost *b) {
  return memcmp(a, b, LS_OPERATION_COUNT * sizeof *a) == 0;
}

static bool is_same(double a, double b) {
  return !(a < b) && !(a > b);
}

/* Lists of windows that equal workers share; others count as different. */
static bool is_alike(const struct ls_worker_model *a, const struct ls_worker_model *b) {
  return is_same_cost(a->costs, b->costs) && is_same(a->delay_s, b->delay_s) &&
         is_same(a->window_from, b->window_from) && is_same(a->window_to, b->window_to) &&
         is_same(a->room_units, b->room_units) && is_same(a->price_per_s, b->price_per_s) &&
         is_same(a->unit_variation, b->unit_variation) && a->unit_law == b->unit_law &&
         a->windows == b->windows && a->is_on_master == b->is_on_master;
}

static void sort_into_kinds(struct kinds *kinds, size_t *firsts) {
  const struct ls_platform *platform = kinds->search->platform;
  for (size_t i = 0; i < platform->workers_count; i++) {
    size_t kind = 0;
    while (kind < kinds->count &&
           !is_alike(&platform->workers[i], &platform->workers[firsts[kind]]))
      kind++;
    if (kind == kinds->count) firsts[kinds->count++] = i;
    kinds->kind_of[i] = kind;
    kinds->sizes[kind]++;
  }
}

static enum ls_status open_kinds(struct kinds *kinds, const struct ls_crew_search *search,
                                 struct ls_error *err) {
  size_t workers = search->platform->workers_count;
  *kinds = (struct kinds){.search = search};
  kinds->most = search->most == 0 || search->most > workers ? workers : search->most;
  kinds->kind_of = calloc(workers, sizeof *kinds->kind_of);
  kinds->sizes = calloc(workers, sizeof *kinds->sizes);
  size_t *firsts = calloc(workers, sizeof *firsts);
  bool is_there = kinds->kind_of != NULL && kinds->sizes != NULL && firsts != NULL;
  if (is_there) sort_into_kinds(kinds, firsts);
  free(firsts);
  return is_there ? LS_OK
                  : ls_fail(err, LS_ENOMEM, "no memory for the kinds of %zu workers", workers);
}

static void close_kinds(struct kinds *kinds) {
  free(kinds->kind_of);
  free(kinds->sizes);
  free(kinds->counts);
  free(kinds->is_expanded);
}

/* Adds the crew of these counts, unless it is too small or large, known, or one too many. */
static enum ls_status add_counts(struct kinds *kinds, const size_t *counts, struct ls_error *err) {
  void *items = kinds->counts;
  size_t bytes = kinds->count * sizeof *counts, workers = 0;
  for (size_t k = 0; k < kinds->count; k++) workers += counts[k];
  if (workers < kinds->search->least || workers > kinds->most || workers == 0 ||
      kinds->crews == kinds->search->tries_max)
    return LS_OK;
  for (size_t i = 0; i < kinds->crews; i++)
    if (memcmp(kinds->counts + i * kinds->count, counts, bytes) == 0) return LS_OK;
  if (ls_array_reserve(&items, &kinds->capacity, kinds->crews + 1, bytes) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", kinds->crews + 1);
  kinds->counts = items;
  memcpy(kinds->counts + kinds->crews++ * kinds->count, counts, bytes);
  return LS_OK;
}

/* How many crews there are, of any size; SIZE_MAX: too many to count. */
static size_t count_all(const struct kinds *kinds) {
  size_t all = 1;
  for (size_t k = 0; k < kinds->count; k++) {
    if (all > SIZE_MAX / (kinds->sizes[k] + 1)) return SIZE_MAX;
    all *= kinds->sizes[k] + 1;
  }
  return all - 1;
}

/* All of them, the small ones first: of equal offers the one with the fewest workers stays. */
static enum ls_status add_all(struct kinds *kinds, size_t *counts, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t wanted = 1; wanted <= kinds->most; wanted++) {
    memset(counts, 0, kinds->count * sizeof *counts);
    for (bool is_more = true; is_more && status == LS_OK;) {
      size_t workers = 0, k = 0;
      for (size_t i = 0; i < kinds->count; i++) workers += counts[i];
      if (workers == wanted) status = add_counts(kinds, counts, err);
      while (k < kinds->count && counts[k] == kinds->sizes[k]) counts[k++] = 0;
      is_more = k < kinds->count;
      if (is_more) counts[k]++;
    }
  }
  return status;
}

/* What its first place in an order hangs on: the least key first. */
enum order { FASTEST, CHEAPEST_UNIT, CHEAPEST_SECOND, ORDERS };

static double measure_key(const struct ls_worker_model *worker, enum order order) {
  double unit_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  return order == FASTEST         ? unit_s
         : order == CHEAPEST_UNIT ? unit_s * worker->price_per_s
                                  : worker->price_per_s;
}

/* The first n workers, for each small n and ever fewer large ones. */
static enum ls_status add_prefixes(struct kinds *kinds, enum order order, size_t *counts,
                                   struct ls_error *err) {
  const struct ls_platform *platform = kinds->search->platform;
  size_t workers = platform->workers_count;
  double *keys = calloc(workers, sizeof *keys);
  uint64_t *list = calloc(workers, sizeof *list);
  enum ls_status status = keys == NULL || list == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers)
                              : LS_OK;
  for (size_t i = 0; i < workers && status == LS_OK; i++)
    keys[i] = -measure_key(&platform->workers[i], order);
  if (status == LS_OK) status = ls_list_sort(keys, workers, list, err);
  memset(counts, 0, kinds->count * sizeof *counts);
  size_t steps = kinds->search->tries_max / STEPS_SHARE + STEPS_LEAST, next = 1;
  for (size_t i = 0; i < workers && status == LS_OK; i++) {
    counts[kinds->kind_of[list[i]]]++;
    if (i + 1 < next && i + 1 < kinds->most) continue;
    next = i + 2 + (i + 1) / steps;
    status = add_counts(kinds, counts, err);
  }
  free(keys);
  free(list);
  return status;
}

/* One worker more, one less, or one of another kind. */
static enum ls_status add_neighbours(struct kinds *kinds, size_t index, size_t *counts,
                                     struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool swaps = kinds->count <= SWAPS_KINDS_MAX;
  memcpy(counts, kinds->counts + index * kinds->count, kinds->count * sizeof *counts);
  for (size_t k = 0; k < kinds->count && status == LS_OK; k++) {
    if (counts[k] < kinds->sizes[k]) {
      counts[k]++;
      status = add_counts(kinds, counts, err);
      counts[k]--;
    }
    if (counts[k] == 0) continue;
    counts[k]--;
    if (status == LS_OK) status = add_counts(kinds, counts, err);
    for (size_t j = 0; j < kinds->count && swaps && status == LS_OK; j++) {
      if (j == k || counts[j] == kinds->sizes[j]) continue;
      counts[j]++;
      status = add_counts(kinds, counts, err);
      counts[j]--;
    }
    counts[k]++;
  }
  return status;
}

static enum ls_status make_crew(const struct kinds *kinds, size_t index, struct ls_crew *crew,
                                struct ls_error *err) {
  const size_t *counts = kinds->counts + index * kinds->count;
  size_t workers = kinds->search->platform->workers_count, size = 0;
  size_t *left = calloc(kinds->count, sizeof *left);
  for (size_t k = 0; k < kinds->count; k++) size += counts[k];
  *crew = (struct ls_crew){.workers = calloc(size, sizeof *crew->workers),
                           .offer = {(double)INFINITY, (double)INFINITY}};
  if (left == NULL || crew->workers == NULL) {
    free(left);
    free(crew->workers);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", size);
  }
  memcpy(left, counts, kinds->count * sizeof *left);
  for (size_t i = 0; i < workers; i++) {
    if (left[kinds->kind_of[i]] == 0) continue;
    left[kinds->kind_of[i]]--;
    crew->workers[crew->count++] = i;
  }
  free(left);
  assert(crew->count == size);
  return LS_OK;
}

/* Judges what was added since. */
static enum ls_status judge(const struct kinds *kinds, struct ls_crews *crews,
                            struct ls_error *err) {
  size_t first = crews->count;
  if (first == kinds->crews) return LS_OK;
  if (ls_array_reserve((void **)&crews->items, &crews->capacity, kinds->crews,
                       sizeof *crews->items) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", kinds->crews);
  enum ls_status status = LS_OK;
  while (crews->count < kinds->crews && status == LS_OK) {
    status = make_crew(kinds, crews->count, &crews->items[crews->count], err);
    crews->count += status == LS_OK;
  }
  if (status != LS_OK) return status;
  return kinds->search->judge(kinds->search->context, crews->items + first, crews->count - first,
                              err);
}

/* The front of all crews, or of those whose neighbours are not known yet. */
static enum ls_status mark_front(const struct ls_crews *crews, const bool *is_left_out,
                                 bool *is_front, struct ls_error *err) {
  struct ls_offer *offers = calloc(crews->count, sizeof *offers);
  if (offers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu offers", crews->count);
  for (size_t i = 0; i < crews->count; i++)
    offers[i] = is_left_out != NULL && is_left_out[i]
                    ? (struct ls_offer){(double)INFINITY, (double)INFINITY}
                    : crews->items[i].offer;
  (void)ls_offers_front(offers, crews->count, is_front);
  free(offers);
  return LS_OK;
}

/* Adds the neighbours of one crew on the front, the one that was found last of those whose
 * neighbours are not known yet: where tries run out they go to what is on the front now, not to
 * what was when others began.  `is_behind`: of those on the front that these have among themselves.
 */
static enum ls_status expand(struct kinds *kinds, const struct ls_crews *crews, bool is_behind,
                             size_t *counts, struct ls_error *err) {
  size_t before = kinds->expanded_capacity;
  bool *is_front = calloc(crews->count, sizeof *is_front);
  if (is_front == NULL || ls_array_reserve((void **)&kinds->is_expanded, &kinds->expanded_capacity,
                                           crews->count, sizeof *kinds->is_expanded) != LS_OK) {
    free(is_front);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", crews->count);
  }
  memset(kinds->is_expanded + before, 0, kinds->expanded_capacity - before);
  enum ls_status status = mark_front(crews, is_behind ? kinds->is_expanded : NULL, is_front, err);
  for (size_t i = crews->count; i-- > 0 && status == LS_OK;) {
    if (!is_front[i] || kinds->is_expanded[i]) continue;
    kinds->is_expanded[i] = true;
    size_t had = kinds->crews;
    status = add_neighbours(kinds, i, counts, err);
    if (kinds->crews > had) break;
  }
  free(is_front);
  return status;
}

static bool is_stopped(const struct ls_crew_search *search) {
  return search->stop != NULL && search->stop(search->stop_context);
}

enum ls_status ls_crews_search(const struct ls_crew_search *search, struct ls_crews *crews,
                               struct ls_error *err) {
  struct kinds kinds;
  assert(search->tries_max > 0 && search->platform->workers_count > 0);
  enum ls_status status = open_kinds(&kinds, search, err);
  size_t *counts = calloc(search->platform->workers_count, sizeof *counts);
  if (status == LS_OK && counts == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for subsets of workers");
  if (status != LS_OK) goto done;
  crews->is_complete = count_all(&kinds) <= search->tries_max;
  if (crews->is_complete) status = add_all(&kinds, counts, err);
  for (int order = FASTEST; order < ORDERS && status == LS_OK && !crews->is_complete; order++)
    status = add_prefixes(&kinds, (enum order)order, counts, err);
  if (status == LS_OK) status = judge(&kinds, crews, err);
  while (status == LS_OK && !crews->is_complete && !is_stopped(search)) {
    size_t before = kinds.crews;
    status = expand(&kinds, crews, false, counts, err);
    if (status == LS_OK && kinds.crews == before) status = expand(&kinds, crews, true, counts, err);
    if (kinds.crews == before) break;
    if (status == LS_OK) status = judge(&kinds, crews, err);
  }
done:
  free(counts);
  close_kinds(&kinds);
  return status;
}

void ls_crews_close(struct ls_crews *crews) {
  for (size_t i = 0; i < crews->count; i++) free(crews->items[i].workers);
  free(crews->items);
  *crews = (struct ls_crews){0};
}

struct ls_platform ls_crew_platform(const struct ls_platform *platform, const struct ls_crew *crew,
                                    struct ls_worker_model *workers) {
  struct ls_platform made = *platform;
  for (size_t i = 0; i < crew->count; i++) workers[i] = platform->workers[crew->workers[i]];
  made.workers = workers;
  made.workers_count = crew->count;
  return made;
}
