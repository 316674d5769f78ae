/* tickets.c: cookies and counts. */
#include "runtime/master/guests/tickets.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"

enum { CHANCE_BYTES = LS_COOKIE_BYTES / 2 };

/* A worker keeps at most 4096 results or 64 MiB: it hears long before that. */
enum { DUE_RESULTS = 512, DUE_BYTES = 4 << 20 };

static enum ls_status draw(void *bytes, size_t length, struct ls_error *err) {
  if (getrandom(bytes, length, 0) == (ssize_t)length) return LS_OK;
  return ls_fail(err, LS_EIO, "no random bytes for a session: %s", strerror(errno));
}

static void sign(const struct ls_tickets *tickets, const void *data, size_t length,
                 unsigned char *signature, size_t signature_length) {
  unsigned char hash[crypto_generichash_BYTES];
  /* It cannot fail with lengths that fit. */
  (void)crypto_generichash(hash, sizeof hash, data, length, tickets->secret,
                           sizeof tickets->secret);
  memcpy(signature, hash, signature_length);
}

enum ls_status ls_tickets_open(struct ls_tickets *tickets, const void *secret,
                               struct ls_error *err) {
  static const char name[] = "run";
  enum ls_status status = draw(&tickets->era, sizeof tickets->era, err);
  if (secret != NULL) {
    memcpy(tickets->secret, secret, LS_COOKIE_BYTES);
  } else if (status == LS_OK) {
    status = draw(tickets->secret, sizeof tickets->secret, err);
  }
  (void)!sodium_init();
  sign(tickets, name, sizeof name, tickets->run, sizeof tickets->run);
  return status;
}

/* The second half of the cookie whose first one is chance. */
static void prove(const struct ls_tickets *tickets, uint64_t era, uint32_t slot,
                  unsigned char cookie[LS_COOKIE_BYTES]) {
  unsigned char claim[CHANCE_BYTES + sizeof era + sizeof slot];
  memcpy(claim, cookie, CHANCE_BYTES);
  memcpy(claim + CHANCE_BYTES, &era, sizeof era);
  memcpy(claim + CHANCE_BYTES + sizeof era, &slot, sizeof slot);
  sign(tickets, claim, sizeof claim, cookie + CHANCE_BYTES, LS_COOKIE_BYTES - CHANCE_BYTES);
}

static enum ls_status make_room(struct ls_tickets *tickets, uint32_t slot, struct ls_error *err) {
  enum ls_status status = ls_array_reserve((void **)&tickets->items, &tickets->capacity,
                                           (size_t)slot + 1, sizeof *tickets->items);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for worker %u", slot);
  while (tickets->count <= slot) tickets->items[tickets->count++] = (struct ls_ticket){0};
  return LS_OK;
}

static bool is_same(const unsigned char *known, struct ls_blob given) {
  unsigned difference = given.length != LS_COOKIE_BYTES;
  if (difference != 0) return false;
  for (size_t i = 0; i < LS_COOKIE_BYTES; ++i) {
    difference |= (unsigned)(known[i] ^ ((const unsigned char *)given.data)[i]);
  }
  return difference == 0;
}

/* Was the cookie made by a master of this run, for that era and slot? */
static bool is_proof(const struct ls_tickets *tickets, const struct ls_message *hello) {
  unsigned char cookie[LS_COOKIE_BYTES];
  if (hello->cookie.length != LS_COOKIE_BYTES) return false;
  memcpy(cookie, hello->cookie.data, CHANCE_BYTES);
  prove(tickets, hello->era, hello->worker, cookie);
  return is_same(cookie, hello->cookie);
}

enum ls_status ls_tickets_issue(struct ls_tickets *tickets, uint32_t slot,
                                const struct ls_message *hello, struct ls_error *err) {
  enum ls_status status = make_room(tickets, slot, err);
  struct ls_ticket ticket = {.is_valid = true};
  if (status == LS_OK) status = draw(ticket.cookie, CHANCE_BYTES, err);
  if (status != LS_OK) return status;
  prove(tickets, tickets->era, slot, ticket.cookie);
  if (is_proof(tickets, hello))
    ticket.earlier = hello->era == tickets->era ? hello->earlier : hello->results;
  tickets->items[slot] = ticket;
  return LS_OK;
}

void ls_tickets_revoke(struct ls_tickets *tickets, uint32_t slot) {
  if (slot < tickets->count) tickets->items[slot] = (struct ls_ticket){0};
}

uint32_t ls_tickets_find(const struct ls_tickets *tickets, const struct ls_message *hello) {
  uint32_t slot = hello->worker;
  bool is_ours = hello->cookie.length > 0 && hello->era == tickets->era && slot < tickets->count;
  if (!is_ours || !tickets->items[slot].is_valid) return LS_TICKETS_NONE;
  return is_same(tickets->items[slot].cookie, hello->cookie) ? slot : LS_TICKETS_NONE;
}

bool ls_tickets_is_foreign(const struct ls_tickets *tickets, const struct ls_message *hello) {
  return hello->run.length > 0 && !is_same(tickets->run, hello->run);
}

void ls_tickets_resume(struct ls_tickets *tickets, uint32_t slot, const struct ls_message *hello) {
  struct ls_ticket *ticket = &tickets->items[slot];
  ticket->received = ticket->told = ticket->bytes = 0;
  ticket->earlier = hello->earlier;
}

void ls_tickets_sign(const struct ls_tickets *tickets, uint32_t slot, struct ls_message *welcome) {
  welcome->cookie = (struct ls_blob){tickets->items[slot].cookie, LS_COOKIE_BYTES};
  welcome->run = (struct ls_blob){tickets->run, LS_COOKIE_BYTES};
  welcome->era = tickets->era;
}

bool ls_tickets_receive(struct ls_tickets *tickets, uint32_t slot, uint64_t bytes) {
  struct ls_ticket *ticket = &tickets->items[slot];
  ++ticket->received;
  ticket->bytes += bytes;
  if (ticket->earlier == 0) return false;
  --ticket->earlier;
  return true;
}

bool ls_tickets_are_earlier(const struct ls_tickets *tickets, uint32_t slot) {
  return tickets->items[slot].earlier > 0;
}

void ls_tickets_leave(struct ls_tickets *tickets, uint32_t slot) {
  tickets->items[slot].is_leaving = true;
}

void ls_tickets_await(struct ls_tickets *tickets, uint32_t slot) {
  tickets->items[slot].is_awaiting = true;
}

bool ls_tickets_is_due(const struct ls_tickets *tickets, uint32_t slot) {
  const struct ls_ticket *ticket = &tickets->items[slot];
  uint64_t open = ticket->received - ticket->told;
  bool is_waited_for = ticket->is_leaving || ticket->is_awaiting;
  return open >= DUE_RESULTS || ticket->bytes >= DUE_BYTES || (is_waited_for && open > 0);
}

struct ls_message ls_tickets_pulse(struct ls_tickets *tickets, uint32_t slot) {
  struct ls_ticket *ticket = &tickets->items[slot];
  ticket->told = ticket->received;
  ticket->bytes = 0;
  ticket->is_awaiting = false;
  return (struct ls_message){
      .kind = LS_MESSAGE_PULSE, .durable = ticket->received, .heartbeat_s = tickets->heartbeat_s};
}

void ls_tickets_close(struct ls_tickets *tickets) {
  free(tickets->items);
  *tickets = (struct ls_tickets){0};
}
