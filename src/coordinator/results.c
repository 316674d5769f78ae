/* results.c: a result is accepted once, for units that its worker still owes, and for no other. */
#include <math.h>
#include <string.h>

#include "coordinator/report_private.h"

/* What became of the units of one RESULT. */
struct verdicts {
  uint64_t done, failed, failed_finally, attempt;
  uint64_t left;             /* failed, but run at another worker, too */
  struct ls_piece_list back; /* to wait again, in the order of the chunk */
  uint64_t back_units;
};

/* Which attempt at the unit this was: 1 is the first. Failures and kills are counted already. */
static uint64_t count_attempts(const struct ls_coordinator *c, uint64_t unit,
                               enum ls_verdict verdict) {
  uint64_t attempts = c->kills != NULL ? c->kills[unit] : 0;
  assert(unit < c->units);
  if (c->failures != NULL) attempts += c->failures[unit];
  bool is_counted =
      verdict == LS_VERDICT_GIVEN_UP || (verdict == LS_VERDICT_FAILED && c->failures != NULL);
  return is_counted ? attempts : attempts + 1;
}

/* The SETTLE; it joins the last one where both say the same. */
static void add_settlement(struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                           const struct ls_range *range, enum ls_verdict verdict) {
  struct ls_actions *actions = c->actions;
  uint64_t attempt = count_attempts(c, range->first, verdict);
  if (actions->count > 0) {
    struct ls_action *last = &actions->items[actions->count - 1];
    if (last->kind == LS_ACTION_SETTLE && last->chunk == chunk && last->verdict == verdict &&
        last->count == attempt) {
      if (last->range.first + last->range.count == range->first) {
        last->range.count += range->count;
        return;
      }
      if (range->first + range->count == last->range.first) {
        last->range.first = range->first;
        last->range.count += range->count;
        return;
      }
    }
  }
  struct ls_action *action = ls_actions_add(c, LS_ACTION_SETTLE, worker);
  action->chunk = chunk;
  action->verdict = verdict;
  action->count = attempt;
  action->range = *range;
}

void ls_result_settle(struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                      const struct ls_range *range, enum ls_verdict verdict) {
  static const uint8_t states[LS_VERDICT_COUNT] = {LS_UNIT_DONE, LS_UNIT_FAILED, LS_UNIT_GIVEN_UP};
  assert(range->count > 0 && range->count <= c->sent && ls_range_is_within(range, c->units));
  assert(c->state[range->first] == LS_UNIT_SENT);
  if (range->count == 1) {
    c->state[range->first] = states[verdict];
  } else {
    memset(c->state + range->first, states[verdict], range->count);
  }
  c->sent -= range->count;
  if (verdict == LS_VERDICT_DONE) {
    c->done += range->count;
  } else if (verdict == LS_VERDICT_FAILED) {
    c->failed += range->count;
  } else {
    c->given_up += range->count;
  }
  ls_coordinator_check(c);
  add_settlement(c, worker, chunk, range, verdict);
  /* The copies that lost are stopped behind the result that won. */
  if (c->twins.count > 0) ls_twins_settle(c, worker, range);
}

/* The units are to wait again, but for those of which another copy goes on; their number. */
static uint64_t send_back(struct ls_coordinator *c, uint32_t worker, const struct ls_range *range,
                          struct verdicts *verdicts) {
  uint64_t before = verdicts->back_units;
  assert(range->count > 0);
  if (c->twins.count == 0) {
    ls_piece_append(&c->pieces, &verdicts->back, range->first, range->count);
    verdicts->back_units += range->count;
    return range->count;
  }
  for (uint64_t i = range->first; i < range->first + range->count; i++) {
    if (ls_twins_withdraw(c, worker, i)) continue;
    ls_piece_append(&c->pieces, &verdicts->back, i, 1);
    verdicts->back_units++;
  }
  return verdicts->back_units - before;
}

/* The units from `first` on that fail with the same fate, counted; what follows them. Where units
 * run twice each has a fate of its own. */
static uint64_t count_failures(struct ls_coordinator *c, uint64_t first, uint64_t end,
                               struct verdicts *verdicts) {
  uint64_t next = first;
  assert(first < end);
  if (c->failures == NULL) {
    verdicts->attempt = 1;
    return end;
  }
  bool is_final = c->failures[first] >= c->config.retries;
  do {
    verdicts->attempt = ++c->failures[next++];
  } while (next < end && c->twins.count == 0 &&
           is_final == (c->failures[next] >= c->config.retries));
  return next;
}

/* Each failed unit is counted for itself; neighbours with the same fate go together. Of a unit that
 * runs elsewhere, too, even the last failure is not final: only a valid result wins.  No copy is
 * made of it from then on (twins.c), so that a unit is left to another worker but once. */
static void accept_failed(struct ls_coordinator *c, const struct ls_event *event,
                          const struct ls_range *range, struct verdicts *verdicts) {
  uint64_t end = range->first + range->count;
  uint64_t first = range->first;
  assert((c->config.retries == 0 && c->twins.count == 0) || c->failures != NULL);
  while (first < end) {
    bool is_final = c->failures == NULL || c->failures[first] >= c->config.retries;
    uint64_t next = count_failures(c, first, end, verdicts);
    struct ls_range run = {first, next - first};
    if (is_final && c->twins.count > 0 && ls_twins_withdraw(c, event->worker, first)) {
      verdicts->left++;
      first = next;
      continue;
    }
    if (is_final) {
      ls_result_settle(c, event->worker, event->chunk, &run, LS_VERDICT_FAILED);
      verdicts->failed_finally += run.count;
    } else {
      uint64_t back = send_back(c, event->worker, &run, verdicts);
      verdicts->failed += back;
      verdicts->left += run.count - back;
    }
    first = next;
  }
}

static void accept(struct ls_coordinator *c, const struct ls_event *event,
                   const struct ls_range *range, struct verdicts *verdicts) {
  assert(range->count > 0);
  switch (event->outcome) {
    case LS_OUTCOME_DONE:
      ls_result_settle(c, event->worker, event->chunk, range, LS_VERDICT_DONE);
      verdicts->done += range->count;
      break;
    case LS_OUTCOME_FAILED:
    case LS_OUTCOME_TIMED_OUT:
      accept_failed(c, event, range, verdicts);
      break;
    case LS_OUTCOME_CANCELLED:
      (void)send_back(c, event->worker, range, verdicts);
      break;
    case LS_OUTCOME_COUNT:
      assert(false);
  }
}

/* The part of the chunk that the result covers leaves it; the units accepted. */
static uint64_t accept_covered(struct ls_coordinator *c, const struct ls_event *event,
                               uint32_t index, struct verdicts *verdicts) {
  struct ls_piece_list *list = &c->chunks[index].pieces;
  uint64_t accepted = 0, end = event->units.first + event->units.count;
  uint32_t previous = LS_INDEX_NONE, i = list->first;
  while (i != LS_INDEX_NONE && accepted < event->units.count) {
    const struct ls_range *units = &c->pieces.items[i].units;
    uint64_t from = units->first > event->units.first ? units->first : event->units.first;
    uint64_t to = units->first + units->count < end ? units->first + units->count : end;
    if (from >= to) {
      previous = i;
      i = c->pieces.items[i].next;
      continue;
    }
    struct ls_range taken = {from, to - from};
    bool keeps_piece = taken.count < units->count;
    uint32_t next = ls_piece_cut(c, list, previous, i, &taken);
    if (keeps_piece) previous = i;
    accept(c, event, &taken, verdicts);
    accepted += taken.count;
    i = next;
  }
  assert(accepted <= c->chunks[index].units);
  return accepted;
}

/* The usual result: the first units of a chunk of one range are done. False: it is not that. */
static bool accept_first(struct ls_coordinator *c, const struct ls_event *event,
                         struct ls_live_chunk *chunk) {
  struct ls_range *units = &c->pieces.items[chunk->pieces.first].units;
  uint64_t count = event->units.count;
  assert(chunk->units > 0 && chunk->pieces.pieces > 0);
  if (event->outcome != LS_OUTCOME_DONE || chunk->pieces.pieces != 1 ||
      units->first != event->units.first || count > units->count) {
    return false;
  }
  ls_result_settle(c, event->worker, event->chunk, &event->units, LS_VERDICT_DONE);
  units->first += count;
  units->count -= count;
  if (units->count == 0) {
    ls_piece_drop(&c->pieces, chunk->pieces.first);
    ls_piece_list_init(&chunk->pieces);
  }
  return true;
}

static void note_units(struct ls_coordinator *c, struct ls_note *note, enum ls_note_kind kind,
                       uint64_t units) {
  assert(note->worker != LS_WORKER_NONE);
  if (units == 0) return;
  note->kind = kind;
  note->units = units;
  ls_note_add(c, note);
}

static void note_verdicts(struct ls_coordinator *c, const struct ls_event *event,
                          const struct verdicts *verdicts) {
  struct ls_note note = {.worker = event->worker, .chunk = event->chunk};
  assert(verdicts->failed <= verdicts->back_units);
  note.extra = verdicts->attempt;
  note_units(c, &note, LS_NOTE_FAILED_FINALLY, verdicts->failed_finally);
  note_units(c, &note, LS_NOTE_FAILED, verdicts->failed);
  note_units(c, &note, LS_NOTE_LEFT, verdicts->left);
  note.extra = c->units - c->done - c->failed - c->given_up;
  note_units(c, &note, LS_NOTE_DONE, verdicts->done);
  note.extra = c->waiting.units;
  note_units(c, &note, LS_NOTE_BACK, verdicts->back_units - verdicts->failed);
}

static void drop(struct ls_coordinator *c, const struct ls_event *event, uint64_t units) {
  assert(units <= event->units.count);
  c->results_dropped++;
  ls_note_add(
      c,
      &(struct ls_note){
          .kind = LS_NOTE_DROPPED, .worker = event->worker, .chunk = event->chunk, .units = units});
}

/* The live chunk that the result is about, or LS_INDEX_NONE. */
static uint32_t find_chunk(const struct ls_coordinator *c, const struct ls_event *event) {
  assert(event->kind == LS_EVENT_RESULT);
  if (event->units.count == 0 || !ls_range_is_within(&event->units, c->units) ||
      c->members[event->worker].presence != LS_PRESENCE_ACTIVE) {
    return LS_INDEX_NONE;
  }
  return ls_chunk_find(c, event->worker, event->chunk);
}

void ls_result_on_result(struct ls_coordinator *c, const struct ls_event *event) {
  struct ls_member *member = &c->members[event->worker];
  uint32_t index = find_chunk(c, event);
  if (index == LS_INDEX_NONE) {
    drop(c, event, event->units.count);
    return;
  }
  struct verdicts verdicts = {0};
  bool is_copy = c->chunks[index].is_copy;
  ls_piece_list_init(&verdicts.back);
  uint64_t accepted;
  if (accept_first(c, event, &c->chunks[index])) {
    accepted = verdicts.done = event->units.count;
  } else {
    accepted = accept_covered(c, event, index, &verdicts);
  }
  assert(accepted <= member->units);
  c->chunks[index].units -= accepted;
  member->units -= accepted;
  member->result_s = c->now_s;
  /* It was refused what would have waited behind this. */
  if (c->config.spares_newcomers && member->is_parked && member->units == 0) c->has_returned = true;
  if (c->chunks[index].units == 0) ls_chunk_remove(c, event->worker, index);
  if (verdicts.back_units > 0) {
    c->units_retried += verdicts.failed;
    ls_waiting_return(c, &verdicts.back, verdicts.back_units);
    ls_request_tell_return(c, verdicts.back_units);
  }
  if (is_copy) {
    /* Also of a copy whose original came to nothing meanwhile: it was made for that. */
    c->twins.copies_won += verdicts.done;
  } else {
    member->report.units_gone += accepted - verdicts.done;
  }
  if (verdicts.done > 0) ls_result_gather(c, event, verdicts.done, is_copy);
  if (c->actions->wants_notes) note_verdicts(c, event, &verdicts);
  if (accepted < event->units.count) drop(c, event, event->units.count - accepted);
}

size_t ls_result_runs_max(const struct ls_coordinator *c, const struct ls_event *event) {
  if (event->units.count <= 1) return 1;
  uint32_t index = find_chunk(c, event);
  if (index == LS_INDEX_NONE) return 0;
  const struct ls_live_chunk *chunk = &c->chunks[index];
  assert(chunk->units > 0);
  if (event->outcome == LS_OUTCOME_DONE || event->outcome == LS_OUTCOME_CANCELLED) {
    return chunk->pieces.pieces;
  }
  return chunk->units < event->units.count ? chunk->units : event->units.count;
}
