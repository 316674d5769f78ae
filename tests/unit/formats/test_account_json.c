#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "formats/account_json.h"

static struct ls_comparison make_comparison(void) {
  struct ls_comparison comparison = {.has_happened = true, .basis = "wf2 on \"c.json\""};
  comparison.predicted = (struct ls_account){.makespan_s = 4, .workers = 2};
  comparison.predicted.parts_s[LS_ACCOUNT_WORK] = 3.1;
  comparison.predicted.parts_s[LS_ACCOUNT_TAIL] = 0.9;
  comparison.happened = (struct ls_account){.makespan_s = 5, .workers = 2};
  comparison.happened.parts_s[LS_ACCOUNT_WORK] = 4.7;
  comparison.happened.parts_s[LS_ACCOUNT_AWAY] = 0.3;
  return comparison;
}

static json_t *parse(const struct ls_bytes *text) {
  json_t *document = json_loads(ls_bytes_text(text), JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  return document;
}

static double read_real(const json_t *object, const char *name) {
  assert_true(json_is_number(json_object_get(object, name)));
  return json_number_value(json_object_get(object, name));
}

static void an_account_has_every_part(void **state) {
  (void)state;
  struct ls_comparison comparison = make_comparison();
  struct ls_bytes text = {0};
  ls_account_write(&comparison.predicted, &text);
  json_t *document = parse(&text);
  assert_int_equal(json_object_size(document), LS_ACCOUNT_PARTS + 2);
  assert_true(fabs(read_real(document, "work") - 3.1) < 1e-15);
  assert_true(fabs(read_real(document, "port_wait")) < 1e-15);
  json_decref(document);
  ls_bytes_close(&text);
}

static void differences_add_up_to_that_of_the_makespans(void **state) {
  (void)state;
  struct ls_comparison comparison = make_comparison();
  struct ls_bytes text = {0};
  ls_comparison_write(&comparison, &text);
  json_t *document = parse(&text);
  const json_t *difference = json_object_get(document, "difference");
  double sum = 0;
  /* It took 1 s longer than predicted. */
  assert_true(fabs(read_real(difference, "makespan") - 1) < 1e-12);
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
    sum += read_real(difference, ls_account_part_name((enum ls_account_part)part));
  assert_true(fabs(sum - read_real(difference, "makespan")) < 1e-12);
  json_decref(document);
  ls_bytes_close(&text);
}

static void what_was_written_is_read(void **state) {
  (void)state;
  for (int has_happened = 0; has_happened < 2; has_happened++) {
    struct ls_comparison comparison = make_comparison(), read;
    struct ls_bytes text = {0}, again = {0};
    comparison.has_happened = has_happened;
    ls_comparison_write(&comparison, &text);
    struct ls_text source = {ls_bytes_text(&text), text.length, "journal"};
    assert_int_equal(ls_comparison_read(source, &read, NULL), LS_OK);
    assert_int_equal(read.has_happened, has_happened);
    ls_comparison_write(&read, &again);
    assert_string_equal(ls_bytes_text(&again), ls_bytes_text(&text));
    ls_bytes_close(&text);
    ls_bytes_close(&again);
  }
}

static void assert_refused(const char *text, const char *part) {
  struct ls_comparison comparison = {.basis = "kept"};
  struct ls_error err = {0};
  struct ls_text source = {text, strlen(text), "j"};
  assert_int_equal(ls_comparison_read(source, &comparison, &err), LS_EINVAL);
  assert_string_equal(comparison.basis, "kept");
  if (strstr(err.text, part) == NULL) fail_msg("\"%s\" does not contain \"%s\"", err.text, part);
}

static void nonsense_is_refused_by_name(void **state) {
  (void)state;
  assert_refused("[]", "j: ");
  assert_refused("{\"account\": {}}", "basis is missing");
  assert_refused("{\"basis\": \"b\", \"account\": {\"makespan\": -1}}", "account.makespan is -1");
  assert_refused("{\"basis\": \"b\", \"account\": {\"makespan\": 1, \"workers\": 1, \"wirk\": 1}}",
                 "account.wirk");
  assert_refused("{\"basis\": \"b\", \"account\": {\"makespan\": 1, \"workers\": 1}}",
                 "account.work is missing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_account_has_every_part),
      cmocka_unit_test(differences_add_up_to_that_of_the_makespans),
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(nonsense_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
