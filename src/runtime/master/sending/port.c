#include "runtime/master/sending/port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A piece is a part of what may be on its way: that so many keep a link busy. */
enum { PIECE_LEAST = 16 << 10, PIECE_MOST = 256 << 10, PIECES_OF_WINDOW = 8 };

/* What waits on the way beyond the shortest time of it: so long a word waits behind pieces; with
 * less of it the link would be idle whenever either end is late. */
static const double QUEUE_S = 0.1;

/* By how much the best rate known is believed less with each sample: links become slower, too. */
static const double FORGET = 0.9;

/* Whoever says nothing for so long, and several times what its pieces took, stands still. */
static const double STILL_S = 1, STILL_TIMES = 4;

static struct ls_port_lane *find_lane(struct ls_port *port, uint32_t worker) {
  if (worker >= port->lanes_count) {
    size_t count = (size_t)worker + 1;
    struct ls_port_lane *lanes = realloc(port->lanes, count * sizeof *lanes);
    if (lanes == NULL) return NULL;
    memset(lanes + port->lanes_count, 0, (count - port->lanes_count) * sizeof *lanes);
    port->lanes = lanes;
    port->lanes_count = count;
  }
  return &port->lanes[worker];
}

uint64_t ls_port_add(struct ls_port *port, const struct ls_transfer *transfer) {
  bool has_room = find_lane(port, transfer->worker) != NULL &&
                  ls_array_reserve((void **)&port->items, &port->capacity, port->count + 1,
                                   sizeof *port->items) == LS_OK;
  if (!has_room) {
    free(transfer->input);
    return 0;
  }
  struct ls_transfer own = *transfer;
  own.number = ++port->number;
  own.sent = own.arrived = 0;
  own.begun_s = own.heard_s = (double)NAN;
  port->unpaced += !own.is_paced;
  port->items[port->count++] = own;
  port->may_post = true;
  return own.number;
}

static bool has_begun(const struct ls_transfer *transfer) {
  return !isnan(transfer->begun_s);
}

static double still_s(const struct ls_port *port, const struct ls_transfer *transfer) {
  double least_s = port->lanes[transfer->worker].least_s;
  return transfer->heard_s + fmax(STILL_S, STILL_TIMES * least_s);
}

static void post_piece(struct ls_port_lane *lane, struct ls_transfer *transfer, size_t length,
                       struct ls_outbox *outbox, double now_s) {
  const struct ls_message message = {.kind = LS_MESSAGE_INPUT,
                                     .transfer = transfer->number,
                                     .offset = transfer->sent,
                                     .input = {transfer->input + transfer->sent, length}};
  ls_outbox_post(outbox, transfer->to, &message);
  transfer->sent += length;
  if (lane->sample_s > 0) return;
  lane->sample_s = now_s;
  lane->sample_at = transfer->sent;
  lane->sample_from = transfer->arrived;
  lane->sampled = transfer->number;
}

static size_t min_size(size_t a, size_t b) {
  return a < b ? a : b;
}

static void post_pieces(struct ls_port *port, struct ls_transfer *transfer,
                        struct ls_outbox *outbox, double now_s) {
  struct ls_port_lane *lane = &port->lanes[transfer->worker];
  if (lane->window == 0) lane->window = LS_PORT_WINDOW_LEAST;
  size_t piece = lane->window / PIECES_OF_WINDOW;
  piece = piece < PIECE_LEAST ? PIECE_LEAST : min_size(piece, PIECE_MOST);
  if (!has_begun(transfer)) {
    transfer->begun_s = transfer->heard_s = now_s;
    transfer->told_s = now_s + ls_slow_next_s(0);
  }
  while (transfer->sent < transfer->length) {
    size_t length = min_size(piece, transfer->length - transfer->sent);
    if (transfer->sent - transfer->arrived + length > lane->window) break;
    post_piece(lane, transfer, length, outbox, now_s);
  }
}

static size_t most_at_once(const struct ls_port *port) {
  size_t most = port->most > 0 ? port->most : port->trial.most;
  return most > 0 ? most : 1;
}

/* For the trial: each that is on its way hears of the others. */
static void note_company(struct ls_port *port, size_t busy) {
  for (size_t i = 0; i < port->count && port->most == 0; ++i) {
    struct ls_transfer *transfer = &port->items[i];
    if (has_begun(transfer) && transfer->at_once < busy) transfer->at_once = busy;
  }
}

void ls_port_post(struct ls_port *port, struct ls_outbox *outbox, double now_s) {
  if (!port->may_post && now_s < port->due_s) return;
  size_t most = most_at_once(port), busy = 0;
  bool has_waiting = false;
  double due_s = (double)INFINITY;
  ++port->pass;
  for (size_t i = 0; i < port->count; ++i) {
    struct ls_transfer *transfer = &port->items[i];
    struct ls_port_lane *lane = &port->lanes[transfer->worker];
    if (lane->pass == port->pass) continue; /* one before it goes to the same worker */
    if (transfer->is_paced && busy >= most) {
      has_waiting = true;
      if (port->unpaced == 0) break;
      continue;
    }
    lane->pass = port->pass;
    post_pieces(port, transfer, outbox, now_s);
    if (!transfer->is_paced || now_s >= still_s(port, transfer)) continue;
    ++busy;
    due_s = fmin(due_s, still_s(port, transfer));
  }
  note_company(port, busy);
  port->may_post = false;
  port->due_s = has_waiting ? due_s : (double)INFINITY;
}

double ls_port_due_s(const struct ls_port *port) {
  if (port->count == 0) return (double)INFINITY;
  return port->may_post ? 0 : port->due_s;
}

/* ---- what is heard ---- */

/* As long as the way is not full, more of it on the way is a higher rate, and a larger window; then
 * the rate is that of the link. */
static void learn(struct ls_port_lane *lane, const struct ls_transfer *transfer, size_t arrived,
                  double now_s) {
  bool is_sample =
      lane->sample_s > 0 && lane->sampled == transfer->number && arrived >= lane->sample_at;
  if (!is_sample) return;
  double seconds = fmax(1e-6, now_s - lane->sample_s);
  lane->sample_s = 0;
  if (!(lane->least_s > 0) || seconds < lane->least_s) lane->least_s = seconds;
  lane->bytes_per_s =
      fmax((double)(arrived - lane->sample_from) / seconds, FORGET * lane->bytes_per_s);
  double window = lane->bytes_per_s * (lane->least_s + QUEUE_S);
  lane->window = (size_t)fmin(fmax(window, LS_PORT_WINDOW_LEAST), LS_PORT_WINDOW_MOST);
}

static void drop(struct ls_port *port, size_t index) {
  struct ls_port_lane *lane = &port->lanes[port->items[index].worker];
  if (lane->sampled == port->items[index].number) lane->sample_s = 0;
  free(port->items[index].input);
  port->unpaced -= !port->items[index].is_paced;
  --port->count;
  memmove(&port->items[index], &port->items[index + 1],
          (port->count - index) * sizeof *port->items);
  port->may_post = true;
}

static struct ls_transfer *find_transfer(const struct ls_port *port, uint64_t number) {
  for (size_t i = 0; i < port->count; ++i) {
    if (port->items[i].number == number) return &port->items[i];
  }
  return NULL;
}

enum ls_status ls_port_hear(struct ls_port *port, const struct ls_transfer *said, double now_s,
                            struct ls_transfer *ended, struct ls_error *err) {
  struct ls_transfer *transfer = find_transfer(port, said->number);
  ended->number = 0;
  if (transfer == NULL || transfer->to.endpoint != said->to.endpoint ||
      transfer->to.number != said->to.number)
    return LS_OK;
  if (said->arrived == LS_TRANSFER_UNWANTED) {
    drop(port, (size_t)(transfer - port->items));
    return LS_OK;
  }
  if (said->arrived <= transfer->arrived || said->arrived > transfer->sent)
    return ls_fail(err, LS_ECORRUPT,
                   "it says that %zu bytes of an input are there, of which %zu left", said->arrived,
                   transfer->sent);
  learn(&port->lanes[transfer->worker], transfer, said->arrived, now_s);
  transfer->arrived = said->arrived;
  transfer->heard_s = now_s;
  port->may_post = true;
  if (transfer->arrived < transfer->length) return LS_OK;
  *ended = *transfer;
  const struct ls_port_alone took = {transfer->length, now_s - transfer->begun_s};
  if (transfer->is_paced && port->most == 0)
    ls_port_trial_end(&port->trial, &port->lanes[transfer->worker].alone, &took, transfer->at_once);
  drop(port, (size_t)(transfer - port->items));
  ended->input = NULL;
  return LS_OK;
}

bool ls_port_find_slow(struct ls_port *port, double now_s, uint32_t *worker, struct ls_slow *slow) {
  for (size_t i = 0; i < port->count; ++i) {
    struct ls_transfer *transfer = &port->items[i];
    if (!has_begun(transfer) || now_s < transfer->told_s) continue;
    double seconds = now_s - transfer->begun_s;
    transfer->told_s = transfer->begun_s + ls_slow_next_s(seconds);
    *worker = transfer->worker;
    *slow = (struct ls_slow){"an input", transfer->arrived, transfer->length, seconds};
    return true;
  }
  return false;
}

void ls_port_forget(struct ls_port *port, struct ls_peer peer) {
  for (size_t i = port->count; i-- > 0;) {
    const struct ls_peer *to = &port->items[i].to;
    if (to->endpoint == peer.endpoint && to->number == peer.number) {
      port->lanes[port->items[i].worker] = (struct ls_port_lane){.window = 0};
      drop(port, i);
    }
  }
}

void ls_port_close(struct ls_port *port) {
  for (size_t i = 0; i < port->count; ++i) free(port->items[i].input);
  free(port->items);
  free(port->lanes);
  *port = (struct ls_port){0};
}
