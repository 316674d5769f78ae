/* message.h: what master and worker say to each other, as bytes.
 *
 * Each message is one MessagePack array [kind, field, field, ...]; HELLO and WELCOME carry the
 * version of the protocol and, behind the array that all versions share, a second one with the
 * fields of this version.  Of a HELLO or WELCOME of another version only the fields of all versions
 * are read, and the rest of its frame is skipped.  Decoding is bounded (LS_MESSAGE_BYTES_MAX,
 * LS_MESSAGE_RANGES_MAX), copies nothing (texts and blobs are borrowed from the frame) and refuses
 * what is not exactly a message: extra or missing fields, wrong types, counts of 0, overflowing
 * ranges.
 */
#ifndef LS_PROTOCOL_MESSAGE_H
#define LS_PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "model/usage.h"
#include "protocol/staging.h"

enum {
  LS_PROTOCOL_VERSION = 19,
  LS_MESSAGE_BYTES_MAX = 64 << 20,
  LS_MESSAGE_RANGES_MAX = 1 << 22,
  LS_MESSAGE_TIMES_MAX = 1000000,
  /* What travels in pieces: a slow link shared by several has each within a beat or two, and beats
   * pass between them. */
  LS_MESSAGE_PIECE_BYTES = 32 << 10,
  LS_COOKIE_BYTES = 16
};

enum ls_message_kind {
  LS_MESSAGE_HELLO, /* worker: version, who it is, its program; and what it still holds (resume) */
  LS_MESSAGE_WELCOME, /* master: version, worker number, settings, cookie, run */
  LS_MESSAGE_REFUSED, /* master: why in words; worker, behind WELCOME: why it cannot do the work */
  LS_MESSAGE_REQUEST, /* worker: units wanted */
  LS_MESSAGE_CHUNK,   /* master: chunk, ranges, input, or the transfer that brings it; is its result
                       * kept until it is fetched? */
  LS_MESSAGE_RESULT,  /* worker: chunk, range, outcome, durations, exit code, outputs */
  LS_MESSAGE_OUTPUT,  /* worker: a piece of a large output, before its RESULT */
  LS_MESSAGE_HEARTBEAT, /* worker */
  LS_MESSAGE_CANCEL,    /* master: chunk */
  LS_MESSAGE_FETCH,     /* master: chunk */
  LS_MESSAGE_PREFETCH,  /* master: units */
  LS_MESSAGE_RELEASE,   /* master: good-bye */
  LS_MESSAGE_BYE,       /* worker: leaves in order */
  LS_MESSAGE_PULSE,     /* master: is alive; so many RESULTs since WELCOME are durable; how often it
                         * says so from now on, and wants to hear of the worker */
  LS_MESSAGE_RECALL,    /* master: units that have not begun come back, as CANCELLED */
  LS_MESSAGE_LEAVING,   /* worker: takes nothing more, and goes when the running units have ended */
  LS_MESSAGE_SUSPENDED, /* worker: will be stopped now, and may come back */
  LS_MESSAGE_RESUMED,   /* worker: is back */
  LS_MESSAGE_BROADCAST, /* master: a piece of what the application tells all workers, before the
                           first CHUNK of an iteration */
  LS_MESSAGE_WANT,      /* worker: lacks a content; the piece at an offset is to come */
  LS_MESSAGE_PIECE,     /* master: that piece */
  LS_MESSAGE_ABSENT,    /* master: why the content cannot be had, in words */
  LS_MESSAGE_LINES,     /* worker: what a running unit has written since; at first nothing: it has
                         * begun. Only to be shown: its RESULT has all of it once more */
  LS_MESSAGE_LIMIT,     /* master: the time that a unit may take, from now on */
  LS_MESSAGE_BENCHMARK, /* worker: how fast it is: before its first REQUEST, and when it is back */
  LS_MESSAGE_INPUT,     /* master: a piece of the input of a transfer */
  LS_MESSAGE_ARRIVED,   /* worker: so much of a transfer is there; all: or of no use any more */
  LS_MESSAGE_COUNT
};

/* From LS_STREAM_FILE on: the outputs of a task that are files, in their order. */
enum ls_stream { LS_STREAM_OUT = 1, LS_STREAM_ERR = 2, LS_STREAM_FILE = 3 };

/* An output that is a file. */
struct ls_message_file {
  uint64_t bytes; /* sent by OUTPUT before */
  uint32_t mode;  /* its permissions */
  bool is_there;  /* else the task has not made it */
};

struct ls_blob {
  const void *data;
  size_t length;
};

/* Units of a chunk that a worker holds when it comes back. */
struct ls_message_held {
  uint64_t chunk;
  struct ls_range units;
};

/* One message; only the fields of its kind mean anything. Borrowed pointers. */
struct ls_message {
  enum ls_message_kind kind;
  uint32_t version;    /* HELLO, WELCOME */
  uint32_t worker;     /* WELCOME; HELLO: its number so far, if it has a cookie */
  uint64_t process_id; /* HELLO */
  struct ls_blob name; /* HELLO: name of the worker */
  struct ls_blob text; /* HELLO: program; WELCOME: settings (JSON); REFUSED, ABSENT: why */
  /* HELLO: the machine; what its pool calls it, "": nothing. */
  struct ls_blob host, place;
  struct ls_blob labels; /* HELLO: what it has, between commas (base/labels.h); "": nothing */
  double speed;          /* HELLO: relative, finite >= 0; BENCHMARK: beside the master's, > 0 */
  double lifetime_s;     /* HELLO: seconds left to it; 0: not limited */
  /* WELCOME: a secret of the session, LS_COOKIE_BYTES. HELLO: that of its session so far; empty:
   * it comes for the first time, and the next five mean nothing. */
  struct ls_blob cookie;
  struct ls_blob run; /* the same after a restart of the master; 16 bytes, or none */
  /* WELCOME: of the process of the master, which is another one after a restart. HELLO: of the
   * one that gave the cookie. */
  uint64_t era;
  /* HELLO: RESULTs that will be sent again, before any new one. */
  uint64_t results;
  /* HELLO: of these the first so many are of chunks that an earlier era gave. */
  uint64_t earlier;
  /* HELLO: all that it holds: running, waiting, or ended with such a RESULT. When decoded: the
   * decoder's. */
  const struct ls_message_held *held;
  size_t held_count;
  uint64_t durable;   /* PULSE: RESULTs of this worker since its last WELCOME */
  double heartbeat_s; /* PULSE; 0: as often as before */
  double limit_s;     /* LIMIT */
  uint32_t iteration; /* CHUNK, RESULT: whose units these are; BROADCAST */
  uint64_t chunk;
  uint64_t attempts_before; /* CHUNK of commands: at each of the units */
  uint64_t units;           /* REQUEST (>= 1), PREFETCH */
  /* REQUEST: after which the last one had its answer; HEARTBEAT: within which one comes almost
   * surely; 0: not known. */
  double answer_s;
  double send_s;  /* HEARTBEAT: what it sent has taken to leave, at most */
  double stood_s; /* RESUMED: it was stopped by force, now and for so long; 0: it said so before */
  const struct ls_range *ranges; /* CHUNK: to encode. When decoded: the decoder's */
  size_t ranges_count;
  uint8_t is_held; /* CHUNK: 1: its results stay at the worker until FETCH */
  /* CHUNK: packed by the application; BROADCAST, PIECE, INPUT: the piece */
  struct ls_blob input;
  uint64_t transfer;     /* INPUT, ARRIVED; CHUNK: by which its input comes; 0: it is here */
  uint64_t total;        /* BROADCAST: bytes of all pieces; CHUNK: of the transfer */
  struct ls_range range; /* RESULT; LINES: the task; OUTPUT: count 1 */
  uint8_t outcome;       /* RESULT: enum ls_outcome, one that is a result */
  double receive_s;      /* RESULT: finite seconds >= 0 on the worker's clock, as all of these: */
  double stage_s;        /* to stage the input */
  double lead_s;         /* from the beginning of staging to that of computing */
  double exposed_s;      /* of staging, while nothing was computed */
  double compute_s;      /* to compute */
  double squares;        /* sum of squares per unit */
  const double *latest;  /* RESULT: seconds of its last units, one by one; decoder's when decoded */
  size_t latest_count;   /* none: they count as equal; at most LS_MESSAGE_TIMES_MAX */
  int32_t exit_code;     /* RESULT: of a command; 0 otherwise */
  int32_t signal;        /* RESULT: that killed the command; 0: none */
  struct ls_usage usage; /* RESULT: of a command; else not known */
  struct ls_blob output; /* RESULT: inline; OUTPUT, LINES: the piece */
  struct ls_blob error_output; /* RESULT: inline */
  /* RESULT: its outputs that are files; decoder's when decoded. At most LS_STAGED_OUTPUTS_MAX. */
  const struct ls_message_file *files;
  size_t files_count;
  uint64_t streamed[2]; /* RESULT: bytes of output and error output sent by OUTPUT before */
  /* OUTPUT, LINES, BROADCAST, INPUT: of the piece in its stream; WANT, PIECE; ARRIVED: its end */
  uint64_t offset;
  struct ls_blob content; /* WANT, PIECE, ABSENT: its name, LS_CONTENT_BYTES */
  uint8_t stream;         /* OUTPUT, LINES: enum ls_stream */
};

/* Appends the message to `out` (sticky on memory). */
void ls_message_encode(const struct ls_message *message, struct ls_bytes *out);

/* A decoder keeps the storage for the ranges of the last CHUNK, the times of the last RESULT and
 * what the last HELLO held. Starts as {0}. */
struct ls_decoder {
  struct ls_range *ranges;
  double *times;
  struct ls_message_held *held;
  struct ls_message_file files[LS_STAGED_OUTPUTS_MAX];
  size_t ranges_capacity, times_capacity, held_capacity;
};
/* LS_ECORRUPT says what is wrong; `*message` is written only on success and borrows from the frame
 * and the decoder. */
LS_CHECKED enum ls_status ls_message_decode(struct ls_decoder *decoder, const void *frame,
                                            size_t length, struct ls_message *message,
                                            struct ls_error *err);
/* A frame may hold several messages, one after the other: decodes the one at `*offset` (below the
 * frame's length) and moves the offset behind it. */
LS_CHECKED enum ls_status ls_message_decode_next(struct ls_decoder *decoder,
                                                 const struct ls_blob *frame, size_t *offset,
                                                 struct ls_message *message, struct ls_error *err);
void ls_decoder_close(struct ls_decoder *decoder);
const char *ls_message_name(enum ls_message_kind kind);

#endif
