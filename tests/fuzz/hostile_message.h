/* hostile_message.h: messages of a worker that lies, from a seed. */
#ifndef LS_TESTS_HOSTILE_MESSAGE_H
#define LS_TESTS_HOSTILE_MESSAGE_H

#include "base/bytes.h"
#include "base/random.h"
#include "protocol/message.h"

enum { HOSTILE_PROCESSES = 16 };

/* What the worker knows. */
struct hostile_facts {
  struct ls_random random;
  uint64_t units; /* of the run */
  char program[128];
  uint64_t processes[HOSTILE_PROCESSES]; /* of the master's own workers, among others */
  size_t processes_count;
  bool has_cookie; /* of its session; the next ones mean nothing without it */
  uint32_t worker;
  uint64_t era;
  unsigned char cookie[LS_COOKIE_BYTES], run[LS_COOKIE_BYTES];
};

/* A number that is often at a border of what may be. */
uint64_t hostile_whole(struct ls_random *random, uint64_t usual);
/* A time as a message may have it: finite, >= 0, mostly absurd. */
double hostile_seconds(struct ls_random *random);
/* An honest greeting, without a session. */
struct ls_message hostile_hello(const struct hostile_facts *facts);
/* Appends a frame: of a worker that holds nothing and claims everything (`is_asking` false), or of
 * one that asks for units, and says nothing of their results.  Some are no messages at all. */
void hostile_frame(struct hostile_facts *facts, bool is_asking, struct ls_bytes *out);

#endif
