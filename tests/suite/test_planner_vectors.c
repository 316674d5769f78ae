/* Every record of kind `plan` whose algorithm is a listed planner, as `loadstar check` reads it: a
 * field of `expect` is looked for in the plan, then in its parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay.h"
#include "model/validate.h"
#include "planners/planner.h"

static char **vectors_paths; /* ends with NULL */

/* A record, its plan, and what is said of it when it fails. */
struct check {
  const json_t *record;
  const char *id;
  bool is_bound; /* compare at_most: the makespan is a bound, all else is information */
  double tolerance;
  struct ls_platform platform;
  struct ls_plan plan;
};

static json_t *read_vectors(const char *path) {
  json_error_t error;
  json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (document == NULL) fail_msg("%s:%d: %s", path, error.line, error.text);
  if (!json_is_array(json_object_get(document, "vectors"))) fail_msg("%s: no vectors", path);
  return document;
}

static void read_platform(struct check *check) {
  char *text = json_dumps(json_object_get(check->record, "platform"), 0);
  struct ls_error err;
  assert_non_null(text);
  if (ls_platform_read(&check->platform, (struct ls_text){text, strlen(text), check->id}, &err) !=
      LS_OK) {
    fail_msg("%s", err.text);
  }
  free(text);
}

static void make_plan(struct check *check) {
  struct ls_planner_setup setup = {
      .platform = &check->platform,
      .load = json_number_value(json_object_get(check->record, "load"))};
  const struct ls_planner *planner;
  const char *text = json_string_value(json_object_get(check->record, "algorithm")), *name;
  struct ls_error err;
  json_t *value;
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) {
    fail_msg("%s: %s", check->id, err.text);
  }
  json_object_foreach(json_object_get(check->record, "arguments"), name, value) {
    struct ls_json member = ls_json_top(value, check->id);
    if (ls_arguments_read(&setup.arguments, planner->parameters, &member, name, &err) != LS_OK) {
      fail_msg("%s: %s", check->id, err.text);
    }
  }
  if (ls_planner_run(planner, &setup, text, &check->plan, &err) != LS_OK) {
    fail_msg("%s: %s", check->id, err.text);
  }
  if (check->plan.outcome == LS_PLAN_OK &&
      ls_validate_plan(&check->plan, &check->platform, &err) != LS_OK) {
    fail_msg("%s: %s", check->id, err.text);
  }
  ls_arguments_close(&setup.arguments);
}

static void expect_number(const struct check *check, const char *name, double got,
                          const json_t *expected, double tolerance) {
  double wanted = json_number_value(expected);
  bool is_met = fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted));
  if (check->is_bound) is_met = got <= wanted * (1 + tolerance);
  if (!is_met) fail_msg("%s: %s is %.17g, expected %.17g", check->id, name, got, wanted);
}

static void expect_chunks(const struct check *check, const json_t *expected) {
  double tolerance = fmax(check->tolerance, 1e-9) * check->plan.load;
  size_t i;
  const json_t *chunk;
  if (json_array_size(expected) != check->plan.chunks_count) {
    fail_msg("%s: %zu chunks, expected %zu", check->id, check->plan.chunks_count,
             json_array_size(expected));
  }
  json_array_foreach(expected, i, chunk) {
    const struct ls_plan_chunk *got = &check->plan.chunks[i];
    const json_t *round = json_object_get(chunk, "round");
    double units = json_number_value(json_object_get(chunk, "units"));
    if (json_integer_value(json_object_get(chunk, "worker")) != got->worker ||
        (round != NULL && json_integer_value(round) != got->round) ||
        !(fabs(units - got->units) <= tolerance)) {
      fail_msg("%s: chunk %zu is (worker %u, round %u, %.17g units), expected %.17g units",
               check->id, i, got->worker, got->round, got->units, units);
    }
  }
}

/* What the JSON form of the plan has at its top; NAN: no such field. */
static double find_field(const struct check *check, const char *name) {
  const struct ls_plan *plan = &check->plan;
  if (strcmp(name, "makespan") == 0) return plan->makespan_s;
  if (strcmp(name, "messages") == 0) return (double)plan->chunks_count;
  uint32_t rounds = 0;
  bool *is_used = calloc(check->platform.workers_count, sizeof *is_used);
  double used = 0;
  assert_non_null(is_used);
  for (size_t i = 0; i < plan->chunks_count; i++) {
    if (plan->chunks[i].round >= rounds) rounds = plan->chunks[i].round + 1;
    if (!is_used[plan->chunks[i].worker]) used++;
    is_used[plan->chunks[i].worker] = true;
  }
  free(is_used);
  if (strcmp(name, "rounds") == 0) return rounds;
  if (strcmp(name, "workers_used") == 0) return used;
  return ls_plan_get(plan, name, (double)NAN);
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Not to be met: said of other algorithms, or of how the reference was found. */
static bool is_information(const struct check *check, const char *name) {
  return ends_with(name, "_of_reference") || ends_with(name, "_published_rule") ||
         strncmp(name, "makespan_of_", 12) == 0 || strcmp(name, "lower_bound") == 0 ||
         (check->is_bound && strcmp(name, "makespan") != 0);
}

static void expect_fields(const struct check *check, json_t *expected) {
  const char *name;
  json_t *value;
  json_object_foreach(expected, name, value) {
    if (is_information(check, name)) continue;
    if (strcmp(name, "parameters") == 0) {
      expect_fields(check, value);
    } else if (strcmp(name, "outcome") == 0) {
      assert_string_equal(json_string_value(value), "not_applicable");
      if (check->plan.outcome != LS_PLAN_NOT_APPLICABLE) fail_msg("%s: is applicable", check->id);
      assert_true(strlen(check->plan.why) > 0);
    } else if (strcmp(name, "chunks") == 0) {
      expect_chunks(check, value);
    } else {
      double tolerance = strcmp(name, "rounds_real") == 0 ? 1e-5 : check->tolerance;
      if (!json_is_number(value)) fail_msg("%s: %s is no number", check->id, name);
      expect_number(check, name, find_field(check, name), value, tolerance);
    }
  }
}

static void check_record(const json_t *record) {
  struct check check = {.record = record,
                        .id = json_string_value(json_object_get(record, "id")),
                        .tolerance = json_number_value(json_object_get(record, "tolerance"))};
  const char *compare = json_string_value(json_object_get(record, "compare"));
  check.is_bound = compare != NULL && strcmp(compare, "at_most") == 0;
  read_platform(&check);
  make_plan(&check);
  json_t *expected = json_object_get(record, "expect");
  if (check.plan.outcome != LS_PLAN_OK && json_object_get(expected, "outcome") == NULL) {
    fail_msg("%s: not applicable: %s", check.id, check.plan.why);
  }
  expect_fields(&check, expected);
  ls_plan_close(&check.plan);
  ls_platform_close(&check.platform);
}

/* The listed planner that a record asks for, by the name before the colon. */
static const struct ls_planner *find_planner(const json_t *record) {
  const char *algorithm = json_string_value(json_object_get(record, "algorithm"));
  char name[64];
  assert_non_null(algorithm);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(algorithm, ":"), algorithm);
  return ls_planner_find(name);
}

static bool is_plan(const json_t *record) {
  const char *kind = json_string_value(json_object_get(record, "kind"));
  return kind == NULL || strcmp(kind, "plan") == 0;
}

static void every_record_is_met(void **state) {
  size_t run = 0;
  (void)state;
  for (char **path = vectors_paths; *path != NULL; path++) {
    json_t *document = read_vectors(*path);
    size_t index;
    json_t *record;
    json_array_foreach(json_object_get(document, "vectors"), index, record) {
      if (!is_plan(record)) continue;
      if (find_planner(record) == NULL) {
        print_message("skipped: %s\n", json_string_value(json_object_get(record, "id")));
        continue;
      }
      check_record(record);
      run++;
    }
    json_decref(document);
  }
  print_message("%zu records\n", run);
  assert_true(run > 0);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_record_is_met)};
  if (count < 2) {
    fprintf(stderr, "usage: test_planner_vectors VECTORS.json...\n");
    return 2;
  }
  vectors_paths = arguments + 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
