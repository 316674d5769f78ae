/* writer_private.h: what the writer's process and its master share. */
#ifndef LS_RUNTIME_OUTPUT_WRITER_PRIVATE_H
#define LS_RUNTIME_OUTPUT_WRITER_PRIVATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/output/writer.h"

enum { LS_WRITER_BLOCK_BYTES = 64 << 10 };

/* Stands before the bytes of a record in the stream. */
struct ls_writer_header {
  uint32_t stream, length; /* length: at most LS_WRITER_BLOCK_BYTES */
};

/* In shared memory. Places count from the beginning of the stream and never go back. */
struct ls_writer_shared {
  _Atomic uint64_t given; /* up to here the stream is written; the master's */
  _Atomic uint64_t left;  /* up to here it has left; the process's */
  /* The next two change while all has left; `spill` also when it is set to `given`. */
  _Atomic uint64_t origin; /* this place stands at the beginning of the files */
  _Atomic uint64_t spill;  /* from here on the stream stands in the file on disk */
  _Atomic int reason;      /* errno of the write that failed, and its stream; 0: none */
  _Atomic int failed_stream;
};

/* The process's end. Descriptors are its own copies. */
struct ls_writer_end {
  struct ls_writer_shared *shared;
  int memory, disk;       /* files that hold the stream; disk -1: none */
  int files[2];           /* to write to */
  bool waits_for_readers; /* what leaves through a pipe has left when it was read */
  int line; /* a byte comes when more was given, and goes when more has left; its end: the
               master is gone */
};

/* Writes until the master is gone, or a write fails. */
void ls_writer_serve(const struct ls_writer_end *end);

#endif
