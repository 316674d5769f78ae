/* test_bundle.c: one command for several units: its words for any part of them, as long as a line
 * may be, and no word more than was sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "protocol/bundle.h"

static const struct ls_line_limits any = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

static struct ls_blob blob(const char *text) {
  return (struct ls_blob){text, strlen(text)};
}

/* wc <repeated: pict COLUMN .jpg> <joined: p COLUMN s>, or the same for a shell. */
static void encode(bool is_script, const char *const *texts, size_t count, struct ls_bytes *out) {
  const struct ls_blob heads[] = {blob(is_script ? "sh" : "env"), blob(is_script ? "-c" : "-i")};
  const struct ls_bundle_piece pieces[] = {{.literal = blob("wc")},  {.literal = blob("pict")},
                                           {.column = 0},            {.literal = blob(".jpg")},
                                           {.literal = blob("p")},   {.column = 0},
                                           {.literal = blob("s")},   {.literal = blob("#")},
                                           {.column = 1}};
  const struct ls_bundle_group groups[] = {{0, 1, false}, {1, 3, true}, {4, 3, false}, {7, 2, false}};
  const bool is_of_first[] = {false, true};
  const struct ls_bundle_shape shape = {.is_script = is_script,
                                        .heads = heads,
                                        .heads_count = 2,
                                        .groups = groups,
                                        .groups_count = 4,
                                        .pieces = pieces,
                                        .pieces_count = 9,
                                        .is_of_first = is_of_first,
                                        .columns_count = 2};
  ls_bundle_encode(&shape, count, out);
  for (size_t i = 0; i < count; i++) {
    const char number[] = {(char)('1' + i)};
    ls_bundle_encode_text(texts[i], strlen(texts[i]), out);
    ls_bundle_encode_text(number, 1, out);
  }
}

static void join(const struct ls_command *command, struct ls_bytes *out) {
  ls_bytes_clear(out);
  for (size_t i = 0; i < command->argv_count; i++) {
    if (i > 0) ls_bytes_append_char(out, '|');
    ls_bytes_append_text(out, command->argv[i]);
  }
  assert_null(command->argv[command->argv_count]);
}

struct rig {
  struct ls_bytes packed, text;
  struct ls_bundle bundle;
  struct ls_command command;
};

static void open_rig(struct rig *rig, bool is_script, const char *const *texts, size_t count) {
  size_t offset = 0;
  *rig = (struct rig){.packed = {0}};
  encode(is_script, texts, count, &rig->packed);
  assert_int_equal(
      ls_bundle_decode(&rig->bundle, rig->packed.data, rig->packed.length, &offset, NULL), LS_OK);
  assert_int_equal(offset, rig->packed.length);
  assert_int_equal(rig->bundle.units, count);
}

static void close_rig(struct rig *rig) {
  ls_bundle_close(&rig->bundle);
  ls_command_close(&rig->command);
  ls_bytes_close(&rig->packed);
  ls_bytes_close(&rig->text);
}

static void expect(struct rig *rig, struct ls_range units, const char *expected) {
  uint64_t taken = 0;
  struct ls_error err = {0};
  if (ls_bundle_expand(&rig->bundle, units, &any, &taken, &rig->command, &err) != LS_OK)
    fail_msg("%s", err.text);
  assert_int_equal(taken, units.count);
  join(&rig->command, &rig->text);
  assert_string_equal(ls_bytes_text(&rig->text), expected);
}

static const char *const abc[] = {"A", "B", "C"};

static void words_of_any_part_are_those_of_its_units(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, false, abc, 3);
  expect(&rig, (struct ls_range){0, 3}, "env|-i|wc|pictA.jpg|pictB.jpg|pictC.jpg|pA|B|Cs|#1");
  expect(&rig, (struct ls_range){1, 2}, "env|-i|wc|pictB.jpg|pictC.jpg|pB|Cs|#2");
  expect(&rig, (struct ls_range){2, 1}, "env|-i|wc|pictC.jpg|pCs|#3");
  close_rig(&rig);
  open_rig(&rig, true, abc, 3);
  expect(&rig, (struct ls_range){0, 3}, "sh|-c|wc pictA.jpg pictB.jpg pictC.jpg pA B Cs #1");
  expect(&rig, (struct ls_range){1, 1}, "sh|-c|wc pictB.jpg pBs #2");
  close_rig(&rig);
}

/* Several sources: the values of a unit are words of their own. */
static void a_text_may_be_several_words(void **state) {
  (void)state;
  const struct ls_bundle_piece pieces[] = {{.literal = blob("echo")}, {.column = 0}};
  const struct ls_bundle_group groups[] = {{0, 1, false}, {1, 1, true}};
  const bool is_of_first[] = {false};
  struct ls_bundle_shape shape = {.groups = groups,
                                  .groups_count = 2,
                                  .pieces = pieces,
                                  .pieces_count = 2,
                                  .is_of_first = is_of_first,
                                  .columns_count = 1};
  struct rig rig = {.packed = {0}};
  size_t offset = 0;
  ls_bundle_encode(&shape, 2, &rig.packed);
  ls_bundle_encode_text("A\0001", 3, &rig.packed);
  ls_bundle_encode_text("\0002", 2, &rig.packed);
  assert_int_equal(
      ls_bundle_decode(&rig.bundle, rig.packed.data, rig.packed.length, &offset, NULL), LS_OK);
  expect(&rig, (struct ls_range){0, 2}, "echo|A|1||2");
  /* In a script it would end the script. */
  shape.is_script = true;
  ls_bytes_clear(&rig.packed);
  offset = 0;
  ls_bundle_encode(&shape, 1, &rig.packed);
  ls_bundle_encode_text("A\0001", 3, &rig.packed);
  assert_int_equal(
      ls_bundle_decode(&rig.bundle, rig.packed.data, rig.packed.length, &offset, NULL),
      LS_ECORRUPT);
  assert_int_equal(rig.bundle.units, 0);
  close_rig(&rig);
}

/* The sizes as execve counts them, of a command that was made. */
static struct ls_line_limits measure(const struct ls_command *command) {
  struct ls_line_limits size = {0, 0, 0};
  for (size_t i = 0; i < command->argv_count; i++) {
    uint64_t bytes = strlen(command->argv[i]) + 1;
    size.line_bytes += bytes;
    size.bytes += bytes + sizeof(char *);
    if (bytes > size.word_bytes) size.word_bytes = bytes;
  }
  return size;
}

static bool is_within(const struct ls_line_limits *size, const struct ls_line_limits *limits) {
  return size->bytes <= limits->bytes && size->line_bytes <= limits->line_bytes &&
         size->word_bytes <= limits->word_bytes;
}

/* As many units as fit, and not one more: whatever the limits, the greedy parts are all units once.
 */
static void a_line_takes_what_fits_and_no_more(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "lines");
  static char storage[9][20];
  const char *texts[9];
  for (int round = 0; round < 4000; round++) {
    struct rig rig;
    size_t count = 1 + (size_t)ls_random_below(&random, 9);
    for (size_t i = 0; i < count; i++) {
      size_t length = (size_t)ls_random_below(&random, 19);
      memset(storage[i], 'a' + (int)i, length);
      storage[i][length] = '\0';
      texts[i] = storage[i];
    }
    bool is_script = round % 2 == 0;
    open_rig(&rig, is_script, texts, count);
    struct ls_line_limits limits = any;
    if (round % 3 == 0) limits.line_bytes = 50 + ls_random_below(&random, 300);
    if (round % 3 == 1) limits.bytes = 100 + ls_random_below(&random, 500);
    if (round % 3 == 2 && is_script) limits.word_bytes = 30 + ls_random_below(&random, 300);
    for (uint64_t at = 0, taken = 0; at < count; at += taken) {
      struct ls_range rest = {at, count - at};
      struct ls_error err = {0};
      enum ls_status status =
          ls_bundle_expand(&rig.bundle, rest, &limits, &taken, &rig.command, &err);
      if (status == LS_EINVAL) {
        assert_int_equal(rig.command.argv_count, 0);
        assert_non_null(strstr(err.text, "expected at most"));
        taken = 1;
        uint64_t one;
        assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){at, 1}, &any, &one,
                                          &rig.command, NULL),
                         LS_OK);
        struct ls_line_limits size = measure(&rig.command);
        assert_false(is_within(&size, &limits));
        continue;
      }
      assert_int_equal(status, LS_OK);
      struct ls_line_limits size = measure(&rig.command);
      assert_true(taken >= 1 && taken <= rest.count && is_within(&size, &limits));
      if (taken == rest.count) continue;
      uint64_t more;
      assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){at, taken + 1}, &any, &more,
                                        &rig.command, NULL),
                       LS_OK);
      size = measure(&rig.command);
      assert_false(is_within(&size, &limits));
    }
    close_rig(&rig);
  }
}

static void too_long_an_input_is_named(void **state) {
  (void)state;
  const char *const texts[] = {"short", "rather-long-this-one"};
  struct rig rig;
  struct ls_error err = {0};
  uint64_t taken;
  open_rig(&rig, false, texts, 2);
  const struct ls_line_limits limits = {UINT64_MAX, 45, UINT64_MAX};
  assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){0, 2}, &limits, &taken,
                                    &rig.command, NULL),
                   LS_OK);
  assert_int_equal(taken, 1);
  assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){1, 1}, &limits, &taken,
                                    &rig.command, &err),
                   LS_EINVAL);
  assert_string_equal(err.text, "the command line of the input 'rather-long-this-one' has 65 bytes, "
                                "expected at most 45");
  close_rig(&rig);
}

static void a_word_of_several_units_that_is_too_long_takes_fewer(void **state) {
  (void)state;
  static const char *const texts[] = {"", "", "", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
  struct rig rig;
  uint64_t taken;
  open_rig(&rig, false, texts, 4);
  const struct ls_line_limits limits = {UINT64_MAX, UINT64_MAX, 20};
  assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){0, 4}, &limits, &taken,
                                    &rig.command, NULL),
                   LS_OK);
  assert_true(taken >= 1 && taken < 4);
  assert_int_equal(ls_bundle_expand(&rig.bundle, (struct ls_range){3, 1}, &limits, &taken,
                                    &rig.command, NULL),
                   LS_EINVAL);
  close_rig(&rig);
}

/* Every cut of a bundle is refused, and leaves nothing. */
static void a_cut_bundle_is_refused(void **state) {
  (void)state;
  struct ls_bytes packed = {0};
  struct ls_bundle bundle = {.units = 0};
  encode(false, abc, 3, &packed);
  for (size_t length = 0; length < packed.length; length++) {
    char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, packed.data, length);
    size_t offset = 0;
    assert_int_equal(ls_bundle_decode(&bundle, exact, length, &offset, NULL), LS_ECORRUPT);
    assert_int_equal(offset + bundle.units + bundle.shape.groups_count, 0);
    free(exact);
  }
  ls_bundle_close(&bundle);
  ls_bytes_close(&packed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_of_any_part_are_those_of_its_units),
      cmocka_unit_test(a_text_may_be_several_words),
      cmocka_unit_test(a_line_takes_what_fits_and_no_more),
      cmocka_unit_test(too_long_an_input_is_named),
      cmocka_unit_test(a_word_of_several_units_that_is_too_long_takes_fewer),
      cmocka_unit_test(a_cut_bundle_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
