/* transport_mpi_end.c: the beginning and the end of MPI in a process.
 *
 * At the end rank 0 says that it is over, all others say that they have left, and rank 0 that all
 * have; then nothing is under way, and all finalize together.  MPI_Finalize hangs for ever where a
 * rank has died: if one does not say that it has left, nobody calls it, and who called it waits no
 * longer than for any other word.
 */
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/transport/mpi_module.h"
#include "runtime/transport/transport_mpi_private.h"

struct ls_mpi ls_mpi;

static const double PAUSE_S = 5e-3, TICK_S = 1, LAST_WORDS_S = 2;
/* A rank that says nothing for so long behind the end is dead; so it is sooner where the master had
 * given it up before. */
static const double SILENCE_S = 30, GIVEN_UP_S = 5, MASTER_SILENCE_S = 300;
/* Timers are as exact as the pauses are short. */
enum { TIMER_SLACK_NS = 1000 };

/* ---- the beginning ---- */

/* Open MPI catches them to print where it was; a computation that crashes is none of its. */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes };

static void initialize(void) {
  struct sigaction before[CRASHES];
  int provided;
  for (size_t i = 0; i < CRASHES; ++i) (void)sigaction(crashes[i], NULL, &before[i]);
  (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  for (size_t i = 0; i < CRASHES; ++i) (void)sigaction(crashes[i], &before[i], NULL);
  (void)prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
  (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &ls_mpi.rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &ls_mpi.size);
}

static enum ls_status prepare(struct ls_error *err) {
  int *tag_max = NULL, is_known = 0;
  ls_mpi.lanes = calloc((size_t)ls_mpi.size, sizeof *ls_mpi.lanes);
  if (ls_mpi.lanes == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the %d processes of MPI", ls_mpi.size);
  bool is_well = MPI_Comm_dup(MPI_COMM_WORLD, &ls_mpi.up.comm) == MPI_SUCCESS &&
                 MPI_Comm_dup(MPI_COMM_WORLD, &ls_mpi.down.comm) == MPI_SUCCESS;
  if (!is_well) return ls_fail(err, LS_EIO, "MPI (%s) makes no communicator", LS_MPI_NAME);
  (void)MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&tag_max, &is_known);
  ls_mpi.tag_max = is_known ? *tag_max : 32767;
  ls_mpi.moved_s = ls_clock_s();
  for (int rank = 0; rank < ls_mpi.size; ++rank) ls_mpi.lanes[rank].heard_s = ls_mpi.moved_s;
  ls_mpi_bell_open();
  return LS_OK;
}

enum ls_status ls_mpi_start(uint32_t processes, struct ls_error *err) {
  if (ls_mpi.is_ended) return ls_fail(err, LS_EINVAL, "MPI starts once only in a process");
  if (ls_mpi.is_started) return LS_OK;
  initialize();
  if (processes > 0 && processes != (uint32_t)ls_mpi.size) {
    /* Each of them is alone in this MPI, which is another one than the launcher's. */
    (void)MPI_Finalize();
    ls_mpi.is_ended = true;
    return ls_fail(err, LS_EINVAL,
                   "the launcher has started %u processes, and the MPI that was loaded (%s) knows "
                   "of %d: the launcher is of another MPI",
                   processes, LS_MPI_NAME, ls_mpi.size);
  }
  ls_mpi.is_started = true;
  return prepare(err);
}

/* ---- words about processes ---- */

bool ls_mpi_hear(const struct ls_mpi_arrival *arrival) {
  if (arrival->tag / LS_MPI_KINDS > 0) return false;
  switch ((enum ls_mpi_kind)(arrival->tag % LS_MPI_KINDS)) {
    case LS_MPI_LEFT:
      ls_mpi.lanes[arrival->rank].has_left = true;
      ls_mpi.lanes[arrival->rank].is_open = false;
      break;
    case LS_MPI_LAST:
      ls_mpi.has_last = true;
      ls_mpi.is_lost = arrival->length > 0 && arrival->data[0] != 0;
      ls_mpi.is_over = true;
      break;
    case LS_MPI_OVER:
      ls_mpi.is_over = true;
      break;
    default:
      break; /* a tick was heard */
  }
  return true;
}

void ls_mpi_tick(void) {
  double now_s = ls_clock_s();
  if (now_s < ls_mpi.ticked_s + TICK_S) return;
  ls_mpi.ticked_s = now_s;
  for (int rank = 1; rank < ls_mpi.size; ++rank) {
    if (ls_mpi.lanes[rank].has_left) ls_mpi_say(ls_mpi.down.comm, rank, LS_MPI_TICK, 0);
  }
}

/* ---- the end ---- */

/* What still comes is dropped, but for words about processes. */
static void drain(void) {
  struct ls_mpi_inbox *inbox = ls_mpi.rank == 0 ? &ls_mpi.up : &ls_mpi.down;
  struct ls_mpi_arrival arrival;
  ls_mpi_move();
  while (ls_mpi_take(inbox, &arrival)) {
    (void)ls_mpi_hear(&arrival);
    free(arrival.data);
    ls_mpi_move();
  }
}

static void pause_end(void) {
  const struct timespec pause = {.tv_nsec = (long)(PAUSE_S * 1e9)};
  (void)ppoll(NULL, 0, &pause, NULL);
}

/* How many ranks have not left, and may still do so. `*are_lost`: some have died. */
static int count_staying(double begun_s, bool *are_lost) {
  double now_s = ls_clock_s();
  int staying = 0;
  *are_lost = false;
  for (int rank = 1; rank < ls_mpi.size; ++rank) {
    struct ls_mpi_lane *lane = &ls_mpi.lanes[rank];
    if (lane->has_left) continue;
    double patience_s = lane->is_given_up ? GIVEN_UP_S : SILENCE_S;
    bool is_dead = now_s > fmax(lane->heard_s, begun_s) + patience_s;
    lane->is_given_up |= is_dead;
    staying += !is_dead;
    *are_lost |= is_dead;
  }
  return staying;
}

static void dismiss_all(void) {
  double begun_s = ls_clock_s();
  bool are_lost;
  for (int rank = 1; rank < ls_mpi.size; ++rank) {
    if (!ls_mpi.lanes[rank].has_left) ls_mpi_say(ls_mpi.down.comm, rank, LS_MPI_OVER, 0);
  }
  for (drain(); count_staying(begun_s, &are_lost) > 0; drain()) {
    ls_mpi_tick();
    pause_end();
  }
  const char lost = (char)are_lost;
  const struct ls_frame last = {.data = &lost, .length = 1};
  for (int rank = 1; rank < ls_mpi.size; ++rank) {
    (void)!ls_mpi_post(ls_mpi.down.comm, rank, ls_mpi_tag(LS_MPI_LAST, 0), &last, NULL);
  }
  ls_mpi.has_last = true;
  ls_mpi.is_lost = are_lost;
}

static void leave(bool is_master_dead) {
  struct ls_mpi_lane *master = &ls_mpi.lanes[0];
  ls_mpi_say(ls_mpi.up.comm, 0, LS_MPI_LEFT, 0);
  master->heard_s = ls_clock_s();
  master->is_given_up = is_master_dead;
  for (drain(); !ls_mpi.has_last; drain()) {
    double patience_s = master->is_given_up ? GIVEN_UP_S : MASTER_SILENCE_S;
    if (ls_clock_s() > master->heard_s + patience_s) return;
    pause_end();
  }
}

/* Those that live get what is sent to them; to the dead it never leaves. */
static void say_last_words(void) {
  double until_s = ls_clock_s() + LAST_WORDS_S;
  while (ls_mpi_is_sending() && ls_clock_s() < until_s) {
    drain();
    pause_end();
  }
}

/* All are there, and nothing is under way; false: not within the time in which it must be so. */
static bool meet(void) {
  double until_s = ls_clock_s() + SILENCE_S;
  MPI_Request request;
  int is_done = 0;
  while (ls_mpi.unsent > 0 && ls_clock_s() < until_s) {
    drain();
    pause_end();
  }
  if (ls_mpi.unsent > 0 || MPI_Ibarrier(ls_mpi.up.comm, &request) != MPI_SUCCESS) return false;
  (void)MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  while (!is_done && ls_clock_s() < until_s) {
    pause_end();
    (void)MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
  return is_done;
}

static sigjmp_buf before_finalize;

static void give_finalize_up(int number) {
  (void)number;
  siglongjmp(before_finalize, 1);
}

/* To this thread: MPI's own ones have nothing to come back to. */
static bool arm(timer_t *timer) {
  const struct itimerspec limit = {.it_value.tv_sec = (time_t)SILENCE_S};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  event._sigev_un._tid = gettid(); /* the C library has no other name for it yet */
  return timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
         timer_settime(*timer, 0, &limit, NULL) == 0;
}

/* A rank may die between the barrier and its own MPI_Finalize, and that of all others then waits
 * for ever.  Who has waited for long enough leaves as one does who does not finalize at all: all
 * work is done, and the process ends with its own status; if MPI does not let it, by the alarm. */
static void finalize(void) {
  const struct sigaction mine = {.sa_handler = give_finalize_up};
  sigset_t alarm_only;
  timer_t timer;
  (void)sigemptyset(&alarm_only);
  (void)sigaddset(&alarm_only, SIGALRM);
  (void)sigaction(SIGALRM, &mine, NULL);
  (void)pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
  if (sigsetjmp(before_finalize, 1) != 0) {
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm((unsigned)GIVEN_UP_S);
    return;
  }
  bool is_armed = arm(&timer);
  (void)MPI_Comm_free(&ls_mpi.up.comm);
  (void)MPI_Comm_free(&ls_mpi.down.comm);
  (void)MPI_Finalize();
  if (is_armed) (void)timer_delete(timer);
  (void)signal(SIGALRM, SIG_DFL);
}

void ls_mpi_end(bool is_master_dead) {
  if (!ls_mpi.is_started || ls_mpi.is_ended) return;
  ls_mpi.is_ended = true;
  if (ls_mpi.rank == 0) {
    dismiss_all();
  } else {
    leave(is_master_dead);
  }
  if (ls_mpi.is_lost) say_last_words();
  if (!ls_mpi.has_last || ls_mpi.is_lost || !meet()) return;
  finalize();
  free(ls_mpi.lanes);
  ls_mpi.lanes = NULL;
}
