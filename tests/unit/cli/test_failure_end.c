#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>

#include "cli/failure_end.h"

static void each_way_to_fail_has_its_words(void **state) {
  (void)state;
  static const struct {
    struct ls_failure_end end;
    const char *words;
  } cases[] = {
      {{.outcome = LS_OUTCOME_FAILED}, "failed"},
      {{.outcome = LS_OUTCOME_FAILED, .exit_code = 3}, "exit code 3"},
      {{.outcome = LS_OUTCOME_FAILED, .signal = SIGKILL, .seconds = 7},
       "killed by signal 9 (SIGKILL)"},
      {{.outcome = LS_OUTCOME_FAILED, .signal = 60}, "killed by signal 60"},
      /* That ended it by a signal, which is no matter. */
      {{.outcome = LS_OUTCOME_FAILED, .has_timed_out = true, .signal = SIGKILL, .seconds = 0.5},
       "timed out after 0.5 s"},
      /* What was staged for it before may have taken longer, together. */
      {{.outcome = LS_OUTCOME_FAILED,
        .has_timed_out = true,
        .seconds = 2,
        .compute_s = 2,
        .stage_s = 3},
       "timed out after 2 s"},
      {{.outcome = LS_OUTCOME_FAILED, .has_timed_out = true, .stage_s = 1.5},
       "timed out after 1.5 s of staging"},
      {{.outcome = LS_OUTCOME_GIVEN_UP, .has_timed_out = true, .exit_code = 1}, "abandoned"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_bytes out = {0};
    ls_failure_end_write(&cases[i].end, &out);
    assert_string_equal(ls_bytes_text(&out), cases[i].words);
    ls_bytes_close(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_to_fail_has_its_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
