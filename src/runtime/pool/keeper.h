/* keeper.h: the process that keeps the local workers.
 *
 * A helper of the master, started early, while the master is small: it starts workers (a fork, or a
 * program), adopts what they leave (PR_SET_CHILD_SUBREAPER), reaps and ends it, and tells of all
 * that in records (keeper_line.h).  So the children of the master, and of an application within it,
 * are nobody's business.  It outlives its master by the moment that it needs to end all that is its
 * own and to remove the run's private folder and files that its workers have left.  When it dies
 * itself, the workers see the end of their lifelines, and go with what they have started; another
 * keeper may take its place.
 */
#ifndef LS_RUNTIME_POOL_KEEPER_H
#define LS_RUNTIME_POOL_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "runtime/pool/keeper_line.h"

/* What a local worker is told. Borrowed. */
struct ls_keeper_worker {
  const char *address; /* of the master */
  const char *name;    /* "local-3", or what its start says */
  uint32_t slot;
  double speed;
  int lifeline; /* descriptor whose end means that the keeper is gone; the worker's */
};

/* The life of a worker; its exit status. */
typedef int (*ls_keeper_serve_fn)(void *context, const struct ls_keeper_worker *worker);

/* Borrowed as long as the keeper is there. */
struct ls_keeper_setup {
  /* Called in a fork of the keeper, without exec: the memory of a thousand workers is then nearly
   * that of one.  NULL, or a starter that has several threads already: `command` is run. */
  ls_keeper_serve_fn serve;
  /* Called before the keeper is forked: what the caller and all workers would do alike; each later
   * call is cheap. May be NULL. */
  void (*prepare)(void);
  void *context;
  /* argv of a program, NULL-terminated; gets --connect, --name, --speed and --lifeline in addition.
   * May be NULL when there is `serve`. */
  char *const *command;
  bool keeps_output; /* workers write to the run's own standard output */
};

struct ls_keeper;

/* Workers get standard input empty, and standard error as standard output, too: that is the run's.
 * Descriptors that are not close-on-exec are theirs, as over an exec. */
LS_CHECKED enum ls_status ls_keeper_start(const struct ls_keeper_setup *setup,
                                          struct ls_keeper **out, struct ls_error *err);
/* Our end of the line. */
struct ls_keeper_line *ls_keeper_line(struct ls_keeper *keeper);
/* Workers make files NAME.*.SLOT of this NAME among the temporary ones: the keeper, and whoever
 * takes its place, removes what is left of them in the end. At most LS_KEEPER_WORDS_MAX bytes. */
void ls_keeper_entrust(struct ls_keeper *keeper, const char *files);
/* How it ended, in words ("signal 9"), when it has: the line is broken. */
const char *ls_keeper_end_words(struct ls_keeper *keeper);
/* Its process id; 0: it has ended. */
pid_t ls_keeper_process(const struct ls_keeper *keeper);
/* Another one takes the place of one that has ended (its line is broken), knows of no address and
 * of no worker, but of the files, and has another line.  On failure nothing changes: there is no
 * process; or the master has threads by now, and there is no command. */
LS_CHECKED enum ls_status ls_keeper_restart(struct ls_keeper *keeper, struct ls_error *err);
/* Gives the workers `patience_s` to end by themselves, ends those that stay, waits until nothing is
 * left, and the keeper, too.  Again: nothing happens. */
void ls_keeper_end(struct ls_keeper *keeper, double patience_s);
/* Ends it at once, unless it has been ended. */
void ls_keeper_destroy(struct ls_keeper *keeper);

#endif
