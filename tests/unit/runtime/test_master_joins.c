/* test_master_joins.c: greetings that are refused, and workers that come back. */
#include "hand_worker.h"

/* Ends the run: a worker asks for unit after unit, and returns them. */
static void do_units(struct hand_worker *worker, uint64_t units) {
  for (uint64_t u = 0; u < units; ++u) say_done(worker, fetch_chunk(worker));
}

static const char wrong_run[LS_COOKIE_BYTES] = "some other run";

static void strangers_are_refused_in_words(void **state) {
  static struct hand_run hand;
  struct hand_worker stranger, worker;
  (void)state;
  prepare_run(&hand, 2, 1);
  start_run(&hand);
  const struct ls_message sound = make_hello();
  struct ls_message older = sound, foreign = sound;
  older.version = LS_PROTOCOL_VERSION - 1;
  foreign.run = (struct ls_blob){wrong_run, LS_COOKIE_BYTES};
  const struct {
    const struct ls_message *hello;
    const char *why;
  } cases[] = {{&older, "version"}, {&foreign, "another run"}};
  for (size_t i = 0; i < 2; ++i) {
    connect_worker(&stranger, &hand);
    say(&stranger, cases[i].hello);
    expect_refusal(&stranger, cases[i].why);
    /* What else it says is not heard. */
    ask(&stranger);
    cut_worker(&stranger);
  }
  join_worker(&worker, &hand);
  do_units(&worker, 2);
  end_run(&hand);
  assert_int_equal(hand.report.workers_count, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

/* Nothing is sent to who lacks it, also while the only one that had it is gone. */
static void only_workers_with_the_needed_label_get_units(void **state) {
  static struct hand_run hand;
  struct hand_worker lacking, first, second;
  (void)state;
  prepare_run(&hand, 3, 1);
  hand.options.needs = "gpu";
  start_run(&hand);
  struct ls_message fit = make_hello(), unfit = fit;
  fit.labels = (struct ls_blob){"a100,gpu", 8};
  unfit.labels = (struct ls_blob){"cpu", 3};
  connect_worker(&first, &hand);
  say(&first, &fit);
  expect_welcome(&first);
  do_units(&first, 1);
  (void)fetch_chunk(&first);
  say(&first, &(struct ls_message){.kind = LS_MESSAGE_BYE});
  cut_worker(&first);
  connect_worker(&lacking, &hand);
  say(&lacking, &unfit);
  expect_refusal(&lacking, "the run needs workers with label gpu, and it has only cpu");
  ask(&lacking);
  unfit.labels = (struct ls_blob){NULL, 0};
  say(&lacking, &unfit);
  expect_refusal(&lacking, "and it has no label");
  connect_worker(&second, &hand);
  say(&second, &fit);
  expect_welcome(&second);
  do_units(&second, 2);
  end_run(&hand);
  assert_int_equal(hand.report.units_done, 3);
  ls_master_report_close(&hand.report);
  cut_worker(&lacking);
  cut_worker(&second);
}

/* However many greetings its frame holds. */
static void a_frame_of_a_stranger_is_answered_once(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  struct ls_bytes frame = {0};
  (void)state;
  prepare_run(&hand, 1, 1);
  start_run(&hand);
  const struct ls_message sound = make_hello();
  struct ls_message foreign = sound;
  foreign.run = (struct ls_blob){wrong_run, LS_COOKIE_BYTES};
  for (int i = 0; i < 3; ++i) ls_message_encode(&foreign, &frame);
  connect_worker(&worker, &hand);
  say_bytes(&worker, frame.data, frame.length);
  ls_bytes_close(&frame);
  say(&worker, &sound);
  expect_refusal(&worker, "another run");
  expect_welcome(&worker);
  do_units(&worker, 1);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

static void one_connection_joins_once(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  (void)state;
  prepare_run(&hand, 2, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  expect_no_answer(&worker);
  /* It is a worker nevertheless. */
  do_units(&worker, 2);
  end_run(&hand);
  assert_int_equal(hand.report.workers_count, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

/* What it holds when it comes back is its own, and is not given to anybody else. */
static void returned_worker_keeps_its_slot_and_what_it_holds(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, returned, other;
  (void)state;
  prepare_run(&hand, 2, 2);
  start_run(&hand);
  join_worker(&worker, &hand);
  join_worker(&other, &hand);
  ask(&worker);
  ask(&other);
  struct hand_chunk chunk = hear_chunk(&worker), of_other = hear_chunk(&other);
  cut_worker(&worker);
  come_back(&returned, &hand, &worker, &chunk);
  /* The other one asks in vain: no unit has come back. */
  say_done(&other, of_other);
  ask(&other);
  expect_no_answer(&other);
  say_done(&returned, chunk);
  end_run(&hand);
  assert_int_equal(hand.report.workers_count, 2);
  assert_int_equal(hand.report.totals.chunks, 2);
  assert_int_equal(hand.report.totals.workers_lost, 0);
  ls_master_report_close(&hand.report);
  cut_worker(&returned);
  cut_worker(&other);
}

static void what_a_returned_worker_does_not_hold_is_sent_again(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, returned;
  (void)state;
  prepare_run(&hand, 1, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  cut_worker(&worker);
  come_back(&returned, &hand, &worker, NULL);
  struct hand_chunk again = fetch_chunk(&returned);
  assert_int_equal(again.unit, chunk.unit);
  assert_true(again.number != chunk.number);
  say_done(&returned, again);
  end_run(&hand);
  assert_int_equal(hand.report.workers_count, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&returned);
}

/* It was lost with its unit, goes on with it and is back with the result: it was up as long as that
 * took, and no efficiency is above 1. */
static void late_work_of_a_lost_worker_is_time_up(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  (void)state;
  prepare_run(&hand, 1, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  double begun_s = ls_clock_s();
  say_kind(&worker, LS_MESSAGE_BYE);
  const struct timespec work = {.tv_nsec = 200 * 1000 * 1000};
  (void)nanosleep(&work, NULL);
  struct ls_message hello = make_return(&worker), result = make_result(chunk, &chunk.unit);
  struct ls_message_held held = {chunk.number, {chunk.unit, 1}};
  hello.held = &held;
  hello.held_count = 1;
  result.compute_s = ls_clock_s() - begun_s;
  say(&worker, &hello);
  expect_welcome(&worker);
  say(&worker, &result);
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 1);
  assert_true(hand.report.efficiency > 0 && hand.report.efficiency <= 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

/* Whose cookie is wrong is somebody new: it gets no units of the one that it says to be. */
static void wrong_cookie_is_a_new_worker(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, liar;
  (void)state;
  prepare_run(&hand, 2, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  connect_worker(&liar, &hand);
  struct ls_message hello = make_return(&worker);
  char cookie[LS_COOKIE_BYTES];
  memcpy(cookie, worker.cookie, sizeof cookie);
  cookie[LS_COOKIE_BYTES - 1] = (char)(cookie[LS_COOKIE_BYTES - 1] ^ 1);
  hello.cookie.data = cookie;
  const struct ls_message_held held = {chunk.number, {chunk.unit, 1}};
  hello.held = &held;
  hello.held_count = 1;
  say(&liar, &hello);
  /* What it has of another session is to be dropped. */
  do {
    (void)hear(&liar);
  } while (liar.message.kind == LS_MESSAGE_CANCEL);
  assert_int_equal(liar.message.kind, LS_MESSAGE_WELCOME);
  assert_true(liar.message.worker != worker.number);
  say_done(&worker, chunk);
  do_units(&worker, 1);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  cut_worker(&liar);
}

/* Of two workers that ask at the beginning one comes back before the other one has asked: it has to
 * ask again, and until then the other one is served alone, or not at all. */
static void returned_worker_asks_anew(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, returned, other;
  (void)state;
  prepare_run(&hand, 3, 2);
  start_run(&hand);
  join_worker(&worker, &hand);
  ask(&worker);
  /* The answer to a second greeting: the request has been heard; where patience was over before,
   * it has been answered, too, and the unit comes back. */
  const struct ls_message again = make_hello();
  say(&worker, &again);
  while (hear(&worker)->kind != LS_MESSAGE_REFUSED) continue;
  cut_worker(&worker);
  come_back(&returned, &hand, &worker, NULL);
  join_worker(&other, &hand);
  ask(&other);
  ask(&returned);
  say_done(&returned, hear_chunk(&returned));
  say_done(&other, hear_chunk(&other));
  /* Had the forgotten request been served, the last unit would be at the returned worker. */
  do_units(&other, 1);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&returned);
  cut_worker(&other);
}

static _Atomic int cuts;

static void count_cuts(void *context, const char *text) {
  (void)context;
  if (strstr(text, "suspended (cut)") != NULL) ++cuts;
}

/* It comes back behind the end of the run, and hears that it may go. */
static void expect_late_release(const struct hand_run *hand, const struct hand_worker *former) {
  struct hand_worker late;
  connect_worker(&late, hand);
  const struct ls_message hello = make_return(former);
  say(&late, &hello);
  (void)hear_kind(&late, LS_MESSAGE_RELEASE);
  cut_worker(&late);
}

/* The first one comes back twice, as over a bad line: the other one is waited for all the same. */
static void all_that_are_cut_off_at_the_end_are_waited_for(void **state) {
  static struct hand_run hand;
  struct hand_worker first, second, worker;
  struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  (void)state;
  prepare_run(&hand, 2, 3);
  struct ls_site site = *hand.options.site;
  site.doors[1] = site.doors[0];
  (void)snprintf(site.doors[1].address, sizeof site.doors[1].address, "inproc://guests");
  site.doors[0].is_open = false;
  site.doors_count = 2;
  hand.options.site = &site;
  hand.options.note = count_cuts;
  cuts = 0;
  start_run(&hand);
  join_worker(&first, &hand);
  join_worker(&second, &hand);
  join_worker(&worker, &hand);
  cut_worker(&first);
  cut_worker(&second);
  for (int i = 0; i < 6000 && cuts < 2; ++i) (void)nanosleep(&moment, NULL);
  assert_int_equal(cuts, 2);
  do_units(&worker, 2);
  (void)hear_kind(&worker, LS_MESSAGE_RELEASE);
  expect_late_release(&hand, &first);
  expect_late_release(&hand, &first);
  expect_late_release(&hand, &second);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strangers_are_refused_in_words),
      cmocka_unit_test(only_workers_with_the_needed_label_get_units),
      cmocka_unit_test(a_frame_of_a_stranger_is_answered_once),
      cmocka_unit_test(one_connection_joins_once),
      cmocka_unit_test(returned_worker_keeps_its_slot_and_what_it_holds),
      cmocka_unit_test(what_a_returned_worker_does_not_hold_is_sent_again),
      cmocka_unit_test(late_work_of_a_lost_worker_is_time_up),
      cmocka_unit_test(wrong_cookie_is_a_new_worker),
      cmocka_unit_test(returned_worker_asks_anew),
      cmocka_unit_test(all_that_are_cut_off_at_the_end_are_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
