#include "report_fixture.h"

/* Searches stay within an element: under the address sanitizer strchr looks through all that
 * follows, which over a large drawing takes half a minute. */
static size_t find_any(const char *from, const char *ends, size_t most) {
  size_t length = 0;
  while (length < most && from[length] != '\0' && strchr(ends, from[length]) == NULL) length++;
  return length;
}

/* A small check that every element that opens closes again, and that no "<" or "&" stands loose. */
static void expect_well_formed(const char *text) {
  char stack[32][32];
  size_t depth = 0, elements = 0;
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '&') assert_true(find_any(c, ";", 7) <= 6);
    if (*c != '<') continue;
    const char *end = c + find_any(c, ">", 4096);
    assert_true(*end == '>');
    bool closes = c[1] == '/', is_empty = end[-1] == '/';
    char name[32];
    const char *from = c + 1 + closes;
    size_t length = find_any(from, " />", sizeof name);
    assert_true(length > 0 && length < sizeof name);
    memcpy(name, from, length);
    name[length] = '\0';
    if (closes) {
      assert_true(depth > 0);
      assert_string_equal(stack[--depth], name);
    } else if (!is_empty) {
      assert_true(depth < 32);
      strcpy(stack[depth++], name);
    }
    elements++;
    c = end;
  }
  assert_int_equal(depth, 0);
  assert_true(elements > 5);
}

static void the_drawing_is_well_formed_and_self_contained(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.title = "a <b> & \"c\""};
  fixture_timeline(&timeline);
  ls_report_svg.write(&timeline, &options, &out);
  const char *text = ls_bytes_text(&out);
  expect_well_formed(text);
  assert_non_null(strstr(text, "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"));
  assert_non_null(strstr(text, ">time, s</text>"));
  assert_int_equal(fixture_count(text, "http"), 1); /* the name space only */
  assert_null(strstr(text, "<script"));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf\""));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void every_span_has_a_tooltip_and_failures_a_pattern(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.title = ""};
  fixture_timeline(&timeline);
  ls_report_svg.write(&timeline, &options, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "<title>alpha: compute, chunk 0, 3 units, 0 to 8 s</title>"));
  assert_non_null(strstr(text, "chunk 1, 3 units, 8 to 10 s, failed</title>"));
  assert_non_null(strstr(text, "6 to 8 s, lost</title>"));
  assert_true(fixture_count(text, "fill=\"url(#failed)\"") == 2); /* the legend and the span */
  assert_true(fixture_count(text, "fill=\"url(#lost)\"") == 2);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

/* A million spans must not make a file that no viewer opens; what was used still shows. */
static void messages_stand_in_the_rows_of_their_workers_too(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {0};
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, "alpha", 0, (double)INFINITY);
  fixture_round_trip(&timeline, 0, 0);
  ls_report_svg.write(&timeline, &options, &out);
  expect_well_formed(ls_bytes_text(&out));
  assert_int_equal(fixture_count(ls_bytes_text(&out), ": transfer, chunk"), 2);
  assert_int_equal(fixture_count(ls_bytes_text(&out), ": reply, chunk"), 2);
  assert_int_equal(fixture_count(ls_bytes_text(&out), ": compute, chunk"), 1);
  ls_bytes_clear(&out);
  fixture_round_trip(&timeline, 0, 10);
  ls_report_svg.write(&timeline, &options, &out);
  assert_int_equal(fixture_count(ls_bytes_text(&out), ": transfer, chunk"), 2);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void a_crowd_is_drawn_with_a_bounded_number_of_rectangles(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.title = "crowd"};
  fixture_crowd(&timeline, 20, 5000);
  ls_report_svg.write(&timeline, &options, &out);
  size_t rectangles = fixture_count(ls_bytes_text(&out), "<rect ");
  assert_true(rectangles <= 20000 + 20 + 20);
  assert_true(rectangles > 10000);
  expect_well_formed(ls_bytes_text(&out));
  assert_non_null(strstr(ls_bytes_text(&out), "5 spans, mostly compute (done), 3.75 of"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void more_rows_than_rectangles_still_get_one_each(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.title = "rows"};
  fixture_crowd(&timeline, 20001, 2);
  ls_report_svg.write(&timeline, &options, &out);
  assert_false(out.failed);
  assert_true(fixture_count(ls_bytes_text(&out), "mostly compute") == 20001);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_drawing_is_well_formed_and_self_contained),
      cmocka_unit_test(every_span_has_a_tooltip_and_failures_a_pattern),
      cmocka_unit_test(messages_stand_in_the_rows_of_their_workers_too),
      cmocka_unit_test(a_crowd_is_drawn_with_a_bounded_number_of_rectangles),
      cmocka_unit_test(more_rows_than_rectangles_still_get_one_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
