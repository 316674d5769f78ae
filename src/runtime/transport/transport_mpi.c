/* transport_mpi.c: frames between ranks of MPI: rank 0 is the master, all others are workers.
 *
 * Compiled once for each MPI, as a module of its own.  Nothing here blocks in MPI, which would take
 * a whole core to wait: what leaves and comes is tested, and looked at again after a pause.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/message.h"
#include "runtime/os/clock.h"
#include "runtime/transport/mpi_module.h"
#include "runtime/transport/transport_mpi_private.h"
#include "runtime/transport/transport_wait.h"

enum { ADDRESS_BYTES = 64 };

/* A worker's frames that its master has not taken yet. */
enum { WORKER_FRAMES = 64 };

/* The longer nothing moves, the longer the pause; where nothing is urgent, half a millisecond saves
 * most of the processor time. Whoever is rung for need not look at all, but for a ring that was
 * lost. A message that is under way moves in calls of MPI only, and by a buffer's length in each:
 * the pauses are a small part of the time that it takes, until it may be that nobody moves it. */
static const double PAUSE_LEAST_S = 1e-6, PAUSE_MOST_S = 1e-3, PAUSE_RELAXED_S = 5e-4,
                    PAUSE_RUNG_S = 0.02, PAUSE_MOVING_S = 5e-6, PAUSE_UNDER_WAY_S = 5e-5,
                    MOVING_PART = 1e-4;

/* Sleep and wake-up take tens of microseconds, longer than a peer may need for an answer: where the
 * last frame came within BRISK_S of what moved before it, the next one is looked for SPIN_S long
 * before anyone sleeps. */
static const double BRISK_S = 2e-4, SPIN_S = 1e-4;

struct ls_endpoint {
  bool is_master, is_cut;
  uint32_t generation;        /* of a worker's connection */
  struct ls_mpi_arrival next; /* to be received, if has_next */
  bool has_next;
  bool is_brisk;        /* the last frame came at once */
  unsigned char *taken; /* what was received last */
  char address[ADDRESS_BYTES];
};

/* ---- connections ---- */

static uint64_t name_peer(int rank, uint32_t generation) {
  return (uint64_t)generation << 32 | (uint32_t)rank;
}

static enum ls_status create_endpoint(const char *address, bool is_master, struct ls_endpoint **out,
                                      struct ls_error *err) {
  if (strcmp(address, "mpi:") != 0)
    return ls_fail(err, LS_EINVAL, "the address of MPI is '%.40s', expected mpi:", address);
  if (!ls_mpi.is_started || ls_mpi.is_ended)
    return ls_fail(err, LS_EINVAL, "MPI is not started, or has ended");
  struct ls_endpoint *endpoint = calloc(1, sizeof *endpoint);
  if (endpoint == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a connection to mpi:");
  endpoint->is_master = is_master;
  (void)snprintf(endpoint->address, sizeof endpoint->address, "mpi:");
  *out = endpoint;
  return LS_OK;
}

static enum ls_status listen_mpi(const char *address, const struct ls_curve *curve,
                                 struct ls_endpoint **out, struct ls_error *err) {
  (void)curve; /* whoever is a rank is ours */
  if (ls_mpi.is_started && ls_mpi.rank != 0)
    return ls_fail(err, LS_EINVAL, "rank %d cannot be the master: rank 0 is", ls_mpi.rank);
  return create_endpoint(address, true, out, err);
}

static enum ls_status connect_mpi(const char *address, const struct ls_curve *curve,
                                  struct ls_endpoint **out, struct ls_error *err) {
  (void)curve;
  struct ls_endpoint *endpoint = NULL;
  enum ls_status status = create_endpoint(address, false, &endpoint, err);
  if (status != LS_OK) return status;
  uint32_t generation = ls_mpi.generation + 1;
  if (ls_mpi.is_over) {
    status = ls_fail(err, LS_EINTERRUPTED, "the run at rank 0 of MPI is over");
  } else if (ls_mpi_tag(LS_MPI_KINDS - 1, generation) > ls_mpi.tag_max) {
    status = ls_fail(err, LS_EINVAL, "rank %d has connected %u times, and MPI has no further tags",
                     ls_mpi.rank, ls_mpi.generation);
  }
  if (status != LS_OK) {
    free(endpoint);
    return status;
  }
  endpoint->generation = ls_mpi.generation = generation;
  *out = endpoint;
  return LS_OK;
}

static const char *address_mpi(const struct ls_endpoint *endpoint) {
  return endpoint->address;
}

/* ---- receiving ---- */

/* A message to rank 0: is it a frame of a connection that is open? */
static bool hear_worker(const struct ls_mpi_arrival *arrival) {
  struct ls_mpi_lane *lane = &ls_mpi.lanes[arrival->rank];
  uint32_t generation = (uint32_t)(arrival->tag / LS_MPI_KINDS);
  bool is_frame = arrival->tag % LS_MPI_KINDS == LS_MPI_FRAME;
  if (generation > lane->generation) {
    lane->generation = generation;
    lane->is_open = true;
  }
  if (generation < lane->generation) return false;
  if (!is_frame) lane->is_open = false;
  return is_frame && lane->is_open;
}

static bool hear_master(struct ls_endpoint *endpoint, const struct ls_mpi_arrival *arrival) {
  bool is_frame = arrival->tag % LS_MPI_KINDS == LS_MPI_FRAME;
  if ((uint32_t)(arrival->tag / LS_MPI_KINDS) != endpoint->generation) return false;
  if (!is_frame) endpoint->is_cut = true;
  return is_frame;
}

/* Goes on with everything; is a frame there to be received? */
static bool advance(struct ls_endpoint *endpoint) {
  struct ls_mpi_inbox *inbox = endpoint->is_master ? &ls_mpi.up : &ls_mpi.down;
  ls_mpi_move();
  if (endpoint->is_master) ls_mpi_tick();
  while (!endpoint->has_next && ls_mpi_take(inbox, &endpoint->next)) {
    bool is_ours = !ls_mpi_hear(&endpoint->next) &&
                   (endpoint->is_master ? hear_worker(&endpoint->next)
                                        : hear_master(endpoint, &endpoint->next));
    endpoint->has_next = is_ours;
    if (!is_ours) free(endpoint->next.data);
    ls_mpi_move();
  }
  if (!endpoint->is_master && ls_mpi.is_over) endpoint->is_cut = true;
  return endpoint->has_next;
}

static bool receive_mpi(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  free(endpoint->taken);
  endpoint->taken = NULL;
  if (!advance(endpoint)) return false;
  const struct ls_mpi_arrival *next = &endpoint->next;
  endpoint->taken = next->data;
  endpoint->has_next = false;
  frame->peer =
      endpoint->is_master ? name_peer(next->rank, (uint32_t)(next->tag / LS_MPI_KINDS)) : 0;
  frame->data = next->data;
  frame->length = next->length;
  return true;
}

static bool is_cut_mpi(struct ls_endpoint *endpoint) {
  if (!endpoint->is_master && !endpoint->is_cut) (void)advance(endpoint);
  return endpoint->is_cut;
}

static double find_pause_s(bool is_relaxed) {
  double now_s = ls_clock_s(), still_s = now_s - ls_mpi.moved_s;
  double moving_s = now_s - ls_mpi_moving_since_s();
  double pause_s = fmin(still_s / 2, PAUSE_MOST_S);
  if (is_relaxed) pause_s = fmax(pause_s, PAUSE_RELAXED_S);
  if (ls_mpi.are_near)
    pause_s = is_relaxed ? PAUSE_RUNG_S : fmin(fmax(still_s, PAUSE_RELAXED_S), PAUSE_RUNG_S);
  /* What MPI itself holds back nobody rings for. */
  if (ls_mpi.unsent > 0) pause_s = fmin(pause_s, PAUSE_MOST_S);
  if (isfinite(moving_s))
    pause_s = fmin(pause_s, fmin(fmax(MOVING_PART * moving_s, PAUSE_MOVING_S), PAUSE_UNDER_WAY_S));
  return fmax(pause_s, PAUSE_LEAST_S);
}

/* Looks on for a frame for a moment. */
static bool await_briefly(struct ls_endpoint *endpoint, double until_s) {
  bool has = false;
  while (!has && !endpoint->is_cut && ls_clock_s() < until_s) has = advance(endpoint);
  return has;
}

static bool look_mpi(struct ls_endpoint *endpoint, struct ls_watch *watch) {
  double moved_s = ls_mpi.moved_s;
  bool was_cut = endpoint->is_cut, was_rung = ls_mpi_bell_answer(), has = advance(endpoint);
  /* MPICH finds what has just come when it is asked for the second time. */
  if (was_rung && !has) has = advance(endpoint);
  bool looks_on = !has && endpoint->is_brisk && !watch->is_relaxed && watch->seconds >= SPIN_S;
  if (looks_on) has = await_briefly(endpoint, moved_s + SPIN_S);
  if (has || looks_on) endpoint->is_brisk = has && ls_clock_s() < moved_s + BRISK_S;
  if (ls_mpi.bell >= 0) ls_watch_add(watch, ls_mpi.bell);
  watch->pause_s = fmin(watch->pause_s, find_pause_s(watch->is_relaxed));
  if (endpoint->is_cut != was_cut) watch->seconds = 0;
  return has;
}

/* ---- sending ---- */

static enum ls_status send_to_peer(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                   struct ls_error *err) {
  uint64_t rank = frame->peer & UINT32_MAX, generation = frame->peer >> 32;
  (void)advance(endpoint);
  const struct ls_mpi_lane *lane = rank < (uint64_t)ls_mpi.size ? &ls_mpi.lanes[rank] : NULL;
  if (lane == NULL || !lane->is_open || lane->generation != generation)
    return ls_fail(err, LS_EIO, "peer %u of %s is gone", (unsigned)rank, endpoint->address);
  return ls_mpi_post(ls_mpi.down.comm, (int)rank, ls_mpi_tag(LS_MPI_FRAME, lane->generation), frame,
                     err);
}

static bool has_room(const struct ls_mpi_lane *lane, size_t length) {
  return lane->frames == 0 ||
         (lane->frames < WORKER_FRAMES && lane->bytes + length <= LS_MESSAGE_BYTES_MAX);
}

static enum ls_status send_to_master(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                     double patience_s, struct ls_error *err) {
  const struct ls_mpi_lane *lane = &ls_mpi.lanes[0];
  const struct timespec pause = {.tv_nsec = (long)(PAUSE_UNDER_WAY_S * 1e9)};
  double until_s = ls_clock_s() + patience_s;
  while (!is_cut_mpi(endpoint) && !has_room(lane, frame->length) && ls_clock_s() < until_s) {
    (void)ppoll(NULL, 0, &pause, NULL);
    ls_mpi_move();
  }
  if (endpoint->is_cut)
    return ls_fail(err, LS_EIO, "the connection to the master at %s is broken", endpoint->address);
  if (!has_room(lane, frame->length))
    return ls_fail(err, LS_EBUSY, "the master at %s took no message for %g s", endpoint->address,
                   patience_s);
  return ls_mpi_post(ls_mpi.up.comm, 0, ls_mpi_tag(LS_MPI_FRAME, endpoint->generation), frame, err);
}

static enum ls_status send_mpi(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                               double patience_s, struct ls_error *err) {
  if (frame->length > LS_MESSAGE_BYTES_MAX)
    return ls_fail(err, LS_EINVAL, "a message for %s has %zu bytes, expected at most %d",
                   endpoint->address, frame->length, LS_MESSAGE_BYTES_MAX);
  return endpoint->is_master ? send_to_peer(endpoint, frame, err)
                             : send_to_master(endpoint, frame, patience_s, err);
}

/* ---- the rest ---- */

static void admit_mpi(struct ls_endpoint *endpoint, uint64_t peer) {
  (void)endpoint;
  (void)peer;
}

static void give_up_mpi(struct ls_endpoint *endpoint, uint64_t peer) {
  uint64_t rank = peer & UINT32_MAX, generation = peer >> 32;
  (void)advance(endpoint);
  struct ls_mpi_lane *lane = rank < (uint64_t)ls_mpi.size ? &ls_mpi.lanes[rank] : NULL;
  if (lane != NULL && lane->generation == generation && !lane->has_left) lane->is_given_up = true;
}

static void say_bye(const struct ls_endpoint *endpoint) {
  if (!endpoint->is_master) {
    ls_mpi_say(ls_mpi.up.comm, 0, LS_MPI_BYE, endpoint->generation);
    return;
  }
  for (int rank = 0; rank < ls_mpi.size; ++rank) {
    struct ls_mpi_lane *lane = &ls_mpi.lanes[rank];
    if (lane->is_open) ls_mpi_say(ls_mpi.down.comm, rank, LS_MPI_BYE, lane->generation);
    lane->is_open = false;
  }
}

/* What has not left by then leaves at the end. */
static void close_mpi(struct ls_endpoint *endpoint, double linger_s) {
  const struct timespec pause = {.tv_nsec = (long)(PAUSE_UNDER_WAY_S * 1e9)};
  double until_s = ls_clock_s() + linger_s;
  if (endpoint == NULL) return;
  say_bye(endpoint);
  while (ls_mpi_is_sending() && ls_clock_s() < until_s) {
    ls_mpi_move();
    (void)ppoll(NULL, 0, &pause, NULL);
  }
  if (endpoint->has_next) free(endpoint->next.data);
  free(endpoint->taken);
  free(endpoint);
}

static const struct ls_transport transport = {
    .name = "mpi",
    .start = ls_mpi_start,
    .end = ls_mpi_end,
    .listen = listen_mpi,
    .connect = connect_mpi,
    .is_cut = is_cut_mpi,
    .address = address_mpi,
    .send = send_mpi,
    .receive = receive_mpi,
    .admit = admit_mpi,
    .give_up = give_up_mpi,
    .look = look_mpi,
    .close = close_mpi,
};

const struct ls_mpi_module ls_mpi_module = {LS_MPI_MODULE_ABI, LS_MPI_NAME, &transport};
