/* master_private.h: the state of a master's loop, shared by its three files.
 *
 * Rounds (master.c): frames and news of the pools become events (master_events.c), each is appended
 * to the journal and stepped, its actions become messages of the outbox and deliveries
 * (master_actions.c); then one commit, and only then the outbox leaves and the deliveries are
 * merged.
 */
#ifndef LS_RUNTIME_MASTER_PRIVATE_H
#define LS_RUNTIME_MASTER_PRIVATE_H

#include "protocol/message.h"
#include "runtime/admission.h"
#include "runtime/app_iterations.h"
#include "runtime/connections.h"
#include "runtime/consultation.h"
#include "runtime/deliveries.h"
#include "runtime/gathering.h"
#include "runtime/master.h"
#include "runtime/master_open.h"
#include "runtime/news.h"
#include "runtime/outbox.h"
#include "runtime/packer.h"
#include "runtime/staffing.h"
#include "runtime/supply.h"
#include "runtime/tickets.h"

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
  struct ls_supply supply;
  struct ls_outbox outbox;
  struct ls_deliveries deliveries;
  struct ls_actions actions;
  struct ls_decoder decoder;
  unsigned undrained; /* rounds in a row that left frames for the next one */
  struct ls_staffing staffing;
  double pools_due_s; /* the pools are polled then at the latest */
  double origin_s;    /* of the clock */
  double now_s;
  double wake_s, pulse_s, watch_s, worker_seen_s, hard_stop_s;
  uint32_t iteration;
  int interrupts_seen;
  bool is_iteration_done, is_finished, is_stopping, has_settled, is_pushing;
  double last_result_s;
  uint64_t prefetch;       /* in use */
  struct ls_error failure; /* the first failure inside a round */
};

/* Keeps the first failure of a round. */
void ls_master_note_failure(struct ls_master *master, enum ls_status status,
                            const struct ls_error *err);

/* master_actions.c: appends to the journal, steps, and turns the actions into outbox and
 * deliveries. `message`: the RESULT behind the event, or NULL.  False: the event was refused; but
 * for advice, of which nothing then changes, that is a failure of the round. */
bool ls_master_step(struct ls_master *master, const struct ls_event *event,
                    const struct ls_message *message);
/* The worker is gone: nothing more is expected of it or sent to it. */
void ls_master_dismiss(struct ls_master *master, uint32_t worker);
/* Who is in a slot, and since when, as the journal has it. */
void ls_master_journal_worker(struct ls_master *master, uint32_t worker);

/* master_events.c: one received frame; what the pools have to tell; clock and user. */
void ls_master_on_frame(struct ls_master *master, struct ls_peer from,
                        const struct ls_frame *frame);
void ls_master_on_pools(struct ls_master *master);
/* Peers that the last sending did not find. */
void ls_master_on_cuts(struct ls_master *master);
/* What is concluded from who was not heard. */
void ls_master_judge(struct ls_master *master);
void ls_master_on_time(struct ls_master *master);

#endif
