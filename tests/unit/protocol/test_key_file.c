/* Key files: what is written is read, what is wrong is named, and no key is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "protocol/key_file.h"

/* Keys of all letters of Z85. */
static struct ls_key_file make_keys(bool is_master) {
  struct ls_key_file keys = {.is_master = is_master};
  strcpy(keys.run, "0123456789abcdef0123456789abcdef");
  strcpy(keys.address, "tcp://[2001:db8::1]:5517");
  strcpy(keys.server.public_key, "0123456789abcdefghijklmnopqrstuvwxyzABCD");
  strcpy(keys.client.public_key, "EFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{");
  strcpy(keys.client.secret_key, "}@%$#0123456789012345678901234567890SECR");
  if (!is_master) return keys;
  strcpy(keys.server.secret_key, "012345678901234567890123456789012345SECR");
  strcpy(keys.asked, "tcp://*:5500-5599");
  strcpy(keys.bound, "tcp://0.0.0.0:5517");
  return keys;
}

static void what_is_written_is_read(void **state) {
  (void)state;
  for (int is_master = 0; is_master < 2; is_master++) {
    const struct ls_key_file keys = make_keys(is_master);
    struct ls_key_file read;
    struct ls_error err = {0};
    struct ls_bytes text = {0};
    ls_key_file_write(&keys, &text);
    assert_int_equal(strchr(ls_bytes_text(&text), '\n') - text.data, text.length - 1);
    const struct ls_text given = {text.data, text.length, "k"};
    if (ls_key_file_read(given, is_master, &read, &err) != LS_OK) fail_msg("%s", err.text);
    assert_memory_equal(&read, &keys, sizeof keys);
    assert_int_equal(ls_key_file_read(given, !is_master, &read, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "k: format is 'loadstar-"));
    ls_bytes_close(&text);
  }
}

/* A worker's file does not hold what the master alone may know. */
static void the_masters_secret_is_not_for_workers(void **state) {
  (void)state;
  struct ls_key_file keys = make_keys(true);
  struct ls_bytes text = {0};
  keys.is_master = false;
  ls_key_file_write(&keys, &text);
  assert_null(strstr(ls_bytes_text(&text), keys.server.secret_key));
  ls_bytes_close(&text);
}

/* `from` becomes `to` in the file of a worker. */
static void expect_refusal(const char *from, const char *to, const char *words) {
  const struct ls_key_file keys = make_keys(false);
  struct ls_key_file read;
  struct ls_error err = {0};
  struct ls_bytes text = {0}, changed = {0};
  ls_key_file_write(&keys, &text);
  const char *at = strstr(ls_bytes_text(&text), from);
  assert_non_null(at);
  ls_bytes_append(&changed, text.data, (size_t)(at - text.data));
  ls_bytes_append_text(&changed, to);
  ls_bytes_append_text(&changed, at + strlen(from));
  const struct ls_text given = {changed.data, changed.length, "run.key"};
  assert_int_equal(ls_key_file_read(given, false, &read, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL || strstr(err.text, "run.key") == NULL)
    fail_msg("'%s' lacks '%s'", err.text, words);
  assert_null(strstr(err.text, "SECR"));
  ls_bytes_close(&text);
  ls_bytes_close(&changed);
}

static void what_is_wrong_is_named_and_no_key_is_shown(void **state) {
  (void)state;
  expect_refusal("loadstar-key-1", "loadstar-key-2", "format is 'loadstar-key-2', expected");
  expect_refusal("\"format\": \"loadstar-key-1\", ", "", "format is '', expected");
  expect_refusal("0123456789abcdef0123456789abcdef", "0123", "run is of another length");
  expect_refusal("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdeF",
                 "run is of other letters, expected 32 digits of base 16");
  expect_refusal("\"run\"", "\"turn\"", "turn is not a known field");
  expect_refusal("tcp://[2001:db8::1]:5517", "", "address has 0 bytes");
  expect_refusal("\"tcp://[2001:db8::1]:5517\"", "7", "address is 7");
  expect_refusal("SECR\"", "SECR0\"", "client.secret is of another length, expected 40");
  expect_refusal("SECR\"", "SECR'\"", "client.secret is of another length");
  expect_refusal("0SECR\"", "'SECR\"", "client.secret is of other letters");
  expect_refusal("0SECR\"", "#SECR\"",
                 "client.secret stands for more than 32 bytes, expected a key in Z85");
  expect_refusal(", \"secret\": \"}@%$#0123456789012345678901234567890SECR\"", "",
                 "client.secret is missing");
  expect_refusal(
      "{\"public\": \"EFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{\", \"secret\": "
      "\"}@%$#0123456789012345678901234567890SECR\"}",
      "\"}@%$#0123456789012345678901234567890SECR\"", "client is none, expected");
  expect_refusal("SECR\"", "SECR", "run.key is no JSON");
  expect_refusal("}}", "}, 7", "run.key is no JSON");
  expect_refusal("\"server\": \"0123", "\"server\": \"\\u00000123", "run.key is no JSON");
}

static void what_is_no_object_is_no_key_file(void **state) {
  (void)state;
  static const char *const texts[] = {"", "[]", "7", "\"SECR\"", "{}", "null", "\xff"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_key_file read;
    struct ls_error err = {0};
    const struct ls_text given = {texts[i], strlen(texts[i]), "here"};
    assert_int_equal(ls_key_file_read(given, false, &read, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "here"));
    assert_null(strstr(err.text, "SECR"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(the_masters_secret_is_not_for_workers),
      cmocka_unit_test(what_is_wrong_is_named_and_no_key_is_shown),
      cmocka_unit_test(what_is_no_object_is_no_key_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
