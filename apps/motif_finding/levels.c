#include "levels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "branch.h"

/* Of one level: 2 GiB of them at the master. */
static const uint64_t PREFIXES_MAX = UINT64_C(1) << 28;

/* Room for the children of this level's prefixes. */
static enum ls_status make_room(struct levels *levels, struct ls_error *err) {
  size_t bytes = (size_t)levels->count * levels_stride(levels->space);
  free(levels->kept);
  levels->kept = NULL;
  levels->child = (struct best){0};
  if (levels_is_last(levels)) return LS_OK;
  levels->kept = calloc(bytes + 1, 1);
  if (levels->kept != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "motif: out of memory for the children of %" PRIu64 " prefixes",
                 levels->count);
}

/* The first bound: each position of the first sequence, completed. */
enum ls_status levels_begin(struct levels *levels, const struct space *space,
                            struct ls_range starts, struct ls_error *err) {
  *levels = (struct levels){.space = space, .depth = 1, .count = starts.count};
  levels->prefixes = calloc((size_t)starts.count + 1, sizeof *levels->prefixes);
  if (levels->prefixes == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory for a level");
  for (uint64_t i = 0; i < starts.count; i++) {
    levels->prefixes[i] = starts.first + i;
    branch_complete(space, starts.first + i, 1, &levels->best);
  }
  return make_room(levels, err);
}

void levels_close(struct levels *levels) {
  free(levels->prefixes);
  free(levels->kept);
  *levels = (struct levels){0};
}

static uint64_t count_kept(const struct levels *levels) {
  uint64_t kept = 0;
  size_t bytes = (size_t)levels->count * levels_stride(levels->space);
  for (size_t i = 0; i < bytes; i++) kept += (uint64_t)__builtin_popcount(levels->kept[i]);
  return kept;
}

/* The numbers of the children that are kept, in order. */
static void list_children(const struct levels *levels, uint64_t *children) {
  uint64_t positions = levels->space->positions[levels->depth];
  size_t stride = levels_stride(levels->space);
  for (uint64_t i = 0; i < levels->count; i++) {
    const uint8_t *kept = levels->kept + (size_t)i * stride;
    for (uint64_t j = 0; j < positions; j++) {
      if (kept[j / 8] >> j % 8 & 1) *children++ = levels->prefixes[i] * positions + j;
    }
  }
}

enum ls_status levels_next(struct levels *levels, struct ls_error *err) {
  struct level_count *counted = &levels->counts[levels->depth];
  counted->prefixes = levels->count;
  if (levels_is_last(levels)) {
    best_merge(&levels->best, &levels->child);
    levels->count = 0;
    levels->depth++;
    return LS_OK;
  }
  counted->kept = count_kept(levels);
  if (counted->kept > PREFIXES_MAX) {
    return ls_fail(err, LS_EINVAL,
                   "motif: level %zu keeps %" PRIu64 " prefixes, at most %" PRIu64
                   " have room: take a --share K/N of the search, or a longer motif",
                   levels->depth + 1, counted->kept, PREFIXES_MAX);
  }
  uint64_t *children = calloc((size_t)counted->kept + 1, sizeof *children);
  if (children == NULL) {
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for %" PRIu64 " prefixes", counted->kept);
  }
  list_children(levels, children);
  free(levels->prefixes);
  levels->prefixes = children;
  levels->count = counted->kept;
  levels->depth++;
  if (levels->child.is_known) {
    branch_complete(levels->space, levels->child.number, levels->depth, &levels->best);
  }
  return make_room(levels, err);
}

enum ls_status levels_merge(struct levels *levels, const struct ls_unit_result *result,
                            struct ls_error *err) {
  const struct ls_range units = result->units;
  const struct ls_output *output = &result->output;
  size_t stride = levels->kept != NULL ? levels_stride(levels->space) : 0;
  struct best child;
  bool is_own = result->iteration + 1 == levels->depth && units.count <= levels->count &&
                units.first <= levels->count - units.count &&
                output->length == ANSWER_BYTES + (size_t)units.count * stride &&
                answer_take(output->data, output->length, levels->space->vectors, &child);
  if (!is_own) {
    return ls_fail(err, LS_ECORRUPT,
                   "motif: prefixes %" PRIu64 " to %" PRIu64
                   " of level %u have an answer that is "
                   "not their own",
                   units.first, units.first + units.count - 1, result->iteration + 1);
  }
  best_merge(&levels->child, &child);
  if (stride > 0) {
    memcpy(levels->kept + (size_t)units.first * stride, (const char *)output->data + ANSWER_BYTES,
           (size_t)units.count * stride);
  }
  return LS_OK;
}

/* ---- as bytes ---- */

void levels_store(const struct levels *levels, struct ls_bytes *bytes) {
  const uint64_t sizes[] = {levels->depth, levels->count, levels->kept != NULL};
  ls_bytes_append(bytes, sizes, sizeof sizes);
  answer_append(&levels->best, bytes);
  answer_append(&levels->child, bytes);
  ls_bytes_append(bytes, levels->counts, sizeof levels->counts);
  ls_bytes_append(bytes, levels->prefixes, (size_t)levels->count * sizeof *levels->prefixes);
  if (levels->kept != NULL) {
    ls_bytes_append(bytes, levels->kept, (size_t)levels->count * levels_stride(levels->space));
  }
}

/* Reads `length` bytes at `*at` and goes behind them; false: there are not as many. */
static bool take(const struct ls_bytes *bytes, size_t *at, void *to, size_t length) {
  if (length > bytes->length - *at) return false;
  if (length > 0) memcpy(to, bytes->data + *at, length);
  *at += length;
  return true;
}

static bool take_best(const struct ls_bytes *bytes, size_t *at, uint64_t limit, struct best *best) {
  char answer[ANSWER_BYTES];
  return take(bytes, at, answer, sizeof answer) && answer_take(answer, sizeof answer, limit, best);
}

/* Sizes, and whether the rest of the bytes has them. */
static bool take_sizes(struct levels *levels, const struct ls_bytes *bytes, size_t *at) {
  const struct space *space = levels->space;
  uint64_t sizes[3];
  if (!take(bytes, at, sizes, sizeof sizes)) return false;
  levels->depth = (size_t)sizes[0];
  levels->count = sizes[1];
  return sizes[0] >= 1 && sizes[0] < space->sequences && sizes[1] <= PREFIXES_MAX &&
         (sizes[2] != 0) == !levels_is_last(levels) &&
         take_best(bytes, at, space->vectors, &levels->best) &&
         take_best(bytes, at, space->vectors, &levels->child) &&
         take(bytes, at, levels->counts, sizeof levels->counts) &&
         bytes->length - *at == (size_t)levels->count * sizeof *levels->prefixes +
                                    (sizes[2] != 0 ? levels->count * levels_stride(space) : 0);
}

enum ls_status levels_restore(struct levels *levels, const struct space *space,
                              const struct ls_bytes *bytes, struct ls_error *err) {
  struct levels made = {.space = space};
  size_t at = 0;
  if (!take_sizes(&made, bytes, &at)) {
    return ls_fail(err, LS_ECORRUPT, "motif: a checkpoint of %zu bytes is not of this search",
                   bytes->length);
  }
  struct best child = made.child;
  made.prefixes = calloc((size_t)made.count + 1, sizeof *made.prefixes);
  enum ls_status status = made.prefixes != NULL
                              ? make_room(&made, err)
                              : ls_fail(err, LS_ENOMEM, "motif: out of memory for a checkpoint");
  if (status != LS_OK) {
    levels_close(&made);
    return status;
  }
  made.child = child;
  (void)take(bytes, &at, made.prefixes, (size_t)made.count * sizeof *made.prefixes);
  if (made.kept != NULL) (void)take(bytes, &at, made.kept, bytes->length - at);
  *levels = made;
  return LS_OK;
}
