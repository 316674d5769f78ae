/* hand_worker.h: workers written by hand, for a real master in a thread of its own.
 *
 * The test says each message of a worker and looks at each answer.  A worker that says nothing is
 * not lost for it: the master is patient.
 */
#ifndef LS_TESTS_UNIT_RUNTIME_HAND_WORKER_H
#define LS_TESTS_UNIT_RUNTIME_HAND_WORKER_H

#include "master_fixture.h"
#include "protocol/message.h"
#include "runtime/os/clock.h"
#include "runtime/transport/transport_wait.h"

static const double HEAR_AT_MOST_S = 60;

/* A run, and who may wait for its address. */
struct hand_run {
  struct tally tally;
  struct ls_master_options options;
  struct ls_master_report report;
  struct ls_error err;
  enum ls_status status;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t announced;
  bool is_announced;
};

/* One connection of a worker. */
struct hand_worker {
  struct ls_endpoint *endpoint;
  struct ls_decoder decoder;
  struct ls_bytes frame; /* the last one; `offset` is behind its last message */
  size_t offset;
  struct ls_message message; /* the last one, in `frame` */
  /* What WELCOME said. */
  uint32_t number;
  uint64_t era;
  char cookie[LS_COOKIE_BYTES], run[LS_COOKIE_BYTES];
};

static inline void note_address(void *context, const char *address, const char *key) {
  struct hand_run *hand = (struct hand_run *)context;
  (void)snprintf(hand->tally.address, sizeof hand->tally.address, "%s", address);
  (void)key;
  (void)pthread_mutex_lock(&hand->lock);
  hand->is_announced = true;
  (void)pthread_cond_broadcast(&hand->announced);
  (void)pthread_mutex_unlock(&hand->lock);
}

static inline void *run_hand(void *context) {
  struct hand_run *hand = context;
  hand->status = ls_master_run(&hand->options, &hand->report, &hand->err);
  return NULL;
}

/* The options, for the test to change; then start_run. */
static inline void prepare_run(struct hand_run *hand, uint64_t units, size_t workers) {
  memset(hand, 0, sizeof *hand);
  hand->tally.units = units;
  hand->tally.iterations = 1;
  hand->options = make_options(&hand->tally, &sound_app, "ss");
  hand->options.config.workers = workers;
  hand->options.config.silence_s = 1000;
  hand->options.announce = note_address;
  hand->options.halt = NULL;
  hand->options.context = hand;
  assert_int_equal(pthread_mutex_init(&hand->lock, NULL), 0);
  assert_int_equal(pthread_cond_init(&hand->announced, NULL), 0);
}

static inline void start_run(struct hand_run *hand) {
  assert_int_equal(pthread_create(&hand->thread, NULL, run_hand, hand), 0);
  (void)pthread_mutex_lock(&hand->lock);
  while (!hand->is_announced) (void)pthread_cond_wait(&hand->announced, &hand->lock);
  (void)pthread_mutex_unlock(&hand->lock);
}

/* The run is over, well; each unit was merged once in each iteration. The report is the test's to
 * close. */
static inline void end_run(struct hand_run *hand) {
  assert_int_equal(pthread_join(hand->thread, NULL), 0);
  if (hand->status != LS_OK) fail_msg("%s", hand->err.text);
  expect_once(&hand->tally, (uint16_t)hand->tally.iterations);
  assert_int_equal(pthread_mutex_destroy(&hand->lock), 0);
  assert_int_equal(pthread_cond_destroy(&hand->announced), 0);
}

static inline void connect_worker(struct hand_worker *worker, const struct hand_run *hand) {
  memset(worker, 0, sizeof *worker);
  struct ls_error err = {0};
  if (ls_transport_zmq.connect(hand->tally.address, NULL, &worker->endpoint, &err) != LS_OK)
    fail_msg("%s", err.text);
}

static inline void cut_worker(struct hand_worker *worker) {
  ls_transport_zmq.close(worker->endpoint, 0);
  ls_decoder_close(&worker->decoder);
  ls_bytes_close(&worker->frame);
}

static inline void say_bytes(struct hand_worker *worker, const void *data, size_t length) {
  const struct ls_frame frame = {0, data, length};
  assert_int_equal(ls_transport_zmq.send(worker->endpoint, &frame, HEAR_AT_MOST_S, NULL), LS_OK);
}

static inline void say(struct hand_worker *worker, const struct ls_message *message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  assert_false(bytes.failed);
  say_bytes(worker, bytes.data, bytes.length);
  ls_bytes_close(&bytes);
}

static inline void hear_frame(struct hand_worker *worker) {
  struct ls_frame frame;
  double until_s = ls_clock_s() + HEAR_AT_MOST_S;
  while (!ls_transport_zmq.receive(worker->endpoint, &frame)) {
    if (ls_clock_s() > until_s) fail_msg("the master says nothing");
    (void)ls_transport_wait(&ls_transport_zmq, worker->endpoint, &(struct ls_wait_files){0}, 0.1);
  }
  ls_bytes_clear(&worker->frame);
  ls_bytes_append(&worker->frame, frame.data, frame.length);
  worker->offset = 0;
}

/* The next message. */
static inline const struct ls_message *hear_any(struct hand_worker *worker) {
  if (worker->offset >= worker->frame.length) hear_frame(worker);
  const struct ls_blob blob = {worker->frame.data, worker->frame.length};
  struct ls_error err = {0};
  if (ls_message_decode_next(&worker->decoder, &blob, &worker->offset, &worker->message, &err) !=
      LS_OK)
    fail_msg("%s", err.text);
  return &worker->message;
}

/* The next message but pulses, which come at any time. */
static inline const struct ls_message *hear(struct hand_worker *worker) {
  while (hear_any(worker)->kind == LS_MESSAGE_PULSE) continue;
  return &worker->message;
}

static inline const struct ls_message *hear_kind(struct hand_worker *worker,
                                                 enum ls_message_kind kind) {
  const struct ls_message *message = hear(worker);
  if (message->kind != kind)
    fail_msg("%s, expected %s", ls_message_name(message->kind), ls_message_name(kind));
  return message;
}

static inline struct ls_message make_hello(void) {
  return (struct ls_message){.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = 1,
                             .speed = 1,
                             .name = {"hand", 4}};
}

/* The greeting of one that has been there already, as `former`. */
static inline struct ls_message make_return(const struct hand_worker *former) {
  struct ls_message hello = make_hello();
  hello.worker = former->number;
  hello.era = former->era;
  hello.cookie = (struct ls_blob){former->cookie, LS_COOKIE_BYTES};
  hello.run = (struct ls_blob){former->run, LS_COOKIE_BYTES};
  return hello;
}

static inline void expect_welcome(struct hand_worker *worker) {
  const struct ls_message *welcome = hear_kind(worker, LS_MESSAGE_WELCOME);
  worker->number = welcome->worker;
  worker->era = welcome->era;
  memcpy(worker->cookie, welcome->cookie.data, LS_COOKIE_BYTES);
  memcpy(worker->run, welcome->run.data, LS_COOKIE_BYTES);
}

static inline void expect_refusal(struct hand_worker *worker, const char *part) {
  const struct ls_message *refused = hear_kind(worker, LS_MESSAGE_REFUSED);
  char text[160];
  (void)snprintf(text, sizeof text, "%.*s", (int)refused->text.length,
                 (const char *)refused->text.data);
  if (strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

static inline void join_worker(struct hand_worker *worker, const struct hand_run *hand) {
  connect_worker(worker, hand);
  const struct ls_message hello = make_hello();
  say(worker, &hello);
  expect_welcome(worker);
}

static inline void say_kind(struct hand_worker *worker, enum ls_message_kind kind) {
  say(worker, &(struct ls_message){.kind = kind});
}

static inline void ask(struct hand_worker *worker) {
  say(worker, &(struct ls_message){.kind = LS_MESSAGE_REQUEST, .units = 1});
}

/* A chunk of one unit. */
struct hand_chunk {
  uint64_t number, unit;
  uint32_t iteration;
};

static inline struct hand_chunk hear_chunk(struct hand_worker *worker) {
  const struct ls_message *chunk = hear_kind(worker, LS_MESSAGE_CHUNK);
  assert_int_equal(chunk->ranges_count, 1);
  assert_int_equal(chunk->ranges[0].count, 1);
  return (struct hand_chunk){chunk->chunk, chunk->ranges[0].first, chunk->iteration};
}

static inline struct hand_chunk fetch_chunk(struct hand_worker *worker) {
  ask(worker);
  return hear_chunk(worker);
}

/* The result of a chunk that is done; its output is `sum`, the answer of the fixture's units. */
static inline struct ls_message make_result(struct hand_chunk chunk, const uint64_t *sum) {
  return (struct ls_message){.kind = LS_MESSAGE_RESULT,
                             .iteration = chunk.iteration,
                             .chunk = chunk.number,
                             .range = {chunk.unit, 1},
                             .outcome = LS_OUTCOME_DONE,
                             .compute_s = 0.001,
                             .squares = 1e-6,
                             .output = {sum, sizeof *sum}};
}

static inline void say_done(struct hand_worker *worker, struct hand_chunk chunk) {
  const struct ls_message result = make_result(chunk, &chunk.unit);
  say(worker, &result);
}

/* A new connection of the worker, which has this chunk; NULL: nothing. */
static inline void come_back(struct hand_worker *returned, const struct hand_run *hand,
                             const struct hand_worker *former, const struct hand_chunk *chunk) {
  struct ls_message hello = make_return(former);
  struct ls_message_held held = {0};
  if (chunk != NULL) held = (struct ls_message_held){chunk->number, {chunk->unit, 1}};
  hello.held = &held;
  hello.held_count = chunk != NULL;
  connect_worker(returned, hand);
  say(returned, &hello);
  expect_welcome(returned);
  assert_int_equal(returned->number, former->number);
}

/* The master has heard all that the worker said, and answered nothing: so it says when it is
 * greeted again, which no worker may do. */
static inline void expect_no_answer(struct hand_worker *worker) {
  const struct ls_message again = make_hello();
  say(worker, &again);
  expect_refusal(worker, "joined already");
}

#endif
