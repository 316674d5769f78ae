/* test_port.c: inputs on their way: how many at a time, in which order, and how much of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "runtime/master/sending/port.h"

enum { WORKERS_MAX = 5, TRANSFERS_MAX = 40 };

/* A port, and links that carry its pieces one after the other; each has a rate and a way. */
struct scene {
  struct ls_port port;
  struct ls_outbox outbox;
  size_t workers;
  double now_s;
  double bytes_per_s[WORKERS_MAX], way_s[WORKERS_MAX], free_s[WORKERS_MAX];
  bool is_still[WORKERS_MAX];
  /* Pieces on their way, in the order of their sending. */
  struct piece {
    uint32_t worker;
    uint64_t transfer, end;
    double heard_s;
  } pieces[4096];
  size_t pieces_count;
  /* By number. */
  uint64_t next[TRANSFERS_MAX + 1];
  size_t length[TRANSFERS_MAX + 1];
  uint32_t worker[TRANSFERS_MAX + 1];
  uint64_t ended[TRANSFERS_MAX + 1];
  size_t ended_count, begun_at_most, on_way_most;
};

static struct scene *open_scene(size_t workers, size_t most, double bytes_per_s) {
  struct scene *scene = calloc(1, sizeof *scene);
  assert_non_null(scene);
  scene->workers = workers;
  scene->port.most = most;
  scene->now_s = 1;
  for (size_t i = 0; i < workers; i++) {
    scene->bytes_per_s[i] = bytes_per_s;
    scene->way_s[i] = 0.001;
  }
  return scene;
}

static void close_scene(struct scene *scene) {
  ls_port_close(&scene->port);
  ls_outbox_close(&scene->outbox);
  free(scene);
}

static void add(struct scene *scene, uint32_t worker, size_t length, bool is_paced) {
  struct ls_transfer transfer = {.to = {0, 100 + worker},
                                 .worker = worker,
                                 .is_paced = is_paced,
                                 .input = calloc(1, length),
                                 .length = length};
  assert_non_null(transfer.input);
  uint64_t number = ls_port_add(&scene->port, &transfer);
  assert_true(number >= 1 && number <= TRANSFERS_MAX);
  scene->length[number] = length;
  scene->worker[number] = worker;
}

/* How many are begun and not ended, but for those of workers that stand still. */
static size_t count_begun(const struct scene *scene) {
  size_t count = 0;
  for (size_t i = 0; i < scene->port.count; i++) {
    const struct ls_transfer *transfer = &scene->port.items[i];
    count += !isnan(transfer->begun_s) && !scene->is_still[transfer->worker];
  }
  return count;
}

static void take_piece(struct scene *scene, const struct ls_message *piece, uint64_t peer) {
  uint32_t worker = scene->worker[piece->transfer];
  assert_int_equal(piece->kind, LS_MESSAGE_INPUT);
  assert_true(peer == 100 + worker);
  assert_true(piece->offset == scene->next[piece->transfer]);
  scene->next[piece->transfer] += piece->input.length;
  assert_true(scene->next[piece->transfer] <= scene->length[piece->transfer]);
  if (scene->is_still[worker]) return;
  double begin_s = fmax(scene->now_s, scene->free_s[worker]);
  scene->free_s[worker] = begin_s + (double)piece->input.length / scene->bytes_per_s[worker];
  assert_true(scene->pieces_count < 4096);
  scene->pieces[scene->pieces_count++] =
      (struct piece){worker, piece->transfer, scene->next[piece->transfer],
                     scene->free_s[worker] + 2 * scene->way_s[worker]};
}

static void post(struct scene *scene) {
  struct ls_decoder decoder = {0};
  ls_port_post(&scene->port, &scene->outbox, scene->now_s);
  for (size_t i = 0; i < scene->outbox.count; i++) {
    const struct ls_outgoing *frame = &scene->outbox.items[i];
    struct ls_message piece;
    assert_int_equal(ls_message_decode(&decoder, scene->outbox.bytes.data + frame->offset,
                                       frame->length, &piece, NULL),
                     LS_OK);
    take_piece(scene, &piece, frame->to.number);
  }
  scene->outbox.count = 0;
  ls_bytes_clear(&scene->outbox.bytes);
  ls_decoder_close(&decoder);
  if (count_begun(scene) > scene->begun_at_most) scene->begun_at_most = count_begun(scene);
  for (size_t i = 0; i < scene->port.count; i++) {
    size_t on_way = scene->port.items[i].sent - scene->port.items[i].arrived;
    if (on_way > scene->on_way_most) scene->on_way_most = on_way;
  }
}

/* The next word of a worker, or the time at which the port wants to look again; false: neither. */
static bool step(struct scene *scene) {
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < scene->pieces_count; i++) {
    if (first == SIZE_MAX || scene->pieces[i].heard_s < scene->pieces[first].heard_s) first = i;
  }
  double due_s = ls_port_due_s(&scene->port);
  if (first == SIZE_MAX && !isfinite(due_s)) return false;
  if (first == SIZE_MAX || due_s < scene->pieces[first].heard_s) {
    scene->now_s = fmax(scene->now_s, due_s);
    post(scene);
    return true;
  }
  struct piece piece = scene->pieces[first];
  scene->pieces[first] = scene->pieces[--scene->pieces_count];
  scene->now_s = fmax(scene->now_s, piece.heard_s);
  const struct ls_transfer said = {
      .to = {0, 100 + piece.worker}, .number = piece.transfer, .arrived = piece.end};
  struct ls_transfer ended;
  assert_int_equal(ls_port_hear(&scene->port, &said, scene->now_s, &ended, NULL), LS_OK);
  if (ended.number > 0) scene->ended[scene->ended_count++] = ended.number;
  post(scene);
  return true;
}

static void run(struct scene *scene) {
  post(scene);
  for (int i = 0; i < 100000 && step(scene); i++) continue;
}

/* Every byte of every input leaves once, in order; so many travel at a time at most. */
static void all_arrive_so_many_at_a_time(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct ls_random random;
    ls_random_init(&random, seed, "port");
    size_t most = 1 + (size_t)ls_random_below(&random, 3);
    struct scene *scene = open_scene(1 + ls_random_below(&random, WORKERS_MAX), most, 1e6);
    for (size_t i = 0; i < scene->workers; i++) {
      scene->bytes_per_s[i] = pow(10, 5 + 3 * ls_random_real(&random));
      scene->way_s[i] = pow(10, -4 + 3 * ls_random_real(&random));
    }
    for (int i = 0; i < 20; i++)
      add(scene, (uint32_t)ls_random_below(&random, scene->workers),
          1 + (size_t)ls_random_below(&random, 300000), true);
    run(scene);
    assert_int_equal(scene->ended_count, 20);
    for (uint64_t i = 1; i <= 20; i++) assert_true(scene->next[i] == scene->length[i]);
    assert_true(scene->begun_at_most <= most);
    close_scene(scene);
  }
}

static void one_at_a_time_goes_by_the_order_of_the_decisions(void **state) {
  (void)state;
  struct scene *scene = open_scene(3, 1, 1e6);
  for (uint32_t i = 0; i < 12; i++) add(scene, (7 * i) % 3, 50000 + 1000 * (size_t)i, true);
  run(scene);
  assert_int_equal(scene->ended_count, 12);
  for (uint64_t i = 0; i < 12; i++) assert_true(scene->ended[i] == i + 1);
  close_scene(scene);
}

static void a_worker_that_stands_still_keeps_nobody_from_the_port(void **state) {
  (void)state;
  struct scene *scene = open_scene(3, 1, 1e6);
  scene->is_still[1] = true;
  add(scene, 0, 50000, true);
  add(scene, 1, 50000, true);
  add(scene, 2, 50000, true);
  add(scene, 1, 50000, true);
  add(scene, 0, 50000, true);
  run(scene);
  assert_int_equal(scene->ended_count, 3);
  assert_true(scene->now_s < 4); /* once for all it was waited for */
  ls_port_forget(&scene->port, (struct ls_peer){0, 101});
  assert_int_equal(scene->port.count, 0);
  assert_true(ls_port_due_s(&scene->port) > 1e300);
  close_scene(scene);
}

/* Where there is no network there is no port to wait for. */
static void near_workers_wait_for_nobody(void **state) {
  (void)state;
  struct scene *scene = open_scene(3, 1, 1e6);
  for (uint32_t i = 0; i < 3; i++) add(scene, i, 50000, i == 0);
  post(scene);
  assert_int_equal(scene->begun_at_most, 3);
  run(scene);
  assert_int_equal(scene->ended_count, 3);
  close_scene(scene);
}

/* A slow link has a word pass within a moment; a fast one with a long way is kept full. */
static void what_is_on_the_way_fits_the_link(void **state) {
  (void)state;
  struct scene *slow = open_scene(1, 1, 125000);
  add(slow, 0, 4000000, true);
  run(slow);
  assert_true(slow->on_way_most <= 2 * (size_t)LS_PORT_WINDOW_LEAST);
  close_scene(slow);
  struct scene *fast = open_scene(1, 1, 1.25e7);
  fast->way_s[0] = 0.025;
  add(fast, 0, 40000000, true);
  run(fast);
  assert_int_equal(fast->ended_count, 1);
  assert_true(fast->now_s - 1 < 1.15 * 40000000 / 1.25e7);
  close_scene(fast);
}

/* What a worker may say of transfers, and what comes of it. */
static void a_worker_can_tell_of_its_own_bytes_only(void **state) {
  (void)state;
  static const struct {
    uint64_t peer, number;
    size_t arrived;
    enum ls_status status;
  } cases[] = {
      {100, 1, 1, LS_OK},     {100, 1, 1, LS_ECORRUPT}, {100, 1, 60000, LS_ECORRUPT},
      {101, 1, 60000, LS_OK}, {100, 7, 5, LS_OK},       {100, 1, LS_TRANSFER_UNWANTED, LS_OK},
      {100, 1, 3, LS_OK}};
  struct scene *scene = open_scene(1, 1, 1e6);
  add(scene, 0, 50000, true);
  post(scene);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_transfer said = {
        .to = {0, cases[i].peer}, .number = cases[i].number, .arrived = cases[i].arrived};
    struct ls_transfer ended;
    assert_int_equal(ls_port_hear(&scene->port, &said, 0, &ended, NULL), cases[i].status);
    assert_int_equal(ended.number, 0);
  }
  assert_int_equal(scene->port.count, 0); /* of no use any more */
  close_scene(scene);
}

/* Without a platform: separate links come to be used at once. */
static void separate_links_are_found(void **state) {
  (void)state;
  struct scene *scene = open_scene(4, 0, 1e6);
  for (uint32_t i = 0; i < TRANSFERS_MAX; i++) add(scene, i % 4, 100000, true);
  run(scene);
  assert_int_equal(scene->ended_count, TRANSFERS_MAX);
  assert_true(scene->begun_at_most >= 3);
  assert_true(scene->now_s - 1 < 0.6 * TRANSFERS_MAX * 0.1);
  close_scene(scene);
}

/* However many of others wait between them, two that travel together know it: what they take is no
 * rate of a link alone. */
static void company_is_known_behind_a_long_queue(void **state) {
  (void)state;
  struct scene *scene = open_scene(2, 0, 1e6);
  scene->port.trial.most = 2;
  for (uint32_t i = 0; i < 20; i++) add(scene, 0, 50000, true);
  add(scene, 1, 50000, true);
  post(scene);
  const struct ls_transfer *last = &scene->port.items[scene->port.count - 1];
  assert_int_equal(last->worker, 1);
  assert_false(last->begun_s != last->begun_s);
  assert_int_equal(last->at_once, 2);
  close_scene(scene);
}

/* After 5 s, then less and less often: whoever waits for a slow link hears that it goes on. */
static void what_lasts_is_told(void **state) {
  (void)state;
  struct scene *scene = open_scene(2, 1, 125000);
  double last_s = 0;
  int count = 0;
  add(scene, 1, 4000000, true);
  post(scene);
  do {
    uint32_t worker = 0;
    struct ls_slow slow = {0};
    if (!ls_port_find_slow(&scene->port, scene->now_s, &worker, &slow)) continue;
    count++;
    assert_int_equal(worker, 1);
    assert_true(slow.seconds >= 5 && slow.seconds > 1.9 * last_s && slow.total == 4000000);
    assert_true(slow.arrived > 100000 * (uint64_t)slow.seconds);
    last_s = slow.seconds;
  } while (step(scene));
  assert_int_equal(count, 3); /* at 5, 10 and 20 of 32 s */
  close_scene(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_arrive_so_many_at_a_time),
      cmocka_unit_test(one_at_a_time_goes_by_the_order_of_the_decisions),
      cmocka_unit_test(a_worker_that_stands_still_keeps_nobody_from_the_port),
      cmocka_unit_test(near_workers_wait_for_nobody),
      cmocka_unit_test(what_is_on_the_way_fits_the_link),
      cmocka_unit_test(a_worker_can_tell_of_its_own_bytes_only),
      cmocka_unit_test(separate_links_are_found),
      cmocka_unit_test(company_is_known_behind_a_long_queue),
      cmocka_unit_test(what_lasts_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
