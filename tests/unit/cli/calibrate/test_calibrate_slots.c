#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/calibrate/calibrate_slots.h"

enum { WORKERS = 4, MEASUREMENTS = 400 };

/* A clock that only starts, looks and waiting move. */
struct virtual_time {
  double now_s, start_s, work_s;
  size_t left;
  size_t starts[WORKERS];
  struct ls_probe_slot *items;
};

static double read_clock(void *context) {
  const struct virtual_time *time = context;
  return time->now_s;
}

static bool has_ended(void *context, struct ls_probe_slot *slot) {
  const struct virtual_time *time = context;
  return time->now_s >= slot->begin_s + time->work_s;
}

static enum ls_status start(void *context, struct ls_probe_slot *slot, bool *is_started,
                            struct ls_error *err) {
  struct virtual_time *time = context;
  (void)err;
  if (time->left == 0) return LS_OK;
  time->left--;
  time->starts[slot - time->items]++;
  slot->begin_s = time->now_s;
  time->now_s += time->start_s;
  *is_started = true;
  return LS_OK;
}

/* Takes all measurements; the longest time that one is said to have taken. */
static double measure(struct virtual_time *time) {
  const struct ls_probe_world world = {time, read_clock, has_ended, start};
  struct ls_probe_slots slots;
  double longest_s = 0;
  size_t taken = 0;
  assert_int_equal(ls_probe_slots_open(&slots, WORKERS, NULL), LS_OK);
  time->items = slots.items;
  for (;;) {
    struct ls_probe_slot *slot;
    assert_int_equal(ls_probe_slots_fill(&slots, &world, NULL), LS_OK);
    ls_probe_slots_reap(&slots, &world);
    if (ls_probe_slots_in(&slots, LS_PROBE_IDLE) == WORKERS) break;
    while ((slot = ls_probe_slots_take(&slots)) != NULL) {
      double seconds = slot->end_s - slot->begin_s;
      longest_s = seconds > longest_s ? seconds : longest_s;
      taken++;
    }
    time->now_s += time->work_s / 64;
  }
  assert_int_equal(taken, MEASUREMENTS);
  ls_probe_slots_close(&slots);
  return longest_s;
}

/* Commands that end sooner than the next one is started. A reaper that refilled the first slot that
 * had ended before it looked at the others left the last ones waiting, and called that their work.
 */
static void waiting_is_neither_unequal_nor_work(void **state) {
  (void)state;
  const double works[] = {0.0005, 0.001, 0.004, 0.1};
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    struct virtual_time time = {.start_s = 0.002, .work_s = works[i], .left = MEASUREMENTS};
    double longest_s = measure(&time);
    for (size_t j = 0; j < WORKERS; j++)
      assert_in_range(time.starts[j], MEASUREMENTS / WORKERS / 2, 2 * MEASUREMENTS / WORKERS);
    assert_true(longest_s <= time.work_s * (1 + 1.0 / 32) + time.start_s);
  }
}

static void who_ended_first_is_taken_first_and_who_waits_longest_begins(void **state) {
  (void)state;
  struct virtual_time time = {.start_s = 1, .work_s = 10, .left = WORKERS};
  const struct ls_probe_world world = {&time, read_clock, has_ended, start};
  struct ls_probe_slots slots;
  assert_int_equal(ls_probe_slots_open(&slots, WORKERS, NULL), LS_OK);
  time.items = slots.items;
  assert_int_equal(ls_probe_slots_fill(&slots, &world, NULL), LS_OK);
  assert_int_equal(ls_probe_slots_in(&slots, LS_PROBE_BUSY), WORKERS);
  assert_null(ls_probe_slots_take(&slots));
  slots.items[2].begin_s = -6; /* as if it had begun before the others */
  ls_probe_slots_reap(&slots, &world);
  time.now_s = 20;
  ls_probe_slots_reap(&slots, &world);
  const size_t order[] = {2, 0, 1, 3};
  for (size_t i = 0; i < WORKERS; i++) {
    struct ls_probe_slot *slot = ls_probe_slots_take(&slots);
    assert_ptr_equal(slot, &slots.items[order[i]]);
    assert_true(slot->end_s >= (i == 0 ? 4 : 20) && slot->end_s <= (i == 0 ? 4 : 20));
  }
  time.left = 1;
  assert_int_equal(ls_probe_slots_fill(&slots, &world, NULL), LS_OK);
  assert_int_equal(slots.items[2].state, LS_PROBE_BUSY);
  assert_int_equal(ls_probe_slots_in(&slots, LS_PROBE_IDLE), WORKERS - 1);
  ls_probe_slots_close(&slots);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waiting_is_neither_unequal_nor_work),
      cmocka_unit_test(who_ended_first_is_taken_first_and_who_waits_longest_begins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
