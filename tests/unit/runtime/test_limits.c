/* Limits are of the process, so each test that changes them works in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/limits.h"

/* The child's exit code. */
static int run_in_child(int (*act)(void)) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(act());
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static bool set_limit(rlim_t soft, rlim_t hard) {
  const struct rlimit limit = {soft, hard};
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool is_limit(rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == soft && limit.rlim_max == hard;
}

static int raise_and_restore(void) {
  if (!set_limit(50, 90)) return 1;
  ls_limits_restore();
  if (!is_limit(50, 90)) return 2;
  ls_limits_raise();
  if (!is_limit(90, 90)) return 3;
  ls_limits_raise();
  ls_limits_restore();
  return is_limit(50, 90) ? 0 : 4;
}

static void a_raised_limit_is_given_back(void **state) {
  (void)state;
  assert_int_equal(run_in_child(raise_and_restore), 0);
}

/* As MPI's transport does behind ls_limits_raise. */
static int sharpen_and_restore(void) {
  enum { COARSE_NS = 70000, FINE_NS = 1000 };
  if (prctl(PR_SET_TIMERSLACK, COARSE_NS, 0, 0, 0) != 0) return 1;
  ls_limits_raise();
  if (prctl(PR_SET_TIMERSLACK, FINE_NS, 0, 0, 0) != 0) return 2;
  ls_limits_restore();
  return prctl(PR_GET_TIMERSLACK) == COARSE_NS ? 0 : 3;
}

static void timers_become_as_exact_as_they_were(void **state) {
  (void)state;
  assert_int_equal(run_in_child(sharpen_and_restore), 0);
}

static int count_what_is_left(void) {
  if (!set_limit(60, 60)) return 1;
  size_t left = ls_limits_descriptors_left();
  if (left == 0 || left >= 60) return 2;
  if (!ls_limits_has_room(left) || ls_limits_has_room(left + 1)) return 3;
  /* Nothing stayed open, and the count is exact. */
  for (size_t i = 0; i < left; i++) {
    if (ls_limits_descriptors_left() != left - i) return 4;
    if (dup(STDIN_FILENO) < 0 && open("/dev/null", O_RDONLY) < 0) return 5;
    if (left - i == 1) break;
  }
  return ls_limits_has_room(0) && !ls_limits_has_room(1) ? 0 : 6;
}

static void what_is_left_is_counted_to_the_last_one(void **state) {
  (void)state;
  assert_int_equal(run_in_child(count_what_is_left), 0);
}

static int lower_below_the_open_ones(void) {
  for (int i = 0; i < 20; i++) {
    if (open("/dev/null", O_RDONLY) < 0) return 1;
  }
  if (!set_limit(10, 60)) return 2;
  /* Not even the list of them can be opened. */
  return ls_limits_descriptors_left() == 0 && !ls_limits_has_room(1) ? 0 : 3;
}

static void a_limit_below_the_open_ones_leaves_nothing(void **state) {
  (void)state;
  assert_int_equal(run_in_child(lower_below_the_open_ones), 0);
}

static int count_without_proc(void) {
  size_t left = ls_limits_descriptors_left();
  if (unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0 && unshare(CLONE_NEWNS) != 0) return 77;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 77;
  if (mount("none", "/proc", "tmpfs", 0, NULL) != 0) return 77;
  if (opendir("/proc/self/fd") != NULL) return 1;
  return ls_limits_descriptors_left() == left ? 0 : 2;
}

static void descriptors_are_counted_without_proc(void **state) {
  (void)state;
  int exit_code = run_in_child(count_without_proc);
  if (exit_code == 77) skip(); /* who may not mount cannot take it away */
  assert_int_equal(exit_code, 0);
}

/* A stack for each does not fit. */
static int start_threads_in_little_memory(void) {
  if (!ls_limits_has_threads(8)) return 1;
  struct rlimit limit = {64 << 20, 64 << 20};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  return ls_limits_has_threads(0) && !ls_limits_has_threads(LS_LIMITS_ROOM_MAX) ? 0 : 3;
}

static void threads_that_cannot_start_are_known(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* the sanitizer itself has terabytes of addresses and dies of the limit */
#endif
  assert_int_equal(run_in_child(start_threads_in_little_memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_raised_limit_is_given_back),
      cmocka_unit_test(timers_become_as_exact_as_they_were),
      cmocka_unit_test(what_is_left_is_counted_to_the_last_one),
      cmocka_unit_test(a_limit_below_the_open_ones_leaves_nothing),
      cmocka_unit_test(descriptors_are_counted_without_proc),
      cmocka_unit_test(threads_that_cannot_start_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
