/* The settings that the master sends on joining reach the worker as they were meant, and nothing
 * else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "runtime/execute/settings.h"

#define NUMBERS                                                                           \
  "\"slot\": 1, \"asking\": \"one\", \"prefetch\": 1, \"room\": 0, \"report_every\": 0, " \
  "\"history\": 0, \"stage_ahead\": 1, \"timeout_s\": 0, \"heartbeat_s\": 1, "            \
  "\"silence_s\": 0"

static void assert_round_trip(const struct ls_settings *settings) {
  struct ls_bytes text = {0};
  ls_settings_write(settings, &text);
  assert_false(text.failed);
  struct ls_settings got = {0};
  struct ls_error err = {0};
  enum ls_status status = ls_settings_read(&got, text.data, text.length, &err);
  if (status != LS_OK) fail_msg("%s: %s", ls_bytes_text(&text), err.text);
  assert_int_equal(got.words_count, settings->words_count);
  for (size_t i = 0; i < settings->words_count; i++) {
    assert_string_equal(got.words[i], settings->words[i]);
  }
  assert_null(got.words[got.words_count]);
  if (settings->directory == NULL) {
    assert_null(got.directory);
  } else {
    assert_string_equal(got.directory, settings->directory);
  }
  assert_int_equal(got.slot, settings->slot);
  assert_int_equal(got.stage_ahead, settings->stage_ahead);
  assert_true(got.side.prefetch == settings->side.prefetch);
  assert_int_equal(got.side.asking, settings->side.asking);
  assert_int_equal(got.side.room, settings->side.room);
  assert_int_equal(got.side.report_every, settings->side.report_every);
  assert_int_equal(got.side.history, settings->side.history);
  assert_memory_equal(&got.timeout_s, &settings->timeout_s, 3 * sizeof(double));
  assert_true(got.start_up_s == settings->start_up_s);
  assert_true(got.has_replicas == settings->has_replicas);
  assert_true(got.makes_directory == settings->makes_directory);
  assert_true(got.computes_in_thread == settings->computes_in_thread);
  assert_memory_equal(&got.speed, &settings->speed, sizeof got.speed);
  assert_int_equal(got.benchmark, settings->benchmark);
  assert_true(got.is_synced == settings->is_synced);
  assert_int_equal(got.showing, settings->showing);
  assert_int_equal(got.verdict, settings->verdict);
  assert_true((got.ending == NULL) == (settings->ending == NULL));
  if (got.ending != NULL) assert_string_equal(got.ending, settings->ending);
  assert_int_equal(got.load.count, settings->load.count);
  if (got.load.count > 0)
    assert_memory_equal(got.load.pieces, settings->load.pieces,
                        got.load.count * sizeof *got.load.pieces);
  assert_int_equal(got.sandboxing, settings->sandboxing);
  assert_int_equal(got.has_files, settings->has_files);
  assert_true(got.cache_bytes == settings->cache_bytes);
  assert_true(got.bundling.units_max == settings->bundling.units_max);
  assert_true(got.bundling.line_bytes_max == settings->bundling.line_bytes_max);
  assert_true(got.bundling.splits_failed == settings->bundling.splits_failed);
  ls_settings_close(&got);
  ls_bytes_close(&text);
}

static void assert_refused(const char *text, const char *words) {
  struct ls_settings settings = {.side.prefetch = 77};
  struct ls_error err = {0};
  enum ls_status status = ls_settings_read(&settings, text, strlen(text), &err);
  assert_int_equal(status, LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, words);
  /* Written only on success. */
  assert_true(settings.side.prefetch == 77);
  assert_null(settings.words);
}

static void settings_survive_the_round_trip(void **state) {
  (void)state;
  char *words[] = {"--seconds", "0.5", "", "quote \" backslash \\ newline \n", "\xc3\xa9", NULL};
  assert_round_trip(&(struct ls_settings){
      .side.history = 1, .heartbeat_s = 1, .start_up_s = -1, .bundling = {.units_max = 7}});
  assert_round_trip(&(struct ls_settings){.side.history = 1,
                                          .heartbeat_s = 1,
                                          .start_up_s = -1,
                                          .bundling = {UINT32_MAX, 2000, true, false}});
  assert_round_trip(&(struct ls_settings){
      .words = words,
      .words_count = 5,
      .slot = UINT32_MAX,
      .directory = "/tmp/a b",
      .side =
          {.asking = LS_ASKING_ONE, .prefetch = 64, .room = 100, .report_every = 4, .history = 20},
      .stage_ahead = 64,
      .timeout_s = 0.1,
      .heartbeat_s = 1.0 / 3.0,
      .silence_s = 1e9,
      .start_up_s = 0.1});
}

static void settings_without_words_or_directory_survive(void **state) {
  (void)state;
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1});
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1, .has_replicas = true});
  assert_round_trip(
      &(struct ls_settings){.heartbeat_s = 1, .computes_in_thread = true, .speed = 0.25});
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1, .benchmark = UINT64_C(1) << 40});
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1,
                                          .directory = (char *)"a",
                                          .makes_directory = true,
                                          .is_synced = true,
                                          .showing = LS_SHOW_DIRECTLY_TOLD,
                                          .verdict = LS_VERDICT_ALWAYS,
                                          .ending = (char *)"INT,200,KILL"});
  struct ls_availability pieces[] = {{-1.5, 0.1}, {1.0 / 3, 1}, {1e9, 1e-6}};
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1, .load = {pieces, 3}});
  for (int how = LS_SANDBOX_NONE; how < LS_SANDBOXING_COUNT; how++)
    assert_round_trip(
        &(struct ls_settings){.heartbeat_s = 1, .sandboxing = (enum ls_sandboxing)how});
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1, .has_files = true});
  assert_round_trip(
      &(struct ls_settings){.heartbeat_s = 1, .has_files = true, .cache_bytes = 1 << 30});
  assert_round_trip(&(struct ls_settings){.heartbeat_s = 1, .start_up_s = -1});
}

static void bytes_that_are_not_utf_8_survive(void **state) {
  (void)state;
  char every[256];
  for (int i = 0; i < 255; i++) every[i] = (char)(i + 1);
  every[255] = '\0';
  char *words[] = {"caf\xe9", every, "\xff", NULL};
  assert_round_trip(&(struct ls_settings){
      .words = words, .words_count = 3, .directory = "/tmp/\xe9", .heartbeat_s = 1});
}

static void a_prefetch_without_limit_is_written_as_the_largest(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_settings_write(&(struct ls_settings){.side.prefetch = UINT64_MAX, .heartbeat_s = 1}, &text);
  struct ls_settings got = {0};
  assert_int_equal(ls_settings_read(&got, text.data, text.length, NULL), LS_OK);
  assert_true(got.side.prefetch == UINT64_C(1) << 53);
  ls_settings_close(&got);
  ls_bytes_close(&text);
}

static void seconds_that_are_no_numbers_fail_the_text(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_settings_write(&(struct ls_settings){.heartbeat_s = nan("")}, &text);
  assert_true(text.failed);
  ls_bytes_close(&text);
}

static void a_field_that_is_wrong_is_named(void **state) {
  (void)state;
  assert_refused("", "settings");
  assert_refused("[]", "settings");
  assert_refused("{\"words\": [], " NUMBERS ", \"more\": 1}", "more");
  assert_refused("{" NUMBERS "}", "words");
  assert_refused("{\"words\": {}, " NUMBERS "}", "words");
  assert_refused("{\"words\": [], " NUMBERS ", \"load\": [1]}", "load");
  assert_refused("{\"words\": [], " NUMBERS ", \"load\": [1, 0]}", "load[1]");
  assert_refused("{\"words\": [], " NUMBERS ", \"load\": [1, 1, 0.5, 1]}", "load[2]");
  assert_refused("{\"words\": [\"a\", 5], " NUMBERS "}", "words[1]");
  assert_refused("{\"words\": [], \"directory\": 5, " NUMBERS "}", "directory");
  assert_refused("{\"words\": [], \"slot\": 4294967296, \"asking\": \"all\", \"prefetch\": 1}",
                 "slot");
  assert_refused("{\"words\": [], \"slot\": 1, \"asking\": \"all\", \"prefetch\": 1}",
                 "\"nothing\"");
  assert_refused(
      "{\"words\": [], \"slot\": 1, \"asking\": \"one\", \"prefetch\": -1, \"room\": 0, "
      "\"report_every\": 0, \"history\": 0, \"stage_ahead\": 1, \"timeout_s\": 0, \"heartbeat_s\": "
      "1,"
      " \"silence_s\": 0}",
      "prefetch");
  assert_refused("{\"words\": [], \"speed\": 0, " NUMBERS "}", "speed");
  assert_refused("{\"words\": [], \"speed\": 1.5, " NUMBERS "}", "speed");
  assert_refused("{\"words\": [], \"benchmark\": 0, " NUMBERS "}", "benchmark");
  assert_refused("{\"words\": [], \"thread\": 1, " NUMBERS "}", "thread");
  assert_refused(
      "{\"words\": [], \"slot\": 1, \"asking\": \"one\", \"prefetch\": 1, \"room\": 0, "
      "\"report_every\": 0, \"history\": 0, \"stage_ahead\": 1, \"timeout_s\": -1, "
      "\"heartbeat_s\": 1,"
      " \"silence_s\": 0}",
      "timeout_s");
  assert_refused(
      "{\"words\": [], \"slot\": 1, \"asking\": \"one\", \"prefetch\": 1, \"room\": 0, "
      "\"report_every\": 0, \"history\": 0, \"stage_ahead\": 1, \"timeout_s\": 0, \"heartbeat_s\": "
      "0,"
      " \"silence_s\": 0}",
      "heartbeat_s");
  assert_refused(
      "{\"words\": [], \"slot\": 1, \"asking\": \"one\", \"prefetch\": 1, \"room\": 0, "
      "\"report_every\": 0, \"history\": 0, \"stage_ahead\": 1, \"timeout_s\": 0, \"heartbeat_s\": "
      "1}",
      "silence_s");
}

static void hexadecimal_words_are_checked(void **state) {
  (void)state;
  const char *wrong[] = {"4", "4g", "00", "e900", "E9"};
  for (size_t i = 0; i < 5; i++) {
    struct ls_bytes text = {0};
    ls_bytes_printf(&text, "{\"words\": [{\"hex\": \"%s\"}], " NUMBERS "}", wrong[i]);
    assert_refused(ls_bytes_text(&text), "hex");
    ls_bytes_close(&text);
  }
  assert_refused("{\"words\": [{\"hex\": 5}], " NUMBERS "}", "hex");
  assert_refused("{\"words\": [{\"hey\": \"e9\"}], " NUMBERS "}", "hey");
  assert_refused("{\"words\": [{}], " NUMBERS "}", "hex");
  assert_refused("{\"words\": [], \"sandbox\": \"tidy\", " NUMBERS "}", "kept-failed");
}

static void a_text_cut_anywhere_is_refused(void **state) {
  (void)state;
  static const char text[] = "{\"words\": [\"a\", {\"hex\": \"e9\"}], " NUMBERS "}";
  for (size_t length = 0; length + 1 < sizeof text; length++) {
    struct ls_settings settings = {0};
    assert_int_equal(ls_settings_read(&settings, text, length, NULL), LS_EINVAL);
  }
}

static void closing_twice_is_fine(void **state) {
  (void)state;
  struct ls_settings settings = {0};
  static const char text[] = "{\"words\": [\"a\"], \"directory\": \"/\", " NUMBERS "}";
  assert_int_equal(ls_settings_read(&settings, text, sizeof text - 1, NULL), LS_OK);
  ls_settings_close(&settings);
  ls_settings_close(&settings);
  assert_null(settings.words);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_survive_the_round_trip),
      cmocka_unit_test(settings_without_words_or_directory_survive),
      cmocka_unit_test(bytes_that_are_not_utf_8_survive),
      cmocka_unit_test(a_prefetch_without_limit_is_written_as_the_largest),
      cmocka_unit_test(seconds_that_are_no_numbers_fail_the_text),
      cmocka_unit_test(a_field_that_is_wrong_is_named),
      cmocka_unit_test(hexadecimal_words_are_checked),
      cmocka_unit_test(a_text_cut_anywhere_is_refused),
      cmocka_unit_test(closing_twice_is_fine),
  };
  return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
