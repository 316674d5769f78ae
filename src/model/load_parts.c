#include "model/load_parts.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"

/* As in load.c: a share that is whole but for rounding is whole; fractions that differ by less than
 * a step are equal. */
static const double FLOOR_SLACK = 1e-9, STEPS = 1e9, STEP_OFFSET = 0.27182818284590453;

/* An owner that gets a unit late may wait for it, one that gets it early does not: from 0, at any
 * moment, to 1, as early as may be. */
static const double EARLY = 0.9;

/* What has become of one owner's share. */
struct owner {
  size_t place;   /* among the owners, in the order of their first parts */
  size_t last;    /* its last part */
  double all;     /* the sum of its parts */
  double unit_s;  /* what a unit costs it */
  double late;    /* what its being rounded up costs, in steps */
  double real;    /* of the parts so far */
  double shift;   /* its units are floor(real + shift): within [0, 1] */
  uint64_t most;  /* whole units of all its parts */
  uint64_t units; /* of the parts so far */
};

struct owners {
  struct owner **by_number; /* NULL: not one */
  struct owner *items;
  struct owner **sorted; /* scratch */
  size_t count, numbers;
};

static void close_owners(struct owners *owners) {
  free(owners->by_number);
  free(owners->items);
  free(owners->sorted);
}

static enum ls_status check_parts(const struct ls_load_part *parts, size_t count,
                                  struct ls_error *err) {
  for (size_t i = 0; i < count; i++)
    if (!(isfinite(parts[i].share) && parts[i].share >= 0))
      return ls_fail(err, LS_EINVAL, "part %zu is %g, must be finite and >= 0", i, parts[i].share);
  return LS_OK;
}

static enum ls_status open_owners(struct owners *owners, const struct ls_load_part *parts,
                                  size_t count, struct ls_error *err) {
  for (size_t i = 0; i < count; i++)
    if (parts[i].owner >= owners->numbers) owners->numbers = (size_t)parts[i].owner + 1;
  size_t most = owners->numbers < count ? owners->numbers : count;
  owners->by_number = calloc(owners->numbers + 1, sizeof *owners->by_number);
  owners->items = calloc(most + 1, sizeof *owners->items);
  owners->sorted = calloc(most + 1, sizeof *owners->sorted);
  if (owners->by_number == NULL || owners->items == NULL || owners->sorted == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory to round %zu parts", count);
  for (size_t i = 0; i < count; i++) {
    struct owner **owner = &owners->by_number[parts[i].owner];
    if (*owner == NULL) {
      *owner = &owners->items[owners->count];
      **owner = (struct owner){.place = owners->count++, .unit_s = parts[i].unit_s};
    }
    (*owner)->all += parts[i].share;
    (*owner)->last = i;
  }
  return LS_OK;
}

static int compare_owners(const void *left, const void *right) {
  const struct owner *a = *(struct owner *const *)left, *b = *(struct owner *const *)right;
  if (a->late < b->late) return -1;
  if (a->late > b->late) return 1;
  if (a->all > b->all) return -1;
  if (a->all < b->all) return 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

/* The factor that makes the sum of all parts the total; INFINITY: there is none. */
static double find_factor(const struct owners *owners, uint64_t total) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < owners->count; i++) ls_sum_add(&sum, owners->items[i].all);
  if (!isfinite(ls_sum_value(&sum))) return (double)INFINITY;
  if (total == 0) return 0;
  return (double)total / ls_sum_value(&sum);
}

/* Rounds the sum of each owner's parts: all of them down, then up those to whom it costs least. */
static void round_owners(struct owners *owners, double factor, uint64_t total) {
  double dearest_s = 0;
  uint64_t given = 0;
  for (size_t i = 0; i < owners->count; i++) dearest_s = fmax(dearest_s, owners->items[i].unit_s);
  for (size_t i = 0; i < owners->count; i++) {
    struct owner *owner = &owners->items[i];
    owner->all *= factor;
    owner->most = (uint64_t)floor(owner->all + FLOOR_SLACK);
    double steps = floor((owner->all - (double)owner->most) * STEPS + STEP_OFFSET);
    double weight = dearest_s > 0 ? owner->unit_s / dearest_s : 1;
    owner->late = steps > 0 ? (STEPS - steps) * weight : (double)INFINITY;
    given += owner->most;
    owners->sorted[i] = owner;
  }
  qsort(owners->sorted, owners->count, sizeof *owners->sorted, compare_owners);
  /* Once along the list is the rule; near 2^53 the sums themselves are only near. */
  for (size_t i = 0; given < total; i = (i + 1) % owners->count, given++) owners->sorted[i]->most++;
  for (size_t i = owners->count; given > total; i = i > 1 ? i - 1 : owners->count) {
    if (owners->sorted[i - 1]->most == 0) continue;
    owners->sorted[i - 1]->most--;
    given--;
  }
}

/* Multiples of the golden ratio lie evenly between 0 and 1, however many there are. */
static double spread(size_t place) {
  double turns = ((double)place + 0.5) * 0.61803398874989485;
  return EARLY + (1 - EARLY) * (turns - floor(turns));
}

/* Any shift that leads to the owner's units will do; large ones bring each unit early. */
static void choose_shift(struct owner *owner) {
  double part = owner->all - floor(owner->all);
  bool is_up = (double)owner->most > owner->all;
  owner->shift = is_up ? 1 - part * (1 - spread(owner->place)) : (1 - part) * spread(owner->place);
  assert(owner->shift >= 0 && owner->shift <= 1);
}

/* The units of one part. */
static uint64_t cut_part(struct owner *owner, double real, bool is_last) {
  owner->real += real;
  double wanted = fmin(floor(owner->real + owner->shift), (double)owner->most);
  uint64_t until = is_last ? owner->most : (uint64_t)wanted;
  uint64_t units = until > owner->units ? until - owner->units : 0;
  owner->units += units;
  assert(owner->units <= owner->most);
  return units;
}

enum ls_status ls_load_round_parts(const struct ls_load_part *parts, size_t count, uint64_t total,
                                   uint64_t *units, struct ls_error *err) {
  struct owners owners = {0};
  double factor = 0;
  enum ls_status status = check_parts(parts, count, err);
  if (status == LS_OK) status = open_owners(&owners, parts, count, err);
  if (status == LS_OK) factor = find_factor(&owners, total);
  if (status == LS_OK && !isfinite(factor))
    status = ls_fail(err, LS_EINVAL, "%zu parts, of nothing or without end, cannot be %llu units",
                     count, (unsigned long long)total);
  if (status == LS_OK) {
    if (owners.count > 0) round_owners(&owners, factor, total);
    for (size_t i = 0; i < owners.count; i++) choose_shift(&owners.items[i]);
    for (size_t i = 0; i < count; i++) {
      struct owner *owner = owners.by_number[parts[i].owner];
      units[i] = cut_part(owner, parts[i].share * factor, i == owner->last);
    }
  }
  close_owners(&owners);
  return status;
}
