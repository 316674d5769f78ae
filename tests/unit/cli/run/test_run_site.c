/* Limits are of the process, so each case works in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run_site.h"

struct limited {
  rlim_t descriptors;
  struct ls_run_options options;
  enum ls_status status;
  size_t fewest, most; /* workers afterwards */
  const char *words;   /* of the error */
};

static int limit_workers(const struct limited *expected) {
  const struct rlimit limit = {20, expected->descriptors};
  struct ls_run_options options = expected->options;
  struct ls_error err = {0};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  if (ls_run_site_limit_workers(&options, "test", &err) != expected->status) return 2;
  if (options.workers < expected->fewest || options.workers > expected->most) return 3;
  return expected->words == NULL || strstr(err.text, expected->words) != NULL ? 0 : 4;
}

static void workers_are_as_many_as_descriptors_allow(void **state) {
  (void)state;
  char listen[] = "tcp://127.0.0.1:*";
  const struct limited cases[] = {
      {800, {.workers = 200}, LS_OK, 200, 200, NULL},
      {800, {.workers = 300, .is_quiet = true}, LS_OK, 200, 245, NULL},
      {800, {.workers = 300, .is_quiet = true, .listen = listen}, LS_OK, 80, 110, NULL},
      {60, {.workers = 1}, LS_ENOWORKERS, 1, 1, "too few for a worker, expected at least 75"},
      {60, {.workers = 1, .listen = listen}, LS_ENOWORKERS, 1, 1, "expected at least 150"},
      {800, {.workers = 300, .plan = "plan"}, LS_EINVAL, 300, 300, "of 300 workers"},
      {800, {.workers = 300, .platform = "p"}, LS_EINVAL, 300, 300, "of 300 workers"},
      {800, {.speeds_count = 300}, LS_EINVAL, 0, 0, "of 300 workers"},
      {800, {.speeds_count = 30}, LS_OK, 0, 0, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(limit_workers(&cases[i]));
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) fail_msg("case %zu: %d", i, WEXITSTATUS(status));
  }
}

static void the_site_is_what_the_user_wishes(void **state) {
  (void)state;
  struct ls_site site;
  struct ls_error err = {0};
  struct ls_bytes text = {0};
  struct ls_run_options options = {0};
  assert_int_equal(ls_run_site_assemble(&options, &site, &err), LS_OK);
  assert_int_equal(site.doors_count, 1);
  ls_run_site_describe(&options, &text);
  assert_int_equal(text.length, 0);
  options.listen = "tcp://127.0.0.1:77";
  options.advertise = "me";
  assert_int_equal(ls_run_site_assemble(&options, &site, &err), LS_OK);
  assert_int_equal(site.doors_count, 2);
  assert_string_equal(site.doors[1].advertise, "me");
  ls_run_site_describe(&options, &text);
  assert_string_equal(ls_bytes_text(&text), "tcp://127.0.0.1:77, under a key");
  options.listen = "tcp://*:77";
  assert_int_equal(ls_run_site_assemble(&options, &site, &err), LS_OK);
  assert_true(site.doors[1].has_keys);
  options.is_insecure = true;
  assert_int_equal(ls_run_site_assemble(&options, &site, &err), LS_OK);
  ls_bytes_clear(&text);
  ls_run_site_describe(&options, &text);
  assert_string_equal(ls_bytes_text(&text), "tcp://*:77, insecure");
  ls_bytes_close(&text);
}

/* Guests' door serves them, too. */
static void pools_elsewhere_have_a_door(void **state) {
  (void)state;
  struct ls_site site;
  struct ls_run_options options = {.elsewhere = {.door = "tcp://127.0.0.1:*"}};
  assert_int_equal(ls_run_site_assemble(&options, &site, NULL), LS_OK);
  assert_int_equal(site.doors_count, 2);
  assert_true(site.doors[1].is_for_pools && site.doors[1].has_keys);
  assert_string_equal(site.doors[1].address, "tcp://127.0.0.1:*");
  options.listen = "tcp://*:*";
  assert_int_equal(ls_run_site_assemble(&options, &site, NULL), LS_OK);
  assert_int_equal(site.doors_count, 2);
  assert_false(site.doors[1].is_for_pools);
  assert_string_equal(site.doors[1].address, "tcp://0.0.0.0:*");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_site_is_what_the_user_wishes),
      cmocka_unit_test(pools_elsewhere_have_a_door),
      cmocka_unit_test(workers_are_as_many_as_descriptors_allow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
