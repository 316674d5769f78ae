/* payloads.h: the inputs of the chunks that a worker has, each as its message brought it.
 *
 * A payload is known by its index, which the worker's side carries along with the units; storage
 * and index are used again when no unit of it is left.
 */
#ifndef LS_RUNTIME_WORKER_PAYLOADS_H
#define LS_RUNTIME_WORKER_PAYLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "coordinator/worker_side.h"
#include "protocol/bundle.h"
#include "protocol/command.h"
#include "protocol/message.h"
#include "runtime/application.h"

/* One range of a chunk, and where its input begins. */
struct ls_part {
  struct ls_range units;
  size_t offset;
};

/* What tells where the input of one range ends and that of the next begins. */
enum ls_payload_form {
  LS_PAYLOAD_WHOLE,    /* nothing: there is one range */
  LS_PAYLOAD_COMMANDS, /* a command of each unit */
  LS_PAYLOAD_BUNDLES   /* a bundle of each range */
};

/* The input of one CHUNK message. */
struct ls_payload {
  struct ls_bytes input;
  uint64_t transfer; /* that brings it; 0: it came with the message */
  size_t length;     /* of the whole input; less of it is here: it is on its way */
  enum ls_payload_form form;
  struct ls_part *parts;
  size_t parts_count, parts_capacity;
  size_t at;           /* the part that runs now: parts run in order */
  uint64_t units_left; /* 0: the place is free */
  double receive_s;    /* of the message; counts with the first result */
  uint64_t chunk, attempts_before;
  uint32_t iteration;
};

/* Starts as {0}. */
struct ls_payloads {
  struct ls_payload *items;
  size_t count, capacity;
  size_t free;               /* no place below is free */
  size_t awaited;            /* inputs on their way */
  struct ls_command command; /* to find where the ranges of a chunk of commands begin */
  struct ls_bundle bundle;
};

/* Copies the input of a CHUNK, or waits for it; `*index` is its place.  Input of several ranges is
 * theirs one after the other, told apart by its form: LS_ECORRUPT where that has none, and for
 * commands that are none; LS_ENOMEM.  After a failure the place is free. */
LS_CHECKED enum ls_status ls_payloads_add(struct ls_payloads *payloads,
                                          const struct ls_message *chunk, enum ls_payload_form form,
                                          uint64_t *index, struct ls_error *err);
/* A piece of an input that is on its way; what comes for nobody, or once more, is dropped. `*index`
 * is where it belongs; SIZE_MAX: nobody wants it any more.
 * LS_ECORRUPT: it does not go on where the one before it ended, or the whole is none; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_payloads_arrive(struct ls_payloads *payloads,
                                             const struct ls_message *piece, size_t *index,
                                             struct ls_error *err);
bool ls_payloads_is_here(const struct ls_payloads *payloads, uint64_t index);
/* Is some input on its way? Its chunk, or LS_CHUNK_NONE. */
uint64_t ls_payloads_awaited(const struct ls_payloads *payloads);
/* So many units of a payload are of no use any more. */
void ls_payloads_leave(struct ls_payloads *payloads, uint64_t index, uint64_t units);
/* The work of a job, whose input is borrowed; `slot` is the worker's.  Parts run in order: `*at`,
 * at first the payload's, moves on to the job's. */
struct ls_work ls_payloads_work(const struct ls_payloads *payloads, const struct ls_job *job,
                                uint32_t slot, size_t *at);
/* All units are of no use any more. */
void ls_payloads_forget(struct ls_payloads *payloads);
void ls_payloads_close(struct ls_payloads *payloads);

#endif
