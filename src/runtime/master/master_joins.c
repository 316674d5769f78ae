/* master_joins.c: who says HELLO joins, comes back over a new connection, or is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "runtime/master/master_private.h"

/* NULL: the worker may join. */
static const char *find_fault(const struct ls_master *master, struct ls_peer from,
                              const struct ls_message *hello, char *why, size_t why_bytes) {
  const char *fault = ls_admission_refuse(&master->admission, from.endpoint, hello, why, why_bytes);
  if (fault != NULL) return fault;
  if (master->is_finished) return "the run is over";
  if (ls_tickets_is_foreign(&master->tickets, hello)) return "the worker is one of another run";
  if (ls_connections_find(&master->connections, from) != LS_WORKER_NONE) return "joined already";
  return NULL;
}

static void welcome(struct ls_master *master, uint32_t slot) {
  const struct ls_connection *worker = &master->connections.items[slot];
  struct ls_message message;
  struct ls_error err = {0};
  master->admission.now_s = master->now_s;
  enum ls_status status =
      ls_admission_welcome(&master->admission, slot, worker->facts.slot, &message, &err);
  ls_master_note_failure(master, status, &err);
  if (status != LS_OK) return;
  ls_tickets_sign(&master->tickets, slot, &message);
  ls_outbox_post(&master->outbox, worker->peer, &message);
  /* The settings are those of the start; what follows has changed since. */
  if (master->pace.most_s > master->options->heartbeat_s) {
    struct ls_message pulse = ls_tickets_pulse(&master->tickets, slot);
    ls_outbox_post(&master->outbox, worker->peer, &pulse);
  }
  if (master->prefetch == master->options->prefetch) return;
  struct ls_message prefetch = {.kind = LS_MESSAGE_PREFETCH, .units = master->prefetch};
  ls_outbox_post(&master->outbox, worker->peer, &prefetch);
}

static void refuse(struct ls_master *master, struct ls_peer from, const char *fault) {
  struct ls_message refused = {.kind = LS_MESSAGE_REFUSED, .text = {fault, strlen(fault)}};
  ls_outbox_post(&master->outbox, from, &refused);
}

static void refuse_unfit(struct ls_master *master, struct ls_peer from) {
  const char *has = master->admission.labels;
  char why[2 * LS_LABELS_BYTES];
  (void)snprintf(why, sizeof why, "the run needs workers with label %s, and it has %s%s",
                 master->options->needs, has[0] != '\0' ? "only " : "no label", has);
  refuse(master, from, why);
}

/* Gives the worker a slot; LS_WORKER_NONE: there is no memory, it lacks a label, or the slot whose
 * units it is to have is another one's. */
static uint32_t admit(struct ls_master *master, struct ls_peer from,
                      const struct ls_message *hello) {
  const struct ls_master_options *options = master->options;
  const struct ls_pools *pools = &master->doors.pools;
  size_t workers = options->config.workers, kept = pools->slots < workers ? pools->slots : workers;
  uint32_t place = ls_admission_place(&master->admission, pools, from.endpoint, hello);
  if (place == 0) {
    refuse_unfit(master, from);
    return LS_WORKER_NONE;
  }
  uint32_t slot = ls_connections_choose(&master->connections, place, workers, kept);
  if (options->config.homes > 0 && slot + 1 != place) {
    refuse(master, from, "another worker is in its place");
    return LS_WORKER_NONE;
  }
  struct ls_newcomer newcomer = {
      .peer = from,
      .name = hello->name,
      .labels = master->admission.labels,
      .process_id = hello->process_id,
      .place = place,
      .has_process = place <= pools->slots,
      .price_per_s = slot < options->prices_count ? options->prices[slot] : 1,
      .now_s = master->now_s};
  struct ls_error err = {0};
  enum ls_status status = ls_connections_join(&master->connections, slot, &newcomer, &err);
  if (status == LS_OK) status = ls_tickets_issue(&master->tickets, slot, hello, &err);
  if (status == LS_OK)
    master->connections.items[slot].away_before_s =
        ls_master_suspended_s(master, slot, master->now_s);
  ls_master_note_failure(master, status, &err);
  return status == LS_OK ? slot : LS_WORKER_NONE;
}

/* A number for a machine by its name; 0: it has none. */
static uint64_t number_host(const struct ls_blob *host) {
  uint64_t number = ls_digest_add(LS_DIGEST_START, host->data, host->length);
  return host->length > 0 ? number | 1 : 0;
}

/* What the worker says that it has; the caller's. NULL: the run fails for want of memory. */
static struct ls_event_held *list_held(struct ls_master *master, const struct ls_message *hello) {
  struct ls_error err = {0};
  struct ls_event_held *held = calloc(hello->held_count + 1, sizeof *held);
  if (held == NULL) {
    (void)ls_fail(&err, LS_ENOMEM, "out of memory for what worker %u holds", hello->worker);
    ls_master_note_failure(master, LS_ENOMEM, &err);
    return NULL;
  }
  for (size_t i = 0; i < hello->held_count; ++i) {
    held[i] = (struct ls_event_held){hello->held[i].chunk, hello->held[i].units};
  }
  return held;
}

/* The chunks of another era are none of this coordinator. */
static void tell_joined(struct ls_master *master, uint32_t worker, const struct ls_message *hello) {
  struct ls_event event = ls_master_event(master, LS_EVENT_JOINED, worker);
  bool was_here = hello->cookie.length > 0 && hello->era == master->tickets.era;
  struct ls_event_held *held = was_here ? list_held(master, hello) : NULL;
  event.joined.held = held;
  event.joined.held_count = held != NULL ? hello->held_count : 0;
  event.joined.lifetime_s = hello->lifetime_s;
  event.joined.place = number_host(&hello->host);
  event.joined.labels = master->connections.items[worker].labels;
  event.joined.lease =
      ls_pools_lease(&master->doors.pools, master->connections.items[worker].facts.slot);
  event.joined.has_lifeline =
      ls_pools_has_lifeline(&master->doors.pools, master->connections.items[worker].facts.slot);
  ls_master_step(master, &event, NULL);
  free(held);
}

/* What it asked for over its former connection is forgotten: it asks again. */
static void forget_request(struct ls_master *master, uint32_t number) {
  struct ls_connection *worker = &master->connections.items[number];
  ls_file_sender_forget(&master->files, number);
  if (worker->asks_first > 0) ls_gathering_withdraw(&master->gathering);
  worker->asks_first = 0;
}

/* The worker in a slot has another connection; the newer one counts. */
static void come_back(struct ls_master *master, struct ls_peer from, uint32_t slot,
                      const struct ls_message *hello) {
  struct ls_event event = ls_master_event(master, LS_EVENT_RESUMED, slot);
  struct ls_error err = {0};
  struct ls_event_held *held = list_held(master, hello);
  if (held == NULL) return;
  ls_port_forget(&master->port, master->connections.items[slot].peer);
  enum ls_status status = ls_connections_move(&master->connections, slot, from, &err);
  ls_master_note_failure(master, status, &err);
  if (status == LS_OK) {
    forget_request(master, slot);
    ls_endpoints_admit(&master->doors.endpoints, from);
    ls_tickets_resume(&master->tickets, slot, hello);
    welcome(master, slot);
    event.resumed =
        (struct ls_event_resumed){.held = held, .held_count = hello->held_count, .is_told = true};
    ls_master_step(master, &event, NULL);
    master->is_pushing = true;
  }
  free(held);
}

/* A worker of this run that was cut off at its end comes back: what it has was counted, or done by
 * another one. */
static bool is_late_for_release(const struct ls_master *master, struct ls_peer from,
                                const struct ls_message *hello) {
  char why[96];
  bool was_here = hello->cookie.length > 0 && hello->era == master->tickets.era &&
                  !ls_tickets_is_foreign(&master->tickets, hello);
  return master->is_finished && was_here &&
         ls_admission_refuse(&master->admission, from.endpoint, hello, why, sizeof why) == NULL;
}

/* However often it asks, it is one worker. */
static void note_aware(struct ls_master *master, uint32_t number) {
  if (number >= master->connections.count || !master->connections.items[number].is_unaware) return;
  master->connections.items[number].is_unaware = false;
  --master->unaware;
}

static void tell_known_speed(struct ls_master *master, uint32_t worker) {
  uint32_t place = master->connections.items[worker].facts.slot;
  struct ls_event event = ls_master_event(master, LS_EVENT_HEARTBEAT, worker);
  double speed = ls_admission_speed(&master->admission, place);
  if (!(speed > 0)) return;
  event.speed = fmin(fmax(speed, LS_EVENT_SPEED_LEAST), LS_EVENT_SPEED_MOST);
  ls_master_step(master, &event, NULL);
}

void ls_master_on_hello(struct ls_master *master, struct ls_peer from,
                        const struct ls_message *hello) {
  char why[96];
  if (is_late_for_release(master, from, hello)) {
    struct ls_message release = {.kind = LS_MESSAGE_RELEASE};
    ls_outbox_post(&master->outbox, from, &release);
    note_aware(master, hello->worker);
    return;
  }
  const char *fault = find_fault(master, from, hello, why, sizeof why);
  if (fault != NULL) {
    refuse(master, from, fault);
    return;
  }
  uint32_t former = ls_tickets_find(&master->tickets, hello);
  if (former != LS_TICKETS_NONE) {
    come_back(master, from, former, hello);
    return;
  }
  uint32_t worker = admit(master, from, hello);
  if (worker == LS_WORKER_NONE) return;
  ls_endpoints_admit(&master->doors.endpoints, from);
  ls_master_journal_worker(master, worker);
  welcome(master, worker);
  master->worker_seen_s = master->now_s;
  tell_joined(master, worker, hello);
  ls_master_explain_presence(master);
  tell_known_speed(master, worker);
  master->is_pushing = true;
}
