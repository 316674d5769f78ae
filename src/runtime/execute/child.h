/* child.h: a forked process that calls the functions of an application for an executor.
 *
 * Questions go there and answers come back over a socket pair, in the machine's own form: both are
 * the same program.  What is large lies in memory that both share, one piece of it for each use;
 * small data travel with question and answer.  What the master broadcasts goes there by itself,
 * before the first question about an iteration.  Further questions may follow one before its
 * answer, so that the child never waits for the next; until it begins one, it can be withdrawn.
 */
#ifndef LS_RUNTIME_EXECUTE_CHILD_H
#define LS_RUNTIME_EXECUTE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/bytes.h"
#include "runtime/execute/claims.h"
#include "runtime/execute/executor.h"
#include "runtime/os/shared_memory.h"

enum ls_child_call { LS_CHILD_RECEIVE, LS_CHILD_STAGE, LS_CHILD_COMPUTE };

enum {
  LS_CHILD_INBOX_BYTES = 65536,
  LS_CHILD_INLINE_MAX = 32768, /* larger data lie in shared memory */
  /* So for inputs that are sent ahead: all that are fit into the socket, so that neither side ever
   * waits for the other to read. */
  LS_CHILD_AHEAD_BYTES = 512,
  /* Places of data that are no piece of shared memory. */
  LS_CHILD_NOWHERE = -1,
  LS_CHILD_FOLLOWS = -2, /* behind the question */
  LS_CHILD_KEPT = -3     /* that of the question before */
};

/* Parent to child. Places are numbers of pieces of shared memory, or as above. */
struct ls_question {
  struct ls_work work; /* lengths are true; the pointers mean nothing */
  enum ls_child_call call;
  int32_t input_at, staged_at;
  int32_t output_at; /* where a large output goes */
  uint32_t number;   /* as claims has it; 0: it cannot be withdrawn */
};

/* Child to parent; the output, unless it is shared, and the text of a failure follow. */
struct ls_answer {
  uint64_t outcome; /* enum ls_outcome */
  double begun_s;   /* on the clock of the machine */
  double seconds;
  uint64_t output_length, error_length;
  uint64_t is_shared; /* the output lies where the question said */
  uint32_t number;    /* of the question */
};

/* What the master broadcasts for an iteration. */
struct ls_child_news {
  uint32_t iteration;
  const struct ls_bytes *bytes; /* NULL: nothing yet */
};

/* What is needed to start one; borrowed while it lives. */
struct ls_child_setup {
  const struct ls_executor_setup *executor;
  struct ls_shared_memory *pieces;
  int32_t input_at; /* the first of two pieces for its inputs, used in turn */
  const struct ls_child_news *news;
  const struct ls_child *sibling; /* whose socket is none of its business; NULL: there is none */
};

/* For how long it was suspended while it had a question. */
struct ls_child_absence {
  uint32_t number;
  double seconds;
};

/* It stood still with its worker while it had one of the questions up to `until`: that whose answer
 * took so long. */
struct ls_child_stop {
  uint32_t until;
  struct ls_stop length;
};

struct ls_child {
  struct ls_child_setup setup;
  struct ls_claims claims;
  pid_t pid;      /* 0: none */
  int socket;     /* -1: none */
  uint32_t asked; /* number of the latest question */
  bool is_spent;  /* killed: it has begun what was withdrawn. What it answered before still comes */
  int32_t input_turn; /* 0 or 1: the piece that an input took last */
  bool has_shared;    /* the latest question that was added did */
  bool has_input;     /* of `packed`, which lies at `input` here */
  const void *input;
  struct ls_range packed;
  bool has_received; /* what was broadcast for iteration `received`, or it is on its way: */
  bool is_receiving;
  uint32_t received;
  struct ls_question question; /* the latest that it was asked while it had none, or will be when
                                  it has received */
  double asked_s;
  struct ls_child_absence absences[2]; /* of neighbours, by their numbers modulo 2 */
  struct ls_child_stop stop;
  struct ls_answer answer; /* the latest, when listen has said so */
  struct ls_bytes output, error_output;
  struct ls_bytes shared; /* an output in shared memory; not ours to close */
  size_t got;             /* bytes of the answer and of what follows it */
  size_t inbox_head, inbox_length;
  char inbox[LS_CHILD_INBOX_BYTES]; /* answers that came together */
};

enum ls_child_progress { LS_CHILD_NOTHING, LS_CHILD_ANSWERED, LS_CHILD_BROKEN };

/* No process yet. */
void ls_child_init(struct ls_child *child, const struct ls_child_setup *setup);
/* Forks it, unless it is there. */
LS_CHECKED enum ls_status ls_child_start(struct ls_child *child, struct ls_error *err);
/* Its next answer will be the end of the socket. */
void ls_child_kill(struct ls_child *child);
/* It stands still, and goes on after so many seconds, which are none of its answer's. */
void ls_child_suspend(const struct ls_child *child);
void ls_child_resume(struct ls_child *child, double away_s);
/* Its worker was stopped by force, and goes on: false: the child went on all the time. */
bool ls_child_has_stood(struct ls_child *child, const struct ls_stop *stop);
/* Closes the socket and awaits its end, if it is there; its state as waitpid gives it. */
int ls_child_end(struct ls_child *child);
/* Kills it, and releases all. */
void ls_child_close(struct ls_child *child);

/* Has it received what was broadcast for this iteration, if it wants that? */
bool ls_child_knows(const struct ls_child *child, uint32_t iteration);
/* One question; the input of its work goes with it or into shared memory, so no other one is
 * open; it is borrowed until the answer. False: the child reads no more. */
LS_CHECKED bool ls_child_ask(struct ls_child *child, const struct ls_question *question);
/* May a question about this work follow those that are open? Large inputs only behind a single
 * one (`is_next`). */
bool ls_child_may_follow(const struct ls_child *child, const struct ls_work *work, bool is_next);
/* Appends a question that may follow, and its input, to those that will be sent together; it gets
 * its number.  False: there is no memory for its input. */
LS_CHECKED bool ls_child_add(struct ls_child *child, struct ls_question *question,
                             struct ls_bytes *questions);
/* This question and those that follow it are not wanted any more.  If the child has begun one
 * of them, it is spent: it is to be ended as soon as the answer to the question before has come. */
void ls_child_withdraw(struct ls_child *child, uint32_t number);
/* Has it begun to do what this question asks? */
bool ls_child_has_begun(const struct ls_child *child, uint32_t number);
/* Takes what has come of the next answer. A failure to receive what was broadcast is the answer to
 * the question, too.  Borrowed outputs: until the next question. */
enum ls_child_progress ls_child_listen(struct ls_child *child);
/* Some of an answer has come, and waits for listen. */
bool ls_child_has_more(const struct ls_child *child);
/* The output of the answer to this question; NULL: it should be in shared memory, and is not. */
struct ls_bytes *ls_child_output(struct ls_child *child, const struct ls_question *question);
/* Says in words how it ended, while it did something with units. */
void ls_child_write_end(const struct ls_child *child, int state, const char *doing,
                        struct ls_range units, struct ls_bytes *text);

/* Sends all parts with as few system calls as the socket allows; false: the other end reads no
 * more. The parts are used up. */
LS_CHECKED bool ls_child_send(int file, struct iovec *parts, size_t count);
/* The life of the child of `parent`: questions in, answers out, until the parent closes its end of
 * the socket or dies. */
_Noreturn void ls_child_serve(const struct ls_child_setup *setup, const struct ls_claims *claims,
                              int file, pid_t parent);

#endif
