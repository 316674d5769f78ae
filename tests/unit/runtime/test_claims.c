#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/execute/claims.h"

static void what_is_withdrawn_cannot_be_claimed_and_the_others_can(void **state) {
  (void)state;
  struct ls_claims claims;
  assert_int_equal(ls_claims_open(&claims, NULL), LS_OK);
  assert_int_equal(ls_claims_seen(&claims), 0);
  for (uint32_t number = 1; number <= 5; number++) ls_claims_offer(&claims, number);
  assert_true(ls_claims_withdraw(&claims, 4));
  assert_true(ls_claims_withdraw(&claims, 2));
  for (uint32_t number = 1; number <= 5; number++) {
    assert_false(ls_claims_has_begun(&claims, number));
    assert_int_equal(ls_claims_take(&claims, number), number % 2 == 1);
    assert_int_equal(ls_claims_has_begun(&claims, number), number % 2 == 1);
    assert_int_equal(ls_claims_seen(&claims), number);
    assert_false(ls_claims_withdraw(&claims, number));
    assert_false(ls_claims_take(&claims, number));
  }
  ls_claims_close(&claims);
  assert_null(claims.board);
  ls_claims_close(&claims);
}

/* Places are used again, and numbers too, when they are used up. */
static void claims_go_on_for_ever(void **state) {
  (void)state;
  struct ls_claims claims;
  assert_int_equal(ls_claims_open(&claims, NULL), LS_OK);
  for (uint32_t number = UINT32_MAX - 500; number != 500; number++) {
    ls_claims_offer(&claims, number);
    bool is_withdrawn = number % 3 == 0 && ls_claims_withdraw(&claims, number);
    assert_int_equal(is_withdrawn, number % 3 == 0);
    assert_false(ls_claims_has_begun(&claims, number - LS_CLAIMS_MAX));
    assert_int_equal(ls_claims_take(&claims, number), !is_withdrawn);
  }
  ls_claims_close(&claims);
}

/* A child claims as fast as it can while its parent withdraws. */
static void each_question_is_either_claimed_or_withdrawn(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 100; run++) {
    struct ls_claims claims;
    int status = 0;
    uint32_t taken = 0;
    assert_int_equal(ls_claims_open(&claims, NULL), LS_OK);
    for (uint32_t number = 1; number <= LS_CLAIMS_MAX; number++) ls_claims_offer(&claims, number);
    pid_t child = fork();
    if (child == 0) {
      for (uint32_t number = 1; number <= LS_CLAIMS_MAX; number++) {
        taken += ls_claims_take(&claims, number) ? 1 : 0;
      }
      _exit((int)taken);
    }
    assert_true(child > 0);
    for (int looks = 0; ls_claims_seen(&claims) < run && looks < 1000000; looks++) continue;
    uint32_t withdrawn = 0;
    for (uint32_t number = LS_CLAIMS_MAX; number > 0; number--) {
      withdrawn += ls_claims_withdraw(&claims, number) ? 1 : 0;
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal((uint32_t)WEXITSTATUS(status) + withdrawn, LS_CLAIMS_MAX);
    ls_claims_close(&claims);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_withdrawn_cannot_be_claimed_and_the_others_can),
      cmocka_unit_test(claims_go_on_for_ever),
      cmocka_unit_test(each_question_is_either_claimed_or_withdrawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
