/* test_worker_welcome.c: what a worker takes for a welcome, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "runtime/execute/executor.h"
#include "runtime/worker/worker_private.h"
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

/* Over a socket the word needs a moment to leave. */
static void a_process_is_heard_when_it_cannot_do_the_run(void **state) {
  (void)state;
  char *words[] = {(char[]){"refuse"}, NULL};
  struct master master = make_master(&fixture_app);
  start_process(&master);
  welcome(&master, make_settings(words));
  (void)hear(&master, LS_MESSAGE_REFUSED);
  assert_int_equal(finish(&master), LS_EINVAL);
}

static double heard_speed;

static enum ls_status hear_speed(const struct ls_executor_setup *setup, struct ls_executor **out,
                                 struct ls_error *err) {
  heard_speed = setup->speed;
  *out = NULL;
  return ls_fail(err, LS_EINVAL, "that was all");
}

/* The run says how fast it is to be, or the worker itself. */
static void a_speed_that_the_run_says_comes_first(void **state) {
  static const struct ls_executor_kind kind = {.name = "hearing", .create = hear_speed};
  static const double speeds[][2] = {{0, 0.5}, {0.25, 0.25}};
  (void)state;
  char *words[] = {NULL};
  for (size_t i = 0; i < 2; i++) {
    struct master master = make_master(&fixture_app);
    struct ls_settings settings = make_settings(words);
    master.options.executor = &kind;
    master.options.speed = 0.5;
    settings.speed = speeds[i][0];
    start_thread(&master);
    welcome(&master, settings);
    assert_int_equal(finish(&master), LS_EINVAL);
    assert_true(heard_speed == speeds[i][1]);
  }
}

/* A process that was started with more children than it can remember kills none: it may be theirs.
 */
static void only_orphans_that_are_its_own_are_killed(void **state) {
  static const struct {
    bool is_thread;
    size_t known;
    bool is_killed;
  } cases[] = {{true, 0, false},
               {false, 0, true},
               {false, LS_WORKER_KNOWN_MAX, true},
               {false, LS_WORKER_KNOWN_MAX + 1, false}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_worker_options options = {.is_thread = cases[i].is_thread};
    const struct ls_worker worker = {.options = &options, .known_count = cases[i].known};
    pid_t child = fork();
    if (child == 0)
      for (;;) (void)pause();
    assert_true(child > 0);
    ls_worker_kill_orphans(&worker);
    pid_t ended = waitpid(child, NULL, WNOHANG);
    assert_int_equal(ended, cases[i].is_killed ? -1 : 0);
    if (cases[i].is_killed) continue;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
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
      cmocka_unit_test(a_process_is_heard_when_it_cannot_do_the_run),
      cmocka_unit_test(a_speed_that_the_run_says_comes_first),
      cmocka_unit_test(only_orphans_that_are_its_own_are_killed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
