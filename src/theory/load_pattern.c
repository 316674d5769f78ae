/* load_pattern.c: how the speed of a worker changes because others use its machine. */
#include "theory/load_pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

/* Far more slots than any schedule needs: a pattern that asks for more is a mistake. */
static const double SLOTS_MAX = 1e7;

const char *const ls_pattern_names[] = {"high-low",          "random",         "low-high-low",
                                        "high-low-high",     "low-random-low", "low-high",
                                        "random-low-random", "seven",          NULL};

/* H high, L low, R random; one letter for each segment. */
static const char *const segments[LS_PATTERNS] = {"HL", "R", "LHL", "HLH", "LRL", "LH", "RLR"};

struct builder {
  struct ls_load_course course;
  size_t capacity;
  bool has_failed;
};

/* A piece of the same share as the one before is no change. */
static void add(struct builder *builder, double from_s, double share) {
  struct ls_load_course *course = &builder->course;
  double before = course->count > 0 ? course->pieces[course->count - 1].share : 1;
  if (builder->has_failed || !(share < before || share > before)) return;
  void *items = course->pieces;
  if (ls_array_reserve(&items, &builder->capacity, course->count + 1, sizeof *course->pieces) !=
      LS_OK) {
    builder->has_failed = true;
    return;
  }
  course->pieces = items;
  course->pieces[course->count++] = (struct ls_availability){from_s, share};
}

static void add_random(struct builder *builder, const struct ls_load_pattern *pattern,
                       struct ls_random *random, double from_s, double until_s) {
  for (uint64_t i = 0;; i++) {
    double slot_s = from_s + (double)i * pattern->slot_s;
    if (!(slot_s < until_s)) return;
    add(builder, slot_s, ls_random_below(random, 2) ? pattern->busy : 1);
  }
}

static enum ls_status check(const struct ls_load_pattern *pattern, struct ls_error *err) {
  if ((unsigned)pattern->kind > LS_PATTERN_SEVEN)
    return ls_fail(err, LS_EINVAL, "load_pattern.kind is %d, must be at most %d",
                   (int)pattern->kind, (int)LS_PATTERN_SEVEN);
  if (!(pattern->duration_s > 0 && isfinite(pattern->duration_s)))
    return ls_fail(err, LS_EINVAL, "load_pattern.duration is %g, must be finite and > 0",
                   pattern->duration_s);
  if (!(pattern->busy >= 0 && isfinite(pattern->busy)))
    return ls_fail(err, LS_EINVAL, "load_pattern.busy is %g, must be finite and >= 0",
                   pattern->busy);
  if (!(pattern->slot_s > 0 && pattern->duration_s / pattern->slot_s < SLOTS_MAX))
    return ls_fail(err, LS_EINVAL,
                   "load_pattern.slot is %g, must be > 0 and give fewer than %g slots in %g s",
                   pattern->slot_s, SLOTS_MAX, pattern->duration_s);
  return LS_OK;
}

enum ls_status ls_load_pattern_make(const struct ls_load_pattern *pattern, size_t worker,
                                    struct ls_random *random, struct ls_load_course *course,
                                    struct ls_error *err) {
  enum ls_status status = check(pattern, err);
  if (status != LS_OK) return status;
  bool is_seven = pattern->kind == LS_PATTERN_SEVEN;
  const char *letters =
      segments[is_seven ? (pattern->first + worker) % LS_PATTERNS : (size_t)pattern->kind];
  size_t letters_count = 0;
  while (letters[letters_count] != '\0') letters_count++;
  struct builder builder = {0};
  for (size_t i = 0; i < letters_count; i++) {
    double from_s = pattern->duration_s * (double)i / (double)letters_count;
    double until_s = pattern->duration_s * (double)(i + 1) / (double)letters_count;
    if (letters[i] == 'R')
      add_random(&builder, pattern, random, from_s, until_s);
    else
      add(&builder, from_s, letters[i] == 'H' ? pattern->busy : 1);
  }
  add(&builder, pattern->duration_s, 1);
  if (builder.has_failed) {
    free(builder.course.pieces);
    return ls_fail(err, LS_ENOMEM, "no memory for a load pattern");
  }
  *course = builder.course;
  return LS_OK;
}
