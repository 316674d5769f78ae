#include "report_fixture.h"

#include "report/page_private.h"

static void text_is_escaped(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_page_cell(&(struct ls_page){.out = &out}, "</td><script>'a' & \"b\"");
  assert_false(out.failed);
  assert_null(strstr(ls_bytes_text(&out), "<script>"));
  assert_non_null(strstr(ls_bytes_text(&out), "&lt;/td&gt;&lt;script&gt;"));
  assert_non_null(strstr(ls_bytes_text(&out), "&amp;"));
  ls_bytes_close(&out);
}

/* Sorting reads the attribute: what is shown has fewer digits. */
static void a_number_keeps_all_its_digits(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_page_number(&(struct ls_page){.out = &out}, 1.0 / 3);
  assert_int_equal(strncmp(ls_bytes_text(&out), "<td data-s=\"0.33333333333333331\">0.333", 37), 0);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(a_number_keeps_all_its_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
