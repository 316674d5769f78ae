#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>

#include "lab/studies/study.h"
#include "lab_capture.h"

static struct capture capture;

/* The command is tested with studies of our own: since these two symbols are here, the linker does
 * not take the real list from its library. */

static enum ls_status meet(const struct ls_study_options *options, struct ls_study_report *report,
                           struct ls_error *err) {
  (void)err;
  struct ls_bytes svg = {0};
  ls_study_print(report, "processes %zu, sample %llu, seed %llu\n", options->processes,
                 (unsigned long long)options->sample, (unsigned long long)options->seed);
  ls_study_compare(report, "a figure", ls_study_near(LS_STUDY_PRINTED, 1.5, 0.01), 1.504);
  ls_study_show(report, "for information", 7);
  ls_study_compare(report, "a bound", ls_study_at_most(LS_STUDY_SPECIFIED, 3), 2);
  for (int i = 0; i < 2; i++)
    ls_study_compare(report, "shown only",
                     ls_study_unjudged(LS_STUDY_RECOMPUTED, 4, "its seeds are lost"), 8);
  ls_bytes_append_text(&svg, "<svg>drawn</svg>\n");
  ls_study_draw(report, "meets.svg", &svg);
  return LS_OK;
}

static const char *const colours[] = {"red", "green", NULL};
static const struct ls_parameter parameters[] = {
    {"colour", "of the figure", LS_PARAMETER_CHOICE, 0, 0, 1, colours}, {0}};

static enum ls_status miss(const struct ls_study_options *options, struct ls_study_report *report,
                           struct ls_error *err) {
  (void)err;
  ls_study_print(report, "colour %s\n",
                 colours[(size_t)ls_arguments_get(&options->arguments, parameters, "colour")]);
  ls_study_compare(report, "good", ls_study_near(LS_STUDY_PRINTED, 1, 0), 1);
  ls_study_compare(report, "bad", ls_study_near(LS_STUDY_PRINTED, 1, 0.5), 2);
  ls_study_compare(report, "no number", ls_study_near(LS_STUDY_PRINTED, 1, 0.5), (double)NAN);
  return LS_OK;
}

static enum ls_status break_down(const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  (void)options;
  (void)report;
  return ls_fail(err, LS_EINVAL, "N = 7: broken");
}

static const struct ls_study meets = {
    .name = "meets", .summary = "all is met", .reference = "key1, Table 1", .run = meet};
static const struct ls_study misses = {.name = "misses",
                                       .summary = "two are missed",
                                       .reference = "key2",
                                       .parameters = parameters,
                                       .run = miss};
static const struct ls_study breaks = {
    .name = "breaks", .summary = "fails", .reference = "key3", .run = break_down};

const struct ls_study *const ls_studies[] = {&meets, &misses, &breaks, NULL};

const struct ls_study *ls_study_find(const char *name) {
  for (size_t i = 0; ls_studies[i] != NULL; i++)
    if (strcmp(ls_studies[i]->name, name) == 0) return ls_studies[i];
  return NULL;
}

#define STUDY(...) CAPTURE_LAB(&capture, "", (char *)"study", __VA_ARGS__)
#define WORD(word) (char *)(word)

static void without_a_name_the_studies_are_listed(void **state) {
  (void)state;
  CAPTURE_LAB(&capture, "", WORD("study"));
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "  meets   all is met [key1, Table 1]\n  misses  two"));
  assert_non_null(strstr(capture.output, "colour: of the figure"));
  STUDY(WORD("--json"));
  assert_int_equal(capture.exit_status, 0);
  json_t *json = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_int_equal(json_array_size(json), 3);
  json_t *last = json_array_get(json, 2);
  assert_string_equal(json_string_value(json_object_get(last, "name")), "breaks");
  assert_string_equal(json_string_value(json_object_get(last, "source")), "key3");
  json_decref(json);
}

static void expected_values_stand_beside_ours(void **state) {
  (void)state;
  STUDY(WORD("meets"), WORD("--seed"), WORD("9"), WORD("--sample=4"), WORD("-j3"));
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "meets: all is met [key1, Table 1]\nseed 9, sample 4\n"));
  assert_non_null(strstr(capture.output, "processes 3, sample 4, seed 9"));
  const char *row = strstr(capture.output, "a figure");
  assert_non_null(row);
  double expected, ours, tolerance;
  char whose[16], verdict[8];
  assert_int_equal(
      sscanf(row, "a figure %lf %15s %lf %lf %7s", &expected, whose, &ours, &tolerance, verdict),
      5);
  assert_string_equal(whose, "printed");
  assert_true(expected > 1.49 && ours > 1.503 && tolerance < 0.011);
  assert_string_equal(verdict, "ok");
  assert_non_null(strstr(capture.output, "<= 3  specified "));
  assert_non_null(
      strstr(capture.output, "[1] not judged: its seeds are lost\n2 values judged, 0 "));
  assert_non_null(strstr(capture.output, "meets.svg (not written: no --out DIR)"));
}

static void a_missed_value_makes_the_exit_status_1(void **state) {
  (void)state;
  STUDY(WORD("misses"));
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "3 values judged, 2 missed"));
  assert_non_null(strstr(capture.output, "MISSED"));
  STUDY(WORD("misses"), WORD("--json"));
  assert_int_equal(capture.exit_status, 1);
}

static void json_holds_every_figure(void **state) {
  (void)state;
  STUDY(WORD("misses"), WORD("--json"));
  json_t *json = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(json);
  assert_int_equal(json_integer_value(json_object_get(json, "missed")), 2);
  json_t *figures = json_object_get(json, "figures");
  assert_int_equal(json_array_size(figures), 3);
  assert_true(json_is_true(json_object_get(json_array_get(figures, 0), "met")));
  assert_true(json_is_false(json_object_get(json_array_get(figures, 1), "met")));
  assert_true(json_is_null(json_object_get(json_array_get(figures, 2), "ours")));
  json_decref(json);
  STUDY(WORD("meets"), WORD("--json"));
  json = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(json);
  figures = json_object_get(json, "figures");
  json_t *first = json_array_get(figures, 0), *second = json_array_get(figures, 1);
  assert_string_equal(json_string_value(json_object_get(first, "whose")), "printed");
  assert_string_equal(json_string_value(json_object_get(first, "relation")), "near");
  assert_null(json_object_get(second, "met")); /* nobody else has it */
  assert_null(json_object_get(second, "whose"));
  assert_true(json_is_null(json_object_get(second, "expected")));
  assert_string_equal(json_string_value(json_object_get(json_array_get(figures, 2), "relation")),
                      "at most");
  json_t *shown = json_array_get(figures, 3);
  assert_null(json_object_get(shown, "met"));
  assert_string_equal(json_string_value(json_object_get(shown, "not_judged")),
                      "its seeds are lost");
  assert_string_equal(json_string_value(json_array_get(json_object_get(json, "drawings"), 0)),
                      "meets.svg");
  json_decref(json);
}

static void a_parameter_is_set_by_name(void **state) {
  (void)state;
  STUDY(WORD("misses"), WORD("--set"), WORD("colour=green"));
  assert_non_null(strstr(capture.output, "colour green"));
  STUDY(WORD("misses"));
  assert_non_null(strstr(capture.output, "colour red"));
}

static void drawings_are_written_into_a_folder_that_is_made(void **state) {
  (void)state;
  char folder[] = "/tmp/study-XXXXXX", inner[64], path[96], text[64];
  assert_non_null(mkdtemp(folder));
  snprintf(inner, sizeof inner, "%s/new", folder);
  STUDY(WORD("meets"), WORD("--out"), inner);
  assert_int_equal(capture.exit_status, 0);
  snprintf(path, sizeof path, "%s/meets.svg", inner);
  assert_non_null(strstr(capture.output, path));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof text, file));
  assert_string_equal(text, "<svg>drawn</svg>\n");
  fclose(file);
  /* A file stands where the folder should be. */
  STUDY(WORD("meets"), WORD("--out"), path);
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "meets.svg"));
  assert_string_equal(capture.output, "");
  unlink(path);
  rmdir(inner);
  rmdir(folder);
}

/* Words, and what the message must name. */
static void bad_usage_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *words[4], *named;
  } rows[] = {
      {{"nothing"}, "'nothing', expected one of: meets, misses, breaks"},
      {{"meets", "misses"}, "'misses'"},
      {{"meets", "--sample=0"}, "--sample is '0'"},
      {{"meets", "--sample=-3"}, "--sample is '-3'"},
      {{"meets", "--seed=x"}, "--seed is 'x'"},
      {{"meets", "--jobs=0"}, "--jobs is '0'"},
      {{"misses", "--set", "colour"}, "expected NAME=VALUE"},
      {{"misses", "--set", "colour=blue"}, "\"blue\""},
      {{"misses", "--set", "size=3"}, "\"size\""},
      {{"meets", "--set", "colour=red"}, "\"colour\""},
      {{"--set", "colour=red"}, "without a NAME"},
      {{"breaks"}, "N = 7: broken"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *words[6] = {WORD("loadstar-lab"), WORD("study")};
    for (size_t j = 0; j < 3; j++) words[2 + j] = WORD(rows[i].words[j]);
    capture_main(&capture, run_lab, NULL, words, "");
    assert_int_equal(capture.exit_status, 2);
    assert_non_null(strstr(capture.error, rows[i].named));
    assert_string_equal(capture.output, "");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_name_the_studies_are_listed),
      cmocka_unit_test(expected_values_stand_beside_ours),
      cmocka_unit_test(a_missed_value_makes_the_exit_status_1),
      cmocka_unit_test(json_holds_every_figure),
      cmocka_unit_test(a_parameter_is_set_by_name),
      cmocka_unit_test(drawings_are_written_into_a_folder_that_is_made),
      cmocka_unit_test(bad_usage_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
