#include "lab/check/check_compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96 };

static const double CHUNK_TOLERANCE = 1e-9;

struct comparison {
  const struct ls_check_rules *rules;
  const json_t *got;
  json_t *faults;
  bool has_failed; /* memory */
};

/* How near two numbers must be: relative, absolute below `scale`. */
struct nearness {
  double tolerance, scale;
};

static void add_fault(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_fault(struct comparison *comparison, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (json_array_append_new(comparison->faults, json_string(text)) != 0)
    comparison->has_failed = true;
}

const json_t *ls_check_find(const json_t *got, const char *name) {
  const json_t *value = json_object_get(got, name);
  return value != NULL ? value : json_object_get(json_object_get(got, "parameters"), name);
}

static bool has_end(const char *name, const char *end) {
  size_t length = strlen(name), end_length = strlen(end);
  return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Figures of the reference implementation or of a printed formula: they need not be met. */
static bool is_information(const char *name) {
  return has_end(name, "_of_reference") || has_end(name, "_published_rule") ||
         strncmp(name, "makespan_of_", strlen("makespan_of_")) == 0 ||
         strcmp(name, "lower_bound") == 0 || strcmp(name, "utilization_theorem_8") == 0;
}

static bool is_free(const struct ls_check_rules *rules, const char *name) {
  size_t i;
  const json_t *item;
  json_array_foreach(rules->free, i, item) {
    const char *text = json_string_value(item);
    if (text != NULL && strcmp(text, name) == 0) return true;
  }
  return false;
}

/* A value as a fault shows it. */
static void show(const json_t *value, char *text, size_t text_bytes) {
  if (value == NULL) {
    (void)snprintf(text, text_bytes, "missing");
  } else if (json_is_number(value)) {
    (void)snprintf(text, text_bytes, "%.17g", json_number_value(value));
  } else {
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(8) | JSON_COMPACT);
    int wanted = snprintf(text, text_bytes, "%s", dump == NULL ? "?" : dump);
    if (wanted >= (int)text_bytes) memcpy(text + text_bytes - 4, "...", 4);
    free(dump);
  }
}

static void compare_values(struct comparison *comparison, const char *name, const json_t *expect,
                           const json_t *got, const struct nearness *near);

static void compare_lists(struct comparison *comparison, const char *name, const json_t *expect,
                          const json_t *got, const struct nearness *near) {
  if (!json_is_array(got) || json_array_size(got) != json_array_size(expect)) {
    char shown[64];
    show(got, shown, sizeof shown);
    add_fault(comparison, "%s is %s with %zu items, expected %zu", name, shown,
              json_array_size(got), json_array_size(expect));
    return;
  }
  for (size_t i = 0; i < json_array_size(expect); i++) {
    char item[NAME_BYTES];
    (void)snprintf(item, sizeof item, "%.70s[%zu]", name, i);
    compare_values(comparison, item, json_array_get(expect, i), json_array_get(got, i), near);
  }
}

static void compare_objects(struct comparison *comparison, const char *name, const json_t *expect,
                            const json_t *got, const struct nearness *near) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)expect, key, value) {
    char member[NAME_BYTES];
    (void)snprintf(member, sizeof member, "%.70s.%s", name, key);
    compare_values(comparison, member, value, json_object_get(got, key), near);
  }
}

static void compare_values(struct comparison *comparison, const char *name, const json_t *expect,
                           const json_t *got, const struct nearness *near) {
  if (json_is_array(expect)) {
    compare_lists(comparison, name, expect, got, near);
    return;
  }
  if (json_is_object(expect)) {
    compare_objects(comparison, name, expect, got, near);
    return;
  }
  char shown_got[64], shown_expect[64];
  show(got, shown_got, sizeof shown_got);
  show(expect, shown_expect, sizeof shown_expect);
  if (json_is_number(expect)) {
    double wanted = json_number_value(expect);
    double limit = near->tolerance * fmax(near->scale, fabs(wanted));
    double value = json_is_number(got) ? json_number_value(got) : (double)NAN;
    if (!(fabs(value - wanted) <= limit))
      add_fault(comparison, "%s is %s, expected %s within %.3g", name, shown_got, shown_expect,
                limit);
  } else if (!(json_is_null(expect) && got == NULL) && !json_equal(expect, got)) {
    add_fault(comparison, "%s is %s, expected %s", name, shown_got, shown_expect);
  }
}

/* A field of a chunk, which may be written as the pair [worker, units]. */
static const json_t *find_in_chunk(const json_t *chunk, const char *key) {
  if (!json_is_array(chunk)) return json_object_get(chunk, key);
  if (strcmp(key, "worker") == 0) return json_array_get(chunk, 0);
  return strcmp(key, "units") == 0 ? json_array_get(chunk, 1) : NULL;
}

static void compare_chunk(struct comparison *comparison, const char *name, const json_t *expect,
                          const json_t *got) {
  static const char *const keys[] = {"worker",      "round",          "units",
                                     "send_start",  "transfer_start", "transfer_end",
                                     "stage_start", "compute_start",  "compute_end",
                                     "reply_start", "reply_end"};
  const struct ls_check_rules *rules = comparison->rules;
  double tolerance = fmax(rules->tolerance, CHUNK_TOLERANCE);
  /* Units are compared absolutely: a small chunk is as exact as a large one. */
  double scale = rules->load > 0 ? rules->load : 1;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    bool is_units = strcmp(keys[i], "units") == 0;
    struct nearness near = {is_units ? tolerance : rules->tolerance, is_units ? scale : 1};
    const json_t *wanted = find_in_chunk(expect, keys[i]);
    if (wanted == NULL) continue;
    char field[NAME_BYTES];
    (void)snprintf(field, sizeof field, "%.70s.%s", name, keys[i]);
    compare_values(comparison, field, wanted, find_in_chunk(got, keys[i]), &near);
  }
}

static void compare_chunks(struct comparison *comparison, const char *name, const json_t *expect,
                           const json_t *got) {
  if (!json_is_array(got) || json_array_size(got) != json_array_size(expect)) {
    add_fault(comparison, "%s has %zu chunks, expected %zu", name, json_array_size(got),
              json_array_size(expect));
    return;
  }
  for (size_t i = 0; i < json_array_size(expect); i++) {
    char item[NAME_BYTES];
    (void)snprintf(item, sizeof item, "%.70s[%zu]", name, i);
    compare_chunk(comparison, item, json_array_get(expect, i), json_array_get(got, i));
  }
}

/* Numbers of workers, each in range and at most once. */
static void check_workers(struct comparison *comparison, const char *name, const json_t *list) {
  size_t count = json_array_size(list);
  for (size_t i = 0; i < count; i++) {
    double worker = json_number_value(json_array_get(list, i));
    if (!(worker >= 0 && worker < (double)comparison->rules->workers_count))
      add_fault(comparison, "%s[%zu] is %g, expected a worker below %zu", name, i, worker,
                comparison->rules->workers_count);
    for (size_t k = 0; k < i; k++)
      if (json_equal(json_array_get(list, i), json_array_get(list, k)))
        add_fault(comparison, "%s names worker %g twice", name, worker);
  }
}

/* The numbers of a list, or the units of its chunks. */
static double find_units(const json_t *list, size_t index) {
  const json_t *item = json_array_get(list, index);
  const json_t *units = json_is_number(item) ? item : find_in_chunk(item, "units");
  return json_is_number(units) ? json_number_value(units) : (double)NAN;
}

static double add_units(const json_t *list) {
  double sum = 0;
  for (size_t i = 0; i < json_array_size(list); i++) sum += find_units(list, i);
  return sum;
}

static void check_sum(struct comparison *comparison, const char *name, const json_t *list,
                      double wanted) {
  double sum = json_is_array(list) ? add_units(list) : (double)NAN;
  double tolerance = fmax(comparison->rules->tolerance, CHUNK_TOLERANCE);
  if (!(fabs(sum - wanted) <= tolerance * fmax(1, wanted)))
    add_fault(comparison, "%s adds up to %.17g, expected %.17g", name, sum, wanted);
}

/* One choice among equals: it must be possible, not the same. */
static void check_free(struct comparison *comparison, const char *name, const json_t *got) {
  if (got == NULL) return;
  if (has_end(name, "_order") || strcmp(name, "enrolled") == 0) {
    check_workers(comparison, name, got);
  } else if (strcmp(name, "units") == 0 || strcmp(name, "chunks") == 0) {
    check_sum(comparison, name, got, comparison->rules->load);
    for (size_t i = 0; i < json_array_size(got); i++)
      if (!(find_units(got, i) >= 0)) add_fault(comparison, "%s[%zu] is negative", name, i);
  }
}

/* The units that were handed out, piece by piece, or else by worker. */
static const json_t *find_pieces(const json_t *got) {
  static const char *const names[] = {"batches", "chunks", "units"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const json_t *list = ls_check_find(got, names[i]);
    if (json_is_array(list)) return list;
  }
  return NULL;
}

/* `units_at_least`, `units_at_most`: every piece but the last, which takes what is left. */
static void check_pieces(struct comparison *comparison, const char *name, double limit,
                         bool is_least) {
  const json_t *list = find_pieces(comparison->got);
  if (list == NULL) add_fault(comparison, "%s is given, but nothing was handed out", name);
  for (size_t i = 0; i + 1 < json_array_size(list); i++) {
    double units = find_units(list, i);
    if (is_least ? !(units >= limit) : !(units <= limit))
      add_fault(comparison, "piece %zu has %g units, but %s is %g", i, units, name, limit);
  }
}

/* FIELD_at_least and FIELD_at_most: limits that cannot or must not be passed. */
static void check_limit(struct comparison *comparison, const char *name, double limit) {
  bool is_least = has_end(name, "_at_least");
  char field[NAME_BYTES];
  size_t length = strlen(name) - strlen(is_least ? "_at_least" : "_at_most");
  (void)snprintf(field, sizeof field, "%.*s", (int)length, name);
  if (strcmp(field, "units") == 0) {
    check_pieces(comparison, name, limit, is_least);
    return;
  }
  const json_t *value = ls_check_find(comparison->got, field);
  double got = json_is_number(value) ? json_number_value(value) : (double)NAN;
  double slack = comparison->rules->tolerance * fmax(1, fabs(limit));
  if (is_least ? !(got >= limit - slack) : !(got <= limit + slack))
    add_fault(comparison, "%s is %.17g, expected at %s %.17g", field, got,
              is_least ? "least" : "most", limit);
}

/* "47/632" in FIELD_exact is the same figure as FIELD, as a fraction. */
static void check_fraction(struct comparison *comparison, const char *name, const char *text) {
  char field[NAME_BYTES];
  (void)snprintf(field, sizeof field, "%.*s", (int)(strlen(name) - strlen("_exact")), name);
  char *end = NULL;
  double wanted = text == NULL ? (double)NAN : strtod(text, &end);
  if (end != NULL && *end == '/') wanted /= strtod(end + 1, &end);
  const json_t *value = ls_check_find(comparison->got, field);
  double got = json_is_number(value) ? json_number_value(value) : (double)NAN;
  if (!(fabs(got - wanted) <= comparison->rules->tolerance * fmax(1, fabs(wanted))))
    add_fault(comparison, "%s is %.17g, expected %s", field, got, text == NULL ? "?" : text);
}

static void check_largest_chunk(struct comparison *comparison, double limit) {
  const json_t *chunks = ls_check_find(comparison->got, "chunks");
  if (!json_is_array(chunks)) add_fault(comparison, "chunks are missing");
  for (size_t i = 0; i < json_array_size(chunks); i++)
    if (!(find_units(chunks, i) <= limit * (1 + comparison->rules->tolerance)))
      add_fault(comparison, "chunks[%zu].units is %g, expected at most %g", i,
                find_units(chunks, i), limit);
}

/* Limits hold whatever the mode of comparison is. True: the field is one. */
static bool is_limit_checked(struct comparison *comparison, const char *name,
                             const json_t *expect) {
  double number = json_is_number(expect) ? json_number_value(expect) : (double)NAN;
  if (has_end(name, "_at_least") || has_end(name, "_at_most")) {
    check_limit(comparison, name, number);
  } else if (strcmp(name, "units_sum") == 0) {
    check_sum(comparison, "units", find_pieces(comparison->got), number);
  } else if (strcmp(name, "chunk_units_max") == 0) {
    check_largest_chunk(comparison, number);
  } else {
    return false;
  }
  return true;
}

static void compare_field(struct comparison *comparison, const char *name, const json_t *expect,
                          const json_t *got) {
  struct nearness near = {comparison->rules->tolerance, 1};
  if (strcmp(name, "chunks") == 0 || strcmp(name, "events") == 0)
    compare_chunks(comparison, name, expect, got);
  else if (has_end(name, "_exact") && got == NULL)
    check_fraction(comparison, name, json_string_value(expect));
  else
    compare_values(comparison, name, expect, got, &near);
}

static void compare_all(struct comparison *comparison, const json_t *expect) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)expect, name, value) {
    const json_t *got = ls_check_find(comparison->got, name);
    if (is_information(name) || is_limit_checked(comparison, name, value)) continue;
    if (is_free(comparison->rules, name)) {
      check_free(comparison, name, got);
    } else if (strcmp(name, "parameters") == 0) {
      const char *key;
      json_t *wanted;
      json_object_foreach(value, key, wanted) {
        if (!is_information(key)) compare_field(comparison, key, wanted, json_object_get(got, key));
      }
    } else if (strcmp(name, "outcome") != 0) {
      compare_field(comparison, name, value, got);
    }
  }
}

/* The one figure that `at_least` and `at_most` judge; the rest of `expect` is information. */
static void compare_main(struct comparison *comparison, const json_t *expect) {
  bool is_least = comparison->rules->mode == LS_CHECK_AT_LEAST;
  static const char *const least_names[] = {"throughput", "makespan", "model_makespan"};
  static const char *const most_names[] = {"makespan", "model_makespan", "throughput"};
  const char *const *names = is_least ? least_names : most_names;
  size_t i = 0;
  while (i < 3 && json_object_get(expect, names[i]) == NULL) i++;
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)expect, key, value) {
    (void)is_limit_checked(comparison, key, value);
  }
  if (i == 3) return;
  const json_t *got = ls_check_find(comparison->got, names[i]);
  double wanted = json_number_value(json_object_get(expect, names[i]));
  double reached = json_is_number(got) ? json_number_value(got) : (double)NAN;
  double slack = comparison->rules->tolerance * fabs(wanted);
  if (is_least ? !(reached >= wanted - slack) : !(reached <= wanted + slack))
    add_fault(comparison, "%s is %.17g, expected at %s %.17g", names[i], reached,
              is_least ? "least" : "most", wanted);
}

/* An outcome other than "ok" leaves nothing else to compare. "refused" in a vector is met by a
 * plan that is not applicable as well: both say why there is no plan. True: go on. */
static bool is_outcome_met(struct comparison *comparison, const json_t *expect) {
  const char *outcome = json_string_value(json_object_get(comparison->got, "outcome"));
  const char *wanted = json_string_value(json_object_get(expect, "outcome"));
  bool is_refused = outcome != NULL && strcmp(outcome, "ok") != 0;
  if (wanted == NULL) wanted = "ok";
  bool is_met = strcmp(wanted, outcome == NULL ? "ok" : outcome) == 0 ||
                (is_refused && strcmp(wanted, "refused") == 0);
  if (!is_met) {
    const char *why = json_string_value(json_object_get(comparison->got, "why"));
    add_fault(comparison, "outcome is %s (%s), expected %s", outcome == NULL ? "ok" : outcome,
              why == NULL ? "" : why, wanted);
  }
  return is_met && !is_refused;
}

bool ls_check_compare(const struct ls_check_rules *rules, const json_t *expect, const json_t *got,
                      json_t *faults) {
  struct comparison comparison = {.rules = rules, .got = got, .faults = faults};
  if (is_outcome_met(&comparison, expect)) {
    if (rules->mode == LS_CHECK_EXACT)
      compare_all(&comparison, expect);
    else
      compare_main(&comparison, expect);
  }
  return !comparison.has_failed;
}
