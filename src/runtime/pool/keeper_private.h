/* keeper_private.h: the state of the keeper's process: keeper_process.c is its loop,
 * keeper_workers.c its workers. */
#ifndef LS_RUNTIME_POOL_KEEPER_PRIVATE_H
#define LS_RUNTIME_POOL_KEEPER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runtime/pool/keeper.h"

enum { LS_KEEPER_FOLDERS_MAX = 4 };

/* A worker, by slot - 1. */
struct ls_kept_worker {
  pid_t pid; /* 0: none */
  bool is_stopped;
  double looked_s; /* ... since then, or looked at then */
  bool has_been;   /* there was one at some time */
};

struct ls_keeper_process {
  const struct ls_keeper_setup *setup;
  struct ls_keeper_line line;
  int signals;     /* signalfd */
  int lifeline[2]; /* [0] for all workers; [1] is ours alone, and never written to */
  pid_t master;
  char address[LS_KEEPER_WORDS_MAX + 1];
  char folders[LS_KEEPER_FOLDERS_MAX][LS_KEEPER_WORDS_MAX + 1];
  size_t folders_count;
  char files[LS_KEEPER_WORDS_MAX + 1]; /* how names of files of workers begin; "": they make none */
  double limit_s;                      /* of a task; 0: none */
  struct ls_kept_worker *workers;
  size_t workers_count, running;
  bool has_swept; /* folders of dead masters have been removed */
};

/* The life of the keeper, in its process; `file` is its end of the line. */
_Noreturn void ls_keeper_live(const struct ls_keeper_setup *setup, int file, pid_t master);

/* keeper_workers.c: starts a worker in the slot of the order, and tells of it. */
void ls_keeper_start_worker(struct ls_keeper_process *keeper, const struct ls_keeper_record *order);
void ls_keeper_signal_worker(const struct ls_keeper_process *keeper,
                             const struct ls_keeper_record *order);
/* Takes and tells all that children have done; ends what dead workers have left. */
void ls_keeper_look_at_children(struct ls_keeper_process *keeper);
/* A task that has stopped its worker has its limit of time all the same: the worker goes on, and
 * ends it.  When to look next; HUGE_VAL: never. */
double ls_keeper_look_at_stopped(struct ls_keeper_process *keeper, double now_s);
/* Kills all that is ours, and waits for its end. */
void ls_keeper_kill_all(struct ls_keeper_process *keeper);
/* Removes the files that workers of ours, all of which have ended, have left. */
void ls_keeper_remove_files(const struct ls_keeper_process *keeper);

#endif
