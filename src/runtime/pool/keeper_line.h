/* keeper_line.h: records between a master and the keeper of its local workers.
 *
 * Over one socket pair, in the machine's own form (both ends are one program), all of one size: so
 * nothing that arrives can be too long.  Neither end ever waits for the other: what the socket does
 * not take waits in a queue of the sender.  The queue is bounded by the slots: a worker has one
 * start and one end to tell, and a stop that is followed by a going on before either was sent is
 * forgotten.
 */
#ifndef LS_RUNTIME_POOL_KEEPER_LINE_H
#define LS_RUNTIME_POOL_KEEPER_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LS_KEEPER_WORDS_MAX = 255 };

enum ls_keeper_kind {
  /* From the master: */
  LS_KEEPER_ADDRESS = 1, /* words: of the master, for the workers to come */
  LS_KEEPER_FOLDER,      /* words: a private folder of the run, removed when the master dies */
  LS_KEEPER_FILES,       /* words: NAME of files NAME.*.SLOT that workers make among temporary ones:
                          * what they leave of them is removed in the end */
  LS_KEEPER_START,       /* slot, number: the worker's speed, words: its name; "": local-SLOT */
  LS_KEEPER_SIGNAL,      /* slot, signal: KILL for the worker's whole group, else for it alone */
  LS_KEEPER_LIMIT, /* number: seconds that a task may take at a worker; 0: as many as it likes */
  LS_KEEPER_CLOSE, /* number: seconds that the workers have to end by themselves */
  /* From the keeper; slot and pid of a worker: */
  LS_KEEPER_STARTED,
  LS_KEEPER_UNSTARTED, /* words: why */
  LS_KEEPER_ENDED,     /* exit_code, signal */
  LS_KEEPER_STOPPED,   /* signal */
  LS_KEEPER_CONTINUED
};

struct ls_keeper_record {
  uint32_t kind; /* enum ls_keeper_kind */
  uint32_t slot;
  int32_t pid, exit_code, signal;
  double number;
  char words[LS_KEEPER_WORDS_MAX + 1];
};

/* One end. Starts as {.file = ...}; the file is its owner's. */
struct ls_keeper_line {
  int file;
  struct ls_keeper_record *queue; /* from `first` on; not sent yet */
  size_t first, count, capacity;
  bool is_broken; /* the other end is gone */
};

/* Sends the record, or queues it; to an end that is gone: forgets it.  Without memory for the queue
 * the line breaks, for both ends: whoever cannot be told everything is not to trust it. */
void ls_keeper_line_post(struct ls_keeper_line *line, const struct ls_keeper_record *record);
/* Sends what the socket takes now. */
void ls_keeper_line_flush(struct ls_keeper_line *line);
static inline bool ls_keeper_line_is_waiting(const struct ls_keeper_line *line) {
  return line->count > 0 && !line->is_broken;
}
/* The next record without waiting; false: there is none now, or none ever more (is_broken). */
bool ls_keeper_line_take(struct ls_keeper_line *line, struct ls_keeper_record *record);
void ls_keeper_line_close(struct ls_keeper_line *line);

#endif
