#include "runtime/files/stager.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Between two looks whether the turn is free; and before room is looked for again, or the turn is
 * taken again for a task that does not wait, so that others get it. */
static const double look_s = 0.01, pause_s = 0.03, room_s = 0.2;

/* A content that arrives damaged is brought once more. */
enum { DAMAGED_MAX = 2 };

static bool is_same(const unsigned char *a, const void *b) {
  return memcmp(a, b, LS_CONTENT_BYTES) == 0;
}

static struct ls_stage_need *find(const struct ls_stager *stager, const void *name) {
  for (size_t i = 0; i < stager->count; ++i) {
    if (is_same(stager->needs[i].name, name)) return &stager->needs[i];
  }
  return NULL;
}

static bool is_lacking(const struct ls_stage_need *need) {
  return need->is_next && !need->is_pinned && need->fault == LS_STAGED_WAITS;
}

static void note_fault(struct ls_stage_need *need, enum ls_staged fault, const char *why) {
  if (need == NULL || need->fault != LS_STAGED_WAITS) return;
  need->fault = fault;
  need->why = strdup(why);
}

/* ---- the next tasks ---- */

void ls_stager_begin(struct ls_stager *stager) {
  for (size_t i = 0; i < stager->count; ++i)
    stager->needs[i].is_next = stager->needs[i].is_head = false;
}

enum ls_status ls_stager_add(struct ls_stager *stager, const struct ls_staged_input *input,
                             bool is_head, struct ls_error *err) {
  struct ls_stage_need *need = find(stager, input->content);
  if (need == NULL) {
    if (ls_array_reserve((void **)&stager->needs, &stager->capacity, stager->count + 1,
                         sizeof *stager->needs) != LS_OK)
      return ls_fail(err, LS_ENOMEM, "out of memory for the inputs of a task");
    need = &stager->needs[stager->count++];
    *need = (struct ls_stage_need){.bytes = input->bytes, .fault = LS_STAGED_WAITS};
    memcpy(need->name, input->content, LS_CONTENT_BYTES);
  }
  need->is_next = true;
  need->is_head = need->is_head || is_head;
  if (!need->is_pinned) need->is_pinned = ls_cache_pin(stager->cache, need->name, need->bytes);
  return LS_OK;
}

static void forget(struct ls_stager *stager, struct ls_stage_need *need) {
  if (need->is_pinned) ls_cache_unpin(stager->cache, need->name);
  free(need->why);
}

/* All of one task must fit at once. */
static void check_size(struct ls_stager *stager) {
  uint64_t bytes = 0;
  char why[160];
  for (size_t i = 0; i < stager->count; ++i) {
    if (stager->needs[i].is_head) bytes += stager->needs[i].bytes;
  }
  if (bytes <= stager->cache->bytes_max) return;
  (void)snprintf(why, sizeof why, "its inputs have %llu bytes, and the cache holds %llu",
                 (unsigned long long)bytes, (unsigned long long)stager->cache->bytes_max);
  for (size_t i = 0; i < stager->count; ++i) {
    if (stager->needs[i].is_head) note_fault(&stager->needs[i], LS_STAGED_FAILED, why);
  }
}

void ls_stager_end(struct ls_stager *stager) {
  size_t left = 0;
  for (size_t i = 0; i < stager->count; ++i) {
    struct ls_stage_need *need = &stager->needs[i];
    if (need->is_next)
      stager->needs[left++] = *need;
    else
      forget(stager, need);
  }
  stager->count = left;
  check_size(stager);
}

enum ls_staged ls_stager_judge(const struct ls_stager *stager, const char **why) {
  enum ls_staged state = LS_STAGED_THERE;
  for (size_t i = 0; i < stager->count; ++i) {
    const struct ls_stage_need *need = &stager->needs[i];
    if (!need->is_head || need->is_pinned) continue;
    if (need->fault != LS_STAGED_WAITS) {
      *why = need->why != NULL ? need->why : "out of memory";
      return need->fault;
    }
    state = LS_STAGED_WAITS;
  }
  return state;
}

/* ---- the turn ---- */

static void leave_turn(struct ls_stager *stager) {
  if (stager->has_turn) (void)close(stager->turn);
  stager->has_turn = false;
}

static bool take_turn(struct ls_stager *stager, double now_s) {
  if (stager->has_turn) return true;
  if (now_s < stager->retry_s) return false;
  stager->turn = ls_cache_take_turn(stager->cache);
  stager->has_turn = stager->turn >= 0;
  if (!stager->has_turn) stager->retry_s = now_s + look_s;
  return stager->has_turn;
}

static void give_up_arrival(struct ls_stager *stager) {
  if (stager->is_fetching) ls_cache_abandon(stager->cache, &stager->arrival);
  stager->is_fetching = false;
}

/* The first that is lacking, of the head before all others. */
static struct ls_stage_need *choose(struct ls_stager *stager) {
  struct ls_stage_need *first = NULL;
  for (size_t i = 0; i < stager->count; ++i) {
    struct ls_stage_need *need = &stager->needs[i];
    if (!is_lacking(need)) continue;
    if (need->is_head) return need;
    if (first == NULL) first = need;
  }
  return first;
}

static void unpin(struct ls_stager *stager, bool of_head) {
  for (size_t i = 0; i < stager->count; ++i) {
    struct ls_stage_need *need = &stager->needs[i];
    if (need->is_head != of_head || !need->is_pinned) continue;
    ls_cache_unpin(stager->cache, need->name);
    need->is_pinned = false;
  }
}

/* For all that the head lacks, or for a file of a later task. A head that waits for room holds
 * none: two that wait for each other's would wait for ever. */
static bool find_room(struct ls_stager *stager, const struct ls_stage_need *need) {
  uint64_t bytes = 0;
  bool is_head = need->is_head;
  for (size_t i = 0; i < stager->count; ++i) {
    const struct ls_stage_need *other = &stager->needs[i];
    if (is_head ? other->is_head && is_lacking(other) : other == need) bytes += other->bytes;
  }
  if (ls_cache_make_room(stager->cache, bytes, NULL) == LS_OK) return true;
  if (!is_head) return false;
  unpin(stager, false);
  if (ls_cache_make_room(stager->cache, bytes, NULL) == LS_OK) return true;
  unpin(stager, true);
  return false;
}

static void ask(struct ls_stager *stager) {
  const struct ls_cache_arrival *arrival = &stager->arrival;
  const uint64_t most = (uint64_t)LS_PIECES_AHEAD * LS_PIECE_BYTES;
  while (stager->asked < arrival->bytes && stager->asked - arrival->received < most) {
    struct ls_message want = {.kind = LS_MESSAGE_WANT,
                              .content = {arrival->name, LS_CONTENT_BYTES},
                              .offset = stager->asked};
    stager->post(stager->context, &want);
    uint64_t left = arrival->bytes - stager->asked;
    stager->asked += left < LS_PIECE_BYTES ? left : LS_PIECE_BYTES;
  }
}

static void begin_fetching(struct ls_stager *stager, struct ls_stage_need *need) {
  struct ls_error err = {0};
  enum ls_status status =
      ls_cache_begin(stager->cache, &stager->arrival, need->name, need->bytes, &err);
  if (status != LS_OK) {
    note_fault(need, LS_STAGED_UNFIT, err.text);
    return;
  }
  stager->is_fetching = true;
  stager->asked = 0;
}

/* All of it is there; of no use when it is damaged. */
static void end_fetching(struct ls_stager *stager) {
  struct ls_error err = {0};
  struct ls_stage_need *need = find(stager, stager->arrival.name);
  enum ls_status status = ls_cache_end(stager->cache, &stager->arrival, &err);
  stager->is_fetching = false;
  if (need == NULL) return;
  if (status == LS_OK) need->is_pinned = ls_cache_pin(stager->cache, need->name, need->bytes);
  if (status == LS_OK) return;
  if (status != LS_ECORRUPT || ++need->damaged >= DAMAGED_MAX)
    note_fault(need, LS_STAGED_UNFIT, err.text);
}

/* True: something has changed, and there may be more to do. */
static bool advance_once(struct ls_stager *stager, double now_s) {
  if (stager->is_fetching) {
    ask(stager);
    if (stager->arrival.received < stager->arrival.bytes) return false;
    end_fetching(stager);
    return true;
  }
  struct ls_stage_need *need = choose(stager);
  stager->is_all_here = need == NULL;
  /* Others wait for the turn: a task that does not wait leaves it to them. */
  if (need == NULL || (stager->has_turn && !need->is_head)) {
    if (stager->has_turn) stager->retry_s = now_s + pause_s;
    leave_turn(stager);
  }
  if (need == NULL || !take_turn(stager, now_s)) return false;
  /* Somebody else may have brought it. */
  need->is_pinned = ls_cache_pin(stager->cache, need->name, need->bytes);
  if (need->is_pinned) return true;
  if (!find_room(stager, need)) {
    leave_turn(stager);
    stager->retry_s = now_s + room_s;
    return false;
  }
  begin_fetching(stager, need);
  return true;
}

void ls_stager_advance(struct ls_stager *stager, bool is_connected, double now_s) {
  if (is_connected) {
    while (advance_once(stager, now_s)) continue;
    return;
  }
  give_up_arrival(stager);
  leave_turn(stager);
}

static void take_piece(struct ls_stager *stager, const struct ls_message *piece) {
  struct ls_error err = {0};
  if (piece->offset != stager->arrival.received || piece->input.length == 0) return;
  enum ls_status status =
      ls_cache_add(&stager->arrival, piece->input.data, piece->input.length, &err);
  if (status == LS_OK) return;
  (void)ls_fail_while(&err, status, "the folder '%s' (TMPDIR, or --cache)",
                      stager->cache->scratch->path);
  note_fault(find(stager, stager->arrival.name), LS_STAGED_UNFIT, err.text);
  give_up_arrival(stager);
}

void ls_stager_hear(struct ls_stager *stager, const struct ls_message *message) {
  char why[200];
  if (!stager->is_fetching || !is_same(stager->arrival.name, message->content.data)) return;
  if (message->kind == LS_MESSAGE_PIECE) {
    take_piece(stager, message);
    return;
  }
  size_t length = message->text.length;
  (void)snprintf(why, sizeof why, "%.*s", length < sizeof why ? (int)length : (int)sizeof why - 1,
                 (const char *)message->text.data);
  note_fault(find(stager, stager->arrival.name), LS_STAGED_FAILED, why);
  give_up_arrival(stager);
}

double ls_stager_due_s(const struct ls_stager *stager) {
  bool waits = !stager->is_fetching && !stager->is_all_here && stager->count > 0;
  return waits ? stager->retry_s : (double)INFINITY;
}

void ls_stager_close(struct ls_stager *stager) {
  if (stager->cache == NULL) return;
  give_up_arrival(stager);
  leave_turn(stager);
  for (size_t i = 0; i < stager->count; ++i) forget(stager, &stager->needs[i]);
  free(stager->needs);
  *stager = (struct ls_stager){0};
}
