/* master_report.h: what a run comes to, counted while it goes on.
 */
#ifndef LS_RUNTIME_MASTER_MASTER_REPORT_H
#define LS_RUNTIME_MASTER_MASTER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/action.h"
#include "coordinator/coordinator.h"
#include "model/account.h"
#include "model/usage.h"
#include "runtime/transport/transport.h"

struct ls_connections;

/* The workers that were in one slot of the coordinator, one after another. */
struct ls_master_worker {
  char name[64];           /* of the latest */
  uint32_t number;         /* of the coordinator's slot; in the report only */
  uint32_t slot;           /* of the latest, in its pool; 0: nobody was here */
  double joined_s, left_s; /* of the first and of the latest; NAN: stayed */
  double away_s;           /* in between, when nobody was there */
  double suspended_s;      /* somebody was there, and away; in the report only */
  double busy_s, useful_s;
  double speed;              /* told, or that it has shown; 0: neither; in the report only */
  double stage_s, exposed_s; /* it staged, and computed nothing meanwhile */
  double price_per_s;
  double up_s; /* until the last result, in the report only */
  uint64_t chunks, units;
};

/* What became of workers that pools on other machines were asked for, counted each time. */
struct ls_master_slots {
  uint64_t pending, denied, granted, suspended, ended;
};

enum { LS_MASTER_EXPLANATION_BYTES = 1000 };

struct ls_master_report {
  double makespan_s, efficiency;
  double price;              /* of all seconds up */
  struct ls_account account; /* of this session, up to its last result */
  struct ls_coordinator_totals
      totals; /* of the last iteration; done and failed are of the whole run */
  uint64_t messages_sent, messages_received, results_late;
  double prepare_s;      /* the master packed inputs */
  uint64_t staged_bytes; /* of inputs that were sent to workers */
  struct ls_usage usage; /* of all commands of this session, those that failed, too */
  uint64_t units_done, units_failed, units_given_up,
      units_before,                  /* settled in earlier sessions, */
      units_failed_before;           /* of them failed or given up */
  uint64_t tasks_done, tasks_failed; /* settled now, and by a result: of one unit or several */
  uint64_t tasks_given_up;           /* settled now, without one */
  struct ls_master_worker *workers;  /* owned: ls_master_report_close */
  size_t workers_count;
  uint32_t *wanted; /* workers wanted, by iteration of this session; owned */
  uint64_t *opened; /* of each of them, the units that were to be done; owned */
  size_t wanted_count, wanted_capacity, opened_capacity;
  uint64_t prefetch;             /* at the end */
  uint64_t advices;              /* that were followed */
  double heartbeat_s;            /* the longest in use */
  double grant_first_s;          /* from a request to its worker, as it was expected of the pools */
  double beat_s;                 /* seconds of the processor that a beat cost; 0: not measured */
  struct ls_strangers strangers; /* what they tried */
  struct ls_master_slots slots;
  /* Why fewer workers came than were wanted (shortage.h); "": all came. */
  char explanation[LS_MASTER_EXPLANATION_BYTES];
  bool has_begun; /* an iteration was opened */
  bool was_stopped, was_interrupted;
};

/* Units became final. */
void ls_master_report_settle(struct ls_master_report *report,
                             const struct ls_action_settle *settle);
/* A result became final, of however many units. */
void ls_master_report_task(struct ls_master_report *report, enum ls_outcome outcome);
/* An iteration was opened that wants so many workers for so many units. A run goes on without this
 * list: no failure where memory is short. */
void ls_master_report_want(struct ls_master_report *report, uint32_t workers, uint64_t units);
/* The worker was up while it did work that was heard late: so many of the seconds for which it was
 * taken for away count as up, and where they do not suffice it was there before it joined, which
 * may be before the session. */
void ls_master_worker_cover(struct ls_master_worker *worker, double late_s);
/* At the end of the run, after `makespan_s` was set: the workers, their sums, and the totals.
 * `totals` may be NULL: there was no coordinator. */
void ls_master_report_finish(struct ls_master_report *report,
                             const struct ls_connections *connections,
                             const struct ls_coordinator_totals *totals, double now_s);
void ls_master_report_close(struct ls_master_report *report);

#endif
