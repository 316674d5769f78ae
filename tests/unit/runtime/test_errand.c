/* Programs that are run for what they say: ended ones, failing ones, those that hang or prattle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/os/errand.h"

static struct ls_errand errand;
static int watch;

static void start(const char *command, double patience_s) {
  struct ls_error err = {0};
  char text[200];
  strcpy(text, command);
  char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, text, NULL};
  if (ls_errand_start(&errand, argv, patience_s, watch, &err) != LS_OK) fail_msg("%s", err.text);
}

/* Waits as a master does: for the descriptor, and no longer than it is told. */
static struct ls_errand_end wait_for_end(void) {
  struct ls_errand_end end = {.cpu_s = -1};
  double until_s = ls_clock_s() + 60;
  while (!ls_errand_attend(&errand, &end)) {
    double wait_s = fmax(0, ls_errand_until_s(&errand) - ls_clock_s());
    struct pollfd file = {.fd = watch, .events = POLLIN};
    (void)poll(&file, 1, (int)ceil(1000 * fmin(wait_s, 10)));
    if (ls_clock_s() > until_s) fail_msg("no end within a minute");
  }
  assert_false(ls_errand_attend(&errand, &end));
  assert_true(isinf(ls_errand_until_s(&errand)));
  return end;
}

static void what_it_says_is_kept(void **state) {
  (void)state;
  start("echo out; echo words >&2; echo more; exit 3", 30);
  struct ls_errand_end end = wait_for_end();
  assert_false(end.is_good);
  assert_false(end.is_late);
  assert_int_equal(end.process.exit_code, 3);
  assert_true(end.cpu_s >= 0 && end.cpu_s < 10);
  assert_string_equal(ls_bytes_text(&errand.texts[0]), "out\nmore\n");
  assert_string_equal(ls_bytes_text(&errand.texts[1]), "words\n");
}

static void the_next_one_begins_anew(void **state) {
  (void)state;
  start("echo one", 30);
  assert_true(wait_for_end().is_good);
  start("echo two", 30);
  assert_true(wait_for_end().is_good);
  assert_string_equal(ls_bytes_text(&errand.texts[0]), "two\n");
}

static void what_hangs_is_killed(void **state) {
  (void)state;
  start("echo begun; sleep 1000", 0.2);
  struct ls_errand_end end = wait_for_end();
  assert_true(end.is_late);
  assert_false(end.is_good);
  assert_string_equal(ls_bytes_text(&errand.texts[0]), "begun\n");
}

static void a_prattler_is_heard_up_to_a_limit(void **state) {
  (void)state;
  start("head -c 6000000 /dev/zero", 60);
  assert_true(wait_for_end().is_good);
  assert_true(errand.texts[0].length > 1000000);
  assert_true(errand.texts[0].length <= LS_ERRAND_BYTES_MAX);
}

/* Somebody in the background keeps the pipes: that is nobody's business. */
static void its_children_are_not_waited_for(void **state) {
  (void)state;
  start("sleep 3 & echo said", 30);
  double began_s = ls_clock_s();
  assert_true(wait_for_end().is_good);
  assert_string_equal(ls_bytes_text(&errand.texts[0]), "said\n");
  assert_true(ls_clock_s() - began_s < 60);
}

static void what_is_not_there_does_not_start(void **state) {
  (void)state;
  struct ls_error err = {0};
  char *argv[] = {(char[]){"no-such-program-of-slurm"}, NULL};
  assert_int_equal(ls_errand_start(&errand, argv, 1, watch, &err), LS_EIO);
  assert_non_null(strstr(err.text, "no-such-program-of-slurm"));
  assert_false(errand.is_running);
}

static int open_errand(void **state) {
  (void)state;
  errand = LS_ERRAND_NONE;
  watch = epoll_create1(EPOLL_CLOEXEC);
  return watch < 0;
}

static int close_errand(void **state) {
  (void)state;
  ls_errand_close(&errand);
  return close(watch);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_errand, close_errand)
  const struct CMUnitTest tests[] = {TEST(what_it_says_is_kept),
                                     TEST(the_next_one_begins_anew),
                                     TEST(what_hangs_is_killed),
                                     TEST(a_prattler_is_heard_up_to_a_limit),
                                     TEST(its_children_are_not_waited_for),
                                     TEST(what_is_not_there_does_not_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
