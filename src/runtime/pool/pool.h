/* pool.h: where workers come from.
 *
 * A pool is asked for workers and never makes its caller wait: what becomes of a request is told as
 * news, whenever the caller polls.  A pool has slots, of which each holds one worker after another;
 * several pools can be part of one master, each with slots of its own.  It replaces nothing by
 * itself: the master requests again.
 *
 * The life of a request: wanted (the pool has it in its queue) -> granted (there is a process, or a
 * job runs) -> lost; or wanted -> refused.  What becomes of units is decided by connections; the
 * pool decides about slots.
 */
#ifndef LS_RUNTIME_POOL_POOL_H
#define LS_RUNTIME_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "coordinator/event.h"

struct ls_key_file; /* protocol/key_file.h */

struct ls_pool_setup {
  const char *address; /* of the master, for workers on its machine */
  /* For those on other machines: the keys of the run as their file has them, with the address by
   * which they reach the door that is open to them; `bound` is where the master listens there.
   * NULL: there is no such door under keys. Borrowed until the pool is closed. */
  const struct ls_key_file *keys;
  const char *key_path; /* where the user wanted that file; NULL: it is not written */
  const char *folder;   /* the run's private one, removed when the master dies; "" or NULL: none */
  const double *speeds; /* by place within the pool, repeated; NULL: all 1 */
  size_t speeds_count;
  uint32_t first_slot; /* number of the first slot; the others follow. 0 counts as 1 */
  size_t slots;
  void *own; /* what this kind of pool needs besides; fork: a struct ls_keeper (keeper.h);
                 ssh: a struct ls_ssh_hosts (ssh_hosts.h), which is closed with the pool */
};

/* Exit status of a worker whose machine has no room for its connection (EX_TEMPFAIL). */
enum { LS_POOL_EXIT_NO_ROOM = 75 };

enum ls_pool_news_kind {
  LS_POOL_GRANTED,   /* slot, pid: a worker is on its way */
  LS_POOL_REFUSED,   /* count, is_final, words: so many will not come */
  LS_POOL_LOST,      /* slot, pid, cause, exit_code, signal, words: it is gone from its slot */
  LS_POOL_SUSPENDED, /* slot, pid, words: somebody has stopped it, and may let it go on */
  LS_POOL_RESUMED,   /* slot, pid */
  LS_POOL_PENDING,   /* count, words: so many wait in the pool's queue */
  LS_POOL_DENIED,    /* count, words: so many do not come now; the pool tries again */
  LS_POOL_NEWS_COUNT
};

struct ls_pool_news {
  enum ls_pool_news_kind kind;
  uint32_t slot;
  int64_t pid;           /* on the worker's machine; 0: not known */
  size_t count;          /* REFUSED */
  bool is_final;         /* REFUSED: asking again is of no use */
  bool is_barred;        /* REFUSED: this machine has no room for a process */
  bool is_wrong;         /* REFUSED, is_final: what the user wants of the pool cannot be */
  bool is_presumed;      /* LOST: whoever keeps its machine has lost sight of it; a worker that
                            answers goes on, as one that came by itself */
  enum ls_loss cause;    /* LOST. CRASHED: its process died by itself or by a signal */
  int exit_code, signal; /* LOST, where known; 0 and 0: it ended well */
  const char *words;     /* why; NULL: nothing to say. Borrowed until the pool is called again */
};

struct ls_pool_counts {
  size_t wanted;   /* requested, neither granted nor refused yet */
  size_t hindered; /* of these, those that come only if a trouble passes */
  size_t hopeless; /* of those wanted, whom no waiting brings: their hosts have no address */
  size_t granted;  /* there, or on their way */
  const char *why; /* why there are not more, in words; NULL: nothing stands in the way. Borrowed as
                      above */
};

/* What a worker says of itself when it joins. */
struct ls_pool_claim {
  const char *name, *place; /* place: what its pool told it to say; "": nothing */
  size_t name_length, place_length;
  uint64_t pid;
  bool is_private; /* it came through the door of this machine's own workers */
};

/* What the master saw of the worker in a slot. */
enum ls_pool_sight {
  LS_POOL_SAW_WORK,    /* it has done a unit */
  LS_POOL_SAW_RELEASE, /* the coordinator let it go */
  LS_POOL_SAW_END      /* it left, or was lost */
};

struct ls_pool;

struct ls_pool_kind {
  const char *name;
  double grant_s;     /* from a request to its worker, about: until it is measured */
  bool has_lifelines; /* its workers are on this machine, and end with their master: silence and
                         broken connections say nothing */
  bool comes_once;    /* nobody ever takes the place of a worker of it */
  enum ls_status (*open)(const struct ls_pool_setup *setup, struct ls_pool **out,
                         struct ls_error *err);
  /* n more workers are wanted. Never waits; failures are news. */
  void (*request)(struct ls_pool *pool, size_t n);
  /* Ends the worker in a slot at once, with what it runs (it hangs, or comes too late); an empty
   * slot stays so. */
  void (*kill)(struct ls_pool *pool, uint32_t slot);
  /* A task may take so many seconds at a worker of it, also where it has stopped that. NULL: nobody
   * above the workers would notice. */
  void (*limit)(struct ls_pool *pool, double seconds);
  /* The next news without waiting; false: there are none now. */
  bool (*poll)(struct ls_pool *pool, struct ls_pool_news *news);
  /* Descriptor that becomes readable when poll has something to say; -1: none. */
  int (*file)(const struct ls_pool *pool);
  /* Seconds after which to poll at the latest, whatever the descriptor does; INFINITY: it says all.
   */
  double (*patience_s)(const struct ls_pool *pool);
  /* The slot of the worker that says so, and thereby has come; 0: none of ours. */
  uint32_t (*slot)(const struct ls_pool *pool, const struct ls_pool_claim *claim);
  /* What the worker in a slot costs together with, such as its job, by number: its workers are
   * released together. NULL: workers cost nothing. */
  uint32_t (*lease)(const struct ls_pool *pool, uint32_t slot);
  /* NULL: the pool need not know. */
  void (*see)(struct ls_pool *pool, uint32_t slot, enum ls_pool_sight sight);
  struct ls_pool_counts (*counts)(const struct ls_pool *pool);
  /* Who is there but does not work, who waits and why, who was not asked for and why, in words;
   * `has_times`: with the times that pass. NULL: counts.why says all. */
  void (*explain)(const struct ls_pool *pool, bool has_times, struct ls_bytes *out);
  /* Takes all requests back; waits for the workers at most `patience_s`, then ends them; nothing of
   * theirs survives. */
  void (*close)(struct ls_pool *pool, double patience_s);
};

/* A pool of a master, and what it is to be opened with; the master fills in its addresses, keys and
 * folder. */
struct ls_pool_choice {
  const struct ls_pool_kind *kind;
  struct ls_pool_setup setup;
};

extern const struct ls_pool_kind ls_pool_fork, ls_pool_ssh, ls_pool_mpi;

#endif
