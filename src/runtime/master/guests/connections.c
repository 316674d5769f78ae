/* connections.c: joining, finding and leaving. */
#include "runtime/master/guests/connections.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/books/patience.h"

_Static_assert(LS_PEER_TABLE_NONE == LS_WORKER_NONE, "no peer is no worker");

uint32_t ls_connections_find(const struct ls_connections *connections, struct ls_peer peer) {
  return ls_peer_table_find(&connections->peers, peer);
}

uint32_t ls_connections_find_process(const struct ls_connections *connections, uint32_t place,
                                     uint64_t process_id) {
  for (size_t i = connections->count; i > 0; --i) {
    const struct ls_connection *worker = &connections->items[i - 1];
    if (worker->has_process && worker->facts.slot == place &&
        (process_id == 0 || worker->process_id == process_id)) {
      return (uint32_t)(i - 1);
    }
  }
  return LS_WORKER_NONE;
}

/* A process of the pool stays in its slot until its end was told: so it is known whose end it is.
 */
static bool is_free(const struct ls_connections *connections, size_t slot) {
  if (slot >= connections->count) return true;
  const struct ls_connection *worker = &connections->items[slot];
  return !worker->is_connected && !worker->has_process;
}

/* Its worker of the pool never came. */
static bool is_untouched(const struct ls_connections *connections, size_t slot) {
  return slot >= connections->count || connections->items[slot].facts.slot == 0;
}

uint32_t ls_connections_choose(const struct ls_connections *connections, uint32_t place,
                               size_t workers, size_t kept) {
  if (place >= 1 && place <= workers && is_free(connections, place - 1)) return place - 1;
  size_t slot = 0;
  while (!is_free(connections, slot) || (slot < kept && is_untouched(connections, slot))) ++slot;
  return (uint32_t)slot;
}

static enum ls_status make_room(struct ls_connections *connections, uint32_t slot,
                                struct ls_error *err) {
  enum ls_status status = ls_array_reserve((void **)&connections->items, &connections->capacity,
                                           (size_t)slot + 1, sizeof *connections->items);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for worker %u", slot);
  while (connections->count <= slot) {
    connections->items[connections->count++] = (struct ls_connection){
        .spools = {ls_spool_make(), ls_spool_make()}, .facts = {.left_s = (double)NAN}};
  }
  return LS_OK;
}

/* The name is shown on a terminal. */
static void copy_name(char *name, size_t name_bytes, struct ls_blob given) {
  size_t length = given.length < name_bytes - 1 ? given.length : name_bytes - 1;
  (void)snprintf(name, name_bytes, "%.*s", (int)length, (const char *)given.data);
  for (; *name != '\0'; ++name) {
    unsigned char letter = (unsigned char)*name;
    if (letter < ' ' || letter == 0x7f) *name = '?';
  }
}

static struct ls_master_worker go_on(const struct ls_master_worker *former,
                                     const struct ls_newcomer *newcomer) {
  struct ls_master_worker facts = *former;
  if (facts.slot == 0) {
    facts.joined_s = newcomer->now_s;
  } else {
    facts.away_s += newcomer->now_s - facts.left_s;
  }
  facts.left_s = (double)NAN;
  facts.slot = newcomer->place;
  facts.price_per_s = newcomer->price_per_s;
  copy_name(facts.name, sizeof facts.name, newcomer->name);
  return facts;
}

enum ls_status ls_connections_join(struct ls_connections *connections, uint32_t slot,
                                   const struct ls_newcomer *newcomer, struct ls_error *err) {
  assert(is_free(connections, slot));
  enum ls_status status = make_room(connections, slot, err);
  if (status != LS_OK) return status;
  status = ls_peer_table_put(&connections->peers, newcomer->peer, slot);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for worker %u", slot);
  struct ls_connection *worker = &connections->items[slot];
  ls_account_join(&worker->account, newcomer->now_s);
  *worker = (struct ls_connection){.facts = go_on(&worker->facts, newcomer),
                                   .account = worker->account,
                                   .peer = newcomer->peer,
                                   .process_id = newcomer->process_id,
                                   .is_connected = true,
                                   .has_process = newcomer->has_process,
                                   .since_s = newcomer->now_s,
                                   .answer_limit_s = LS_PATIENCE_ANSWER_S,
                                   .last_end_s = newcomer->now_s,
                                   .piece_s = newcomer->now_s,
                                   .spools = {ls_spool_make(), ls_spool_make()},
                                   .files = worker->files};
  (void)snprintf(worker->labels, sizeof worker->labels, "%s",
                 newcomer->labels != NULL ? newcomer->labels : "");
  return LS_OK;
}

static void forget_outputs(struct ls_connection *worker) {
  for (int i = 0; i < 2; ++i) ls_spool_close(&worker->spools[i]);
  ls_output_files_drop(&worker->files);
}

enum ls_status ls_connections_move(struct ls_connections *connections, uint32_t slot,
                                   struct ls_peer peer, struct ls_error *err) {
  struct ls_connection *worker = &connections->items[slot];
  assert(slot < connections->count && worker->is_connected);
  enum ls_status status = ls_peer_table_put(&connections->peers, peer, slot);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for worker %u", slot);
  ls_peer_table_remove(&connections->peers, worker->peer);
  worker->peer = peer;
  worker->is_cut = false;
  worker->told = 0;
  forget_outputs(worker);
  return LS_OK;
}

bool ls_connection_end_process(struct ls_connection *connection) {
  connection->has_process = false;
  return !connection->has_spoken && !connection->is_released;
}

bool ls_connections_leave(struct ls_connections *connections, uint32_t slot, double now_s) {
  assert(slot < connections->count);
  struct ls_connection *worker = &connections->items[slot];
  forget_outputs(worker);
  if (!worker->is_connected) return false;
  ls_peer_table_remove(&connections->peers, worker->peer);
  worker->is_connected = false;
  worker->facts.left_s = now_s;
  ls_account_leave(&worker->account, now_s);
  return true;
}

double ls_connection_place_span(struct ls_connection *connection, double now_s, double seconds) {
  connection->last_end_s = now_s;
  return now_s - seconds;
}

/* However slow a worker says that it answers, it is not waited for longer. */
static const double ANSWER_MOST_S = 60;

void ls_connection_hear_beat(struct ls_connection *connection, const struct ls_message *beat,
                             double heartbeat_s, struct ls_event *event) {
  double marked_s = 0.1 * (3 * heartbeat_s + connection->answer_limit_s);
  double answer_s = fmin(beat->answer_s, ANSWER_MOST_S);
  bool is_marked = !(fabs(answer_s - connection->answer_limit_s) <= marked_s);
  if (answer_s > 0 && is_marked) event->answer_s = connection->answer_limit_s = answer_s;
  if (beat->send_s > connection->send_s + marked_s) {
    event->send_s = connection->send_s = beat->send_s;
  }
}

void ls_connections_post(const struct ls_connections *connections, struct ls_outbox *outbox,
                         const struct ls_message *message) {
  for (size_t i = 0; i < connections->count; ++i) {
    const struct ls_connection *worker = &connections->items[i];
    if (worker->is_connected) ls_outbox_post(outbox, worker->peer, message);
  }
}

void ls_connections_close(struct ls_connections *connections) {
  for (size_t i = 0; i < connections->count; ++i) {
    forget_outputs(&connections->items[i]);
    ls_output_files_close(&connections->items[i].files);
  }
  ls_peer_table_close(&connections->peers);
  free(connections->items);
  *connections = (struct ls_connections){0};
}
