/* master_open.h: what a master opens before its first round and closes after its last: books, which
 * hold what was decided (coordinator and journal), and doors, where workers come in (endpoints and
 * pools).
 */
#ifndef LS_RUNTIME_MASTER_MASTER_OPEN_H
#define LS_RUNTIME_MASTER_MASTER_OPEN_H

#include "base/ranges.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal.h"
#include "runtime/master/guests/endpoints.h"
#include "runtime/master/master.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/pools.h"

/* Starts as {0}. */
struct ls_master_books {
  struct ls_coordinator *coordinator;
  struct ls_journal *journal; /* NULL: none */
  /* Of the journal, at the start: numbers of the session that are added to make them the run's. */
  uint32_t workers_base;        /* numbers of earlier sessions */
  double offset_s;              /* duration of the earlier sessions */
  uint32_t iteration;           /* the one that was open */
  bool is_resumed;              /* there were earlier sessions */
  struct ls_ranges sent_before; /* units that these sent */
  unsigned char
      run[16]; /* the secret of the run, the same in all sessions; without a journal: none */
};

struct ls_master_doors {
  struct ls_temporary_folder folder; /* private one: of the ipc socket, of the keys */
  struct ls_endpoints endpoints;
  struct ls_pools pools;
  struct ls_key_file keys; /* of the first door under keys, as its workers have them, for the pools;
                              no `run`: there is none */
};

/* On failure too, close what was opened. */
LS_CHECKED enum ls_status ls_master_books_open(struct ls_master_books *books,
                                               const struct ls_master_options *options,
                                               struct ls_error *err);
void ls_master_books_close(struct ls_master_books *books);
/* Announces the address of each open door, with the file of the keys. On failure too, close what
 * was opened. */
LS_CHECKED enum ls_status ls_master_doors_open(struct ls_master_doors *doors,
                                               const struct ls_master_options *options,
                                               struct ls_error *err);
/* The workers of the pools have so long to end by themselves. */
void ls_master_doors_close(struct ls_master_doors *doors, double patience_s);

#endif
