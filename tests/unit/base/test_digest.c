#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"

/* Of the authors' table. */
static void digests_are_those_of_the_table(void **state) {
  (void)state;
  assert_true(ls_digest_add(LS_DIGEST_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(ls_digest_add(LS_DIGEST_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(ls_digest_add(LS_DIGEST_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void pieces_make_the_digest_of_the_whole(void **state) {
  (void)state;
  uint64_t pieces = ls_digest_add(LS_DIGEST_START, "foo", 3);
  assert_true(ls_digest_add(pieces, "bar", 3) == ls_digest_add(LS_DIGEST_START, "foobar", 6));
  assert_false(pieces == ls_digest_add(LS_DIGEST_START, "oof", 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_are_those_of_the_table),
      cmocka_unit_test(pieces_make_the_digest_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
