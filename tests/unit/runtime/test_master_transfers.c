/* test_master_transfers.c: inputs that cross a network, and what workers say of them. */
#include "hand_worker.h"
#include "runtime/master/sending/port.h"

enum { INPUT_BYTES = 100000 };

static enum ls_status pack(void *state, struct ls_range units, uint32_t slot,
                           struct ls_bytes *input, struct ls_error *err) {
  (void)state, (void)slot, (void)err;
  char byte = (char)('a' + units.first);
  for (int i = 0; i < INPUT_BYTES; i++) ls_bytes_append(input, &byte, 1);
  return LS_OK;
}

static const char *warned;

static void keep_warning(void *context, const char *text) {
  static char words[256];
  (void)context;
  (void)snprintf(words, sizeof words, "%s", text);
  warned = words;
}

/* A run whose workers come over a network, with large inputs. */
static void start_far_run(struct hand_run *hand, struct ls_app *app, uint64_t units) {
  prepare_run(hand, units, 1);
  *app = sound_app;
  app->pack = pack;
  hand->options.app = app;
  hand->options.warn = keep_warning;
  hand->options.site = open_site(&ls_transport_zmq, "tcp://127.0.0.1:*");
  warned = "";
  start_run(hand);
}

struct announced {
  struct hand_chunk chunk;
  uint64_t transfer;
};

/* A chunk whose input is to come. */
static struct announced hear_announced(struct hand_worker *worker) {
  struct announced announced = {.chunk = hear_chunk(worker)};
  announced.transfer = worker->message.transfer;
  assert_true(announced.transfer > 0);
  assert_int_equal(worker->message.total, INPUT_BYTES);
  assert_int_equal(worker->message.input.length, 0);
  return announced;
}

static void say_arrived(struct hand_worker *worker, uint64_t transfer, uint64_t offset) {
  say(worker,
      &(struct ls_message){.kind = LS_MESSAGE_ARRIVED, .transfer = transfer, .offset = offset});
}

/* All of it, in pieces of which each is told. */
static void take_input(struct hand_worker *worker, const struct announced *announced) {
  uint64_t there = 0;
  while (there < INPUT_BYTES) {
    const struct ls_message *piece = hear_kind(worker, LS_MESSAGE_INPUT);
    assert_int_equal(piece->transfer, announced->transfer);
    assert_int_equal(piece->offset, there);
    const char *bytes = piece->input.data;
    assert_int_equal(bytes[piece->input.length - 1], 'a' + announced->chunk.unit);
    there += piece->input.length;
    say_arrived(worker, announced->transfer, there);
  }
}

static void an_input_comes_in_pieces_that_are_acknowledged(void **state) {
  (void)state;
  static struct hand_run hand;
  struct hand_worker worker;
  struct ls_app app;
  start_far_run(&hand, &app, 2);
  join_worker(&worker, &hand);
  for (int i = 0; i < 2; i++) {
    ask(&worker);
    struct announced announced = hear_announced(&worker);
    take_input(&worker, &announced);
    say_done(&worker, announced.chunk);
  }
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 0);
  cut_worker(&worker);
  ls_master_report_close(&hand.report);
}

/* No more is on the way than fits: the rest waits for a word. */
static void what_is_not_acknowledged_is_waited_for(void **state) {
  (void)state;
  static struct hand_run hand;
  struct hand_worker worker;
  struct ls_app app;
  start_far_run(&hand, &app, 1);
  join_worker(&worker, &hand);
  ask(&worker);
  struct announced announced = hear_announced(&worker);
  uint64_t there = 0;
  while (there < LS_PORT_WINDOW_LEAST) there += hear_kind(&worker, LS_MESSAGE_INPUT)->input.length;
  assert_int_equal(there, LS_PORT_WINDOW_LEAST);
  /* Of no use any more: what comes next is no piece. */
  say_arrived(&worker, announced.transfer, UINT64_MAX);
  say_done(&worker, announced.chunk);
  end_run(&hand);
  cut_worker(&worker);
  ls_master_report_close(&hand.report);
}

/* Bytes that had not left. */
static void who_tells_of_bytes_that_were_not_sent_is_sent_away(void **state) {
  (void)state;
  static struct hand_run hand;
  struct hand_worker liar, worker;
  struct ls_app app;
  start_far_run(&hand, &app, 1);
  join_worker(&liar, &hand);
  ask(&liar);
  struct announced announced = hear_announced(&liar);
  (void)hear_kind(&liar, LS_MESSAGE_INPUT);
  say_arrived(&liar, announced.transfer, INPUT_BYTES);
  while (hear(&liar)->kind == LS_MESSAGE_INPUT) continue;
  assert_int_equal(liar.message.kind, LS_MESSAGE_RELEASE);
  join_worker(&worker, &hand);
  ask(&worker);
  announced = hear_announced(&worker);
  take_input(&worker, &announced);
  say_done(&worker, announced.chunk);
  end_run(&hand);
  assert_int_equal(hand.report.totals.workers_lost, 1);
  assert_non_null(strstr(warned, "bytes of an input are there"));
  cut_worker(&liar);
  cut_worker(&worker);
  ls_master_report_close(&hand.report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_input_comes_in_pieces_that_are_acknowledged),
      cmocka_unit_test(what_is_not_acknowledged_is_waited_for),
      cmocka_unit_test(who_tells_of_bytes_that_were_not_sent_is_sent_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
