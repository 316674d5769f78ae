#include "cli/calibrate/calibrate_probe.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/calibrate/calibrate_slots.h"
#include "cli/calibrate/probe_subject.h"
#include "runtime/os/clock.h"

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
  struct ls_probe_subject subject;
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

static enum ls_status refuse_time(const struct probe *probe, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "--seconds is %g, too short for a single measurement of %.0f units",
                 probe->setup->seconds, probe->sizes.least);
}

/* Beside computing, an application's units may have been packed and staged. */
static size_t count_timed(const struct probe *probe) {
  size_t count = 0;
  for (size_t i = probe->before; i < probe->measurements->count; i++)
    count += probe->measurements->items[i].measured == LS_OPERATION_COMPUTE;
  return count;
}

/* Learns the law of all measurements so far. */
static enum ls_status learn(struct probe *probe, struct ls_points *points, struct ls_error *err) {
  size_t count = 0;
  double *units = (double *)points->units, *seconds = (double *)points->seconds;
  for (size_t i = probe->before; i < probe->measurements->count; i++) {
    if (probe->measurements->items[i].measured != LS_OPERATION_COMPUTE) continue;
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
  size_t count = count_timed(probe);
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
  slot->size = probe->queue[--probe->queued];
  slot->begin_s = ls_clock_s();
  return probe->subject.kind->start(&probe->subject, slot, err);
}

static double read_clock(void *context) {
  (void)context;
  return ls_clock_s();
}

static bool has_ended(void *context, struct ls_probe_slot *slot) {
  struct probe *probe = context;
  return probe->subject.kind->has_ended(&probe->subject, slot);
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
      int file = probe->subject.kind->file(&probe->subject, slot);
      if (file < 0) wait_ms = 1;
      probe->polls[count++] = (struct pollfd){.fd = file, .events = POLLIN};
    }
    assert(count > 0);
    if (poll(probe->polls, (nfds_t)count, wait_ms) < 0 && errno != EINTR)
      return ls_fail(err, LS_EIO, "poll: %s", strerror(errno));
  }
}

static void stop_all(struct probe *probe) {
  for (size_t i = 0; i < probe->slots.count; i++) {
    const struct ls_probe_slot *slot = &probe->slots.items[i];
    if (slot->state == LS_PROBE_BUSY) probe->subject.kind->stop(&probe->subject, slot);
  }
}

/* Of the next one that ended, and well; `ended` is NULL when there is none any more. */
static enum ls_status take_ended(struct probe *probe, struct ls_probe_slot **ended,
                                 struct ls_error *err) {
  *ended = ls_probe_slots_take(&probe->slots);
  if (*ended == NULL) return LS_OK;
  return probe->subject.kind->take(&probe->subject, *ended, probe->measurements, err);
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
  probe->measurements->count = probe->before;
  probe->is_climbing = false;
  return LS_OK;
}

static enum ls_status add_ended(struct probe *probe, struct ls_error *err) {
  struct ls_probe_slot *slot;
  enum ls_status status = take_ended(probe, &slot, err);
  while (status == LS_OK && slot != NULL) status = take_ended(probe, &slot, err);
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
  return LS_OK;
}

enum ls_status ls_probe_run(const struct ls_probe_setup *setup,
                            struct ls_measurements *measurements, struct ls_error *err) {
  struct probe probe = {.setup = setup,
                        .measurements = measurements,
                        .before = measurements->count,
                        .sizes = setup->sizes,
                        .begin_s = ls_clock_s()};
  struct ls_probe_target target = {setup->app, setup->words, setup->words_count, setup->workers,
                                   setup->seed};
  enum ls_status status = ls_probe_subject_open(&target, &probe.subject, err);
  if (status != LS_OK) return status;
  ls_random_init(&probe.random, setup->seed, "probe");
  if (probe.sizes.least > probe.subject.size_most)
    status = ls_fail(err, LS_EINVAL, "--sizes begins with %.0f, but %s has %.0f units only",
                     probe.sizes.least, probe.subject.name, probe.subject.size_most);
  probe.sizes.most = fmin(probe.sizes.most, probe.subject.size_most);
  if (status == LS_OK) status = open_probe(&probe, err);
  if (status == LS_OK) status = climb(&probe, err);
  if (status == LS_OK) status = measure(&probe, err);
  stop_all(&probe);
  ls_probe_subject_close(&probe.subject);
  ls_probe_slots_close(&probe.slots);
  free(probe.polls);
  return status;
}
