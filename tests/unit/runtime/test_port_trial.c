/* test_port_trial.c: how many inputs may travel at a time, by what they take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/master/sending/port_trial.h"

/* So many transfers end, of ways in turn, as many at a time as is allowed; `shared`: over one link.
 */
static size_t find(size_t transfers, bool is_shared) {
  struct ls_port_trial trial = {0};
  struct ls_port_alone ways[8] = {{0}};
  for (size_t i = 0; i < transfers; i++) {
    size_t at_once = trial.most > 8 ? 8 : trial.most > 0 ? trial.most : 1;
    const struct ls_port_alone took = {100000, is_shared ? 0.1 * (double)at_once : 0.1};
    ls_port_trial_end(&trial, &ways[i % 8], &took, at_once);
  }
  return trial.most > 0 ? trial.most : 1;
}

static void separate_links_take_any_number(void **state) {
  (void)state;
  assert_int_equal(find(1, false), 1);
  assert_true(find(200, false) >= 8);
}

static void a_shared_link_takes_one(void **state) {
  (void)state;
  size_t twos = 0;
  for (size_t transfers = 10; transfers < 400; transfers++) twos += find(transfers, true) == 2;
  assert_true(find(400, true) <= 2);
  assert_true(twos < 390 / 5); /* a trial now and then */
}

/* What is far longer or shorter than the one alone says nothing. */
static void only_alike_transfers_are_compared(void **state) {
  (void)state;
  struct ls_port_trial trial = {.most = 2, .known = 2};
  struct ls_port_alone way = {100000, 0.1};
  for (int i = 0; i < 20; i++)
    ls_port_trial_end(&trial, &way, &(struct ls_port_alone){1000, 0.09}, 2);
  assert_int_equal(trial.samples, 0);
  assert_int_equal(trial.most, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(separate_links_take_any_number),
      cmocka_unit_test(a_shared_link_takes_one),
      cmocka_unit_test(only_alike_transfers_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
