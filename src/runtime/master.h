/* master.h: the coordinator in real time.
 *
 * The loop: drain what arrived, append it to the journal, step, one commit, perform the actions. An
 * event is durable before its actions leave.
 */
#ifndef LS_RUNTIME_MASTER_H
#define LS_RUNTIME_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/coordinator.h"
#include "runtime/adviser.h"
#include "runtime/application.h"
#include "runtime/journal.h"
#include "runtime/pool.h"
#include "runtime/transport.h"

/* How the run stands; for progress displays and halt rules. */
struct ls_master_progress {
  double now_s;
  struct ls_coordinator_totals totals;
  double busy_s, up_s; /* so far, over all workers: efficiency = busy / up */
};

enum ls_master_wish { LS_WISH_GO_ON, LS_WISH_STOP, LS_WISH_STOP_NOW };

struct ls_master_options {
  const struct ls_app *app;
  void *state;           /* of the application, opened */
  char *const *words;    /* of the application, for the workers; NULL-terminated */
  const char *directory; /* for commands; NULL: the present one */
  struct ls_coordinator_config config;
  /* Declared seconds by unit, for the orders and replications that want them; NULL: none. */
  const double *times;
  uint64_t times_count;
  const double *prices; /* of a second of the workers in the first slots; all others: 1 */
  size_t prices_count;
  uint64_t prefetch;
  double timeout_s;   /* of one unit; 0: none */
  double heartbeat_s; /* default 1 */
  const struct ls_transport *transport;
  const char *listen; /* address; NULL: an ipc socket in a private directory */
  const char *token;  /* required of those who join; NULL: made when listening on tcp */
  const struct ls_pool_kind *pool;
  struct ls_pool_setup pool_setup; /* address and token are filled in */
  const char *journal;             /* path; NULL: none */
  enum ls_journal_mode journal_mode;
  struct ls_journal_job job;
  bool is_synced;
  const _Atomic int *interrupts; /* 1: stop handing out; 2: stop now. May be NULL */
  double workers_patience_s;     /* no worker at all for so long: LS_ENOWORKERS */
  /* Called once the journal is held, before the application hears of anything in it: a start that
   * the journal refuses has changed no other file. A failure ends the run. May be NULL. */
  enum ls_status (*begin)(void *context, struct ls_error *err);
  /* Called after each round of the loop (at least every 0.1 s) and after each settled range. May be
   * NULL. */
  enum ls_master_wish (*watch)(void *context, const struct ls_master_progress *progress);
  /* The address that workers connect to, and the token, once known. May be NULL. */
  void (*announce)(void *context, const char *address, const char *token);
  /* Notes in words, when not NULL (-v). */
  void (*note)(void *context, const char *text);
  /* Asked in a forked child once every worker has ended some units, and at ever longer intervals
   * afterwards; the answer enters as the event ADVICE. NULL: no advice during the run. */
  ls_adviser_fn advise;
  /* An answer in words, when it has some. May be NULL. */
  void (*advised)(void *context, const char *reason);
  void *context;
};

/* The workers that were in one slot of the coordinator, one after another. */
struct ls_master_worker {
  char name[64];           /* of the latest */
  uint32_t slot;           /* of the latest, in its pool */
  double joined_s, left_s; /* of the first and of the latest; NAN: stayed */
  double away_s;           /* in between, when nobody was there */
  double busy_s, useful_s;
  double price_per_s;
  double up_s; /* until the last result, in the report only */
  uint64_t chunks, units;
};

struct ls_master_report {
  double makespan_s, efficiency;
  double price; /* of all seconds up */
  struct ls_coordinator_totals
      totals; /* of the last iteration; done and failed are of the whole run */
  uint64_t messages_sent, messages_received, results_late;
  uint64_t units_done, units_failed, units_given_up,
      units_before,                 /* settled in earlier sessions, */
      units_failed_before;          /* of them failed or given up */
  struct ls_master_worker *workers; /* owned: ls_master_report_close */
  size_t workers_count;
  uint32_t *wanted; /* workers wanted, by iteration of this session; owned */
  size_t wanted_count, wanted_capacity;
  uint64_t prefetch; /* at the end */
  uint64_t advices;  /* that were followed */
  bool has_begun;    /* an iteration was opened */
  bool was_stopped, was_interrupted;
};

/* LS_OK also when units failed (see the report); LS_ENOWORKERS, LS_EINTERRUPTED, LS_EIO, ...
 * otherwise. The report is filled in every case. */
LS_CHECKED enum ls_status ls_master_run(const struct ls_master_options *options,
                                        struct ls_master_report *report, struct ls_error *err);
void ls_master_report_close(struct ls_master_report *report);

#endif
