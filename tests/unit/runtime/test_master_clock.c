/* test_master_clock.c: the clock, the user and the adviser have their say. */
#include "master_fixture.h"
#include "runtime/os/clock.h"

#include "protocol/message.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static enum ls_status compute_slowly(void *state, const struct ls_work *work,
                                     struct ls_bytes *output, struct ls_error *err) {
  struct timespec time = {0, (long)work->units.count * 2000000};
  while (nanosleep(&time, &time) != 0) continue;
  return compute(state, work, output, err);
}

/* By advisers, which are processes of their own: in shared memory. */
static _Atomic int *asked;
/* By the master: an answer was followed. */
static _Atomic int followed;
/* What units wait for, but the first ones of each worker, whose times are what an adviser is told:
 * so no run is over before its advice, however busy the machine is. */
enum awaited { AWAIT_QUESTION, AWAIT_ANSWER };
static enum awaited awaited;
enum { UNITS = 200, UNITS_FREE = 20 };
static _Thread_local int computed;
static const double ADVISE_AFTER_S = 0.05;

static enum ls_status compute_when_advised(void *state, const struct ls_work *work,
                                           struct ls_bytes *output, struct ls_error *err) {
  struct timespec pause = {0, 1000000};
  bool is_free = computed++ < UNITS_FREE;
  while (!is_free && *asked == 0) (void)nanosleep(&pause, NULL);
  while (!is_free && awaited == AWAIT_ANSWER && followed == 0) (void)nanosleep(&pause, NULL);
  return compute_slowly(state, work, output, err);
}

static const struct ls_app slow_app = {.name = "tally",
                                       .open = open_app,
                                       .close = close_app,
                                       .units = count_units,
                                       .merge = merge,
                                       .compute = compute_when_advised};

/* The master is what keeps everybody waiting. */
static enum ls_status merge_slowly(void *context, const struct ls_unit_result *result,
                                   struct ls_error *err) {
  struct timespec time = {0, (long)result->units.count * 1000000};
  while (nanosleep(&time, &time) != 0) continue;
  return merge(context, result, err);
}

static const struct ls_app waiting_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = merge_slowly,
                                          .compute = compute};
static bool die_of_it(void *context, const struct ls_adviser_facts *facts,
                      struct ls_adviser_answer *answer) {
  (void)context, (void)facts, (void)answer;
  ++*asked;
  (void)raise(SIGKILL);
  return true;
}

static bool think_for_ever(void *context, const struct ls_adviser_facts *facts,
                           struct ls_adviser_answer *answer) {
  (void)context, (void)facts, (void)answer;
  ++*asked;
  while (true) (void)pause();
  return true;
}

static bool want_five(void *context, const struct ls_adviser_facts *facts,
                      struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  if (facts->workers_count != 2 || facts->units_left == 0 || facts->prefetch == 5) return false;
  answer->prefetch = 5;
  answer->reason[0] = '5';
  return true;
}

static bool want_five_where_much_is_left(void *context, const struct ls_adviser_facts *facts,
                                         struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  double busy_s = facts->workers[0].busy_s + facts->workers[1].busy_s;
  if (!(facts->left_s >= ADVISE_AFTER_S && facts->left_s < 100 && busy_s < facts->now_s / 2))
    return false;
  answer->prefetch = 5;
  answer->reason[0] = '5';
  return true;
}

static bool want_five_for_whole_iterations(void *context, const struct ls_adviser_facts *facts,
                                           struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  if (facts->units_left != UNITS) return false;
  answer->prefetch = 5;
  answer->reason[0] = '5';
  return true;
}

static bool want_fac2_and_one_worker(void *context, const struct ls_adviser_facts *facts,
                                     struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  /* Units of 2 ms: a worker that computed `units` of them has so many squares. */
  if (facts->workers_count != 2 || facts->chunking != ls_chunking_find("ss")) return false;
  for (size_t i = 0; i < 2; ++i)
    if (!(facts->workers[i].squares >= 4e-6 * (double)facts->workers[i].units)) return false;
  answer->policy = 1;
  answer->workers = 1;
  answer->reason[0] = '1';
  return true;
}

static void note_followed(void *context, const char *reason) {
  (void)context, (void)reason;
  ++followed;
}

/* What the master sends: peers that were told a prefetch, and how much. */
static struct {
  uint64_t peers[8], units[8];
  size_t count;
} told;

static enum ls_status send_and_note(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                    double patience_s, struct ls_error *err) {
  struct ls_decoder decoder = {0};
  struct ls_message message;
  bool is_read = ls_message_decode(&decoder, frame->data, frame->length, &message, NULL) == LS_OK;
  if (is_read && message.kind == LS_MESSAGE_PREFETCH && told.count < 8) {
    told.peers[told.count] = frame->peer;
    told.units[told.count++] = message.units;
  }
  ls_decoder_close(&decoder);
  return ls_transport_zmq.send(endpoint, frame, patience_s, err);
}

static void advise_run_of(const struct ls_app *app, ls_adviser_fn adviser, uint64_t units,
                          struct ls_master_report *report) {
  asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(asked, MAP_FAILED);
  struct tally tally = {.units = units, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, app, "ss");
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("fac2")};
  struct ls_error err = {0};
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  options.config.choices = &choice;
  options.config.choices_count = 1;
  options.advise = adviser;
  options.advise_after_s = ADVISE_AFTER_S;
  options.advised = note_followed;
  followed = 0;
  told.count = 0;
  struct ls_transport noting = ls_transport_zmq;
  noting.send = send_and_note;
  options.site = open_site(&noting, "inproc://master");
  if (run(&options, &tally, report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
}

static void advise_run(ls_adviser_fn adviser, enum awaited what, struct ls_master_report *report) {
  awaited = what;
  advise_run_of(&slow_app, adviser, UNITS, report);
}

static void advisers_that_fail_do_no_harm(void **state) {
  const ls_adviser_fn advisers[] = {die_of_it, think_for_ever};
  (void)state;
  for (size_t i = 0; i < 2; ++i) {
    struct ls_master_report report;
    advise_run(advisers[i], AWAIT_QUESTION, &report);
    assert_true(*asked >= 1);
    assert_int_equal(report.advices, 0);
    assert_int_equal(report.prefetch, 1);
    ls_master_report_close(&report);
    assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
  }
}

static void advice_changes_the_prefetch(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_five, AWAIT_ANSWER, &report);
  assert_int_equal(report.advices, 1);
  assert_int_equal(report.prefetch, 5);
  /* Each worker, and once. */
  assert_int_equal(told.count, 2);
  assert_true(told.peers[0] != told.peers[1]);
  assert_true(told.units[0] == 5 && told.units[1] == 5);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* Units of no length on the way for long: nobody has more to gain from advice. */
static void a_run_that_mostly_waits_asks_an_adviser(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run_of(&waiting_app, want_five_where_much_is_left, 1000, &report);
  assert_int_equal(report.prefetch, 5);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* Else few units at the end of one iteration would send workers away that the next one needs. */
static void where_iterations_may_follow_a_whole_one_is_left(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_five_for_whole_iterations, AWAIT_ANSWER, &report);
  assert_int_equal(report.prefetch, 5);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* A worker that is released ends its units; nothing is lost, and it is not replaced. */
static void advice_changes_the_policy_and_lets_a_worker_go(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_fac2_and_one_worker, AWAIT_ANSWER, &report);
  assert_int_equal(report.advices, 1);
  assert_ptr_equal(report.totals.chunking, ls_chunking_find("fac2"));
  assert_int_equal(report.totals.workers_wanted, 1);
  assert_int_equal(report.totals.workers_lost, 0);
  assert_int_equal(report.workers_count, 2);
  /* Chunks of one until then, and then half of the rest at once. */
  assert_in_range(report.totals.chunks, 8, UNITS - 1);
  size_t gone = 0;
  for (size_t i = 0; i < 2; ++i) gone += report.workers[i].left_s < report.makespan_s;
  assert_int_equal(gone, 1);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* A policy that there is not, or that refuses: the run goes on as it was. */
static bool want_the_impossible(void *context, const struct ls_adviser_facts *facts,
                                struct ls_adviser_answer *answer) {
  (void)context, (void)facts;
  ++*asked;
  answer->policy = 2;
  answer->prefetch = 7;
  answer->workers = 1;
  return true;
}

static void refused_advice_leaves_the_run_alone(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_the_impossible, AWAIT_QUESTION, &report);
  assert_true(*asked >= 1);
  assert_int_equal(report.advices, 0);
  assert_int_equal(report.prefetch, 1);
  assert_int_equal(report.totals.workers_wanted, 2);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

static void run_without_workers_says_so(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.workers_patience_s = 0.1;
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "no worker for"));
  ls_master_report_close(&report);
}

/* Nobody beats for a minute, and nobody has to: that nobody is there is seen before. */
static void that_nobody_is_there_is_seen_between_two_beats(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.workers_patience_s = 0.1;
  options.heartbeat_s = 120;
  struct ls_master_report report;
  struct ls_error err = {0};
  double begun_s = ls_clock_s();
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_true(ls_clock_s() - begun_s < 100);
  ls_master_report_close(&report);
}

static void interrupted_run_ends_and_says_so(void **state) {
  (void)state;
  struct tally tally = {.units = 500, .iterations = 1, .threads_count = 1, .interrupts = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_EINTERRUPTED);
  assert_true(report.was_interrupted && report.was_stopped);
  assert_true(tally.settled < 500);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(advisers_that_fail_do_no_harm),
      cmocka_unit_test(advice_changes_the_prefetch),
      cmocka_unit_test(a_run_that_mostly_waits_asks_an_adviser),
      cmocka_unit_test(where_iterations_may_follow_a_whole_one_is_left),
      cmocka_unit_test(advice_changes_the_policy_and_lets_a_worker_go),
      cmocka_unit_test(refused_advice_leaves_the_run_alone),
      cmocka_unit_test(run_without_workers_says_so),
      cmocka_unit_test(that_nobody_is_there_is_seen_between_two_beats),
      cmocka_unit_test(interrupted_run_ends_and_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
