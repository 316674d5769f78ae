/* test_outbox.c: what is posted arrives, in order, when the round is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/master/sending/outbox.h"

/* A transport that keeps what is sent; peer 13 is gone, frames for peer 14 cannot be sent. */
static struct {
  uint64_t peers[8];
  size_t lengths[8], count;
} sent;

static enum ls_status listen_nowhere(const char *address, const struct ls_curve *curve,
                                     struct ls_endpoint **out, struct ls_error *err) {
  (void)address, (void)curve, (void)err;
  *out = NULL;
  return LS_OK;
}

static enum ls_status keep(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                           double patience_s, struct ls_error *err) {
  (void)endpoint, (void)patience_s;
  if (frame->peer == 13) return ls_fail(err, LS_EIO, "gone");
  if (frame->peer == 14) return ls_fail(err, LS_EINVAL, "too large");
  sent.peers[sent.count] = frame->peer;
  sent.lengths[sent.count++] = frame->length;
  return LS_OK;
}

static void close_nothing(struct ls_endpoint *endpoint, double linger_s) {
  (void)endpoint, (void)linger_s;
}

static const struct ls_transport keeper = {
    .name = "keeper", .listen = listen_nowhere, .send = keep, .close = close_nothing};

struct scene {
  struct ls_endpoints endpoints;
  struct ls_outbox outbox;
};

static void open_scene(struct scene *scene) {
  *scene = (struct scene){0};
  memset(&sent, 0, sizeof sent);
  assert_int_equal(ls_endpoints_listen(&scene->endpoints, &keeper, "here", NULL, NULL), LS_OK);
}

static void close_scene(struct scene *scene) {
  ls_outbox_close(&scene->outbox);
  ls_endpoints_close(&scene->endpoints, 0);
}

static void post(struct scene *scene, uint64_t peer, enum ls_message_kind kind) {
  const struct ls_range range = {5, 3};
  struct ls_message message = {.kind = kind, .ranges = &range, .ranges_count = 1};
  ls_outbox_post(&scene->outbox, (struct ls_peer){0, peer}, &message);
}

static void messages_leave_in_their_order_when_they_are_sent(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  post(&scene, 7, LS_MESSAGE_PULSE);
  post(&scene, 8, LS_MESSAGE_RELEASE);
  post(&scene, 7, LS_MESSAGE_RECALL);
  assert_int_equal(sent.count, 0);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  assert_int_equal(sent.count, 3);
  assert_true(sent.peers[0] == 7 && sent.peers[1] == 8 && sent.peers[2] == 7);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  assert_int_equal(sent.count, 3);
  assert_int_equal(scene.outbox.messages, 3);
  close_scene(&scene);
}

static void only_chunks_in_a_row_for_one_peer_share_a_frame(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  post(&scene, 8, LS_MESSAGE_CHUNK);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  post(&scene, 7, LS_MESSAGE_PULSE);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  assert_int_equal(sent.count, 5);
  assert_int_equal(sent.lengths[0], 2 * sent.lengths[1]);
  assert_int_equal(scene.outbox.messages, 6);
  close_scene(&scene);
}

static void the_same_number_at_another_end_is_another_peer(void **state) {
  struct scene scene;
  const struct ls_range range = {5, 3};
  struct ls_message message = {.kind = LS_MESSAGE_CHUNK, .ranges = &range, .ranges_count = 1};
  (void)state;
  open_scene(&scene);
  assert_int_equal(ls_endpoints_listen(&scene.endpoints, &keeper, "there", NULL, NULL), LS_OK);
  for (uint32_t i = 0; i < 2; ++i) {
    ls_outbox_post(&scene.outbox, (struct ls_peer){i, 7}, &message);
  }
  assert_int_equal(scene.outbox.count, 2);
  close_scene(&scene);
}

static void a_full_outbox_is_empty_again_when_it_was_sent(void **state) {
  struct scene scene;
  const struct ls_range range = {5, 3};
  static const char input[100000];
  struct ls_message message = {.kind = LS_MESSAGE_CHUNK,
                               .ranges = &range,
                               .ranges_count = 1,
                               .input = {input, sizeof input}};
  static char encoded[300000];
  (void)state;
  open_scene(&scene);
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < 3; i++) {
      assert_false(ls_outbox_is_full(&scene.outbox));
      ls_outbox_post(&scene.outbox, (struct ls_peer){0, 7}, &message);
    }
    assert_true(ls_outbox_is_full(&scene.outbox));
    assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
    assert_false(ls_outbox_is_full(&scene.outbox));
  }
  ls_outbox_post_encoded(&scene.outbox, (struct ls_peer){0, 7}, encoded, sizeof encoded);
  assert_true(ls_outbox_is_full(&scene.outbox));
  close_scene(&scene);
}

static void a_peer_that_is_gone_is_no_failure(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  post(&scene, 13, LS_MESSAGE_PULSE);
  post(&scene, 7, LS_MESSAGE_PULSE);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  assert_int_equal(sent.count, 1);
  close_scene(&scene);
}

static void a_frame_that_cannot_be_sent_is_told_and_the_others_leave(void **state) {
  struct scene scene;
  struct ls_error err = {0};
  (void)state;
  open_scene(&scene);
  post(&scene, 14, LS_MESSAGE_PULSE);
  post(&scene, 7, LS_MESSAGE_PULSE);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, &err), LS_EINVAL);
  assert_string_equal(err.text, "too large");
  assert_int_equal(sent.count, 1);
  close_scene(&scene);
}

static void a_failure_is_kept_until_sending(void **state) {
  struct scene scene;
  struct ls_error err = {0};
  (void)state;
  open_scene(&scene);
  scene.outbox.has_failed = true;
  post(&scene, 7, LS_MESSAGE_PULSE);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, &err), LS_ENOMEM);
  assert_int_equal(sent.count, 0);
  close_scene(&scene);
}

/* What has its own memory leaves or is freed with the outbox; the leak sanitizer tells. */
static void a_large_input_has_a_frame_of_its_own(void **state) {
  enum { LARGE = 3 << 20 };
  struct scene scene;
  const struct ls_range range = {5, 3};
  char *input = calloc(LARGE, 1);
  (void)state;
  assert_non_null(input);
  const struct ls_message message = {
      .kind = LS_MESSAGE_CHUNK, .ranges = &range, .ranges_count = 1, .input = {input, LARGE}};
  open_scene(&scene);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  ls_outbox_post(&scene.outbox, (struct ls_peer){0, 7}, &message);
  post(&scene, 7, LS_MESSAGE_CHUNK);
  assert_true(scene.outbox.bytes.length < 1000);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  assert_int_equal(sent.count, 3);
  assert_in_range(sent.lengths[1], LARGE, LARGE + 1000);
  ls_outbox_post(&scene.outbox, (struct ls_peer){0, 13}, &message);
  assert_int_equal(ls_outbox_send(&scene.outbox, &scene.endpoints, NULL), LS_OK);
  ls_outbox_post(&scene.outbox, (struct ls_peer){0, 7}, &message);
  free(input);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_leave_in_their_order_when_they_are_sent),
      cmocka_unit_test(only_chunks_in_a_row_for_one_peer_share_a_frame),
      cmocka_unit_test(the_same_number_at_another_end_is_another_peer),
      cmocka_unit_test(a_full_outbox_is_empty_again_when_it_was_sent),
      cmocka_unit_test(a_peer_that_is_gone_is_no_failure),
      cmocka_unit_test(a_frame_that_cannot_be_sent_is_told_and_the_others_leave),
      cmocka_unit_test(a_failure_is_kept_until_sending),
      cmocka_unit_test(a_large_input_has_a_frame_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
