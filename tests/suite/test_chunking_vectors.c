#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "../support/chunking_driver.h"
#include "policies/chunking/wf.h"

/* Every record of kind `batches` whose policy is in the list: workers ask 0, 1, ..., p - 1, 0, ...
 * without feedback, until a round brings nothing. */

enum { CHUNKS_MAX = 4096 };

static char **vectors_paths; /* ends with NULL */

static json_t *read_vectors(const char *path) {
  json_error_t error;
  json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (document == NULL) fail_msg("%s:%d: %s", path, error.line, error.text);
  if (!json_is_array(json_object_get(document, "vectors"))) fail_msg("%s: no vectors", path);
  return document;
}

static size_t count_workers(const json_t *record) {
  json_t *workers = json_object_get(json_object_get(record, "platform"), "workers");
  size_t count = 0, index;
  json_t *worker;
  json_array_foreach(workers, index, worker) {
    json_t *repeated = json_object_get(worker, "count");
    count += repeated != NULL ? (size_t)json_integer_value(repeated) : 1;
  }
  return count;
}

static bool set_fact(struct driver *driver, const char *name, const json_t *value,
                     double *weights) {
  struct {
    const char *name;
    unsigned fact;
    double *place;
  } facts[] = {{"mean_seconds", LS_CHUNKING_MEAN, &driver->setup.mean_seconds},
               {"deviation_seconds", LS_CHUNKING_DEVIATION, &driver->setup.deviation_seconds},
               {"overhead_seconds", LS_CHUNKING_OVERHEAD, &driver->setup.overhead_seconds}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    if (strcmp(name, facts[i].name) != 0) continue;
    *facts[i].place = json_number_value(value);
    return (driver->policy->facts & facts[i].fact) != 0;
  }
  if (strcmp(name, "seed") == 0) {
    driver->setup.seed = (uint64_t)json_integer_value(value);
    return (driver->policy->facts & LS_CHUNKING_SEED) != 0;
  }
  bool is_inverse = strcmp(name, "seconds_per_task") == 0;
  if (!is_inverse && strcmp(name, "weights") != 0) return false;
  if (json_array_size(value) != driver->setup.workers) return false;
  for (size_t i = 0; i < driver->setup.workers; i++) {
    double number = json_number_value(json_array_get(value, i));
    weights[i] = is_inverse ? 1 / number : number;
  }
  driver->setup.weights = weights;
  return (driver->policy->facts & LS_CHUNKING_WEIGHTS) != 0;
}

/* False when the policy knows no such argument. */
static bool set_argument(struct driver *driver, const char *name, const json_t *value,
                         double *weights) {
  char text[64];
  if (set_fact(driver, name, value, weights)) return true;
  if (json_is_string(value)) return driver_set(driver, name, json_string_value(value)) == LS_OK;
  snprintf(text, sizeof text, "%.17g", json_number_value(value));
  return json_is_number(value) && driver_set(driver, name, text) == LS_OK;
}

static bool set_arguments(struct driver *driver, json_t *arguments, double *weights) {
  const char *name;
  json_t *value;
  json_object_foreach(arguments, name, value) {
    if (!set_argument(driver, name, value, weights)) return false;
  }
  return true;
}

static void expect_list(const char *id, const json_t *expected, const uint64_t *got, size_t count) {
  if (json_array_size(expected) != count) {
    fail_msg("%s: %zu chunks, expected %zu", id, count, json_array_size(expected));
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t units = (uint64_t)json_integer_value(json_array_get(expected, i));
    if (units != got[i]) {
      fail_msg("%s: chunk %zu is %llu, expected %llu", id, i, (unsigned long long)got[i],
               (unsigned long long)units);
    }
  }
}

/* Of a random policy: every chunk but the last lies between two limits. */
static void check_limits(const char *id, const json_t *expect, const uint64_t *got, size_t count) {
  uint64_t least = (uint64_t)json_integer_value(json_object_get(expect, "units_at_least"));
  uint64_t most = (uint64_t)json_integer_value(json_object_get(expect, "units_at_most"));
  uint64_t sum = 0;
  assert_true(least >= 1 && most >= least);
  for (size_t i = 0; i < count; i++) {
    sum += got[i];
    bool is_last = i + 1 == count;
    if (got[i] > most || (got[i] < least && !is_last)) {
      fail_msg("%s: chunk %zu is %llu", id, i, (unsigned long long)got[i]);
    }
  }
  assert_int_equal(sum, json_integer_value(json_object_get(expect, "units_sum")));
}

static void check_chunks(const json_t *record, const uint32_t *workers, const uint64_t *chunks,
                         size_t count) {
  const char *id = json_string_value(json_object_get(record, "id"));
  const json_t *expect = json_object_get(record, "expect"), *list;
  const json_t *by_worker = json_object_get(expect, "batches_by_worker");
  size_t worker;
  if (json_object_get(expect, "units_sum") != NULL) {
    check_limits(id, expect, chunks, count);
    return;
  }
  if (by_worker == NULL) {
    assert_non_null(json_object_get(expect, "batches"));
    expect_list(id, json_object_get(expect, "batches"), chunks, count);
    return;
  }
  assert_int_equal(json_array_size(by_worker), count_workers(record));
  json_array_foreach(by_worker, worker, list) {
    uint64_t own[CHUNKS_MAX];
    size_t own_count = 0;
    for (size_t i = 0; i < count; i++) {
      if (workers[i] == worker) own[own_count++] = chunks[i];
    }
    expect_list(id, list, own, own_count);
  }
}

/* Workers ask in turn until a round brings nothing; the number of chunks. */
static size_t ask_in_turn(struct driver *driver, uint32_t *workers, uint64_t *chunks) {
  size_t count = 0, refused = 0, p = driver->setup.workers;
  for (uint32_t turn = 0; driver->view.units_unassigned > 0 && refused < p; turn++) {
    uint64_t units = driver_ask(driver, turn % (uint32_t)p);
    refused = units == 0 ? refused + 1 : 0;
    if (units == 0) continue;
    assert_true(count < CHUNKS_MAX);
    workers[count] = turn % (uint32_t)p;
    chunks[count++] = units;
  }
  return count;
}

/* The figure's rows of weighted factoring are rounds: who has no batch in one does not ask. */
static size_t hand_out_rounds(const struct driver *driver, uint32_t *workers, uint64_t *chunks) {
  struct ls_wf_workers setup = {driver->setup.weights, driver->setup.workers,
                                (enum ls_wf_rounding)driver->setup.arguments.values[0]};
  struct ls_load_candidate scratch[DRIVER_WORKERS_MAX];
  uint64_t rest = driver->setup.units;
  size_t count = 0;
  while (rest > 0) {
    uint64_t batches[DRIVER_WORKERS_MAX];
    ls_wf_round(&setup, rest, scratch, batches);
    for (size_t i = 0; i < setup.count; i++) {
      assert_true(count < CHUNKS_MAX && batches[i] <= rest);
      if (batches[i] == 0) continue;
      workers[count] = (uint32_t)i;
      chunks[count++] = batches[i];
      rest -= batches[i];
    }
  }
  return count;
}

static void check_record(const json_t *record, const struct ls_chunking *policy) {
  uint32_t workers[CHUNKS_MAX];
  uint64_t chunks[CHUNKS_MAX];
  double weights[DRIVER_WORKERS_MAX] = {0};
  size_t p = count_workers(record);
  struct driver driver;
  assert_true(p >= 1 && p <= DRIVER_WORKERS_MAX);
  driver_prepare(&driver, policy, (uint64_t)json_integer_value(json_object_get(record, "load")), p);
  if (!set_arguments(&driver, json_object_get(record, "arguments"), weights)) {
    fail_msg("%s: an argument is unknown", json_string_value(json_object_get(record, "id")));
  }
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  bool is_by_rounds = strcmp(policy->name, "wf") == 0;
  size_t count = is_by_rounds ? hand_out_rounds(&driver, workers, chunks)
                              : ask_in_turn(&driver, workers, chunks);
  check_chunks(record, workers, chunks, count);
  driver_close(&driver);
}

/* The number of records that were run. */
static size_t check_document(const json_t *document) {
  size_t run = 0, index;
  json_t *record;
  json_array_foreach(json_object_get(document, "vectors"), index, record) {
    const char *kind = json_string_value(json_object_get(record, "kind"));
    const char *name = json_string_value(json_object_get(record, "algorithm"));
    if (kind == NULL || strcmp(kind, "batches") != 0) continue;
    const struct ls_chunking *policy = ls_chunking_find(name);
    if (policy == NULL) {
      print_message("skipped: %s (no policy %s)\n",
                    json_string_value(json_object_get(record, "id")), name);
      continue;
    }
    check_record(record, policy);
    run++;
  }
  return run;
}

static void every_record_is_met(void **state) {
  size_t run = 0;
  (void)state;
  for (char **path = vectors_paths; *path != NULL; path++) {
    json_t *document = read_vectors(*path);
    run += check_document(document);
    json_decref(document);
  }
  print_message("%zu records\n", run);
  assert_true(run > 0);
}

static void an_unknown_argument_is_no_silent_pass(void **state) {
  struct driver driver;
  double weights[DRIVER_WORKERS_MAX];
  (void)state;
  driver_prepare(&driver, ls_chunking_find("gss"), 10, 2);
  json_t *wrong[] = {json_pack("{s:i}", "first_units", 3), json_pack("{s:[ii]}", "weights", 1, 2),
                     json_pack("{s:f}", "deviation_seconds", 0.5),
                     json_pack("{s:n}", "least_units"), json_pack("{s:f}", "least_units", 1.5)};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_non_null(wrong[i]);
    assert_false(set_arguments(&driver, wrong[i], weights));
    json_decref(wrong[i]);
  }
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_record_is_met),
      cmocka_unit_test(an_unknown_argument_is_no_silent_pass),
  };
  if (count < 2) {
    fprintf(stderr, "usage: test_chunking_vectors VECTORS.json...\n");
    return 2;
  }
  vectors_paths = arguments + 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
