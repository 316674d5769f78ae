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

#include "runtime/clock.h"
#include "runtime/line.h"

static const int no_files[2] = {-1, -1};
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
  if (ls_transport_zmq.listen(scene->address, &scene->master, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
}

static void open_scene(struct scene *scene) {
  *scene = (struct scene){.folder = "/tmp/loadstar-line-XXXXXX"};
  assert_non_null(mkdtemp(scene->folder));
  (void)snprintf(scene->address, sizeof scene->address, "ipc://%s/socket", scene->folder);
  ls_line_init(&scene->line, &ls_transport_zmq, scene->address);
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
    (void)ls_transport_zmq.wait(scene->master, NULL, 0, NULL, 1);
  }
  assert_true(frame.length <= sizeof bytes);
  memcpy(bytes, frame.data, frame.length);
  scene->peer = frame.peer;
  assert_int_equal(ls_message_decode(&scene->decoder, bytes, frame.length, &message, NULL), LS_OK);
  return message;
}

static enum ls_status call(struct scene *scene) {
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO, .version = LS_PROTOCOL_VERSION};
  struct ls_error err;
  return ls_line_call(&scene->line, &hello, &err);
}

static bool welcome(struct scene *scene) {
  return ls_line_welcome(&scene->line, &(struct ls_message){.kind = LS_MESSAGE_WELCOME,
                                                            .worker = 1,
                                                            .cookie = {cookie, LS_COOKIE_BYTES}});
}

static void post_result(struct scene *scene, uint64_t unit) {
  ls_line_post_result(&scene->line,
                      &(struct ls_message){.kind = LS_MESSAGE_RESULT, .range = {unit, 1}}, no_files,
                      false);
}

static void await_cut(struct scene *scene) {
  double until_s = ls_clock_s() + 60;
  while (scene->line.endpoint != NULL) {
    assert_true(ls_clock_s() < until_s);
    (void)ls_line_wait(&scene->line, NULL, 0, NULL, 1);
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

/* One that was given up finds another session: what it began since its HELLO has no meaning there.
 */
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
          .kind = LS_MESSAGE_WELCOME, .worker = 2, .cookie = {"another cookie !", 16}}));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_master_that_is_not_there_is_called_again),
      cmocka_unit_test(results_survive_a_cut_and_requests_do_not),
      cmocka_unit_test(a_new_session_keeps_what_hello_announced),
      cmocka_unit_test(silence_throws_a_connection_away_unless_it_may_be_silent),
  };
  return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
