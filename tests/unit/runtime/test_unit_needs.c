/* What an application says of its units becomes ranges; its text may be gone by then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/master/units/unit_needs.h"

struct book {
  const char *const *labels; /* by unit */
  uint32_t iteration;
  char said[80]; /* written over each time */
};

static const char *find_need(void *state, uint32_t iteration, uint64_t unit) {
  struct book *book = state;
  book->iteration = iteration;
  if (book->labels[unit] == NULL) return NULL;
  (void)snprintf(book->said, sizeof book->said, "%s", book->labels[unit]);
  return book->said;
}

static void check_need(const struct ls_event_need *need, uint64_t first, uint64_t count,
                       const char *label) {
  assert_int_equal(need->units.first, first);
  assert_int_equal(need->units.count, count);
  assert_string_equal(need->label, label);
}

static void neighbours_with_one_need_are_one_range(void **state) {
  static const char *const labels[] = {"gpu", "gpu", NULL, "gpu", "big", "", "big"};
  struct book book = {.labels = labels};
  const struct ls_app app = {.need = find_need};
  struct ls_unit_needs needs;
  (void)state;
  ls_unit_needs_init(&needs, &app, &book);
  assert_int_equal(ls_unit_needs_ask(&needs, 3, (struct ls_range){0, 7}, NULL), LS_OK);
  assert_int_equal(book.iteration, 3);
  assert_int_equal(needs.count, 4);
  check_need(&needs.items[0], 0, 2, "gpu");
  check_need(&needs.items[1], 3, 1, "gpu");
  check_need(&needs.items[2], 4, 1, "big");
  check_need(&needs.items[3], 6, 1, "big");
  assert_int_equal(ls_unit_needs_ask(&needs, 0, (struct ls_range){3, 1}, NULL), LS_OK);
  assert_int_equal(needs.count, 1);
  check_need(&needs.items[0], 3, 1, "gpu");
  ls_unit_needs_close(&needs);
}

static void who_has_no_needs_is_not_asked(void **state) {
  const struct ls_app app = {0};
  struct ls_unit_needs needs;
  (void)state;
  ls_unit_needs_init(&needs, &app, NULL);
  assert_int_equal(ls_unit_needs_ask(&needs, 0, (struct ls_range){0, 7}, NULL), LS_OK);
  assert_int_equal(needs.count, 0);
  ls_unit_needs_close(&needs);
}

static void what_is_no_label_is_refused_with_its_unit(void **state) {
  static const char *const labels[] = {"gpu", "no label"};
  struct book book = {.labels = labels};
  struct ls_app app = {.need = find_need};
  struct ls_unit_needs needs;
  struct ls_error err;
  (void)state;
  ls_unit_needs_init(&needs, &app, &book);
  assert_int_equal(ls_unit_needs_ask(&needs, 0, (struct ls_range){0, 2}, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "what unit 1 needs is 'no label', expected a label of"));
  app.runs_commands = true;
  assert_int_equal(ls_unit_needs_ask(&needs, 0, (struct ls_range){0, 2}, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "what task 2 needs is 'no label'"));
  ls_unit_needs_close(&needs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_with_one_need_are_one_range),
      cmocka_unit_test(who_has_no_needs_is_not_asked),
      cmocka_unit_test(what_is_no_label_is_refused_with_its_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
