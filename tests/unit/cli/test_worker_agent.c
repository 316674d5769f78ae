#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "cli/worker_agent.h"
#include "runtime/os/keys.h"

static struct capture capture;

static void letters_name_a_folder(void **state) {
  (void)state;
  static const char *const bad[] = {"", "abcde", "abcdefg", "abc/ef", "../../", "abc ef"};
  struct ls_error err = {0};
  assert_int_equal(ls_worker_agent_check("aB3dE6", &err), LS_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(ls_worker_agent_check(bad[i], &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--agent is 'abc ef'"));
}

static void an_agent_hears_its_keys_from_its_master(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"worker", (char *)"--agent", (char *)"abc123");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--agent needs --key -"));
  CAPTURE(&capture, "", (char *)"worker", (char *)"--key", (char *)"-", (char *)"--agent",
          (char *)"abc123");
  assert_int_equal(capture.exit_status, 2);
}

/* Nobody is behind the line: it says who it is, and ends. */
static void an_agent_says_what_it_has(void **state) {
  (void)state;
  char folder[] = "/tmp/loadstar-agents-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  CAPTURE(&capture, "", (char *)"worker", (char *)"--agent", (char *)"xyz987", (char *)"--key",
          (char *)"-");
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(strncmp(capture.output, "loadstar-agent 1 ", 17), 0);
  assert_non_null(strstr(capture.output, "loadstar-run-xyz987\n"));
  assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
  assert_int_equal(unsetenv("TMPDIR"), 0);
}

static void what_is_no_key_ends_it_in_words(void **state) {
  (void)state;
  CAPTURE(&capture, "{\"format\": 3}\n", (char *)"worker", (char *)"--agent", (char *)"xyz987",
          (char *)"--key", (char *)"-");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "keys of the master"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_name_a_folder),
      cmocka_unit_test(an_agent_hears_its_keys_from_its_master),
      cmocka_unit_test(an_agent_says_what_it_has),
      cmocka_unit_test(what_is_no_key_ends_it_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
