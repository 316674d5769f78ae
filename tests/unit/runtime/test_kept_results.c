/* What a worker keeps must survive in order, byte for byte, through any mixture of additions,
 * acknowledgements and fetches; its files must be closed exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/worker/kept_results.h"

static void add(struct ls_kept_results *kept, uint64_t chunk, uint64_t unit, const char *output) {
  ls_kept_results_add(kept,
                      &(struct ls_message){.kind = LS_MESSAGE_RESULT,
                                           .chunk = chunk,
                                           .range = {unit, 1},
                                           .output = {output, strlen(output)}},
                      NULL, 0);
  assert_false(kept->bytes.failed);
}

static void add_file(struct ls_kept_results *kept, uint64_t unit, uint64_t bytes) {
  const struct ls_result_file file = {open("/dev/null", O_RDONLY | O_CLOEXEC), bytes,
                                      LS_STREAM_OUT};
  assert_true(file.file >= 0);
  ls_kept_results_add(
      kept,
      &(struct ls_message){.kind = LS_MESSAGE_RESULT, .range = {unit, 1}, .streamed = {bytes, 0}},
      &file, 1);
}

static void assert_item(const struct ls_kept_results *kept, size_t index, uint64_t unit) {
  struct ls_decoder decoder = {0};
  struct ls_message message;
  struct ls_blob blob = ls_kept_results_message(kept, index);
  char output[32];
  assert_true(ls_kept_results_at(kept, index)->units.first == unit);
  assert_int_equal(ls_message_decode(&decoder, blob.data, blob.length, &message, NULL), LS_OK);
  assert_true(message.range.first == unit);
  (void)snprintf(output, sizeof output, "output of %d", (int)unit);
  assert_int_equal(message.output.length, strlen(output));
  assert_memory_equal(message.output.data, output, strlen(output));
  ls_decoder_close(&decoder);
}

static void the_oldest_go_first_and_the_others_stay_as_they_are(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_kept_results kept = {0};
  uint64_t begin = 0, end = 0;
  ls_random_init(&random, 1, "kept");
  for (int round = 0; round < 3000; ++round) {
    if (ls_random_below(&random, 20) < 11) {
      char output[32];
      (void)snprintf(output, sizeof output, "output of %d", (int)end);
      add(&kept, 7, end++, output);
    } else {
      size_t count = (size_t)ls_random_below(&random, (end - begin < 5 ? end - begin : 5) + 1);
      ls_kept_results_drop(&kept, count);
      begin += count;
    }
    assert_int_equal(kept.count, end - begin);
    if (kept.count > 0) {
      assert_item(&kept, 0, begin);
      assert_item(&kept, kept.count - 1, end - 1);
      assert_item(&kept, kept.count / 2, begin + kept.count / 2);
    }
  }
  /* Memory follows what is kept, not what was ever added. */
  ls_kept_results_drop(&kept, kept.count);
  assert_int_equal(kept.open_bytes, 0);
  assert_true(kept.bytes.capacity < 100000);
  ls_kept_results_close(&kept);
}

static void results_of_one_chunk_move_in_order(void **state) {
  (void)state;
  struct ls_kept_results held = {0}, sent = {0};
  for (uint64_t unit = 0; unit < 12; ++unit) {
    char output[32];
    (void)snprintf(output, sizeof output, "output of %d", (int)unit);
    add(&held, unit % 3, unit, output);
  }
  assert_int_equal(ls_kept_results_move(&held, 1, &sent), 4);
  assert_int_equal(ls_kept_results_move(&held, 1, &sent), 0);
  for (size_t i = 0; i < 4; ++i) assert_item(&sent, i, 3 * i + 1);
  assert_int_equal(held.count, 8);
  assert_item(&held, 0, 0);
  assert_item(&held, 1, 2);
  assert_item(&held, 7, 11);
  ls_kept_results_truncate(&sent, 2);
  assert_int_equal(sent.count, 2);
  assert_item(&sent, 1, 4);
  add(&sent, 9, 5, "output of 5");
  assert_item(&sent, 2, 5);
  ls_kept_results_close(&held);
  ls_kept_results_close(&sent);
}

static int count_descriptors(void) {
  int count = 0;
  for (int file = 0; file < 1000; ++file) count += fcntl(file, F_GETFD) >= 0;
  return count;
}

static void files_are_closed_once_whatever_becomes_of_them(void **state) {
  (void)state;
  int before = count_descriptors();
  struct ls_kept_results kept = {0}, other = {0};
  for (uint64_t unit = 0; unit < 8; ++unit) add_file(&kept, unit, 10);
  assert_int_equal(kept.files, 8);
  assert_int_equal(count_descriptors(), before + 8);
  ls_kept_results_drop(&kept, 2);
  ls_kept_results_truncate(&kept, 4);
  assert_int_equal(count_descriptors(), before + 4);
  assert_int_equal(ls_kept_results_move(&kept, 0, &other), 4);
  assert_int_equal(other.files, 4);
  assert_int_equal(kept.files, 0);
  other.bytes.failed = true; /* out of memory: the file of the next one is closed all the same */
  add_file(&other, 8, 10);
  ls_kept_results_close(&kept);
  ls_kept_results_close(&other);
  assert_int_equal(count_descriptors(), before);
}

static void what_is_open_is_bounded_by_number_bytes_and_files(void **state) {
  (void)state;
  struct ls_kept_results kept = {0};
  for (uint64_t unit = 0; unit < LS_KEPT_COUNT_MAX; ++unit) {
    assert_false(ls_kept_results_is_full(&kept));
    add(&kept, 1, unit, "");
  }
  assert_true(ls_kept_results_is_full(&kept));
  ls_kept_results_drop(&kept, 1);
  assert_false(ls_kept_results_is_full(&kept));
  ls_kept_results_drop(&kept, kept.count);
  add_file(&kept, 0, LS_KEPT_BYTES_MAX);
  assert_true(ls_kept_results_is_full(&kept));
  ls_kept_results_drop(&kept, 1);
  for (uint64_t unit = 0; unit < LS_KEPT_FILES_MAX; ++unit) {
    assert_false(ls_kept_results_is_full(&kept));
    add_file(&kept, unit, 1);
  }
  assert_true(ls_kept_results_is_full(&kept));
  ls_kept_results_close(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oldest_go_first_and_the_others_stay_as_they_are),
      cmocka_unit_test(results_of_one_chunk_move_in_order),
      cmocka_unit_test(files_are_closed_once_whatever_becomes_of_them),
      cmocka_unit_test(what_is_open_is_bounded_by_number_bytes_and_files),
  };
  return cmocka_run_group_tests_name("kept_results", tests, NULL, NULL);
}
