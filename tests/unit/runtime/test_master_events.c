/* test_master_events.c: what workers say, and what is nonsense. */
#include "hand_worker.h"

#include <unistd.h>

static char warning[256];

static void keep_warning(void *context, const char *text) {
  (void)context;
  (void)snprintf(warning, sizeof warning, "%s", text);
}

/* A worker says `nonsense` about its unit and is sent away for it, of which the user hears `why`;
 * another one does the unit. */
static void expect_loss(const struct ls_message *nonsense, const char *why,
                        struct ls_master_report *report) {
  static struct hand_run hand;
  struct hand_worker worker, other;
  warning[0] = '\0';
  prepare_run(&hand, 1, 1);
  hand.options.warn = keep_warning;
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  struct ls_message message = *nonsense;
  message.chunk = chunk.number;
  message.range = (struct ls_range){chunk.unit, 1};
  say(&worker, &message);
  (void)hear_kind(&worker, LS_MESSAGE_RELEASE);
  join_worker(&other, &hand);
  say_done(&other, fetch_chunk(&other));
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 1);
  if (strstr(warning, why) == NULL) fail_msg("'%s' does not say '%s'", warning, why);
  cut_worker(&worker);
  cut_worker(&other);
  *report = hand.report;
}

static void who_says_what_no_worker_may_say_is_lost(void **state) {
  static const enum ls_message_kind kinds[] = {LS_MESSAGE_RELEASE, LS_MESSAGE_RECALL,
                                               LS_MESSAGE_PULSE, LS_MESSAGE_CANCEL};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    struct ls_master_report report;
    expect_loss(&(struct ls_message){.kind = kinds[i]}, ls_message_name(kinds[i]), &report);
    ls_master_report_close(&report);
  }
}

static void say_unable(struct hand_worker *worker, const char *why) {
  say(worker, &(struct ls_message){.kind = LS_MESSAGE_REFUSED, .text = {why, strlen(why)}});
}

/* The run ends with this status, since nobody is left. */
static void expect_end(struct hand_run *hand, enum ls_status status, const char *words) {
  assert_int_equal(pthread_join(hand->thread, NULL), 0);
  assert_int_equal(hand->status, status);
  if (strstr(hand->err.text, words) == NULL) fail_msg("'%s'", hand->err.text);
  ls_master_report_close(&hand->report);
}

static void workers_that_all_cannot_end_the_run_with_a_reason(void **state) {
  static struct hand_run hand;
  struct hand_worker first, second;
  (void)state;
  prepare_run(&hand, 1, 2);
  hand.options.workers_patience_s = 0.5;
  start_run(&hand);
  join_worker(&first, &hand);
  join_worker(&second, &hand);
  say_unable(&first, "app: no such image");
  say_unable(&second, "app: no such image");
  expect_end(&hand, LS_EINVAL, "no worker can do this; the first to say so was ");
  assert_non_null(strstr(hand.err.text, ": app: no such image"));
  cut_worker(&first);
  cut_worker(&second);
}

static void a_worker_that_cannot_harms_no_other_one(void **state) {
  static struct hand_run hand;
  struct hand_worker first, second;
  (void)state;
  prepare_run(&hand, 1, 2);
  start_run(&hand);
  join_worker(&first, &hand);
  say_unable(&first, "app: no such image");
  join_worker(&second, &hand);
  say_done(&second, fetch_chunk(&second));
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&first);
  cut_worker(&second);
}

/* Somebody could: that it is lost is another matter. */
static void one_that_could_is_no_reason_to_blame_the_input(void **state) {
  static struct hand_run hand;
  struct hand_worker first, second;
  (void)state;
  prepare_run(&hand, 1, 2);
  hand.options.workers_patience_s = 0.5;
  start_run(&hand);
  join_worker(&first, &hand);
  (void)fetch_chunk(&first);
  join_worker(&second, &hand);
  say_unable(&second, "app: no such image");
  say_kind(&first, LS_MESSAGE_BYE);
  expect_end(&hand, LS_ENOWORKERS, "no worker for ");
  cut_worker(&first);
  cut_worker(&second);
}

static void bytes_that_are_no_message_lose_their_sender_alone(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, other, stranger;
  (void)state;
  prepare_run(&hand, 1, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  (void)fetch_chunk(&worker);
  connect_worker(&stranger, &hand);
  say_bytes(&stranger, "\xc1nonsense", 9);
  say_bytes(&worker, "\xc1nonsense", 9);
  join_worker(&other, &hand);
  say_done(&other, fetch_chunk(&other));
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  cut_worker(&other);
  cut_worker(&stranger);
}

/* A result whose large output has not come, or came with a gap. */
static void output_that_is_not_whole_loses_the_worker(void **state) {
  struct ls_master_report report;
  const uint64_t piece = 0;
  (void)state;
  struct ls_message result = {.kind = LS_MESSAGE_RESULT,
                              .outcome = LS_OUTCOME_DONE,
                              .compute_s = 0.001,
                              .streamed = {sizeof piece, 0}};
  expect_loss(&result, "the output of unit 1 has not come as a whole", &report);
  ls_master_report_close(&report);
  result.streamed[0] = 0;
  result.streamed[1] = 1;
  expect_loss(&result, "the output of unit 1 has not come as a whole", &report);
  ls_master_report_close(&report);
  struct ls_message gap = {.kind = LS_MESSAGE_OUTPUT,
                           .stream = LS_STREAM_OUT,
                           .offset = 1,
                           .output = {&piece, sizeof piece}};
  expect_loss(&gap, "an output goes on at another place", &report);
  ls_master_report_close(&report);
}

static _Atomic int silences, returns;

static void count_signs(void *context, const char *text) {
  (void)context;
  if (strstr(text, "suspended (silent)") != NULL) ++silences;
  if (strstr(text, "resumed") != NULL) ++returns;
}

/* A worker that asks for pieces, or sends some, says nothing else meanwhile. */
static void pieces_are_signs_of_life(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  const unsigned char content[LS_CONTENT_BYTES] = {1};
  const struct ls_message want = {.kind = LS_MESSAGE_WANT, .content = {content, sizeof content}};
  (void)state;
  silences = returns = 0;
  prepare_run(&hand, 1, 1);
  hand.options.config.silence_s = 0.3;
  hand.options.config.patience_s = 1000;
  hand.options.note = count_signs;
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  double until_s = ls_clock_s() + 60;
  while (silences == 0 && ls_clock_s() < until_s) (void)usleep(10000);
  assert_true(silences > 0);
  while (returns == 0 && ls_clock_s() < until_s) {
    say(&worker, &want);
    (void)hear_kind(&worker, LS_MESSAGE_ABSENT);
    (void)usleep(10000);
  }
  assert_true(returns > 0);
  say_done(&worker, chunk);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

/* Large outputs are files. */
static enum ls_status merge_file(void *context, const struct ls_unit_result *result,
                                 struct ls_error *err) {
  struct tally *tally = context;
  uint64_t sum = UINT64_MAX;
  (void)err;
  if (result->output.length == sizeof sum && result->output.file >= 0) {
    (void)!pread(result->output.file, &sum, sizeof sum, 0);
  }
  ++tally->merged[result->units.first];
  tally->sum += sum;
  return LS_OK;
}

static const struct ls_app filing_app = {.name = "tally",
                                         .open = open_app,
                                         .close = close_app,
                                         .units = count_units,
                                         .merge = merge_file,
                                         .compute = compute};

/* In pieces; the first attempt broke off and begins anew. */
static void output_in_pieces_is_one_output(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  (void)state;
  prepare_run(&hand, 3, 1);
  hand.options.app = &filing_app;
  start_run(&hand);
  join_worker(&worker, &hand);
  for (uint64_t u = 0; u < 3; ++u) {
    struct hand_chunk chunk = fetch_chunk(&worker);
    struct ls_message piece = {.kind = LS_MESSAGE_OUTPUT,
                               .stream = LS_STREAM_OUT,
                               .chunk = chunk.number,
                               .range = {chunk.unit, 1}};
    uint64_t sum = chunk.unit, wrong = UINT64_MAX;
    piece.output = (struct ls_blob){&wrong, 5};
    say(&worker, &piece);
    piece.output = (struct ls_blob){&sum, 3};
    say(&worker, &piece);
    piece.offset = 3;
    piece.output = (struct ls_blob){(const char *)&sum + 3, sizeof sum - 3};
    say(&worker, &piece);
    struct ls_message result = make_result(chunk, &sum);
    result.output = (struct ls_blob){NULL, 0};
    result.streamed[0] = sizeof sum;
    say(&worker, &result);
  }
  end_run(&hand);
  assert_int_equal(hand.tally.sum, 3);
  assert_int_equal(hand.report.totals.workers_lost, 0);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

/* A good-bye blames nobody, however few losses a unit may see. */
static void bye_gives_the_unit_to_another_one(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, other;
  (void)state;
  prepare_run(&hand, 1, 1);
  hand.options.config.kills_max = 1;
  start_run(&hand);
  join_worker(&worker, &hand);
  (void)fetch_chunk(&worker);
  say_kind(&worker, LS_MESSAGE_BYE);
  join_worker(&other, &hand);
  say_done(&other, fetch_chunk(&other));
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  cut_worker(&other);
}

/* It ends what runs; that what it had ended is safe it hears at once, not with the next pulse. */
static void who_leaves_hears_at_once_what_is_durable(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, other;
  (void)state;
  prepare_run(&hand, 3, 1);
  hand.options.heartbeat_s = 1000;
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk first = fetch_chunk(&worker), second = fetch_chunk(&worker);
  say_done(&worker, first);
  say_kind(&worker, LS_MESSAGE_LEAVING);
  do {
    (void)hear_any(&worker);
  } while (worker.message.kind == LS_MESSAGE_RECALL ||
           (worker.message.kind == LS_MESSAGE_PULSE && worker.message.durable == 0));
  assert_int_equal(worker.message.kind, LS_MESSAGE_PULSE);
  assert_int_equal(worker.message.durable, 1);
  say_done(&worker, second);
  (void)hear_kind(&worker, LS_MESSAGE_RELEASE);
  join_worker(&other, &hand);
  say_done(&other, fetch_chunk(&other));
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 0);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  cut_worker(&other);
}

/* Each counts as late, and none is merged. */
static void results_of_strangers_are_late(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, stranger;
  (void)state;
  prepare_run(&hand, 1, 1);
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  connect_worker(&stranger, &hand);
  say_done(&stranger, chunk);
  /* The master has heard what came before the greeting. */
  const struct ls_message hello = make_hello();
  say(&stranger, &hello);
  expect_welcome(&stranger);
  say_done(&worker, chunk);
  end_run(&hand);
  assert_int_equal(hand.report.results_late, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  cut_worker(&stranger);
}

/* Two workers ask for the first time, the slower one first; which unit does each get? */
static void ask_together(bool learns, uint64_t *of_slow, uint64_t *of_fast) {
  static const double times[] = {1, 5, 2};
  static struct hand_run hand;
  struct hand_worker slow, fast;
  prepare_run(&hand, 3, 2);
  hand.options.config.ordering = ls_ordering_find("average");
  hand.options.config.learns_speeds = learns;
  hand.options.times = times;
  hand.options.times_count = 3;
  /* Guests may have any speed. */
  struct ls_site site = *hand.options.site;
  site.doors[1] = site.doors[0];
  (void)snprintf(site.doors[1].address, sizeof site.doors[1].address, "inproc://guests");
  site.doors[0].is_open = false;
  site.doors_count = 2;
  hand.options.site = &site;
  start_run(&hand);
  join_worker(&slow, &hand);
  join_worker(&fast, &hand);
  say(&slow, &(struct ls_message){.kind = LS_MESSAGE_BENCHMARK, .speed = 0.25});
  say(&fast, &(struct ls_message){.kind = LS_MESSAGE_BENCHMARK, .speed = 1});
  ask(&slow);
  ask(&fast);
  struct hand_chunk first = hear_chunk(&fast), other = hear_chunk(&slow);
  say_done(&slow, other);
  say_done(&fast, first);
  say_done(&fast, fetch_chunk(&fast));
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&slow);
  cut_worker(&fast);
  *of_slow = other.unit;
  *of_fast = first.unit;
}

static void the_first_list_begins_with_the_fastest(void **state) {
  (void)state;
  uint64_t head, second, of_slow, of_fast;
  ask_together(false, &head, &second);
  assert_int_not_equal(head, second);
  /* Requests wait for each other for 50 ms, which a busy machine may need between the two. */
  int turns = 0;
  do {
    ask_together(true, &of_slow, &of_fast);
  } while (of_fast != head && ++turns < 10);
  assert_int_equal(of_fast, head);
  assert_int_equal(of_slow, second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_list_begins_with_the_fastest),
      cmocka_unit_test(pieces_are_signs_of_life),
      cmocka_unit_test(who_says_what_no_worker_may_say_is_lost),
      cmocka_unit_test(workers_that_all_cannot_end_the_run_with_a_reason),
      cmocka_unit_test(a_worker_that_cannot_harms_no_other_one),
      cmocka_unit_test(one_that_could_is_no_reason_to_blame_the_input),
      cmocka_unit_test(bytes_that_are_no_message_lose_their_sender_alone),
      cmocka_unit_test(output_that_is_not_whole_loses_the_worker),
      cmocka_unit_test(output_in_pieces_is_one_output),
      cmocka_unit_test(bye_gives_the_unit_to_another_one),
      cmocka_unit_test(who_leaves_hears_at_once_what_is_durable),
      cmocka_unit_test(results_of_strangers_are_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
