/* A line over a real socket of this machine: what is said while there is no connection waits, or is
 * forgotten with the connection that it belonged to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/transport/transport_wait.h"
#include "runtime/worker/line.h"

static const struct ls_result_files no_files = {.count = 0};
static const char cookie[] = "this is a cookie";

struct scene {
  char folder[64], address[128];
  struct ls_endpoint *master;
  struct ls_line line;
  struct ls_decoder decoder;
  uint64_t peer;
};

static void listen_there(struct scene *scene) {
  struct ls_error err = {0};
  if (ls_transport_zmq.listen(scene->address, NULL, &scene->master, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
}

static void open_scene(struct scene *scene) {
  *scene = (struct scene){.folder = "/tmp/loadstar-line-XXXXXX"};
  assert_non_null(mkdtemp(scene->folder));
  (void)snprintf(scene->address, sizeof scene->address, "ipc://%s/socket", scene->folder);
  ls_line_init(&scene->line, &ls_transport_zmq, scene->address, NULL);
}

static void close_scene(struct scene *scene) {
  ls_line_close(&scene->line, 0);
  ls_transport_zmq.close(scene->master, 0);
  ls_decoder_close(&scene->decoder);
  assert_int_equal(rmdir(scene->folder), 0);
}

/* The next message at the master. */
static struct ls_message hear(struct scene *scene) {
  static char bytes[4096];
  struct ls_frame frame;
  struct ls_message message;
  double until_s = ls_clock_s() + 60;
  while (!ls_transport_zmq.receive(scene->master, &frame)) {
    assert_true(ls_clock_s() < until_s);
    (void)ls_transport_wait(&ls_transport_zmq, scene->master, &(struct ls_wait_files){0}, 1);
  }
  assert_true(frame.length <= sizeof bytes);
  memcpy(bytes, frame.data, frame.length);
  scene->peer = frame.peer;
  assert_int_equal(ls_message_decode(&scene->decoder, bytes, frame.length, &message, NULL), LS_OK);
  return message;
}

static enum ls_status call(struct scene *scene) {
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO, .version = LS_PROTOCOL_VERSION};
  struct ls_error err = {0};
  enum ls_status status = ls_line_call(&scene->line, &hello, &err);
  assert_int_equal(err.text[0] == '\0', status == LS_OK);
  return status;
}

static bool welcome(struct scene *scene) {
  return ls_line_welcome(&scene->line, &(struct ls_message){.kind = LS_MESSAGE_WELCOME,
                                                            .worker = 1,
                                                            .cookie = {cookie, LS_COOKIE_BYTES}});
}

static void post_result(struct scene *scene, uint64_t unit) {
  ls_line_post_result(
      &scene->line, &(struct ls_message){.kind = LS_MESSAGE_RESULT, .range = {unit, 1}}, &no_files);
}

static void await_cut(struct scene *scene) {
  double until_s = ls_clock_s() + 60;
  while (scene->line.endpoint != NULL) {
    assert_true(ls_clock_s() < until_s);
    (void)ls_line_wait(&scene->line, &(struct ls_wait_files){0}, 1);
    ls_line_check(&scene->line, true);
  }
}

static void a_master_that_is_not_there_is_called_again(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene);
  assert_int_equal(call(&scene), LS_EIO);
  assert_false(ls_line_is_open(&scene.line));
  assert_true(isfinite(ls_line_due_s(&scene.line, true)));
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  assert_int_equal(hear(&scene).kind, LS_MESSAGE_HELLO);
  /* Not said twice without a cookie. */
  assert_true(isinf(ls_line_due_s(&scene.line, false)));
  close_scene(&scene);
}

static enum ls_status send_over_a_cut(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                      double patience_s, struct ls_error *err) {
  (void)endpoint;
  (void)frame;
  (void)patience_s;
  return ls_fail(err, LS_EIO, "the connection is broken");
}

static bool is_always_cut(struct ls_endpoint *endpoint) {
  (void)endpoint;
  return true;
}

/* As after HELLO: whoever waits for a master goes on waiting. */
static void a_connection_that_is_cut_before_hello_is_called_again(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene);
  listen_there(&scene);
  struct ls_transport cut = ls_transport_zmq;
  cut.send = send_over_a_cut;
  cut.is_cut = is_always_cut;
  scene.line.transport = &cut;
  assert_int_equal(call(&scene), LS_OK);
  assert_false(ls_line_is_open(&scene.line));
  assert_true(isfinite(ls_line_due_s(&scene.line, true)));
  scene.line.transport = &ls_transport_zmq;
  assert_int_equal(call(&scene), LS_OK);
  assert_int_equal(hear(&scene).kind, LS_MESSAGE_HELLO);
  close_scene(&scene);
}

static void results_survive_a_cut_and_requests_do_not(void **state) {
  (void)state;
  struct scene scene;
  struct ls_message request = {.kind = LS_MESSAGE_REQUEST, .units = 1};
  open_scene(&scene);
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  (void)hear(&scene);
  assert_false(welcome(&scene));
  post_result(&scene, 5);
  assert_int_equal(ls_line_pump(&scene.line, NULL), LS_OK);
  assert_int_equal(hear(&scene).kind, LS_MESSAGE_RESULT);
  ls_transport_zmq.close(scene.master, 0);
  await_cut(&scene);
  ls_line_post(&scene.line, &request);
  post_result(&scene, 6);
  assert_int_equal(ls_line_pump(&scene.line, NULL), LS_OK);
  assert_true(isfinite(ls_line_due_s(&scene.line, true)));
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  struct ls_message hello = hear(&scene);
  assert_int_equal(hello.results, 2);
  assert_memory_equal(hello.cookie.data, cookie, LS_COOKIE_BYTES);
  assert_true(welcome(&scene));
  assert_int_equal(ls_line_pump(&scene.line, NULL), LS_OK);
  assert_int_equal(scene.line.postbox.sent, 2);
  assert_int_equal(scene.line.postbox.plain.length, 0);
  close_scene(&scene);
}

/* Another process of the master: what the worker began since its HELLO has no meaning there. */
static void a_new_session_keeps_what_hello_announced(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene);
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  assert_false(welcome(&scene));
  post_result(&scene, 5);
  ls_line_cut(&scene.line);
  assert_int_equal(call(&scene), LS_OK);
  post_result(&scene, 6);
  assert_false(ls_line_welcome(
      &scene.line,
      &(struct ls_message){
          .kind = LS_MESSAGE_WELCOME, .worker = 2, .era = 7, .cookie = {"another cookie !", 16}}));
  assert_int_equal(scene.line.postbox.results.count, 1);
  assert_true(ls_kept_results_at(&scene.line.postbox.results, 0)->units.first == 5);
  close_scene(&scene);
}

/* Half open: nothing says that the connection is of no use but silence. */
static void silence_throws_a_connection_away_unless_it_may_be_silent(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene);
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  assert_false(welcome(&scene));
  scene.line.session.silence_s = 1;
  scene.line.session.heard_s = ls_clock_s() - 2;
  ls_line_check(&scene.line, true);
  assert_true(ls_line_is_open(&scene.line));
  ls_line_check(&scene.line, false);
  assert_false(ls_line_is_open(&scene.line));
  close_scene(&scene);
}

/* Before the first answer nothing is known of the way. */
static void a_beat_tells_how_the_line_does(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene);
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  assert_int_equal(hear(&scene).kind, LS_MESSAGE_HELLO);
  assert_false(welcome(&scene));
  scene.line.session.answer_s = 0.25;
  scene.line.session.deviation_s = 0.125;
  scene.line.longest_send_s = 7;
  ls_line_beat(&scene.line);
  assert_int_equal(ls_line_pump(&scene.line, NULL), LS_OK);
  struct ls_message beat = hear(&scene);
  assert_int_equal(beat.kind, LS_MESSAGE_HEARTBEAT);
  assert_true(beat.answer_s == 0.75 && beat.send_s == 7);
  close_scene(&scene);
}

/* ---- keys ---- */

static enum ls_handshake end_of_all;

static enum ls_handshake tell_end(const struct ls_endpoint *endpoint) {
  (void)endpoint;
  return end_of_all;
}

/* A tunnel to a master that is not there yet closes as a master of another key does; who does not
 * speak as a master of this key is none. */
static void a_pulse_tells_how_often_to_beat(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  listen_there(&scene);
  assert_int_equal(call(&scene), LS_OK);
  (void)welcome(&scene);
  struct ls_message pulse = {.kind = LS_MESSAGE_PULSE, .heartbeat_s = 2.5};
  assert_int_equal(ls_line_hear_pulse(&scene.line, &pulse, NULL), LS_OK);
  assert_true(scene.line.session.heartbeat_s == 2.5);
  pulse.heartbeat_s = 0;
  assert_int_equal(ls_line_hear_pulse(&scene.line, &pulse, NULL), LS_OK);
  assert_true(scene.line.session.heartbeat_s == 2.5);
  pulse.durable = 1; /* nothing was sent */
  assert_int_equal(ls_line_hear_pulse(&scene.line, &pulse, NULL), LS_ECORRUPT);
  close_scene(&scene);
}

static void only_who_answers_otherwise_is_surely_foreign(void **state) {
  (void)state;
  struct ls_transport transport = ls_transport_zmq;
  struct scene scene;
  transport.handshake = tell_end;
  open_scene(&scene);
  listen_there(&scene);
  ls_line_init(&scene.line, &transport, scene.address, NULL);
  for (int i = 0; i < 8; ++i) {
    end_of_all = i < 4 ? LS_HANDSHAKE_BROKEN : LS_HANDSHAKE_FOREIGN;
    assert_int_equal(call(&scene), LS_OK);
    ls_line_cut(&scene.line);
    assert_int_equal(ls_line_check_keys(&scene.line, NULL), LS_OK);
    assert_int_equal(ls_line_check_break(&scene.line, NULL), i < 4 ? LS_EINVAL : LS_OK);
  }
  scene.line.foreign_s -= 90;
  assert_int_equal(ls_line_check_keys(&scene.line, NULL), LS_EINVAL);
  close_scene(&scene);
}

/* Opens the line, with a result that has waited for 90 s. */
static void open_waiting(struct scene *scene) {
  open_scene(scene);
  listen_there(scene);
  assert_int_equal(call(scene), LS_OK);
  assert_false(welcome(scene));
  post_result(scene, 5);
  scene->line.postbox.since_s -= 90;
}

/* What a cut, a silent master or a stop of the worker itself takes is no time of an output. */
static void the_time_of_an_output_is_that_of_its_connection(void **state) {
  (void)state;
  enum { SLOW, CUT, SILENT, HEARD_AGAIN, STOPPED, CASES };
  for (int i = 0; i < CASES; ++i) {
    struct scene scene;
    open_waiting(&scene);
    struct ls_line *line = &scene.line;
    if (i == CUT) {
      ls_line_cut(line);
      assert_int_equal(call(&scene), LS_OK);
      assert_true(welcome(&scene));
    }
    if (i == SILENT || i == HEARD_AGAIN) line->session.heard_s -= 90;
    if (i == HEARD_AGAIN) ls_line_hear(line);
    if (i == STOPPED) ls_line_forgive(line);
    assert_int_equal(ls_line_pump(line, NULL), LS_OK);
    assert_false(ls_postbox_is_waiting(&line->postbox));
    assert_true(i == SLOW ? line->longest_send_s >= 90 : line->longest_send_s < 60);
    close_scene(&scene);
  }
}

static int closed;

static void count_close(struct ls_endpoint *endpoint, double linger_s) {
  ++closed;
  ls_transport_zmq.close(endpoint, linger_s);
}

/* Closing twice closes once, and a line that was never open has nothing to close. */
static void a_closed_line_has_closed_its_connection(void **state) {
  (void)state;
  struct scene scene;
  struct ls_transport counting = ls_transport_zmq;
  counting.close = count_close;
  closed = 0;
  open_scene(&scene);
  listen_there(&scene);
  ls_line_init(&scene.line, &counting, scene.address, NULL);
  ls_line_close(&scene.line, 0);
  assert_int_equal(closed, 0);
  ls_line_init(&scene.line, &counting, scene.address, NULL);
  assert_int_equal(call(&scene), LS_OK);
  ls_line_close(&scene.line, 0);
  assert_int_equal(closed, 1);
  assert_null(scene.line.endpoint);
  close_scene(&scene);
  assert_int_equal(closed, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_line_has_closed_its_connection),
      cmocka_unit_test(a_master_that_is_not_there_is_called_again),
      cmocka_unit_test(a_connection_that_is_cut_before_hello_is_called_again),
      cmocka_unit_test(results_survive_a_cut_and_requests_do_not),
      cmocka_unit_test(a_new_session_keeps_what_hello_announced),
      cmocka_unit_test(the_time_of_an_output_is_that_of_its_connection),
      cmocka_unit_test(a_pulse_tells_how_often_to_beat),
      cmocka_unit_test(a_beat_tells_how_the_line_does),
      cmocka_unit_test(silence_throws_a_connection_away_unless_it_may_be_silent),
      cmocka_unit_test(only_who_answers_otherwise_is_surely_foreign),
  };
  return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
