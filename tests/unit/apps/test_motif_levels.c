#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "branch.h"
#include "brute_force.h"
#include "levels.h"
#include "motif_case.h"

/* What a worker answers for these prefixes of the level. */
static void answer_range(const struct levels *levels, struct ls_range units, uint64_t bound,
                         struct ls_bytes *output) {
  size_t stride = levels_is_last(levels) ? 0 : levels_stride(levels->space);
  struct branching branching = {.bound = bound};
  uint8_t *kept = calloc(units.count * stride + 1, 1);
  for (uint64_t i = 0; i < units.count; i++) {
    branch_expand(levels->space, levels->prefixes[units.first + i], levels->depth, &branching,
                  stride > 0 ? kept + i * stride : NULL);
  }
  answer_append(&branching.best, output);
  if (stride > 0) ls_bytes_append(output, kept, units.count * stride);
  free(kept);
}

static enum ls_status merge_range(struct levels *levels, uint32_t iteration, struct ls_range units,
                                  const struct ls_bytes *output, struct ls_error *err) {
  struct ls_unit_result result = {.iteration = iteration,
                                  .units = units,
                                  .outcome = LS_OUTCOME_DONE,
                                  .output = {output->data, output->length, -1}};
  return levels_merge(levels, &result, err);
}

/* Ranges of random sizes, the last ones first. */
static void play_level(struct levels *levels, uint32_t iteration, struct ls_random *chance) {
  uint64_t bound = levels->best.score;
  for (uint64_t end = levels->count; end > 0;) {
    uint64_t count = 1 + ls_random_below(chance, end);
    struct ls_range units = {end - count, count};
    struct ls_bytes output = {0};
    answer_range(levels, units, bound, &output);
    assert_int_equal(merge_range(levels, iteration, units, &output, NULL), LS_OK);
    ls_bytes_close(&output);
    end -= count;
  }
}

/* Through its bytes, as a resumed master has it. */
static void reload(struct levels *levels) {
  struct ls_bytes bytes = {0}, again = {0};
  struct levels restored;
  levels_store(levels, &bytes);
  assert_int_equal(levels_restore(&restored, levels->space, &bytes, NULL), LS_OK);
  levels_store(&restored, &again);
  assert_int_equal(bytes.length, again.length);
  assert_memory_equal(bytes.data, again.data, bytes.length);
  levels_close(levels);
  *levels = restored;
  ls_bytes_close(&bytes);
  ls_bytes_close(&again);
}

static void level_by_level_is_brute_force(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 500; seed++) {
    struct motif_case made;
    struct levels levels;
    struct ls_random chance;
    struct best brute = {0};
    uint32_t iteration = 0;
    open_any_case(&made, seed);
    ls_random_init(&chance, seed, "ranges");
    struct ls_range starts = {0, made.space.positions[0]}, all = {0, made.space.vectors};
    assert_int_equal(levels_begin(&levels, &made.space, starts, NULL), LS_OK);
    while (levels.count > 0) {
      play_level(&levels, iteration++, &chance);
      if (seed % 2 == 0) reload(&levels);
      assert_int_equal(levels_next(&levels, NULL), LS_OK);
      for (uint64_t i = 1; i < levels.count; i++) {
        assert_true(levels.prefixes[i - 1] < levels.prefixes[i]);
      }
    }
    assert_int_equal(iteration, made.space.sequences - 1);
    assert_int_equal(brute_force(&made.space, all, &brute, NULL), LS_OK);
    assert_same_best(levels.best, brute);
    levels_close(&levels);
    close_case(&made);
  }
}

static void answers_of_others_are_refused(void **state) {
  (void)state;
  struct motif_case made;
  struct levels levels;
  struct ls_bytes output = {0}, wrong = {0};
  struct ls_error err = {0};
  struct best far = {true, 1, UINT64_MAX};
  open_case(&made, 1, 4, 5, 10, 4);
  assert_int_equal(levels_begin(&levels, &made.space, (struct ls_range){0, 10}, NULL), LS_OK);
  struct ls_range units = {2, 3};
  answer_range(&levels, units, 0, &output);
  assert_int_equal(merge_range(&levels, 1, units, &output, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "prefixes 2 to 4 of level 2"));
  assert_int_equal(merge_range(&levels, 0, (struct ls_range){2, 4}, &output, NULL), LS_ECORRUPT);
  assert_int_equal(merge_range(&levels, 0, (struct ls_range){8, 3}, &output, NULL), LS_ECORRUPT);
  answer_append(&far, &wrong);
  ls_bytes_append(&wrong, output.data, 3 * levels_stride(&made.space));
  assert_int_equal(wrong.length, output.length);
  assert_int_equal(merge_range(&levels, 0, units, &wrong, NULL), LS_ECORRUPT);
  assert_int_equal(merge_range(&levels, 0, units, &output, NULL), LS_OK);
  ls_bytes_close(&output);
  ls_bytes_close(&wrong);
  levels_close(&levels);
  close_case(&made);
}

static void checkpoint_that_is_none_is_refused(void **state) {
  (void)state;
  struct motif_case made, larger;
  struct levels levels, restored;
  struct ls_bytes bytes = {0};
  struct ls_error err = {0};
  open_case(&made, 1, 4, 5, 10, 4);
  open_case(&larger, 1, 4, 5, 30, 4);
  assert_int_equal(levels_begin(&levels, &made.space, (struct ls_range){0, 10}, NULL), LS_OK);
  levels_store(&levels, &bytes);
  size_t length = bytes.length;
  for (bytes.length = 0; bytes.length < length; bytes.length++) {
    assert_int_equal(levels_restore(&restored, &made.space, &bytes, &err), LS_ECORRUPT);
  }
  assert_non_null(strstr(err.text, "is not of this search"));
  assert_int_equal(levels_restore(&restored, &larger.space, &bytes, NULL), LS_ECORRUPT);
  bytes.data[0] = 9; /* rows of the prefixes: more than there are */
  assert_int_equal(levels_restore(&restored, &made.space, &bytes, NULL), LS_ECORRUPT);
  ls_bytes_close(&bytes);
  levels_close(&levels);
  close_case(&made);
  close_case(&larger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(level_by_level_is_brute_force),
      cmocka_unit_test(answers_of_others_are_refused),
      cmocka_unit_test(checkpoint_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
