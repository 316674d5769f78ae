/* A command's words reach exec as they were given, whatever bytes they hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "protocol/command.h"

static void assert_refused(const char *input, size_t length, const char *words) {
  struct ls_command command = {0};
  struct ls_error err = {0};
  size_t offset = 0;
  char *exact = malloc(length > 0 ? length : 1);
  assert_non_null(exact);
  if (length > 0) memcpy(exact, input, length);
  assert_int_equal(ls_command_decode(&command, exact, length, &offset, &err), LS_ECORRUPT);
  if (strstr(err.text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, words);
  assert_int_equal(offset, 0);
  assert_int_equal(command.argv_count, 0);
  free(exact);
  ls_command_close(&command);
}

static void commands_follow_one_another(void **state) {
  (void)state;
  const char *const first[] = {"echo", "two words", ""};
  const char *const second[] = {"caf\xe9", "a\nb", "'quoted' \"twice\" $HOME"};
  struct ls_bytes input = {0};
  ls_command_encode(first, 3, NULL, &input);
  ls_command_encode(second, 3, NULL, &input);
  assert_false(input.failed);
  struct ls_command command = {0};
  size_t offset = 0;
  const char *const *expected[] = {first, second};
  for (int i = 0; i < 2; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err), LS_OK);
    assert_int_equal(command.argv_count, 3);
    for (size_t j = 0; j < 3; j++) assert_string_equal(command.argv[j], expected[i][j]);
    assert_null(command.argv[3]);
  }
  assert_int_equal(offset, input.length);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void random_words_survive_the_round_trip(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 4, "commands");
  struct ls_command command = {0};
  struct ls_bytes input = {0};
  static char storage[40][600];
  const char *words[40];
  for (int round = 0; round < 500; round++) {
    size_t count = 1 + (size_t)ls_random_below(&random, 40);
    for (size_t i = 0; i < count; i++) {
      size_t length = (size_t)ls_random_below(&random, round % 7 == 0 ? 600 : 12);
      for (size_t j = 0; j < length; j++) storage[i][j] = (char)(1 + ls_random_below(&random, 255));
      storage[i][length] = '\0';
      words[i] = storage[i];
    }
    ls_bytes_clear(&input);
    ls_command_encode(words, count, NULL, &input);
    size_t offset = 0;
    assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, NULL), LS_OK);
    assert_int_equal(offset, input.length);
    assert_int_equal(command.argv_count, count);
    for (size_t i = 0; i < count; i++) assert_string_equal(command.argv[i], words[i]);
    assert_null(command.argv[count]);
  }
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void every_truncation_is_refused(void **state) {
  (void)state;
  const char *const words[] = {"sha256sum", "--", "a file"};
  struct ls_bytes input = {0};
  ls_command_encode(words, 3, NULL, &input);
  for (size_t length = 0; length < input.length; length++) {
    assert_refused(input.data, length, "command at byte 0 of the input");
  }
  ls_bytes_close(&input);
}

static const struct ls_staged_input inputs[] = {
    {.name = "a/b c", .content = {1, 2}, .bytes = 7, .is_executable = true},
    {.name = "-rf\n\xe9", .content = {3}, .bytes = UINT64_C(1) << 40}};

static void files_go_with_their_command(void **state) {
  (void)state;
  const char *const words[] = {"wc", "a/b c"};
  static const char *const outputs[] = {"out", "d/\xff\n"};
  const struct ls_staging staging = {inputs, 2, outputs, 2, true}, none = {.inputs_count = 0};
  struct ls_bytes bytes = {0};
  ls_command_encode(words, 2, &(struct ls_command_goods){.staging = &staging}, &bytes);
  ls_command_encode(words, 2, NULL, &bytes);
  ls_command_encode(words, 1, &(struct ls_command_goods){.staging = &none}, &bytes);
  struct ls_command command = {0};
  size_t offset = 0;
  for (int i = 0; i < 3; i++) {
    struct ls_error err = {0};
    enum ls_status status = ls_command_decode(&command, bytes.data, bytes.length, &offset, &err);
    if (status != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(command.argv_count, i < 2 ? 2 : 1);
    assert_string_equal(command.argv[0], "wc");
    assert_null(command.argv[command.argv_count]);
    assert_int_equal(command.is_staged, i != 1);
    assert_int_equal(command.staging.inputs_count, i == 0 ? 2 : 0);
    assert_int_equal(command.staging.outputs_count, i == 0 ? 2 : 0);
    assert_int_equal(command.staging.returns_failed, i == 0);
    for (size_t k = 0; k < command.staging.outputs_count; k++)
      assert_string_equal(command.staging.outputs[k], outputs[k]);
    for (size_t k = 0; k < command.staging.inputs_count; k++) {
      const struct ls_staged_input *got = &command.staging.inputs[k];
      assert_string_equal(got->name, inputs[k].name);
      assert_memory_equal(got->content, inputs[k].content, LS_CONTENT_BYTES);
      assert_true(got->bytes == inputs[k].bytes);
      assert_int_equal(got->is_executable, inputs[k].is_executable);
    }
  }
  assert_int_equal(offset, bytes.length);
  ls_command_close(&command);
  ls_bytes_close(&bytes);
}

static void every_truncation_of_files_is_refused(void **state) {
  (void)state;
  const char *const words[] = {"wc"};
  static const char *const outputs[] = {"out"};
  const struct ls_staging staging = {inputs, 2, outputs, 1, false};
  struct ls_bytes bytes = {0};
  ls_command_encode(words, 1, &(struct ls_command_goods){.staging = &staging}, &bytes);
  for (size_t length = 0; length < bytes.length; length++) {
    assert_refused(bytes.data, length, "command at byte 0 of the input");
  }
  ls_bytes_close(&bytes);
  assert_refused("\x92\xc4\x00\x90", 4, "files before byte 4: expected inputs, outputs and a mark");
  assert_refused("\x92\xc4\x00\x93\x91\xc0\x90\x00", 8, "name, content, bytes and mode of each");
  assert_refused("\x92\x91\x90\xc4\x00", 5, "word");
}

static void the_end_of_the_input_holds_no_command(void **state) {
  (void)state;
  const char *const words[] = {"true"};
  struct ls_bytes input = {0};
  ls_command_encode(words, 1, NULL, &input);
  struct ls_command command = {0};
  size_t offset = input.length;
  struct ls_error err = {0};
  assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err),
                   LS_ECORRUPT);
  assert_int_equal(offset, input.length);
  offset = 0;
  assert_int_equal(ls_command_decode(&command, NULL, 0, &offset, &err), LS_ECORRUPT);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void what_is_no_command_is_named(void **state) {
  (void)state;
  assert_refused("\x90", 1, "at least one word");
  assert_refused(
      "\x91\xc4\x03"
      "a\0b",
      6, "no zero byte");
  assert_refused(
      "\x91\xa1"
      "a",
      3, "word before byte 2: expected a whole binary");
  assert_refused(
      "\xc4\x01"
      "a",
      3, "words before byte 1: expected an array");
  assert_refused("\xdd\xff\xff\xff\xff\xc4\x00", 7, "at most 2 items, not 4294967295");
}

static void random_bytes_are_refused_or_read_never_worse(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "commands");
  const char *const words[] = {"convert", "in.png", "-resize", "50%", "out.png"};
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  size_t refused = 0;
  for (int round = 0; round < 5000; round++) {
    ls_bytes_clear(&input);
    ls_command_encode(words, 5, NULL, &input);
    for (int i = 0; i < 2; i++) {
      input.data[ls_random_below(&random, input.length)] = (char)ls_random_u64(&random);
    }
    size_t offset = 0;
    if (ls_command_decode(&command, input.data, input.length, &offset, NULL) == LS_OK) {
      assert_true(offset > 0 && offset <= input.length);
      assert_true(command.argv_count >= 1);
      assert_null(command.argv[command.argv_count]);
    } else {
      refused++;
    }
  }
  assert_true(refused > 100);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_follow_one_another),
      cmocka_unit_test(random_words_survive_the_round_trip),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(files_go_with_their_command),
      cmocka_unit_test(every_truncation_of_files_is_refused),
      cmocka_unit_test(the_end_of_the_input_holds_no_command),
      cmocka_unit_test(what_is_no_command_is_named),
      cmocka_unit_test(random_bytes_are_refused_or_read_never_worse),
  };
  return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
