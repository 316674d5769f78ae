#include "cli/calibrate/calibrate_probe.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/random.h"
#include "cli/calibrate/calibrate_slots.h"
#include "runtime/clock.h"
#include "runtime/process.h"

enum { BATCH = 8, CLIMB_FACTOR = 4, POLL_MS = 100 };
/* The climb may take so much of the time; a step up is thought to take as many times as long. */
static const double CLIMB_SHARE = 0.25;

struct probe {
  const struct ls_probe_setup *setup;
  struct ls_measurements *measurements;
  size_t before; /* measurements that were there */
  struct ls_size_range sizes;
  struct ls_probe_slots slots;
  struct pollfd *polls;
  struct ls_random random;
  double begin_s;
  bool is_climbing; /* nothing is measured yet: when the time is over, nothing will be */
  bool is_over;     /* nothing more is begun */
  uint64_t started; /* measurements */
  int null_file;
  double batch[BATCH]; /* the sizes that tell most, by the last fit */
  double queue[BATCH]; /* of them, those to measure, the last one first */
  size_t queued;
  struct ls_affine_fit fit; /* of what was measured; count 0: nothing yet */
};

static double find_left(const struct probe *probe) {
  return probe->setup->seconds - (ls_clock_s() - probe->begin_s);
}

static bool is_interrupted(const struct probe *probe) {
  return probe->setup->interrupts != NULL && *probe->setup->interrupts > 0;
}

/* The word with each {} replaced by the size. */
static void write_word(const char *word, double size, struct ls_bytes *out) {
  const char *place;
  while ((place = strstr(word, "{}")) != NULL) {
    ls_bytes_append(out, word, (size_t)(place - word));
    ls_bytes_printf(out, "%.0f", size);
    word = place + 2;
  }
  ls_bytes_append(out, word, strlen(word) + 1);
}

static enum ls_status start(struct probe *probe, struct ls_probe_slot *slot, double size,
                            struct ls_error *err) {
  struct ls_bytes text = {0};
  size_t count = probe->setup->words_count, at = 0;
  char **argv = calloc(count + 1, sizeof *argv);
  for (size_t i = 0; i < count; i++) write_word(probe->setup->words[i], size, &text);
  enum ls_status status = LS_OK;
  if (argv == NULL || text.failed) status = ls_fail(err, LS_ENOMEM, "no memory for a command");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    argv[i] = text.data + at;
    at += strlen(argv[i]) + 1;
  }
  struct ls_process_request request = {.argv = argv,
                                       .output = probe->null_file,
                                       .error_output = STDERR_FILENO,
                                       .dies_with_us = true};
  slot->size = size;
  slot->begin_s = ls_clock_s();
  if (status == LS_OK) status = ls_process_start(&request, &slot->process, NULL, err);
  free(argv);
  ls_bytes_close(&text);
  return status;
}

static enum ls_status refuse_end(const struct probe *probe, const struct ls_probe_slot *slot,
                                 struct ls_error *err) {
  const struct ls_process_end *end = &slot->end;
  const char *name = probe->setup->words[0];
  if (end->signal != 0)
    return ls_fail(err, LS_EINVAL, "%s of %.0f units was killed by signal %d", name, slot->size,
                   end->signal);
  return ls_fail(err, LS_EINVAL, "%s of %.0f units ended with exit code %d, expected 0", name,
                 slot->size, end->exit_code);
}

static enum ls_status refuse_time(const struct probe *probe, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "--seconds is %g, too short for a single measurement of %.0f units",
                 probe->setup->seconds, probe->sizes.least);
}

/* Learns the law of all measurements so far. */
static enum ls_status learn(struct probe *probe, struct ls_points *points, struct ls_error *err) {
  size_t count = 0;
  double *units = (double *)points->units, *seconds = (double *)points->seconds;
  for (size_t i = probe->before; i < probe->measurements->count; i++) {
    units[count] = probe->measurements->items[i].units;
    seconds[count++] = probe->measurements->items[i].seconds;
  }
  points->count = count;
  return count == 0 ? LS_OK : ls_affine_fit(points, &probe->fit, err);
}

/* The sizes that are worth measuring next: at first the two ends and between, then what tells most.
 */
static enum ls_status choose_batch(struct probe *probe, struct ls_error *err) {
  size_t room = probe->measurements->count - probe->before + 1;
  double *units = calloc(2 * room, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu measurements", room);
  struct ls_points points = {units, units + room, 0};
  enum ls_status status = learn(probe, &points, err);
  if (status == LS_OK && probe->fit.count > 0 && probe->fit.is_told_apart) {
    ls_next_sizes(&points, &probe->fit, &probe->sizes, probe->batch, BATCH);
  } else {
    double middle = round(sqrt(probe->sizes.least * probe->sizes.most));
    const double first[] = {probe->sizes.least, probe->sizes.most, middle};
    for (size_t i = 0; i < BATCH; i++) probe->batch[i] = first[i % 3];
  }
  free(units);
  return status;
}

static void fill_queue(struct probe *probe) {
  uint64_t order[BATCH];
  for (size_t i = 0; i < BATCH; i++) order[i] = i;
  ls_random_shuffle(&probe->random, order, BATCH);
  for (size_t i = 0; i < BATCH; i++) probe->queue[i] = probe->batch[order[i]];
  probe->queued = BATCH;
}

/* A fit takes time from whoever is measured meanwhile, so it waits until nobody is: each time when
 * there are half as many measurements again as at the last one. In between, the sizes that told
 * most then are measured again. */
static enum ls_status refill(struct probe *probe, struct ls_error *err) {
  size_t count = probe->measurements->count - probe->before;
  bool is_anybody_timed = ls_probe_slots_in(&probe->slots, LS_PROBE_BUSY) > 0;
  bool is_due = 2 * count >= 3 * probe->fit.count;
  if (is_anybody_timed && is_due) return LS_OK;
  enum ls_status status = is_anybody_timed ? LS_OK : choose_batch(probe, err);
  if (status == LS_OK) fill_queue(probe);
  return status;
}

/* Would it end in time? Before anything is known, whatever is begun in time. */
static bool has_time(const struct probe *probe, double size) {
  double left = find_left(probe);
  if (probe->fit.count == 0) return left > 0;
  return probe->fit.law.latency_s + probe->fit.law.per_unit_s * size < left;
}

/* Gives an idle worker a size that ends in time; when there is none any more, it is over. */
static enum ls_status start_next(void *context, struct ls_probe_slot *slot, bool *is_started,
                                 struct ls_error *err) {
  struct probe *probe = context;
  enum ls_status status = LS_OK;
  if (!probe->is_climbing) {
    uint64_t most = probe->setup->measurements_most;
    if (probe->queued == 0) status = refill(probe, err);
    if (status != LS_OK || probe->queued == 0) return status;
    while (probe->queued > 0 && !has_time(probe, probe->queue[probe->queued - 1])) probe->queued--;
    probe->is_over = probe->queued == 0 || (most > 0 && probe->started == most);
    if (probe->is_over) return LS_OK;
    probe->started++;
  }
  if (probe->queued == 0) return LS_OK;
  *is_started = true;
  return start(probe, slot, probe->queue[--probe->queued], err);
}

static double read_clock(void *context) {
  (void)context;
  return ls_clock_s();
}

static bool has_ended(void *context, struct ls_probe_slot *slot) {
  (void)context;
  return ls_process_ended(&slot->process, false, &slot->end);
}

static struct ls_probe_world find_world(struct probe *probe) {
  return (struct ls_probe_world){probe, read_clock, has_ended, start_next};
}

/* Waits until one of the busy slots has ended, and notices all that have. */
static enum ls_status wait_for_end(struct probe *probe, struct ls_error *err) {
  const struct ls_probe_world world = find_world(probe);
  for (;;) {
    ls_probe_slots_reap(&probe->slots, &world);
    if (is_interrupted(probe)) return ls_fail(err, LS_EINTERRUPTED, "interrupted");
    if (ls_probe_slots_in(&probe->slots, LS_PROBE_ENDED) > 0) return LS_OK;
    if (probe->is_climbing && find_left(probe) <= 0) return refuse_time(probe, err);
    size_t count = 0;
    int wait_ms = POLL_MS;
    for (size_t i = 0; i < probe->slots.count; i++) {
      const struct ls_probe_slot *slot = &probe->slots.items[i];
      if (slot->state != LS_PROBE_BUSY) continue;
      /* Old kernels have no descriptor to wait for. */
      if (slot->process.pidfd < 0) wait_ms = 1;
      probe->polls[count++] = (struct pollfd){.fd = slot->process.pidfd, .events = POLLIN};
    }
    assert(count > 0);
    if (poll(probe->polls, (nfds_t)count, wait_ms) < 0 && errno != EINTR)
      return ls_fail(err, LS_EIO, "poll: %s", strerror(errno));
  }
}

static void kill_all(struct probe *probe) {
  for (size_t i = 0; i < probe->slots.count; i++) {
    struct ls_probe_slot *slot = &probe->slots.items[i];
    if (slot->state != LS_PROBE_BUSY) continue;
    ls_process_signal(&slot->process, SIGKILL);
    (void)ls_process_ended(&slot->process, true, &slot->end);
  }
}

/* The next one that ended, and well; NULL: there is none any more. */
static enum ls_status take_ended(struct probe *probe, struct ls_probe_slot **ended,
                                 struct ls_error *err) {
  *ended = ls_probe_slots_take(&probe->slots);
  if (*ended == NULL || ((*ended)->end.exit_code == 0 && (*ended)->end.signal == 0)) return LS_OK;
  return refuse_end(probe, *ended, err);
}

/* Sizes grow while a step up still has its share of the time; the last one is the largest. */
static enum ls_status climb(struct probe *probe, struct ls_error *err) {
  const struct ls_probe_world world = find_world(probe);
  double size = probe->sizes.least, reached = size;
  probe->is_climbing = true;
  for (;;) {
    struct ls_probe_slot *slot;
    probe->queue[probe->queued++] = size;
    enum ls_status status = ls_probe_slots_fill(&probe->slots, &world, err);
    if (status == LS_OK) status = wait_for_end(probe, err);
    if (status == LS_OK) status = take_ended(probe, &slot, err);
    if (status != LS_OK) return status;
    reached = size;
    double spent = probe->setup->seconds - find_left(probe), seconds = slot->end_s - slot->begin_s;
    double next = fmin(CLIMB_FACTOR * size, probe->sizes.most);
    if (!(next > size) || spent + CLIMB_FACTOR * seconds > CLIMB_SHARE * probe->setup->seconds)
      break;
    size = next;
  }
  probe->sizes.most = reached;
  probe->is_climbing = false;
  return LS_OK;
}

static enum ls_status add_ended(struct probe *probe, struct ls_error *err) {
  struct ls_probe_slot *slot;
  enum ls_status status = take_ended(probe, &slot, err);
  while (status == LS_OK && slot != NULL) {
    struct ls_measurement item = {slot->worker, LS_OPERATION_COMPUTE, slot->size,
                                  slot->end_s - slot->begin_s};
    status = ls_measurements_add(probe->measurements, &item, err);
    if (status == LS_OK) status = take_ended(probe, &slot, err);
  }
  return status;
}

static enum ls_status measure(struct probe *probe, struct ls_error *err) {
  const struct ls_probe_world world = find_world(probe);
  for (;;) {
    enum ls_status status =
        probe->is_over ? LS_OK : ls_probe_slots_fill(&probe->slots, &world, err);
    if (status != LS_OK) return status;
    if (ls_probe_slots_in(&probe->slots, LS_PROBE_IDLE) == probe->slots.count) break;
    status = wait_for_end(probe, err);
    if (status == LS_OK) status = add_ended(probe, err);
    if (status != LS_OK) return status;
  }
  if (probe->measurements->count > probe->before) return LS_OK;
  return refuse_time(probe, err);
}

static enum ls_status open_probe(struct probe *probe, struct ls_error *err) {
  size_t workers = probe->setup->workers;
  enum ls_status status = ls_probe_slots_open(&probe->slots, workers, err);
  if (status != LS_OK) return status;
  probe->polls = calloc(workers, sizeof *probe->polls);
  if (probe->polls == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  for (size_t i = 0; i < workers; i++) {
    char name[32];
    int length = snprintf(name, sizeof name, "local-%zu", i + 1);
    status = ls_measurements_worker(probe->measurements, name, (size_t)length,
                                    &probe->slots.items[i].worker, err);
    if (status != LS_OK) return status;
  }
  probe->null_file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (probe->null_file < 0) return ls_fail(err, LS_EIO, "/dev/null: %s", strerror(errno));
  return LS_OK;
}

enum ls_status ls_probe_run(const struct ls_probe_setup *setup,
                            struct ls_measurements *measurements, struct ls_error *err) {
  bool has_place = false;
  for (size_t i = 0; i < setup->words_count; i++)
    has_place = has_place || strstr(setup->words[i], "{}") != NULL;
  if (!has_place)
    return ls_fail(err, LS_EINVAL, "the command has no {}, which stands for the size to measure");
  struct probe probe = {.setup = setup,
                        .measurements = measurements,
                        .before = measurements->count,
                        .sizes = setup->sizes,
                        .begin_s = ls_clock_s(),
                        .null_file = -1};
  ls_random_init(&probe.random, setup->seed, "probe");
  enum ls_status status = open_probe(&probe, err);
  if (status == LS_OK) status = climb(&probe, err);
  if (status == LS_OK) status = measure(&probe, err);
  kill_all(&probe);
  if (probe.null_file >= 0) close(probe.null_file);
  ls_probe_slots_close(&probe.slots);
  free(probe.polls);
  return status;
}
