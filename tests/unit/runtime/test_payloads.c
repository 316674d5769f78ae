/* test_payloads.c: inputs of chunks: where each range begins, and whose place is used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coordinator/event.h"
#include "runtime/worker/payloads.h"

static enum ls_status add(struct ls_payloads *payloads, const struct ls_range *ranges, size_t count,
                          struct ls_blob input, enum ls_payload_form form, uint64_t *index) {
  const struct ls_message chunk = {.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 5,
                                   .iteration = 2,
                                   .ranges = ranges,
                                   .ranges_count = count,
                                   .input = input};
  return ls_payloads_add(payloads, &chunk, form, index, NULL);
}

static void place_is_used_again_when_no_unit_is_left(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  static const struct ls_range ranges[] = {{10, 3}};
  uint64_t first, second, third;
  assert_int_equal(add(&payloads, ranges, 1, (struct ls_blob){"one", 3}, LS_PAYLOAD_WHOLE, &first),
                   LS_OK);
  assert_int_equal(add(&payloads, ranges, 1, (struct ls_blob){"two", 3}, LS_PAYLOAD_WHOLE, &second),
                   LS_OK);
  assert_int_not_equal(first, second);
  ls_payloads_leave(&payloads, first, 2);
  assert_int_equal(
      add(&payloads, ranges, 1, (struct ls_blob){"three", 5}, LS_PAYLOAD_WHOLE, &third), LS_OK);
  assert_int_not_equal(first, third);
  ls_payloads_leave(&payloads, first, 1);
  assert_int_equal(add(&payloads, ranges, 1, (struct ls_blob){"four", 4}, LS_PAYLOAD_WHOLE, &third),
                   LS_OK);
  assert_int_equal(first, third);
  assert_int_equal(payloads.items[third].units_left, 3);
  ls_payloads_forget(&payloads);
  for (size_t i = 0; i < payloads.count; ++i) assert_int_equal(payloads.items[i].units_left, 0);
  ls_payloads_close(&payloads);
}

/* The commands say where the input of a range begins; the work of any unit of it names it. */
static void ranges_of_commands_begin_behind_each_other(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  struct ls_bytes input = {0};
  static const struct ls_range ranges[] = {{40, 2}, {7, 1}};
  static const char *const texts[] = {"first", "second", "third"};
  size_t behind = 0;
  for (size_t i = 0; i < 3; ++i) {
    const char *const argv[] = {"echo", texts[i]};
    if (i == 2) behind = input.length;
    ls_command_encode(argv, 2, NULL, &input);
  }
  uint64_t index;
  struct ls_blob blob = {input.data, input.length};
  assert_int_equal(add(&payloads, ranges, 2, blob, LS_PAYLOAD_COMMANDS, &index), LS_OK);
  size_t at = 0;
  struct ls_job job = {.units = {41, 1}, .payload = index};
  struct ls_work work = ls_payloads_work(&payloads, &job, 9, &at);
  assert_int_equal(at, 0);
  assert_int_equal(work.slot, 9);
  assert_int_equal(work.iteration, 2);
  assert_int_equal(work.units.first, 41);
  assert_int_equal(work.packed.first, 40);
  assert_int_equal(work.length, input.length);
  job.units = ranges[1];
  work = ls_payloads_work(&payloads, &job, 9, &at);
  assert_int_equal(at, 1);
  assert_int_equal(work.packed.first, 7);
  assert_int_equal(work.length, input.length - behind);
  assert_memory_equal(work.input, input.data + behind, work.length);
  ls_bytes_close(&input);
  ls_payloads_close(&payloads);
}

/* However many units it is of, the next range begins behind the bundle. */
static void ranges_of_bundles_begin_behind_each_other(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  struct ls_bytes input = {0};
  static const struct ls_range ranges[] = {{40, 2}, {7, 1}};
  const struct ls_bundle_piece piece = {.column = 0};
  const struct ls_bundle_group group = {0, 1, true};
  const bool is_of_first = false;
  const struct ls_bundle_shape shape = {.groups = &group,
                                        .groups_count = 1,
                                        .pieces = &piece,
                                        .pieces_count = 1,
                                        .is_of_first = &is_of_first,
                                        .columns_count = 1};
  ls_bundle_encode(&shape, 2, &input);
  ls_bundle_encode_text("a", 1, &input);
  ls_bundle_encode_text("b", 1, &input);
  size_t behind = input.length;
  ls_bundle_encode(&shape, 1, &input);
  ls_bundle_encode_text("c", 1, &input);
  uint64_t index;
  struct ls_blob blob = {input.data, input.length};
  assert_int_equal(add(&payloads, ranges, 2, blob, LS_PAYLOAD_BUNDLES, &index), LS_OK);
  size_t at = 0;
  const struct ls_job job = {.units = ranges[1], .payload = index};
  struct ls_work work = ls_payloads_work(&payloads, &job, 1, &at);
  assert_int_equal(work.length, input.length - behind);
  blob.length--;
  assert_int_equal(add(&payloads, ranges, 2, blob, LS_PAYLOAD_BUNDLES, &index), LS_ECORRUPT);
  ls_bytes_close(&input);
  ls_payloads_close(&payloads);
}

static void input_that_cannot_be_divided_is_refused(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  static const struct ls_range ranges[] = {{0, 1}, {5, 1}};
  uint64_t index;
  struct ls_blob text = {"text", 4};
  assert_int_equal(add(&payloads, ranges, 2, text, LS_PAYLOAD_WHOLE, &index), LS_ECORRUPT);
  assert_int_equal(add(&payloads, ranges, 2, text, LS_PAYLOAD_COMMANDS, &index), LS_ECORRUPT);
  assert_int_equal(add(&payloads, ranges, 1, text, LS_PAYLOAD_WHOLE, &index), LS_OK);
  assert_int_equal(index, 0);
  /* Without input there is nothing to divide. */
  assert_int_equal(add(&payloads, ranges, 2, (struct ls_blob){NULL, 0}, LS_PAYLOAD_WHOLE, &index),
                   LS_OK);
  size_t at = 0;
  const struct ls_job job = {.units = ranges[1], .payload = index};
  assert_null(ls_payloads_work(&payloads, &job, 1, &at).input);
  ls_payloads_close(&payloads);
}

static enum ls_status arrive(struct ls_payloads *payloads, uint64_t transfer, uint64_t offset,
                             const char *bytes, size_t *index) {
  const struct ls_message piece = {.kind = LS_MESSAGE_INPUT,
                                   .transfer = transfer,
                                   .offset = offset,
                                   .input = {bytes, strlen(bytes)}};
  return ls_payloads_arrive(payloads, &piece, index, NULL);
}

/* In pieces, each behind the one before it; nothing of it counts before the last one. */
static void input_on_its_way_is_awaited(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  static const struct ls_range range = {10, 3};
  const struct ls_message chunk = {.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 5,
                                   .ranges = &range,
                                   .ranges_count = 1,
                                   .transfer = 9,
                                   .total = 6};
  uint64_t index;
  size_t place, at = 0;
  assert_int_equal(ls_payloads_add(&payloads, &chunk, LS_PAYLOAD_WHOLE, &index, NULL), LS_OK);
  assert_true(ls_payloads_awaited(&payloads) == 5);
  assert_int_equal(arrive(&payloads, 8, 0, "abc", &place), LS_OK);
  assert_true(place == SIZE_MAX); /* nobody's */
  assert_int_equal(arrive(&payloads, 9, 0, "abc", &place), LS_OK);
  assert_int_equal(place, index);
  assert_false(ls_payloads_is_here(&payloads, index));
  assert_int_equal(arrive(&payloads, 9, 2, "def", &place), LS_ECORRUPT);
  assert_int_equal(arrive(&payloads, 9, 3, "defg", &place), LS_ECORRUPT);
  assert_int_equal(arrive(&payloads, 9, 3, "def", &place), LS_OK);
  assert_true(ls_payloads_is_here(&payloads, index));
  assert_true(ls_payloads_awaited(&payloads) == LS_CHUNK_NONE);
  const struct ls_job job = {.units = range, .payload = index};
  assert_memory_equal(ls_payloads_work(&payloads, &job, 1, &at).input, "abcdef", 6);
  ls_payloads_close(&payloads);
}

static void input_that_nobody_wants_any_more_is_not_awaited(void **state) {
  (void)state;
  struct ls_payloads payloads = {0};
  static const struct ls_range range = {10, 3};
  const struct ls_message chunk = {
      .chunk = 5, .ranges = &range, .ranges_count = 1, .transfer = 9, .total = 6};
  for (int i = 0; i < 2; i++) {
    uint64_t index;
    size_t place;
    assert_int_equal(ls_payloads_add(&payloads, &chunk, LS_PAYLOAD_WHOLE, &index, NULL), LS_OK);
    assert_int_equal(arrive(&payloads, 9, 0, "abc", &place), LS_OK);
    if (i == 0)
      ls_payloads_leave(&payloads, index, 3);
    else
      ls_payloads_forget(&payloads);
    assert_true(ls_payloads_awaited(&payloads) == LS_CHUNK_NONE);
    assert_int_equal(arrive(&payloads, 9, 3, "def", &place), LS_OK);
    assert_true(place == SIZE_MAX);
  }
  ls_payloads_close(&payloads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(place_is_used_again_when_no_unit_is_left),
      cmocka_unit_test(ranges_of_commands_begin_behind_each_other),
      cmocka_unit_test(ranges_of_bundles_begin_behind_each_other),
      cmocka_unit_test(input_that_cannot_be_divided_is_refused),
      cmocka_unit_test(input_on_its_way_is_awaited),
      cmocka_unit_test(input_that_nobody_wants_any_more_is_not_awaited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
