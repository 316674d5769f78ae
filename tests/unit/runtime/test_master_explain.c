/* What became of workers of pools elsewhere is counted, and why there are not more is told. */
#include "pool_fixture.h"

#include "policies/chunking.h"
#include "runtime/master/master_private.h"

static struct ls_master master;
static struct ls_master_options options;
static struct ls_master_report report;
static struct ls_pool_kind kind;
static struct noted noted;
static struct ls_pools_item item;
static char told[400];

static void keep(void *context, const char *text) {
  (void)context;
  (void)snprintf(told, sizeof told, "%s", text);
}

/* A master of four wanted workers, of whom none is there, and of a pool that says why. */
static int open_master(void **state) {
  (void)state;
  struct ls_coordinator_config config = {
      .chunking = ls_chunking_find("ss"), .workers = 4, .workers_max = 10};
  told[0] = '\0';
  kind = noted_kind;
  noted = (struct noted){.counts = {.wanted = 4, .why = "there is a queue"}};
  item = (struct ls_pools_item){&kind, (struct ls_pool *)&noted, 1, 4};
  report = (struct ls_master_report){.prefetch = 0};
  options = (struct ls_master_options){.note = keep};
  master = (struct ls_master){.options = &options, .report = &report};
  master.doors.pools = (struct ls_pools){.items = &item, .count = 1, .slots = 4};
  return ls_coordinator_create(&config, &master.books.coordinator, NULL) == LS_OK ? 0 : -1;
}

static int close_master(void **state) {
  (void)state;
  ls_master_end_explain(&master);
  ls_coordinator_destroy(master.books.coordinator);
  return 0;
}

static void tell_news(enum ls_pool_news_kind news, size_t count) {
  ls_master_note_slot(&master, &(struct ls_pool_news){.kind = news, .slot = 1, .count = count});
}

static void news_are_counted(void **state) {
  (void)state;
  tell_news(LS_POOL_PENDING, 4);
  tell_news(LS_POOL_GRANTED, 0);
  tell_news(LS_POOL_GRANTED, 0);
  tell_news(LS_POOL_SUSPENDED, 0);
  tell_news(LS_POOL_LOST, 0);
  tell_news(LS_POOL_DENIED, 2);
  tell_news(LS_POOL_REFUSED, 1);
  assert_int_equal(report.slots.pending, 4);
  assert_int_equal(report.slots.granted, 2);
  assert_int_equal(report.slots.suspended, 1);
  assert_int_equal(report.slots.ended, 1);
  assert_int_equal(report.slots.denied, 3);
}

/* What happens on this machine is no matter of grants. */
static void local_workers_are_not_counted(void **state) {
  (void)state;
  kind.has_lifelines = true;
  tell_news(LS_POOL_GRANTED, 0);
  assert_int_equal(report.slots.granted, 0);
  ls_master_on_explain(&master);
  assert_string_equal(told, "");
}

/* All that are wanted may be there, and none of them has the label. */
static void units_that_wait_for_a_label_are_told(void **state) {
  (void)state;
  static const struct ls_app app = {.name = "units"};
  struct ls_coordinator_config config = {
      .chunking = ls_chunking_find("ss"), .workers = 4, .workers_max = 10, .has_needs = true};
  const struct ls_event_need need = {{1, 2}, "gpu"};
  const struct ls_event event = {
      .kind = LS_EVENT_ITERATION, .iteration_units = 3, .needs = &need, .needs_count = 1};
  struct ls_actions actions = {0};
  options.app = &app;
  ls_coordinator_destroy(master.books.coordinator);
  assert_int_equal(ls_coordinator_create(&config, &master.books.coordinator, NULL), LS_OK);
  assert_int_equal(ls_coordinator_step(master.books.coordinator, &event, &actions, NULL), LS_OK);
  ls_actions_close(&actions);
  ls_master_on_explain(&master);
  assert_string_equal(told,
                      "4 wanted: 0 work, there is a queue; 2 units wait for a worker with label "
                      "gpu");
}

static void a_change_is_told_once(void **state) {
  (void)state;
  ls_master_on_explain(&master);
  assert_string_equal(told, "4 wanted: 0 work, there is a queue");
  assert_string_equal(report.explanation, "4 wanted: 0 work, there is a queue");
  told[0] = '\0';
  master.now_s = 5;
  ls_master_on_explain(&master);
  assert_string_equal(told, "");
  noted.counts.why = "it moves";
  ls_master_on_explain(&master);
  assert_string_equal(told, ""); /* not every moment */
  master.now_s = 10;
  ls_master_on_explain(&master);
  assert_string_equal(told, "4 wanted: 0 work, it moves");
  ls_master_end_explain(&master);
  assert_string_equal(report.explanation, "4 wanted: 0 work, it moves");
}

static void nothing_is_explained_where_all_came_once(void **state) {
  (void)state;
  ls_master_on_explain(&master);
  master.explain.most = 4;
  ls_master_end_explain(&master);
  assert_string_equal(report.explanation, "");
}

static void a_question_has_an_answer(void **state) {
  (void)state;
  _Atomic int questions = 0;
  options.note = NULL;
  options.warn = keep;
  options.questions = &questions;
  ls_master_on_explain(&master);
  assert_string_equal(told, "");
  questions = 1;
  ls_master_on_explain(&master);
  assert_string_equal(told, "4 wanted: 0 work, there is a queue");
  told[0] = '\0';
  ls_master_on_explain(&master);
  assert_string_equal(told, "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_master, close_master)
  const struct CMUnitTest tests[] = {TEST(news_are_counted),
                                     TEST(local_workers_are_not_counted),
                                     TEST(units_that_wait_for_a_label_are_told),
                                     TEST(a_change_is_told_once),
                                     TEST(nothing_is_explained_where_all_came_once),
                                     TEST(a_question_has_an_answer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
