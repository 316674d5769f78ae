#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "formats/platform_json.h"
#include "model/platform.h"
#include "platform_fixture.h"

static enum ls_status read_text(struct ls_platform *platform, const char *text,
                                struct ls_error *err) {
  return ls_platform_read(platform, (struct ls_text){text, strlen(text), "p.json"}, err);
}

/* The text must be refused, and the message must be this one. */
static void expect_refused(const char *text, const char *message) {
  struct ls_platform platform = {.workers_count = 77};
  struct ls_error err = {0};
  assert_int_equal(read_text(&platform, text, &err), LS_EINVAL);
  assert_string_equal(err.text, message);
  assert_int_equal(platform.workers_count, 77);
}

/* The same for one worker with these fields. */
static void expect_worker_refused(const char *fields, const char *message) {
  char text[512], whole[512];
  (void)snprintf(text, sizeof text, "{\"workers\": [{}, {%s}]}", fields);
  (void)snprintf(whole, sizeof whole, "p.json: workers[1]%s", message);
  expect_refused(text, whole);
}

static void every_field_is_read(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err;
  assert_int_equal(
      read_text(&platform,
                "{\"workers\": [{\"name\": \"n\", \"count\": 2,"
                " \"send\": {\"latency\": 1, \"per_unit\": 2},"
                " \"transfer\": {\"latency\": 3, \"per_unit\": 4}, \"delay\": 5,"
                " \"stage\": {\"latency\": 0.5, \"per_unit\": 0.75},"
                " \"receive\": {\"latency\": 6, \"per_unit\": 7},"
                " \"compute\": {\"latency\": 8, \"per_unit\": 9},"
                " \"reply\": {\"latency\": 10, \"per_unit\": 11},"
                " \"window\": {\"from\": 25, \"to\": 450}, \"room\": 400, \"cost\": 12, "
                "\"measured\": {\"from\": 2, \"to\": 300}, "
                "\"on_master\": true,"
                " \"task_seconds\": {\"law\": \"gamma\", \"mean\": 9, \"deviation\": 4.5}},"
                " {\"name\": \"single\"}, {\"count\": 1.0}],"
                " \"master\": {\"prepare\": {\"latency\": 13, \"per_unit\": 14}, \"share\": 0.25},"
                " \"ports\": {\"kind\": \"multi-port\", \"alpha\": 0.8, \"limit\": 3},"
                " \"storage\": {\"readers\": 5}}",
                &err),
      LS_OK);
  assert_int_equal(platform.workers_count, 4);
  const struct ls_worker_model *worker = &platform.workers[1];
  assert_string_equal(platform.workers[0].name, "n-0");
  assert_true(fabs(worker->measured_from - 2) < 1e-12 && fabs(worker->measured_to - 300) < 1e-12);
  assert_string_equal(worker->name, "n-1");
  assert_string_equal(platform.workers[2].name, "single");
  assert_string_equal(platform.workers[3].name, "worker-3");
  platform_expect_full_worker(worker);
  assert_true(platform.prepare.latency_s == 13 && platform.prepare.per_unit_s == 14);
  assert_true(platform.master_share == 0.25);
  assert_int_equal(platform.ports, LS_PORTS_MULTI);
  assert_true(platform.ports_alpha == 0.8 && platform.ports_limit == 3);
  assert_int_equal(platform.storage_readers, 5);
  ls_platform_close(&platform);
}

static void absent_fields_have_their_defaults(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(read_text(&platform, "{\"workers\": [{\"window\": {}}], \"master\": {}}", NULL),
                   LS_OK);
  const struct ls_worker_model *worker = &platform.workers[0];
  assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 0 &&
              worker->costs[LS_OPERATION_COMPUTE].latency_s == 0);
  assert_true(worker->window_from == 0 && isinf(worker->window_to));
  assert_true(worker->price_per_s == 1 && !worker->is_on_master);
  assert_true(platform.master_share == 0.5);
  assert_int_equal(platform.ports, LS_PORTS_TWO);
  ls_platform_close(&platform);
}

static void the_mean_of_a_law_is_what_a_unit_takes(void **state) {
  (void)state;
  const struct {
    const char *fields;
    enum ls_duration_law law;
    double latency_s, per_unit_s, variation;
  } cases[] = {
      {"\"task_seconds\": {\"law\": \"lognormal\", \"mean\": 2, \"deviation\": 1}",
       LS_DURATION_LOGNORMAL, 0, 2, 0.5},
      {"\"compute\": {\"latency\": 3, \"per_unit\": 7}, \"task_seconds\": {\"law\": \"normal\","
       " \"mean\": 2, \"deviation\": 0.2}",
       LS_DURATION_NORMAL, 3, 2, 0.1},
      {"\"task_seconds\": {\"law\": \"exponential\", \"mean\": 2}", LS_DURATION_EXPONENTIAL, 0, 2,
       1},
      {"\"task_seconds\": {\"law\": \"exponential\", \"mean\": 2, \"deviation\": 1.9}",
       LS_DURATION_EXPONENTIAL, 0, 2, 1},
      {"\"task_seconds\": {\"law\": \"constant\", \"mean\": 2, \"deviation\": 0.01}",
       LS_DURATION_CONSTANT, 0, 2, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_platform platform, again;
    struct ls_bytes out = {0};
    char text[256];
    (void)snprintf(text, sizeof text, "{\"workers\": [{%s}]}", cases[i].fields);
    assert_int_equal(read_text(&platform, text, NULL), LS_OK);
    ls_platform_write(&platform, &out);
    assert_int_equal(read_text(&again, ls_bytes_text(&out), NULL), LS_OK);
    for (int copy = 0; copy < 2; copy++) {
      const struct ls_worker_model *worker = copy ? again.workers : platform.workers;
      assert_int_equal(worker->unit_law, cases[i].law);
      assert_true(fabs(worker->unit_variation - cases[i].variation) < 1e-15);
      assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == cases[i].per_unit_s);
      assert_true(worker->costs[LS_OPERATION_COMPUTE].latency_s == cases[i].latency_s);
    }
    ls_bytes_close(&out);
    ls_platform_close(&platform);
    ls_platform_close(&again);
  }
}

static void a_law_that_cannot_be_is_refused(void **state) {
  (void)state;
  const struct {
    const char *law, *message;
  } cases[] = {
      {"7", " is 7, expected an object"},
      {"{}", ".law is missing, expected a string"},
      {"{\"law\": 3}", ".law is 3, expected a string"},
      {"{\"law\": \"zipf\"}",
       ".law is \"zipf\", expected \"constant\", \"normal\", \"gamma\", \"lognormal\","
       " \"exponential\", \"shifted-exponential\", \"pareto\" or \"stragglers\""},
      {"{\"law\": \"gamma\"}", ".mean is missing, expected a number >= 0"},
      {"{\"law\": \"gamma\", \"mean\": 0}",
       ".mean is 0, expected a number of seconds > 0 (1e-200 to 1e200)"},
      {"{\"law\": \"gamma\", \"mean\": -1}", ".mean is -1, expected a number >= 0"},
      {"{\"law\": \"gamma\", \"mean\": 1}", ".deviation is missing, expected a number >= 0"},
      {"{\"law\": \"gamma\", \"mean\": 1, \"deviation\": -2}",
       ".deviation is -2, expected a number >= 0"},
      {"{\"law\": \"gamma\", \"mean\": 1e300, \"deviation\": 1}",
       ".mean is 1.0000000000000001e+300, expected a number of seconds > 0 (1e-200 to 1e200)"},
      {"{\"law\": \"gamma\", \"mean\": 1, \"deviation\": 1000001}",
       ".deviation is 1000001, expected at most a million times the mean"},
      {"{\"law\": \"constant\", \"mean\": 1, \"shape\": 2}", ".shape is not a known field"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char fields[160], message[256];
    (void)snprintf(fields, sizeof fields, "\"task_seconds\": %s", cases[i].law);
    (void)snprintf(message, sizeof message, ".task_seconds%s", cases[i].message);
    expect_worker_refused(fields, message);
  }
}

/* An operation that a window does not name costs what the worker says; what is written is read. */
/* Whatever the digits of mean and deviation, with windows of another cost and without. */
static void laws_survive_being_written_and_read(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "laws");
  for (int i = 0; i < 2000; i++) {
    struct ls_platform platform, again;
    struct ls_bytes first = {0}, second = {0};
    char text[400];
    double mean_s = ldexp(1 + ls_random_real(&random), (int)ls_random_below(&random, 1200) - 600);
    double deviation_s = mean_s * exp(20 * ls_random_real(&random) - 10);
    (void)snprintf(text, sizeof text,
                   "{\"workers\": [{\"task_seconds\": {\"law\": \"gamma\", \"mean\": %.17g,"
                   " \"deviation\": %.17g}%s}]}",
                   mean_s, deviation_s,
                   i % 2 == 0 ? ""
                              : ", \"windows\": [{\"to\": 4, \"compute\": {\"per_unit\": 0.7}},"
                                " {\"from\": 5, \"compute\": {\"per_unit\": 0.3}}]");
    assert_int_equal(read_text(&platform, text, NULL), LS_OK);
    ls_platform_write(&platform, &first);
    assert_int_equal(read_text(&again, ls_bytes_text(&first), NULL), LS_OK);
    ls_platform_write(&again, &second);
    assert_string_equal(ls_bytes_text(&first), ls_bytes_text(&second));
    assert_true(again.workers[0].unit_variation == platform.workers[0].unit_variation);
    assert_true(fabs(platform.workers[0].unit_variation / (deviation_s / mean_s) - 1) < 1e-14);
    ls_bytes_close(&first);
    ls_bytes_close(&second);
    ls_platform_close(&platform);
    ls_platform_close(&again);
  }
}

static void windows_have_costs_of_their_own(void **state) {
  (void)state;
  static const char text[] =
      "{\"workers\": [{\"count\": 2, \"compute\": {\"latency\": 1, \"per_unit\": 0.5},"
      " \"room\": 600, \"task_seconds\": {\"law\": \"normal\", \"mean\": 2, \"deviation\": 1},"
      " \"windows\": [{\"from\": 25, \"to\": 450, \"transfer\": {\"per_unit\": 3}},"
      " {\"from\": 500, \"compute\": {\"per_unit\": 1.5}}]},"
      " {\"windows\": [{\"to\": 9, \"compute\": {\"per_unit\": 1}}]}]}";
  struct ls_platform platform, again;
  struct ls_bytes first = {0}, second = {0};
  assert_int_equal(read_text(&platform, text, NULL), LS_OK);
  const struct ls_worker_model *worker = &platform.workers[1];
  assert_int_equal(worker->windows_count, 2);
  assert_ptr_equal(worker->windows, platform.workers[0].windows);
  assert_true(worker->windows[0].from == 25 && worker->windows[0].to == 450);
  assert_true(worker->windows[1].from == 500 && isinf(worker->windows[1].to));
  assert_true(worker->windows[0].costs[LS_OPERATION_TRANSFER].per_unit_s == 3);
  /* The mean of the law took the place of the worker's half second. */
  assert_true(worker->windows[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 2);
  assert_true(worker->windows[1].costs[LS_OPERATION_TRANSFER].per_unit_s == 0);
  assert_true(worker->windows[1].costs[LS_OPERATION_COMPUTE].per_unit_s == 1.5);
  assert_true(worker->windows[1].costs[LS_OPERATION_COMPUTE].latency_s == 1);
  assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 1.5);
  assert_true(worker->window_from == 25 && isinf(worker->window_to));
  assert_true(worker->unit_variation == 0.5);
  assert_int_equal(platform.workers[2].windows_count, 0);
  assert_true(platform.workers[2].window_to == 9);
  ls_platform_write(&platform, &first);
  assert_int_equal(read_text(&again, ls_bytes_text(&first), NULL), LS_OK);
  ls_platform_write(&again, &second);
  assert_string_equal(ls_bytes_text(&first), ls_bytes_text(&second));
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_platform_close(&platform);
  ls_platform_close(&again);
}

static void windows_that_cannot_be_are_refused(void **state) {
  (void)state;
  const struct {
    const char *windows, *message;
  } cases[] = {{"{}", " is an object, expected an array"},
               {"[]", " is an array, expected a list of 1 to 64 windows"},
               {"[3]", "[0] is 3, expected an object"},
               {"[{\"from\": -1}]", "[0].from is -1, expected a number >= 0"},
               {"[{\"to\": 0}]", "[0].to is 0, expected a number > 0"},
               {"[{\"from\": 5, \"to\": 4}]", "[0].to is 4, expected a number >= 5"},
               {"[{\"to\": 4}, {\"to\": 9}]", "[1].from is missing, expected a number >= 4"},
               {"[{\"to\": 4}, {\"from\": 3, \"to\": 9}]", "[1].from is 3, expected a number >= 4"},
               {"[{\"from\": 4}, {\"from\": 5}]",
                "[1] is an object, expected nothing after a window without an end"},
               {"[{\"to\": 4, \"compute\": {\"latency\": -2}}]",
                "[0].compute.latency is -2, expected a number >= 0"},
               {"[{\"to\": 4, \"delay\": 1}]", "[0].delay is not a known field"},
               {"[{\"to\": 4}], \"window\": {\"to\": 4}",
                " is an array, expected either window or windows"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char fields[160], message[256];
    (void)snprintf(fields, sizeof fields, "\"windows\": %s", cases[i].windows);
    (void)snprintf(message, sizeof message, ".windows%s", cases[i].message);
    expect_worker_refused(fields, message);
  }
  expect_worker_refused("\"measured\": {\"from\": 3, \"to\": 2}",
                        ".measured.to is 2, expected a number from 3 to 1e+18");
  expect_worker_refused("\"windows\": [{\"from\": 9, \"to\": 12}, {\"from\": 20}], \"room\": 3",
                        ".room is 3, expected a number >= 9");
}

static void ports_are_a_word_or_an_object(void **state) {
  (void)state;
  const struct {
    const char *text;
    enum ls_ports ports;
    double alpha;
    uint64_t limit;
  } cases[] = {{"\"two-port\"", LS_PORTS_TWO, 1, 0},
               {"\"one-port\"", LS_PORTS_ONE, 1, 0},
               {"\"multi-port\"", LS_PORTS_MULTI, 1, 0},
               {"{\"kind\": \"one-port\"}", LS_PORTS_ONE, 1, 0},
               {"{\"kind\": \"multi-port\", \"alpha\": 0, \"limit\": null}", LS_PORTS_MULTI, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[128];
    struct ls_platform platform;
    (void)snprintf(text, sizeof text, "{\"workers\": [{}], \"ports\": %s}", cases[i].text);
    assert_int_equal(read_text(&platform, text, NULL), LS_OK);
    assert_int_equal(platform.ports, cases[i].ports);
    assert_true(platform.ports_alpha == cases[i].alpha);
    assert_true(platform.ports_limit == cases[i].limit);
    ls_platform_close(&platform);
  }
}

static void bad_documents_are_refused(void **state) {
  (void)state;
  expect_refused("[]", "p.json: the document is an array, expected an object");
  expect_refused("{}", "p.json: workers is missing, expected an array");
  expect_refused("{\"workers\": 3}", "p.json: workers is 3, expected an array");
  expect_refused("{\"workers\": []}",
                 "p.json: workers is an array, expected a list of 1 to 1000000 workers");
  expect_refused("{\"workers\": [{}], \"wrkers\": 1}",
                 "p.json: wrkers is not a known field, did you mean 'workers'?");
  expect_refused("{\"workers\": [7]}", "p.json: workers[0] is 7, expected an object");
  struct ls_platform platform;
  struct ls_error err;
  assert_int_equal(read_text(&platform, "{\"workers\": [{}]", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "p.json: line 1"));
  assert_int_equal(read_text(&platform, "{\"workers\": [{\"delay\": NaN}]}", &err), LS_EINVAL);
  assert_int_equal(read_text(&platform, "{\"workers\": [{\"delay\": 1e999}]}", &err), LS_EINVAL);
}

static void a_storage_has_a_number_of_readers(void **state) {
  (void)state;
  const struct {
    const char *text;
    uint64_t readers;
  } cases[] = {{"", 0},
               {", \"storage\": {}", 0},
               {", \"storage\": {\"readers\": null}", 0},
               {", \"storage\": {\"readers\": 2}", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_platform platform, again;
    struct ls_bytes out = {0};
    char text[128];
    (void)snprintf(text, sizeof text, "{\"workers\": [{}]%s}", cases[i].text);
    assert_int_equal(read_text(&platform, text, NULL), LS_OK);
    assert_int_equal(platform.storage_readers, cases[i].readers);
    ls_platform_write(&platform, &out);
    assert_true((strstr(ls_bytes_text(&out), "storage") != NULL) == (cases[i].readers > 0));
    assert_int_equal(read_text(&again, ls_bytes_text(&out), NULL), LS_OK);
    assert_int_equal(again.storage_readers, cases[i].readers);
    ls_bytes_close(&out);
    ls_platform_close(&again);
    ls_platform_close(&platform);
  }
  expect_refused("{\"workers\": [{}], \"storage\": 1}", "p.json: storage is 1, expected an object");
  expect_refused(
      "{\"workers\": [{}], \"storage\": {\"readers\": 0}}",
      "p.json: storage.readers is 0, expected a whole number from 1 to 9007199254740992");
  expect_refused("{\"workers\": [{}], \"storage\": {\"writers\": 1}}",
                 "p.json: storage.writers is not a known field");
}

/* Only who stages has the field, so that files of others stay as they were. */
static void staging_is_written_where_it_costs_something(void **state) {
  (void)state;
  struct ls_platform platform, again;
  struct ls_bytes out = {0};
  assert_int_equal(
      read_text(&platform,
                "{\"workers\": [{\"name\": \"plain\"}, {\"stage\": {\"per_unit\": 0.25}, "
                "\"windows\": [{\"to\": 4}, {\"from\": 4, \"stage\": {\"per_unit\": 0}}]}]}",
                NULL),
      LS_OK);
  assert_int_equal(platform.stage_ahead, LS_STAGE_AHEAD_DEFAULT);
  ls_platform_write(&platform, &out);
  const char *text = ls_bytes_text(&out), *second = strstr(text, "worker-1");
  const char *stage = strstr(text, "\"stage\"");
  assert_non_null(second);
  assert_true(stage != NULL && stage > second);
  assert_int_equal(read_text(&again, text, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    const struct ls_window *window = &again.workers[1].windows[i];
    assert_true(window->costs[LS_OPERATION_STAGE].per_unit_s == (i == 0 ? 0.25 : 0));
  }
  ls_bytes_close(&out);
  ls_platform_close(&again);
  ls_platform_close(&platform);
}

static void every_operation_is_checked(void **state) {
  (void)state;
  const char *const operations[] = {"send", "transfer", "stage", "receive", "compute", "reply"};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    char fields[128], message[256];
    (void)snprintf(fields, sizeof fields, "\"%s\": {\"latency\": -1}", operations[i]);
    (void)snprintf(message, sizeof message, ".%s.latency is -1, expected a number >= 0",
                   operations[i]);
    expect_worker_refused(fields, message);
    (void)snprintf(fields, sizeof fields, "\"%s\": {\"per_unit\": \"fast\"}", operations[i]);
    (void)snprintf(message, sizeof message, ".%s.per_unit is \"fast\", expected a number >= 0",
                   operations[i]);
    expect_worker_refused(fields, message);
    (void)snprintf(fields, sizeof fields, "\"%s\": {\"speed\": 1}", operations[i]);
    (void)snprintf(message, sizeof message, ".%s.speed is not a known field", operations[i]);
    expect_worker_refused(fields, message);
    (void)snprintf(fields, sizeof fields, "\"%s\": 1", operations[i]);
    (void)snprintf(message, sizeof message, ".%s is 1, expected an object", operations[i]);
    expect_worker_refused(fields, message);
  }
}

static void every_field_of_a_worker_is_checked(void **state) {
  (void)state;
  expect_worker_refused("\"color\": 1", ".color is not a known field");
  expect_worker_refused("\"name\": 1", ".name is 1, expected a string");
  expect_worker_refused("\"name\": \"\"",
                        ".name is \"\", expected a text that is not empty and has no zero byte");
  expect_worker_refused("\"count\": 0", ".count is 0, expected a whole number from 1 to 999999");
  expect_worker_refused("\"count\": 1.5",
                        ".count is 1.5, expected a whole number from 1 to 999999");
  expect_worker_refused("\"count\": 1000000000",
                        ".count is 1000000000, expected a whole number from 1 to 999999");
  expect_worker_refused("\"delay\": -1", ".delay is -1, expected a number >= 0");
  expect_worker_refused("\"delay\": []", ".delay is an array, expected a number >= 0");
  expect_worker_refused("\"cost\": -1", ".cost is -1, expected a number >= 0");
  expect_worker_refused("\"on_master\": 1", ".on_master is 1, expected true or false");
  expect_worker_refused("\"window\": 1", ".window is 1, expected an object");
  expect_worker_refused("\"window\": {\"from\": -1}", ".window.from is -1, expected a number >= 0");
  expect_worker_refused("\"window\": {\"from\": 5, \"to\": 4}",
                        ".window.to is 4, expected a number >= 5");
  expect_worker_refused("\"window\": {\"to\": 0}", ".window.to is 0, expected a number > 0");
  expect_worker_refused("\"room\": 0", ".room is 0, expected a number > 0");
  expect_worker_refused("\"window\": {\"from\": 5}, \"room\": 4",
                        ".room is 4, expected a number >= 5");
  expect_worker_refused("\"window\": {\"until\": 1}", ".window.until is not a known field");
}

static void master_and_ports_are_checked(void **state) {
  (void)state;
  expect_refused("{\"workers\": [{}], \"master\": 1}", "p.json: master is 1, expected an object");
  expect_refused("{\"workers\": [{}], \"master\": {\"speed\": 1}}",
                 "p.json: master.speed is not a known field");
  expect_refused("{\"workers\": [{}], \"master\": {\"share\": 0}}",
                 "p.json: master.share is 0, expected a number > 0 and at most 1");
  expect_refused("{\"workers\": [{}], \"master\": {\"share\": 1.5}}",
                 "p.json: master.share is 1.5, expected a number from 0 to 1");
  expect_refused("{\"workers\": [{}], \"master\": {\"prepare\": {\"latency\": -1}}}",
                 "p.json: master.prepare.latency is -1, expected a number >= 0");
  const char *const kinds = "expected \"one-port\", \"two-port\" or \"multi-port\"";
  char message[160];
  (void)snprintf(message, sizeof message, "p.json: ports is \"3-port\", %s", kinds);
  expect_refused("{\"workers\": [{}], \"ports\": \"3-port\"}", message);
  (void)snprintf(message, sizeof message, "p.json: ports is 2, %s", kinds);
  expect_refused("{\"workers\": [{}], \"ports\": 2}", message);
  (void)snprintf(message, sizeof message, "p.json: ports.kind is missing, %s", kinds);
  expect_refused("{\"workers\": [{}], \"ports\": {}}", message);
  expect_refused("{\"workers\": [{}], \"ports\": {\"kind\": \"one-port\", \"alpha\": 1}}",
                 "p.json: ports.alpha is not a known field");
  expect_refused("{\"workers\": [{}], \"ports\": {\"kind\": \"multi-port\", \"alpha\": 2}}",
                 "p.json: ports.alpha is 2, expected a number from 0 to 1");
  expect_refused("{\"workers\": [{}], \"ports\": {\"kind\": \"multi-port\", \"limit\": 0}}",
                 "p.json: ports.limit is 0, expected a whole number from 1 to 9007199254740992");
  expect_refused("{\"workers\": [{}], \"ports\": {\"kind\": \"multi-port\", \"beta\": 0}}",
                 "p.json: ports.beta is not a known field");
}

/* Quotes, backslashes, controls and other alphabets are names, too. */
static void strange_names_survive(void **state) {
  (void)state;
  struct ls_platform platform, again;
  struct ls_bytes text = {0};
  assert_int_equal(
      read_text(&platform, "{\"workers\": [{\"name\": \"a\\\"b\\\\c\\n\\u20ac\"}]}", NULL), LS_OK);
  ls_platform_write(&platform, &text);
  assert_int_equal(read_text(&again, ls_bytes_text(&text), NULL), LS_OK);
  assert_string_equal(again.workers[0].name, "a\"b\\c\n\xe2\x82\xac");
  ls_platform_close(&again);
  ls_platform_close(&platform);
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_is_read),
      cmocka_unit_test(absent_fields_have_their_defaults),
      cmocka_unit_test(the_mean_of_a_law_is_what_a_unit_takes),
      cmocka_unit_test(a_law_that_cannot_be_is_refused),
      cmocka_unit_test(laws_survive_being_written_and_read),
      cmocka_unit_test(windows_have_costs_of_their_own),
      cmocka_unit_test(windows_that_cannot_be_are_refused),
      cmocka_unit_test(ports_are_a_word_or_an_object),
      cmocka_unit_test(bad_documents_are_refused),
      cmocka_unit_test(a_storage_has_a_number_of_readers),
      cmocka_unit_test(staging_is_written_where_it_costs_something),
      cmocka_unit_test(every_operation_is_checked),
      cmocka_unit_test(every_field_of_a_worker_is_checked),
      cmocka_unit_test(master_and_ports_are_checked),
      cmocka_unit_test(strange_names_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
