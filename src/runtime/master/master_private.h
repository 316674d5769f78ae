/* master_private.h: the state of a master's loop, shared by its files.
 *
 * Rounds (master.c): frames (master_events.c, master_joins.c), news of the pools (master_pools.c)
 * and what the time brings (master_clock.c) become events, each is appended to the journal and
 * stepped, its actions become messages of the outbox and deliveries (master_actions.c); then one
 * commit, and only then the outbox leaves and the deliveries are merged.
 */
#ifndef LS_RUNTIME_MASTER_MASTER_PRIVATE_H
#define LS_RUNTIME_MASTER_MASTER_PRIVATE_H

#include "protocol/message.h"
#include "runtime/master/consultation.h"
#include "runtime/master/guests/admission.h"
#include "runtime/master/guests/connections.h"
#include "runtime/master/guests/gathering.h"
#include "runtime/master/guests/tickets.h"
#include "runtime/master/master.h"
#include "runtime/master/master_open.h"
#include "runtime/master/news.h"
#include "runtime/master/pace.h"
#include "runtime/master/sending/deliveries.h"
#include "runtime/master/sending/file_sender.h"
#include "runtime/master/sending/outbox.h"
#include "runtime/master/sending/packer.h"
#include "runtime/master/sending/port.h"
#include "runtime/master/staffing.h"
#include "runtime/master/time_limit.h"
#include "runtime/master/units/app_iterations.h"
#include "runtime/master/units/supply.h"

/* What was explained, and when it is looked at again. */
struct ls_explain {
  double due_s;
  struct ls_bytes gist; /* the sentence without the times that pass */
  bool is_short, was_told;
  size_t most, wanted; /* workers present, and wanted, at most */
  int questions;
};

/* What the round since the last wait heard, and what its thread had used before. */
struct ls_master_round {
  double processor_s; /* 0: not known */
  uint64_t messages, beats;
  bool has_pulsed;
};

struct ls_master {
  const struct ls_master_options *options;
  struct ls_master_report *report;
  struct ls_master_books books;
  struct ls_master_doors doors;
  struct ls_connections connections;
  struct ls_admission admission;
  struct ls_tickets tickets;
  struct ls_gathering gathering;
  struct ls_consultation consultation;
  struct ls_iterations iterations;
  struct ls_news news;
  struct ls_packer packer;
  struct ls_port port;
  struct ls_supply supply;
  struct ls_file_sender files;
  struct ls_outbox outbox;
  struct ls_deliveries deliveries;
  struct ls_actions actions;
  struct ls_decoder decoder;
  unsigned undrained; /* rounds in a row that left frames for the next one */
  struct ls_staffing staffing;
  struct ls_explain explain;
  struct ls_pace pace;
  struct ls_time_limit limit; /* of a unit */
  struct ls_master_round round;
  double pools_due_s; /* the pools are polled then at the latest */
  double origin_s;    /* of the clock */
  double now_s;
  double wake_s, pulse_s, watch_s, check_s, worker_seen_s, hard_stop_s;
  uint32_t iteration;
  int interrupts_seen;
  bool is_iteration_done, is_finished, is_stopping, has_settled, is_pushing;
  size_t unaware; /* workers from outside that do not know that the run is over */
  double last_settled_s;
  uint64_t prefetch;       /* in use */
  struct ls_error failure; /* the first failure inside a round */
};

/* Keeps the first failure of a round. */
void ls_master_note_failure(struct ls_master *master, enum ls_status status,
                            const struct ls_error *err);

/* master.c: commits what the round has brought so far, and lets go what waited for that. */
void ls_master_settle_round(struct ls_master *master);

/* master_actions.c: appends to the journal, steps, and turns the actions into outbox and
 * deliveries. `message`: the RESULT behind the event, or NULL.  False: the event was refused; but
 * for advice, of which nothing then changes, that is a failure of the round. */
bool ls_master_step(struct ls_master *master, const struct ls_event *event,
                    const struct ls_message *message);
/* The worker is gone: nothing more is expected of it or sent to it. */
void ls_master_dismiss(struct ls_master *master, uint32_t worker);
/* The unit that ran was lost with its worker, unless the step just taken settled it. */
void ls_master_journal_loss(struct ls_master *master, uint32_t worker,
                            const struct ls_running *running);
/* The worker has worked from `start_s` until now: at units that counted, or not. */
void ls_master_account(struct ls_master *master, uint32_t number,
                       const struct ls_account_work *work);
/* Seconds until `until_s` in which somebody was in the slot, and away. */
double ls_master_suspended_s(const struct ls_master *master, uint32_t number, double until_s);
/* What is known of a slot up to now: what was worked late is no time away any more. */
struct ls_master_worker ls_master_facts(const struct ls_master *master, uint32_t number);
/* Who is in a slot, and since when, as the journal has it. */
void ls_master_journal_worker(struct ls_master *master, uint32_t worker);
void ls_master_journal_facts(struct ls_master *master, uint32_t worker,
                             const struct ls_master_worker *facts);

/* master_events.c */
static inline struct ls_event ls_master_event(const struct ls_master *master,
                                              enum ls_event_kind kind, uint32_t worker) {
  return (struct ls_event){.kind = kind, .worker = worker, .now_s = master->now_s};
}
/* Steps an event that has no more to say. */
void ls_master_tell(struct ls_master *master, enum ls_event_kind kind, uint32_t worker);
/* The worker is lost, to the journal, too. */
void ls_master_lose(struct ls_master *master, uint32_t worker, enum ls_loss cause);
/* The requests that were gathered are heard. */
void ls_master_tell_gathered(struct ls_master *master);
void ls_master_stop(struct ls_master *master, bool is_hard);
/* Stops the run where the verdict on what was settled says so. */
void ls_master_ask_halt(struct ls_master *master);
/* It has said nonsense, and is sent away; the user hears why. */
void ls_master_expel(struct ls_master *master, uint32_t worker, const char *why);
/* One received frame. */
void ls_master_on_frame(struct ls_master *master, struct ls_peer from,
                        const struct ls_frame *frame);

/* master_transfers.c: ARRIVED: so much of an input is there. */
void ls_master_on_arrived(struct ls_master *master, uint32_t worker,
                          const struct ls_message *message);
/* Warns of inputs and files that have been on their way for long. */
void ls_master_tell_slow(struct ls_master *master);

/* master_joins.c */
void ls_master_on_hello(struct ls_master *master, struct ls_peer from,
                        const struct ls_message *hello);

/* master_explain.c */
/* News of a pool as a fact of the journal and of the report. */
void ls_master_note_slot(struct ls_master *master, const struct ls_pool_news *news);
/* A worker that has nothing is let go before the run is over: it leaves, or is not needed. */
void ls_master_note_release(struct ls_master *master, uint32_t slot);
/* The coordinator gives a worker up by itself, of which no event tells. */
void ls_master_note_loss(struct ls_master *master, uint32_t slot);
/* What the user calls a unit, who counts from 1: "task" or "unit". */
const char *ls_master_noun(const struct ls_master *master);
/* The run fails for what became of this unit: "task 3: WORDS". */
void ls_master_note_unit_failure(struct ls_master *master, uint64_t unit,
                                 const struct ls_error *failure);
/* A worker has said what makes no sense. */
void ls_master_note_expulsion(struct ls_master *master, uint32_t slot, const char *why);
/* Which labels units wait for, which one every worker must have, and how many that came did not,
 * behind the separator; nothing where none is needed. */
void ls_master_write_need(const struct ls_master *master, const char *separator,
                          struct ls_bytes *out);
/* Somebody has joined: what is missed in the end is who never came. */
void ls_master_explain_presence(struct ls_master *master);
/* Tells, to whom it concerns, why there are not more workers. */
void ls_master_on_explain(struct ls_master *master);
void ls_master_end_explain(struct ls_master *master);

/* master_pace.c: how often master and workers beat. */
/* The loop has waited: what it did before is known. */
void ls_master_end_round(struct ls_master *master);
/* All are told that the master lives, and how often they are to say so. */
void ls_master_pulse(struct ls_master *master);

/* master_pools.c: what the pools have to tell. */
void ls_master_on_pools(struct ls_master *master);
/* The run fails if all workers that came have said that they cannot do it; false: they have not. */
bool ls_master_fail_unable(struct ls_master *master);

/* master_clock.c */
/* Can others than the workers of pools join? */
bool ls_master_has_guests(const struct ls_master *master);
/* Somebody is there, and any worker will do. */
bool ls_master_is_staffed(const struct ls_master *master);
/* Peers that the last sending did not find. */
void ls_master_on_cuts(struct ls_master *master);
/* What is concluded from who was not heard. */
void ls_master_judge(struct ls_master *master);
void ls_master_on_time(struct ls_master *master);

#endif
