/* The worker's side in virtual time: when it asks, and what it reports. */
#include "support.h"

/* A policy that hands out chunks of three and writes down the reports it hears. */
enum { HEARD_MAX = 64 };
struct heard {
  double now_s[HEARD_MAX], latest_s[HEARD_MAX];
  struct ls_chunking_report reports[HEARD_MAX];
  size_t count;
};
static struct heard heard;

static enum ls_status init_listener(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                    void **memory, struct ls_error *err) {
  (void)arena;
  (void)setup;
  (void)memory;
  (void)err;
  heard.count = 0;
  return LS_OK;
}

static uint64_t give_three(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  (void)memory;
  (void)view;
  (void)worker;
  return 3;
}

static void hear(void *memory, const struct ls_chunking_view *view,
                 const struct ls_chunking_report *report) {
  (void)memory;
  assert_true(heard.count < HEARD_MAX);
  heard.now_s[heard.count] = view->now_s;
  assert_true(report->latest_count > 0);
  heard.latest_s[heard.count] = report->latest[report->latest_count - 1];
  heard.reports[heard.count++] = *report;
}

static const struct ls_parameter listener_parameters[] = {
    {"history", "", LS_PARAMETER_WHOLE, 1, 1, 1, NULL}, {0}};

static const struct ls_chunking LISTENER = {.name = "listener",
                                            .parameters = listener_parameters,
                                            .summary = "",
                                            .reference = "",
                                            .init = init_listener,
                                            .next_units = give_three,
                                            .on_report = hear};

/* Chunks of three: under prefetch 1 the request leaves when the last one begins. */
static void a_worker_asks_when_fewer_than_prefetch_units_wait(void **state) {
  (void)state;
  for (uint64_t prefetch = 0; prefetch <= 3; prefetch++) {
    struct ls_platform platform;
    open_platform(&platform, 1);
    platform.workers[0].delay_s = 0.25;
    struct ls_simulation setup = make_simulation(&platform, "ss", 6);
    setup.config.chunking = &LISTENER;
    ls_arguments_init(&setup.config.arguments, listener_parameters);
    setup.prefetch = prefetch;
    struct ls_simulated result = run_simulation(&setup, NULL);
    /* Only prefetch 0 waits for the two ways between the two chunks. */
    assert_near(result.makespan_s, prefetch == 0 ? 7 : 6.5, 1e-12);
    ls_platform_close(&platform);
  }
}

static void a_request_brings_what_was_finished_when_it_left(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  platform.workers[0].delay_s = 1.5;
  struct ls_simulation setup = make_simulation(&platform, "ss", 6);
  setup.config.chunking = &LISTENER;
  ls_arguments_init(&setup.config.arguments, listener_parameters);
  run_simulation(&setup, NULL);
  /* The last unit begins at 3 + 2 s; the request reaches the master at 6.5 s. */
  assert_true(heard.count >= 1);
  assert_near(heard.now_s[0], 6.5, 1e-12);
  assert_int_equal(heard.reports[0].units, 2);
  assert_near(heard.reports[0].seconds, 2, 1e-12);
  assert_near(heard.reports[0].squares, 2, 1e-12);
  assert_int_equal(heard.reports[0].latest_count, 1);
  assert_near(heard.latest_s[0], 1, 1e-12);
  ls_platform_close(&platform);
}

static void reports_come_every_so_many_units(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  platform.workers[0].delay_s = 0.25;
  double work[3] = {1, 2, 4};
  struct ls_simulation setup = make_simulation(&platform, "ss", 3);
  setup.config.chunking = &LISTENER;
  ls_arguments_init(&setup.config.arguments, listener_parameters);
  setup.task_work = work;
  setup.report_every = 2;
  setup.prefetch = 0;
  run_simulation(&setup, NULL);
  assert_true(heard.count >= 1);
  assert_near(heard.now_s[0], 0.5 + 3 + 0.25, 1e-12);
  assert_int_equal(heard.reports[0].units, 2);
  assert_near(heard.reports[0].squares, 5, 1e-12);
  assert_int_equal(heard.reports[0].latest_count, 1);
  assert_near(heard.latest_s[0], 2, 1e-12);
  ls_platform_close(&platform);
}

/* However many may wait, no more are asked for than the worker can hold. */
static void a_worker_asks_for_no_more_than_its_room(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  open_platform(&platform, 1);
  platform.workers[0].room_units = 3.5;
  platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s = 0.01;
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  setup.asking = LS_ASKING_ROOM;
  setup.prefetch = 64;
  setup.wants_spans = true;
  ls_timeline_init(&timeline);
  run_simulation(&setup, &timeline);
  size_t most = 0;
  for (size_t i = 0; i < timeline.spans_count; i++) {
    const struct ls_span *arrival = &timeline.spans[i];
    size_t here = 0;
    if (arrival->operation != LS_OPERATION_TRANSFER) continue;
    for (size_t k = 0; k < timeline.spans_count; k++) {
      const struct ls_span *span = &timeline.spans[k];
      if (span->operation == LS_OPERATION_TRANSFER && span->end_s <= arrival->end_s) here++;
      if (span->operation == LS_OPERATION_COMPUTE && span->end_s <= arrival->end_s) here--;
    }
    if (here > most) most = here;
  }
  assert_int_equal(most, 3);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_worker_asks_when_fewer_than_prefetch_units_wait),
      cmocka_unit_test(a_request_brings_what_was_finished_when_it_left),
      cmocka_unit_test(reports_come_every_so_many_units),
      cmocka_unit_test(a_worker_asks_for_no_more_than_its_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
