/* executor_child_private.h: the messages between an executor and the child that computes for it.
 *
 * Over a socket pair, in the machine's own form: both are the same program.
 */
#ifndef LS_RUNTIME_EXECUTOR_CHILD_PRIVATE_H
#define LS_RUNTIME_EXECUTOR_CHILD_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "runtime/executor.h"

/* Parent to child; followed by the input, unless it is the one that the child has. */
struct ls_question {
  struct ls_work work; /* the pointers in it mean nothing */
  uint64_t has_input;
};

/* Child to parent; followed by the output and the text of a failure. */
struct ls_answer {
  uint64_t outcome;
  double seconds;
  uint64_t output_length, error_length;
};

/* Sends all parts with as few system calls as the socket allows; false: the other end reads no
 * more. The parts are used up. */
bool ls_child_send(int file, struct iovec *parts, size_t count);
/* The life of the child of `parent`: questions in, answers out, until the parent closes its end of
 * the socket or dies. */
_Noreturn void ls_child_serve(const struct ls_executor_setup *setup, int file, pid_t parent);

#endif
