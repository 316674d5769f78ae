/* test_packer.c: units and their input become as few messages as hold them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/master/sending/packer.h"

/* The bytes of a unit's input; that of unit 13 cannot be packed. */
static size_t unit_bytes;

static enum ls_status pack(void *state, struct ls_range units, uint32_t slot,
                           struct ls_bytes *input, struct ls_error *err) {
  (void)state;
  (void)slot;
  if (units.first == 13) return ls_fail(err, LS_EINVAL, "unit 13 is unlucky");
  char *block = calloc(1, unit_bytes);
  assert_non_null(block);
  for (uint64_t i = 0; i < units.count; i++) ls_bytes_append(input, block, unit_bytes);
  free(block);
  return LS_OK;
}

/* A chunk for the transport's peer 7. */
struct scene {
  struct ls_app app;
  struct ls_range ranges[4];
  struct ls_packer packer;
  struct ls_port port;
  bool is_far; /* the worker */
  struct ls_outbox outbox;
  struct ls_error err;
};

static struct scene *open_scene(size_t bytes, bool runs_commands) {
  struct scene *scene = calloc(1, sizeof *scene);
  assert_non_null(scene);
  unit_bytes = bytes;
  scene->app = (struct ls_app){.name = "app", .pack = pack, .runs_commands = runs_commands};
  ls_packer_init(&scene->packer, &scene->app, NULL, &scene->port);
  return scene;
}

static void close_scene(struct scene *scene) {
  ls_packer_close(&scene->packer);
  ls_port_close(&scene->port);
  ls_outbox_close(&scene->outbox);
  free(scene);
}

static enum ls_status send_chunk(struct scene *scene, uint64_t chunk, size_t ranges_count) {
  const struct ls_packer_chunk whole = {.chunk = chunk,
                                        .ranges = scene->ranges,
                                        .ranges_count = ranges_count,
                                        .to = {0, 7},
                                        .is_far = scene->is_far};
  return ls_packer_post(&scene->packer, &whole, &scene->outbox, &scene->err);
}

/* All messages of the outbox, in their order: how many, and how many units of the chunk. */
static size_t read_outbox(const struct scene *scene, uint64_t *units) {
  struct ls_decoder decoder = {0};
  size_t messages = 0;
  *units = 0;
  for (size_t i = 0; i < scene->outbox.count; i++) {
    const struct ls_outgoing *frame = &scene->outbox.items[i];
    const char *data = frame->own != NULL ? frame->own : scene->outbox.bytes.data + frame->offset;
    struct ls_blob bytes = {data, frame->length};
    assert_int_equal(frame->to.number, 7);
    for (size_t offset = 0; offset < bytes.length; messages++) {
      struct ls_message message;
      assert_int_equal(ls_message_decode_next(&decoder, &bytes, &offset, &message, NULL), LS_OK);
      assert_int_equal(message.kind, LS_MESSAGE_CHUNK);
      uint64_t here = 0;
      for (size_t k = 0; k < message.ranges_count; k++) here += message.ranges[k].count;
      size_t length = message.transfer > 0 ? message.total : message.input.length;
      assert_int_equal(length, here * unit_bytes);
      *units += here;
    }
  }
  ls_decoder_close(&decoder);
  return messages;
}

static void small_chunks_for_one_worker_share_a_frame(void **state) {
  (void)state;
  struct scene *scene = open_scene(10, false);
  uint64_t units = 0;
  for (uint64_t chunk = 0; chunk < 5; chunk++) {
    scene->ranges[0] = (struct ls_range){20 + 3 * chunk, 3};
    assert_int_equal(send_chunk(scene, chunk, 1), LS_OK);
  }
  assert_int_equal(scene->outbox.count, 1);
  assert_int_equal(read_outbox(scene, &units), 5);
  assert_int_equal(units, 15);
  assert_int_equal(scene->outbox.messages, 5);
  close_scene(scene);
}

/* Only commands can tell the inputs of several ranges apart. */
static void ranges_of_a_chunk_travel_together_only_for_commands(void **state) {
  (void)state;
  for (int runs_commands = 0; runs_commands < 2; runs_commands++) {
    struct scene *scene = open_scene(10, runs_commands == 1);
    uint64_t units = 0;
    for (uint64_t i = 0; i < 4; i++) scene->ranges[i] = (struct ls_range){100 * (i + 1), 2};
    assert_int_equal(send_chunk(scene, 1, 4), LS_OK);
    assert_int_equal(read_outbox(scene, &units), runs_commands == 1 ? 1 : 4);
    assert_int_equal(units, 8);
    close_scene(scene);
  }
}

static void what_is_too_large_for_a_message_is_halved_until_it_fits(void **state) {
  (void)state;
  struct scene *scene = open_scene(10 << 20, false);
  uint64_t units = 0;
  scene->ranges[0] = (struct ls_range){20, 7};
  assert_int_equal(send_chunk(scene, 1, 1), LS_OK);
  /* 32 MiB at most: 7 -> 3 and 4, 4 -> 2 and 2. */
  assert_int_equal(read_outbox(scene, &units), 3);
  assert_int_equal(units, 7);
  close_scene(scene);
}

static void a_unit_that_is_too_large_ends_the_run_by_its_number(void **state) {
  (void)state;
  struct scene *scene = open_scene(33 << 20, false);
  scene->packer.unit_bytes_max = (33 << 20) - 1;
  scene->ranges[0] = (struct ls_range){20, 2};
  assert_int_equal(send_chunk(scene, 1, 1), LS_EINVAL);
  assert_non_null(strstr(scene->err.text, "unit 21"));
  assert_int_equal(scene->outbox.count, 0);
  close_scene(scene);
}

/* So is one of 8 KiB and a byte that has a network to cross; a shorter one comes with its chunk. */
static void a_large_input_travels_by_itself(void **state) {
  (void)state;
  static const struct {
    size_t bytes;
    bool is_far, travels;
  } cases[] = {{33 << 20, false, true},
               {LS_PORT_INLINE_MAX + 1, true, true},
               {LS_PORT_INLINE_MAX, true, false},
               {LS_PORT_INLINE_MAX + 1, false, false}};
  for (size_t i = 0; i < 4; i++) {
    struct scene *scene = open_scene(cases[i].bytes, false);
    uint64_t units = 0;
    scene->is_far = cases[i].is_far;
    scene->ranges[0] = (struct ls_range){20, 1};
    assert_int_equal(send_chunk(scene, 1, 1), LS_OK);
    assert_int_equal(read_outbox(scene, &units), 1);
    assert_int_equal(units, 1);
    assert_int_equal(scene->port.count, cases[i].travels);
    if (cases[i].travels) assert_int_equal(scene->port.items[0].length, cases[i].bytes);
    close_scene(scene);
  }
}

static void an_application_that_cannot_pack_is_heard(void **state) {
  (void)state;
  struct scene *scene = open_scene(10, false);
  scene->ranges[0] = (struct ls_range){13, 1};
  assert_int_equal(send_chunk(scene, 1, 1), LS_EINVAL);
  assert_non_null(strstr(scene->err.text, "unit 13 is unlucky"));
  assert_int_equal(scene->outbox.count, 0);
  close_scene(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_chunks_for_one_worker_share_a_frame),
      cmocka_unit_test(ranges_of_a_chunk_travel_together_only_for_commands),
      cmocka_unit_test(what_is_too_large_for_a_message_is_halved_until_it_fits),
      cmocka_unit_test(a_unit_that_is_too_large_ends_the_run_by_its_number),
      cmocka_unit_test(a_large_input_travels_by_itself),
      cmocka_unit_test(an_application_that_cannot_pack_is_heard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
