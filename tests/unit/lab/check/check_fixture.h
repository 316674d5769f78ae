/* check_fixture.h: evaluates a record of test vectors that stands in a test as text. */
#ifndef LS_TESTS_CLI_CHECK_FIXTURE_H
#define LS_TESTS_CLI_CHECK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "lab/check/check.h"

/* A record of `kind` for `workers` equal workers; `arguments` is JSON with ' for ". */
struct evaluation {
  json_t *got; /* NULL when refused */
  struct ls_error err;
};

static inline json_t *read_quoted(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *c = copy; *c != '\0'; c++)
    if (*c == '\'') *c = '"';
  json_t *value = json_loads(copy, JSON_DECODE_ANY, NULL);
  if (value == NULL) fail_msg("no JSON: %s", copy);
  free(copy);
  return value;
}

static inline struct evaluation evaluate(const struct ls_check_kind *kind, const char *algorithm,
                                         double load, size_t workers, const char *arguments) {
  struct evaluation evaluation = {0};
  struct ls_check_record record = {
      .id = "record", .kind = kind->name, .algorithm = algorithm, .load = load};
  json_t *document = read_quoted(arguments);
  if (workers > 0) {
    assert_int_equal(ls_platform_init(&record.platform, workers, NULL), LS_OK);
    for (size_t i = 0; i < workers; i++)
      record.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = (double)(i + 1);
    record.has_platform = true;
  }
  record.arguments = ls_json_top(document, "record");
  enum ls_status status = kind->evaluate(&record, &evaluation.got, &evaluation.err);
  assert_true(status == LS_OK || status == LS_EINVAL);
  assert_true((status == LS_OK) == (evaluation.got != NULL));
  if (workers > 0) ls_platform_close(&record.platform);
  json_decref(document);
  return evaluation;
}

/* The field is there and equals the JSON of `expected`. */
static inline void expect_field(const struct evaluation *evaluation, const char *name,
                                const char *expected) {
  if (evaluation->got == NULL) fail_msg("refused: %s", evaluation->err.text);
  json_t *wanted = read_quoted(expected), *field = json_object_get(evaluation->got, name);
  if (!json_equal(wanted, field)) {
    char *text = json_dumps(field, JSON_ENCODE_ANY | JSON_COMPACT);
    fail_msg("%s is %s, expected %s", name, text != NULL ? text : "absent", expected);
  }
  json_decref(wanted);
}

static inline void expect_refusal(const struct evaluation *evaluation, const char *words) {
  assert_null(evaluation->got);
  if (strstr(evaluation->err.text, words) == NULL)
    fail_msg("'%s' lacks '%s'", evaluation->err.text, words);
}

/* A record that cannot be, and words of its refusal. */
struct refusal {
  size_t workers;
  const char *algorithm, *arguments, *words;
};

static inline void expect_refusals(const struct ls_check_kind *kind, double load,
                                   const struct refusal *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct evaluation evaluation =
        evaluate(kind, cases[i].algorithm, load, cases[i].workers, cases[i].arguments);
    expect_refusal(&evaluation, cases[i].words);
  }
}

#endif
