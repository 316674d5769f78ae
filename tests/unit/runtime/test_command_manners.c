/* How commands treat their machine travels as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/execute/command_manners.h"

static enum ls_status read_text(const char *text, struct ls_command_manners *manners,
                                struct ls_error *err) {
  json_t *document = NULL;
  enum ls_status status =
      ls_json_parse((struct ls_text){text, strlen(text), "settings"}, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, "settings");
  status = ls_command_manners_read(&top, manners, err);
  json_decref(document);
  return status;
}

static void what_is_written_is_read(void **state) {
  (void)state;
  char *assignments[] = {(char *)"A=b", (char *)"W=\xff\x80\x01 \xc3\xa9", (char *)"EMPTY="};
  const struct ls_command_manners given = {.assignments = assignments,
                                           .assignments_count = 3,
                                           .slot_variable = (char *)"PLACE",
                                           .niceness = 7,
                                           .load_most = 2.5,
                                           .memory_least_bytes = 1ull << 40,
                                           .avoids_swap = true};
  struct ls_command_manners got = {0};
  struct ls_error err = {0};
  json_t *document = ls_command_manners_json(&given);
  assert_non_null(document);
  char *text = json_dumps(document, 0);
  if (read_text(text, &got, &err) != LS_OK) fail_msg("%s in %s", err.text, text);
  assert_int_equal(got.assignments_count, 3);
  for (size_t i = 0; i < 3; i++) assert_string_equal(got.assignments[i], assignments[i]);
  assert_string_equal(got.slot_variable, "PLACE");
  assert_int_equal(got.niceness, 7);
  assert_true(fabs(got.load_most - 2.5) < 1e-12);
  assert_true(got.memory_least_bytes == 1ull << 40);
  assert_true(got.avoids_swap && ls_command_manners_waits(&got));
  ls_command_manners_close(&got);
  free(text);
  json_decref(document);
}

static void what_makes_no_sense_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"{\"assignments\": [\"=b\"], \"niceness\": 0, \"load_most\": 0, \"memory_least\": 0, "
       "\"avoids_swap\": false}",
       "NAME=VALUE"},
      {"{\"assignments\": [], \"niceness\": 20, \"load_most\": 0, \"memory_least\": 0, "
       "\"avoids_swap\": false}",
       "niceness"},
      {"{\"assignments\": [], \"niceness\": 0, \"load_most\": -1, \"memory_least\": 0, "
       "\"avoids_swap\": false}",
       "load_most"},
      {"{\"assignments\": [\"A=\\u0100\"], \"niceness\": 0, \"load_most\": 0, \"memory_least\": 0, "
       "\"avoids_swap\": false}",
       "below 256"},
      {"{\"assignments\": [], \"slot_variable\": \"2B\", \"niceness\": 0, \"load_most\": 0, "
       "\"memory_least\": 0, \"avoids_swap\": false}",
       "slot_variable"},
      {"{\"assignments\": [], \"rudeness\": 1}", "rudeness"},
      {"[]", "settings"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_command_manners got = {0};
    struct ls_error err = {0};
    if (read_text(cases[i].text, &got, &err) == LS_OK) fail_msg("%s is taken", cases[i].text);
    if (strstr(err.text, cases[i].words) == NULL)
      fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].words);
    ls_command_manners_close(&got);
  }
}

static void names_of_variables_are_those_of_shells(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "1A", "A-B", "A B", "A=", "\xc3\xa9"};
  struct ls_error err;
  assert_int_equal(ls_command_manners_check_name("--env", "_a9Z", &err), LS_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(ls_command_manners_check_name("--env", wrong[i], &err), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
      cmocka_unit_test(names_of_variables_are_those_of_shells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
