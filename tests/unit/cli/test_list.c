#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"
#include "planners/analysis.h"
#include "planners/planner.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"

static struct capture capture;

static void every_algorithm_is_listed(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"list");
  assert_int_equal(capture.exit_status, 0);
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    assert_non_null(strstr(capture.output, ls_chunkings[i]->summary));
    const struct ls_parameter *parameter = ls_chunkings[i]->parameters;
    for (; parameter != NULL && parameter->name != NULL; parameter++)
      assert_non_null(strstr(capture.output, parameter->summary));
  }
  for (size_t i = 0; ls_orderings[i] != NULL; i++)
    assert_non_null(strstr(capture.output, ls_orderings[i]->summary));
  for (size_t i = 0; ls_sizings[i] != NULL; i++)
    assert_non_null(strstr(capture.output, ls_sizings[i]->summary));
  for (size_t i = 0; ls_replications[i] != NULL; i++)
    assert_non_null(strstr(capture.output, ls_replications[i]->summary));
  for (size_t i = 0; ls_planners[i] != NULL; i++)
    assert_non_null(strstr(capture.output, ls_planners[i]->summary));
}

/* Nothing but a name stands left of the column, whatever its length. */
static void summaries_begin_in_one_column(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"list");
  size_t column = 0;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    char line[512];
    snprintf(line, sizeof line, " %s [", ls_planners[i]->summary);
    if (ls_planners[i]->reference == NULL || ls_planners[i]->reference[0] == '\0')
      line[strlen(line) - 2] = '\n';
    const char *summary = strstr(capture.output, line), *begin = summary;
    assert_non_null(summary);
    while (begin[-1] != '\n') begin--;
    assert_int_equal(strncmp(begin + 2, ls_planners[i]->name, strlen(ls_planners[i]->name)), 0);
    if (i == 0) column = (size_t)(summary - begin);
    assert_int_equal(summary - begin, column);
  }
}

static void json_holds_the_same(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"list", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *json = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(json);
  json_t *policies = json_object_get(json, "policies");
  size_t count = 0;
  for (; ls_chunkings[count] != NULL; count++) {
    json_t *policy = json_array_get(policies, count);
    assert_string_equal(json_string_value(json_object_get(policy, "name")),
                        ls_chunkings[count]->name);
    size_t parameters = 0;
    const struct ls_parameter *parameter = ls_chunkings[count]->parameters;
    for (; parameter != NULL && parameter->name != NULL; parameter++) parameters++;
    assert_int_equal(json_array_size(json_object_get(policy, "parameters")), parameters);
  }
  assert_int_equal(json_array_size(policies), count);
  json_t *analyses = json_object_get(json, "analyses");
  for (count = 0; ls_analyses[count] != NULL; count++)
    assert_string_equal(json_string_value(json_object_get(json_array_get(analyses, count), "name")),
                        ls_analyses[count]->name);
  assert_int_equal(json_array_size(analyses), count);
  assert_int_equal(json_object_size(json), 6);
  json_decref(json);
}

/* A name, whatever its family, or a family. */
static void names_choose(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"list", (char *)"gss");
  assert_int_equal(capture.exit_status, 0);
  const struct ls_chunking *gss = ls_chunking_find("gss");
  assert_non_null(strstr(capture.output, gss->summary));
  for (const struct ls_parameter *at = gss->parameters; at->name != NULL; at++)
    assert_non_null(strstr(capture.output, at->summary));
  assert_null(strstr(capture.output, ls_chunking_find("ss")->summary));
  assert_null(strstr(capture.output, "Planners"));
  CAPTURE(&capture, "", (char *)"list", (char *)"orders", (char *)"umr");
  assert_null(strstr(capture.output, gss->summary));
  for (size_t i = 0; ls_orderings[i] != NULL; i++)
    assert_non_null(strstr(capture.output, ls_orderings[i]->summary));
  assert_non_null(strstr(capture.output, ls_planner_find("umr")->summary));
  CAPTURE(&capture, "", (char *)"list", (char *)"--json", (char *)"gss");
  json_t *json = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_int_equal(json_object_size(json), 6);
  assert_int_equal(json_array_size(json_object_get(json, "policies")), 1);
  assert_int_equal(json_array_size(json_object_get(json, "planners")), 0);
  json_decref(json);
}

static void what_is_unknown_is_refused(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"list", (char *)"gss", (char *)"word");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "'word'"));
  assert_int_equal(strlen(capture.output), 0);
  CAPTURE(&capture, "", (char *)"list", (char *)"--nope");
  assert_int_equal(capture.exit_status, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_algorithm_is_listed), cmocka_unit_test(summaries_begin_in_one_column),
      cmocka_unit_test(json_holds_the_same), cmocka_unit_test(names_choose),
      cmocka_unit_test(what_is_unknown_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
