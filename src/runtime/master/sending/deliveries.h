/* deliveries.h: final results on their way to the application.
 *
 * A result is deferred while its round goes on: its bytes are copied, its files change their owner.
 * After the commit of the round it is merged, exactly once.  An output that the journal keeps stays
 * pending there until it has left the process; then the journal forgets it.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_DELIVERIES_H
#define LS_RUNTIME_MASTER_SENDING_DELIVERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/application.h"
#include "runtime/journal/journal.h"

/* A result to be merged after the commit. */
struct ls_delivery {
  struct ls_unit_result result;
  size_t offsets[2];  /* of its outputs in the kept bytes */
  bool is_journalled; /* its output is in the journal until it has been merged */
};

struct ls_deliveries {
  const struct ls_app *app;
  void *state;                /* of the application */
  struct ls_journal *journal; /* NULL: none */
  struct ls_bytes bytes;
  struct ls_delivery *items;
  size_t count, capacity;
  size_t files;     /* that the deferred results own */
  bool has_pending; /* outputs are in the journal until the application has delivered them */
  void (*failed)(void *context, const struct ls_unit_result *result); /* NULL: nobody is told */
  void *context;
};

/* Borrows all three until close. */
void ls_deliveries_init(struct ls_deliveries *deliveries, const struct ls_app *app, void *state,
                        struct ls_journal *journal);
/* Tells whoever wants to know of a final result that is not good; merge does so by itself. */
void ls_deliveries_tell(const struct ls_deliveries *deliveries,
                        const struct ls_unit_result *result);
/* Keeps a result until merge: copies the bytes of its outputs, takes their files in every case.
 * LS_ENOMEM. */
LS_CHECKED enum ls_status ls_deliveries_defer(struct ls_deliveries *deliveries,
                                              const struct ls_unit_result *result,
                                              bool is_journalled, struct ls_error *err);
/* A round keeps a bounded amount until its commit, in memory and in descriptors. */
bool ls_deliveries_is_full(const struct ls_deliveries *deliveries);
/* Gives all that was deferred to the application, in order, and lets the journal forget the outputs
 * that have left. The first failure of the application ends it; what remains is dropped. */
LS_CHECKED enum ls_status ls_deliveries_merge(struct ls_deliveries *deliveries,
                                              struct ls_error *err);
/* All results were merged: waits for outputs that have not left, until the user is in a hurry, and
 * lets the journal forget them. */
LS_CHECKED enum ls_status ls_deliveries_finish(struct ls_deliveries *deliveries,
                                               struct ls_error *err);
/* A descriptor that is readable when more outputs have left; -1: none. */
int ls_deliveries_file(const struct ls_deliveries *deliveries);
/* Outputs wait for a slow reader: no more units should be handed out for now. */
bool ls_deliveries_is_behind(const struct ls_deliveries *deliveries);
/* Gives one result to the application at once. The caller keeps what its outputs own. */
LS_CHECKED enum ls_status ls_deliveries_merge_one(struct ls_deliveries *deliveries,
                                                  const struct ls_unit_result *result,
                                                  bool is_journalled, struct ls_error *err);
/* Forgets all that was deferred: its commit failed. */
void ls_deliveries_drop(struct ls_deliveries *deliveries);
void ls_deliveries_close(struct ls_deliveries *deliveries);

#endif
