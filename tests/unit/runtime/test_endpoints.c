/* test_endpoints.c: several ends are used as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/master/guests/endpoints.h"
#include "runtime/transport/transport_wait.h"

enum { ENDS = 2 };

/* A master with two ends, and a worker at each. */
struct scene {
  struct ls_endpoints endpoints;
  struct ls_endpoint *workers[ENDS];
};

static void open_scene(struct scene *scene) {
  *scene = (struct scene){0};
  for (uint32_t i = 0; i < ENDS; ++i) {
    char address[32];
    (void)snprintf(address, sizeof address, "inproc://endpoints-%u", i);
    assert_int_equal(ls_endpoints_listen(&scene->endpoints, &ls_transport_zmq, address, NULL, NULL),
                     LS_OK);
    assert_string_equal(ls_endpoints_address(&scene->endpoints, i), address);
    assert_int_equal(ls_transport_zmq.connect(address, NULL, &scene->workers[i], NULL), LS_OK);
  }
}

static void close_scene(struct scene *scene) {
  for (int i = 0; i < ENDS; ++i) ls_transport_zmq.close(scene->workers[i], 0);
  ls_endpoints_close(&scene->endpoints, 0);
  assert_int_equal(scene->endpoints.count, 0);
}

static void say(struct scene *scene, int worker, const char *text) {
  const struct ls_frame frame = {0, text, strlen(text)};
  assert_int_equal(ls_transport_zmq.send(scene->workers[worker], &frame, 60, NULL), LS_OK);
}

/* The next frame within a minute. */
static struct ls_peer hear(struct scene *scene, const char *text) {
  struct ls_peer from;
  struct ls_frame frame;
  while (!ls_endpoints_receive(&scene->endpoints, &from, &frame)) {
    ls_endpoints_wait(&scene->endpoints, NULL, 0, NULL, 60);
  }
  assert_int_equal(frame.length, strlen(text));
  assert_memory_equal(frame.data, text, frame.length);
  return from;
}

static void an_answer_goes_to_the_end_that_was_spoken_to(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  for (int i = ENDS - 1; i >= 0; --i) {
    say(&scene, i, "hello");
    struct ls_peer from = hear(&scene, "hello");
    assert_int_equal(from.endpoint, i);
    assert_int_equal(ls_endpoints_send(&scene.endpoints, from, "welcome", 7, NULL), LS_OK);
    struct ls_frame frame;
    while (!ls_transport_zmq.receive(scene.workers[i], &frame)) {
      (void)ls_transport_wait(&ls_transport_zmq, scene.workers[i], &(struct ls_wait_files){0}, 60);
    }
    assert_memory_equal(frame.data, "welcome", frame.length);
    assert_false(ls_transport_zmq.receive(scene.workers[1 - i], &frame));
  }
  close_scene(&scene);
}

/* Else an end that never falls silent would keep the other one waiting. */
static void ends_take_turns(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  for (int i = 0; i < 4; ++i) say(&scene, 0, "a");
  for (int i = 0; i < 2; ++i) say(&scene, 1, "b");
  int from_first = 0, from_second = 0;
  while (from_second < 2) {
    struct ls_peer from;
    struct ls_frame frame;
    if (!ls_endpoints_receive(&scene.endpoints, &from, &frame)) {
      ls_endpoints_wait(&scene.endpoints, NULL, 0, NULL, 60);
      continue;
    }
    from_first += from.endpoint == 0;
    from_second += from.endpoint == 1;
  }
  assert_in_range(from_first, 1, 3);
  close_scene(&scene);
}

static void a_peer_that_never_was_is_gone(void **state) {
  struct scene scene;
  struct ls_error err = {0};
  (void)state;
  open_scene(&scene);
  const struct ls_peer nobody = {1, 77};
  assert_int_equal(ls_endpoints_send(&scene.endpoints, nobody, "x", 1, &err), LS_EIO);
  close_scene(&scene);
}

static void a_file_ends_the_wait(void **state) {
  struct scene scene;
  int ends[2];
  bool is_ready = false;
  (void)state;
  open_scene(&scene);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  ls_endpoints_wait(&scene.endpoints, &ends[0], 1, &is_ready, 60);
  assert_true(is_ready);
  ls_endpoints_wait(&scene.endpoints, NULL, 0, NULL, 0.02);
  (void)close(ends[0]);
  (void)close(ends[1]);
  close_scene(&scene);
}

static void an_address_that_is_none_is_refused(void **state) {
  struct ls_endpoints endpoints = {0};
  struct ls_error err = {0};
  (void)state;
  assert_int_not_equal(ls_endpoints_listen(&endpoints, &ls_transport_zmq, "nowhere", NULL, &err),
                       LS_OK);
  assert_true(err.text[0] != 0);
  assert_int_equal(endpoints.count, 0);
  ls_endpoints_close(&endpoints, 0);
}

/* A stranger at one end is one of the whole; ends that are private count none. */
static void strangers_are_counted_over_all_ends(void **state) {
  struct ls_endpoints endpoints = {0};
  struct ls_endpoint *strangers[2];
  struct ls_peer from;
  struct ls_frame frame;
  (void)state;
  assert_int_equal(ls_endpoints_listen(&endpoints, &ls_transport_zmq, "inproc://quiet", NULL, NULL),
                   LS_OK);
  for (uint32_t i = 0; i < 2; ++i) {
    assert_int_equal(
        ls_endpoints_listen(&endpoints, &ls_transport_zmq, "tcp://127.0.0.1:*", NULL, NULL), LS_OK);
    assert_int_equal(ls_transport_zmq.connect(ls_endpoints_address(&endpoints, i + 1), NULL,
                                              &strangers[i], NULL),
                     LS_OK);
    for (int k = 0; k < 3; ++k) {
      const struct ls_frame word = {0, "x", 1};
      assert_int_equal(ls_transport_zmq.send(strangers[i], &word, 60, NULL), LS_OK);
    }
  }
  for (int turn = 0; ls_endpoints_strangers(&endpoints).frames_dropped < 4 && turn < 6000; ++turn) {
    ls_endpoints_wait(&endpoints, NULL, 0, NULL, 0.01);
    (void)ls_endpoints_receive(&endpoints, &from, &frame);
  }
  assert_int_equal(ls_endpoints_strangers(&endpoints).frames_dropped, 4);
  for (int i = 0; i < 2; ++i) ls_transport_zmq.close(strangers[i], 0);
  ls_endpoints_close(&endpoints, 0);
}

static uint64_t given_up;

static void note_given_up(struct ls_endpoint *endpoint, uint64_t peer) {
  (void)endpoint;
  given_up = peer;
}

/* Of the ends only that one hears of it whose peer it is, if it waits for peers at all. */
static void a_silent_peer_is_given_up_at_its_end(void **state) {
  struct scene scene;
  struct ls_transport patient = ls_transport_zmq;
  (void)state;
  patient.give_up = note_given_up;
  open_scene(&scene);
  scene.endpoints.items[1].transport = &patient;
  ls_endpoints_give_up(&scene.endpoints, (struct ls_peer){0, 7});
  assert_int_equal(given_up, 0);
  ls_endpoints_give_up(&scene.endpoints, (struct ls_peer){1, 8});
  assert_int_equal(given_up, 8);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_silent_peer_is_given_up_at_its_end),
      cmocka_unit_test(an_answer_goes_to_the_end_that_was_spoken_to),
      cmocka_unit_test(ends_take_turns),
      cmocka_unit_test(a_peer_that_never_was_is_gone),
      cmocka_unit_test(a_file_ends_the_wait),
      cmocka_unit_test(an_address_that_is_none_is_refused),
      cmocka_unit_test(strangers_are_counted_over_all_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
