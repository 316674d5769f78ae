/* master_pace.c: the master and its workers tell each other that they live, and how often that is
 * follows from what it costs. */
#include "runtime/master/master_private.h"
#include "runtime/os/clock.h"

/* The threads of libzmq that send, receive, encrypt. */
static const char *const SENDERS = "ZMQbg/IO";

void ls_master_end_round(struct ls_master *master) {
  struct ls_master_round *last = &master->round;
  /* A few workers need no clock. */
  bool is_measured =
      !master->pace.is_told && master->connections.peers.count >= LS_PACE_WORKERS_LEAST;
  double processor_s = is_measured ? ls_clock_processor_s() : 0;
  if (is_measured && last->processor_s > 0) {
    const struct ls_pace_round round = {
        .processor_s = processor_s - last->processor_s,
        .messages = master->report->messages_received - last->messages,
        .beats = last->beats,
        .has_pulsed = last->has_pulsed};
    ls_pace_add(&master->pace, &round);
  }
  *last = (struct ls_master_round){.processor_s = processor_s,
                                   .messages = master->report->messages_received};
}

/* The commit of this round makes it durable before anybody goes by it. */
static void judge(struct ls_master *master) {
  if (!ls_pace_judge(&master->pace, master->now_s)) return;
  struct ls_event event = ls_master_event(master, LS_EVENT_ADVICE, LS_WORKER_NONE);
  event.advice = (struct ls_event_advice){.heartbeat_s = master->pace.judged_s};
  ls_master_step(master, &event, NULL);
}

void ls_master_pulse(struct ls_master *master) {
  size_t workers = master->connections.peers.count;
  bool is_measured = !master->pace.is_told && workers >= LS_PACE_WORKERS_LEAST;
  double others_s = is_measured ? ls_clock_threads_s(SENDERS) : master->pace.others_s;
  (void)ls_pace_look(&master->pace, workers, others_s, master->now_s);
  master->tickets.heartbeat_s = master->pace.heartbeat_s;
  master->report->heartbeat_s = master->pace.most_s;
  master->report->beat_s = master->pace.beat_s;
  judge(master);
  master->pulse_s = master->now_s + master->pace.heartbeat_s;
  master->round.has_pulsed = true;
  for (uint32_t i = 0; i < master->connections.count; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (!worker->is_connected || worker->is_cut) continue;
    struct ls_message message = ls_tickets_pulse(&master->tickets, i);
    ls_outbox_post(&master->outbox, worker->peer, &message);
  }
}
