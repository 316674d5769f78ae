/* transport_mpi_lanes.c: messages of MPI that leave and come, without ever waiting. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/os/clock.h"
#include "runtime/transport/transport_mpi_private.h"

/* So many of one lane are with MPI at a time; it searches what it has. */
enum { STARTED_MAX = 32 };

enum { LARGE_PAGE_BYTES = 2 << 20, LARGE_BYTES = 2 * LARGE_PAGE_BYTES };

struct ls_mpi_send {
  struct ls_mpi_send *next;
  MPI_Comm comm;
  MPI_Request request;
  int tag;
  size_t length;
  unsigned char data[];
};

/* To touch a fresh block page by page takes longer than to copy it; large pages are few. */
static void *allocate(size_t bytes) {
  if (bytes < LARGE_BYTES) return malloc(bytes);
  size_t whole = (bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
  void *block = aligned_alloc(LARGE_PAGE_BYTES, whole);
  if (block != NULL) (void)madvise(block, whole, MADV_HUGEPAGE);
  return block;
}

/* ---- what leaves ---- */

static void start_sends(struct ls_mpi_lane *lane) {
  int rank = (int)(lane - ls_mpi.lanes);
  while (lane->next != NULL && lane->started < STARTED_MAX) {
    struct ls_mpi_send *send = lane->next;
    int failure = MPI_Isend(send->data, (int)send->length, MPI_BYTE, rank, send->tag, send->comm,
                            &send->request);
    /* A rank that cannot be reached is found out by its silence. */
    if (failure != MPI_SUCCESS) send->request = MPI_REQUEST_NULL;
    lane->next = send->next;
    ++lane->started;
  }
}

static void end_sends(struct ls_mpi_lane *lane) {
  while (lane->started > 0) {
    struct ls_mpi_send *send = lane->first;
    int is_done = 1;
    (void)MPI_Test(&send->request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done) return;
    lane->first = send->next;
    if (lane->first == NULL) lane->last = NULL;
    --lane->started;
    --lane->frames;
    ++lane->left;
    --ls_mpi.unsent;
    lane->bytes -= send->length;
    ls_mpi.moved_s = lane->begun_s = ls_clock_s();
    /* The ring for the next one may have come before. */
    lane->is_taken = lane->frames > 0;
    free(send);
  }
}

/* What MPI has taken, or has let go behind others, is there for its receiver. */
static void move_lane(struct ls_mpi_lane *lane) {
  size_t before, frames = lane->frames, started = lane->started;
  do {
    before = lane->frames;
    start_sends(lane);
    end_sends(lane);
  } while (lane->frames < before && lane->frames > 0);
  bool has_moved = lane->frames < frames || lane->started > started;
  if (has_moved) ls_mpi_bell_ring((int)(lane - ls_mpi.lanes));
}

enum ls_status ls_mpi_post(MPI_Comm comm, int rank, int tag, const struct ls_frame *frame,
                           struct ls_error *err) {
  struct ls_mpi_lane *lane = &ls_mpi.lanes[rank];
  struct ls_mpi_send *send = allocate(sizeof *send + frame->length);
  if (send == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for a message of %zu bytes", frame->length);
  *send = (struct ls_mpi_send){
      .comm = comm, .request = MPI_REQUEST_NULL, .tag = tag, .length = frame->length};
  if (frame->length > 0) memcpy(send->data, frame->data, frame->length);
  if (lane->last != NULL) lane->last->next = send;
  if (lane->first == NULL) lane->first = send;
  if (lane->next == NULL) lane->next = send;
  lane->last = send;
  lane->bytes += frame->length;
  ls_mpi.moved_s = ls_clock_s();
  if (lane->frames == 0) {
    lane->begun_s = ls_mpi.moved_s;
    lane->is_taken = false;
  }
  ++lane->frames;
  ++ls_mpi.unsent;
  ls_mpi.own += comm == ls_mpi.down.comm && rank == ls_mpi.rank;
  move_lane(lane);
  return LS_OK;
}

bool ls_mpi_is_sending(void) {
  bool is_sending = false;
  for (int rank = 0; rank < ls_mpi.size && ls_mpi.unsent > 0 && !is_sending; ++rank) {
    is_sending = ls_mpi.lanes[rank].frames > 0 && !ls_mpi.lanes[rank].is_given_up;
  }
  return is_sending;
}

void ls_mpi_say(MPI_Comm comm, int rank, enum ls_mpi_kind kind, uint32_t generation) {
  const struct ls_frame nothing = {0};
  (void)!ls_mpi_post(comm, rank, ls_mpi_tag(kind, generation), &nothing, NULL);
}

/* ---- what comes ---- */

/* The first that can be taken; count: none. */
static size_t find_whole(const struct ls_mpi_inbox *inbox) {
  for (size_t i = 0; i < inbox->count; ++i) {
    bool is_next = inbox->items[i].is_complete;
    for (size_t j = 0; j < i && is_next; ++j) {
      is_next = inbox->items[j].rank != inbox->items[i].rank;
    }
    if (is_next) return i;
  }
  return inbox->count;
}

static void test_arrival(struct ls_mpi_arrival *arrival) {
  int is_done = 1;
  (void)MPI_Test(&arrival->request, &is_done, MPI_STATUS_IGNORE);
  if (!is_done) {
    if (arrival->is_untold)
      arrival->is_untold = !ls_mpi_bell_ring_back(arrival->rank, arrival->number);
    return;
  }
  arrival->is_complete = true;
  ls_mpi.lanes[arrival->rank].is_given_up = false;
  ls_mpi.moved_s = ls_mpi.lanes[arrival->rank].heard_s = ls_clock_s();
}

static void count_own(const struct ls_mpi_inbox *inbox) {
  ls_mpi.own -= inbox == &ls_mpi.down && ls_mpi.rank == 0;
}

/* Without memory for it a message is lost with its connection. */
static void lose(MPI_Message *message, int rank) {
  (void)MPI_Mrecv(NULL, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
  ls_mpi.lanes[rank].is_open = false;
}

/* Begins to receive the next message; false: there is none. */
static bool begin_arrival(struct ls_mpi_inbox *inbox) {
  int is_there = 0, length = 0;
  MPI_Message message;
  MPI_Status status;
  int failure = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, inbox->comm, &is_there, &message, &status);
  if (failure != MPI_SUCCESS || !is_there) return false;
  (void)MPI_Get_count(&status, MPI_BYTE, &length);
  struct ls_mpi_arrival arrival = {.rank = status.MPI_SOURCE,
                                   .tag = status.MPI_TAG,
                                   .number = ++ls_mpi.lanes[status.MPI_SOURCE].begun,
                                   .is_untold = true,
                                   .begun_s = ls_clock_s(),
                                   .data = allocate((size_t)length + 1),
                                   .length = (size_t)length};
  if (arrival.data == NULL) {
    lose(&message, arrival.rank);
    count_own(inbox);
    return true;
  }
  (void)MPI_Imrecv(arrival.data, length, MPI_BYTE, &message, &arrival.request);
  /* From now on the sender has to take part. */
  test_arrival(&arrival);
  inbox->items[inbox->count++] = arrival;
  return true;
}

/* What is not wanted yet stays with MPI, which holds back who sends it. */
static void move_inbox(struct ls_mpi_inbox *inbox) {
  for (size_t i = 0; i < inbox->count; ++i) {
    if (!inbox->items[i].is_complete) test_arrival(&inbox->items[i]);
  }
  while (inbox->count < LS_MPI_ARRIVALS_MAX && find_whole(inbox) == inbox->count) {
    if (!begin_arrival(inbox)) return;
  }
}

void ls_mpi_move(void) {
  for (int rank = 0; rank < ls_mpi.size && ls_mpi.unsent > 0; ++rank) {
    if (ls_mpi.lanes[rank].frames > 0) move_lane(&ls_mpi.lanes[rank]);
  }
  if (ls_mpi.rank == 0) move_inbox(&ls_mpi.up);
  /* To look in vain for what rank 0 sends to itself costs MPI a walk past all that has come for it
   * from others: thousands of messages, where they are more than it takes. */
  if (ls_mpi.rank != 0 || ls_mpi.own > 0) move_inbox(&ls_mpi.down);
}

bool ls_mpi_take(struct ls_mpi_inbox *inbox, struct ls_mpi_arrival *arrival) {
  size_t i = find_whole(inbox);
  if (i == inbox->count) return false;
  *arrival = inbox->items[i];
  --inbox->count;
  count_own(inbox);
  memmove(&inbox->items[i], &inbox->items[i + 1], (inbox->count - i) * sizeof *inbox->items);
  return true;
}

/* One behind which others have come whole holds these up. */
static double find_begun_s(const struct ls_mpi_inbox *inbox) {
  double begun_s = -HUGE_VAL;
  if (find_whole(inbox) < inbox->count) return begun_s;
  for (size_t i = 0; i < inbox->count; ++i) {
    if (!inbox->items[i].is_complete) begun_s = fmax(begun_s, inbox->items[i].begun_s);
  }
  return begun_s;
}

/* What leaves moves when its receiver has begun to take it, and rings, if it can; until then its
 * sender looks in vain.  -INFINITY: nothing moves. */
static double find_moving_s(int rank) {
  const struct ls_mpi_lane *lane = &ls_mpi.lanes[rank];
  if (lane->frames == 0 || lane->is_given_up) return -HUGE_VAL;
  bool is_told = lane->bell.length > 0 && rank != ls_mpi.rank;
  return is_told && !lane->is_taken ? -HUGE_VAL : lane->begun_s;
}

double ls_mpi_moving_since_s(void) {
  double begun_s = fmax(find_begun_s(&ls_mpi.up), find_begun_s(&ls_mpi.down));
  for (int rank = 0; rank < ls_mpi.size && ls_mpi.unsent > 0; ++rank) {
    begun_s = fmax(begun_s, find_moving_s(rank));
  }
  return begun_s;
}
