/* stager.h: brings the inputs of a worker's next tasks into the cache of its machine.
 *
 * The worker tells which tasks are next; what they need is pinned as soon as it is there.  What is
 * lacking is asked for in pieces, at most LS_PIECES_AHEAD of them on their way, by the one worker
 * of the machine that has the turn.  The task that is to begin, the head, comes first: all that it
 * lacks is brought in one turn, or nothing is kept from others meanwhile.
 */
#ifndef LS_RUNTIME_FILES_STAGER_H
#define LS_RUNTIME_FILES_STAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/message.h"
#include "runtime/files/cache.h"

/* What becomes of a task that needs a file. */
enum ls_staged {
  LS_STAGED_THERE,
  LS_STAGED_WAITS,
  LS_STAGED_FAILED, /* the file cannot be had, or never fits: the task fails */
  LS_STAGED_UNFIT   /* this machine cannot hold it: the task belongs elsewhere */
};

struct ls_stage_need {
  unsigned char name[LS_CONTENT_BYTES];
  uint64_t bytes;
  bool is_next;   /* of a task that was told of last */
  bool is_head;   /* of the one that is to begin */
  bool is_pinned; /* there */
  unsigned damaged;
  enum ls_staged fault; /* LS_STAGED_WAITS: none */
  char *why;            /* of a fault; owned */
};

/* Starts as {0} with `cache` and `post`. */
struct ls_stager {
  struct ls_cache *cache; /* borrowed */
  /* Says something to the master. */
  void (*post)(void *context, const struct ls_message *message);
  void *context;
  struct ls_stage_need *needs; /* in the order of the tasks */
  size_t count, capacity;
  bool has_turn, is_fetching;
  int turn;
  struct ls_cache_arrival arrival;
  uint64_t asked;   /* bytes of it */
  double retry_s;   /* the turn is tried for then */
  bool is_all_here; /* nothing is to be done */
};

/* The next tasks, beginning anew: begin, an add for each input of each task, end. */
void ls_stager_begin(struct ls_stager *stager);
LS_CHECKED enum ls_status ls_stager_add(struct ls_stager *stager,
                                        const struct ls_staged_input *input, bool is_head,
                                        struct ls_error *err);
void ls_stager_end(struct ls_stager *stager);
/* The head. `*why` (borrowed): of FAILED and UNFIT. */
enum ls_staged ls_stager_judge(const struct ls_stager *stager, const char **why);
/* Goes on; without a connection what arrives is given up. */
void ls_stager_advance(struct ls_stager *stager, bool is_connected, double now_s);
/* PIECE and ABSENT; what was not asked for is no news. */
void ls_stager_hear(struct ls_stager *stager, const struct ls_message *message);
/* When to advance at the latest; INFINITY: when something is heard. */
double ls_stager_due_s(const struct ls_stager *stager);
void ls_stager_close(struct ls_stager *stager);

#endif
