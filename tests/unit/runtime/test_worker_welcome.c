/* test_worker_welcome.c: what a worker takes for a welcome, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "worker_fixture.h"

static void refusal_is_passed_on_in_words(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  start_thread(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_REFUSED, .text = {"wrong hour", 10}});
  assert_int_equal(finish(&master), LS_EINVAL);
  assert_non_null(strstr(master.err.text, "wrong hour"));
  assert_non_null(strstr(master.err.text, master.address));
}

static void other_version_is_not_served(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  start_thread(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  say(&master,
      (struct ls_message){
          .kind = LS_MESSAGE_WELCOME, .version = LS_PROTOCOL_VERSION + 1, .text = {"{}", 2}});
  assert_int_equal(finish(&master), LS_EINVAL);
  char version[24];
  (void)snprintf(version, sizeof version, "version %d", LS_PROTOCOL_VERSION + 1);
  assert_non_null(strstr(master.err.text, version));
}

static void bad_settings_name_the_master(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  start_thread(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  say(&master, (struct ls_message){
                   .kind = LS_MESSAGE_WELCOME, .version = LS_PROTOCOL_VERSION, .text = {"{", 1}});
  assert_int_not_equal(finish(&master), LS_OK);
  assert_non_null(strstr(master.err.text, master.address));
}

static void first_word_must_be_welcome(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  start_thread(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  say_kind(&master, LS_MESSAGE_PULSE);
  assert_int_equal(finish(&master), LS_ECORRUPT);
  assert_non_null(strstr(master.err.text, "PULSE"));
}

static void application_that_refuses_its_words_ends_the_worker(void **state) {
  (void)state;
  char *words[] = {(char[]){"refuse"}, NULL};
  struct master master = make_master(&fixture_app);
  start_thread(&master);
  welcome(&master, make_settings(words));
  /* Its master is told, too, who may have nobody else. */
  const struct ls_message *told = hear(&master, LS_MESSAGE_REFUSED);
  char why[128] = "";
  assert_in_range(told->text.length, 1, sizeof why - 1);
  memcpy(why, told->text.data, told->text.length);
  assert_non_null(strstr(why, "the word is refuse"));
  assert_int_equal(finish(&master), LS_EINVAL);
  assert_non_null(strstr(master.err.text, "the word is refuse"));
}

/* Who takes the first chunk is told already. */
static void its_speed_is_told_before_it_asks(void **state) {
  (void)state;
  char *words[] = {NULL};
  for (int asks = 0; asks < 2; asks++) {
    struct master master = make_master(&fixture_app);
    struct ls_settings settings = make_settings(words);
    settings.benchmark = asks ? 1000 : 0;
    start_thread(&master);
    welcome(&master, settings);
    if (asks) {
      const struct ls_message *told = hear(&master, LS_MESSAGE_BENCHMARK);
      assert_true(told->speed > 0 && isfinite(told->speed));
    }
    (void)hear(&master, LS_MESSAGE_REQUEST);
    say_kind(&master, LS_MESSAGE_RELEASE);
    assert_int_equal(finish(&master), LS_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refusal_is_passed_on_in_words),
      cmocka_unit_test(other_version_is_not_served),
      cmocka_unit_test(bad_settings_name_the_master),
      cmocka_unit_test(first_word_must_be_welcome),
      cmocka_unit_test(application_that_refuses_its_words_ends_the_worker),
      cmocka_unit_test(its_speed_is_told_before_it_asks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
