/* journal_walk.c: walks over the events of a session with the decisions that they caused. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"

static uint64_t read_whole(sqlite3_stmt *row, int column) {
  return (uint64_t)sqlite3_column_int64(row, column);
}

/* Two cursors that advance together: the events of a session and the rows of its decisions. */
struct walk {
  struct ls_journal *journal;
  struct ls_journal_session session;
  sqlite3_stmt *events, *decisions;
  int decision_code;
  struct ls_actions sends;
  double *times; /* of the present event */
  struct ls_event_held *held;
  struct ls_range *idle;
  size_t times_capacity, held_capacity, idle_capacity;
  struct ls_event_need *needs; /* whose labels stand in: */
  struct ls_bytes labels;
  size_t needs_count, needs_capacity;
};

#define NEXT_SESSION \
  "coalesce((SELECT first_event FROM sessions WHERE session = ?2), 9223372036854775807)"

static enum ls_status open_walk(struct walk *walk, uint32_t number, struct ls_error *err) {
  struct ls_journal *journal = walk->journal;
  enum ls_status status = ls_journal_session(journal, number, &walk->session, err);
  if (status == LS_OK)
    status = ls_journal_prepare(
        journal,
        "SELECT id, kind, now_s, worker, chunk, first, units, outcome, count, seconds, squares, "
        "latest, NULL, labels FROM heard WHERE id >= ?1 AND id < " NEXT_SESSION
        " UNION ALL SELECT id, 2, heard_s, worker, chunk, first, units, CASE WHEN outcome = 0 THEN "
        "0 WHEN timed_out THEN 4 ELSE 1 END, count, seconds, coalesce(squares, compute_s * "
        "compute_s), latest, compute_s, NULL FROM ended WHERE heard_s IS NOT NULL AND id >= ?1 AND "
        "id "
        "< " NEXT_SESSION " ORDER BY 1",
        &walk->events, err);
  if (status == LS_OK)
    status = ls_journal_prepare(
        journal, "SELECT event, worker, chunk, first, units FROM sent WHERE id >= ?1 ORDER BY id",
        &walk->decisions, err);
  if (status != LS_OK) return status;
  sqlite3_bind_int64(walk->events, 1, (sqlite3_int64)walk->session.first_event);
  sqlite3_bind_int64(walk->events, 2, (sqlite3_int64)number + 1);
  sqlite3_bind_int64(walk->decisions, 1, (sqlite3_int64)walk->session.first_decision);
  walk->decision_code = sqlite3_step(walk->decisions);
  return LS_OK;
}

static enum ls_status add_send_range(struct walk *walk, struct ls_error *err) {
  struct ls_actions *sends = &walk->sends;
  sqlite3_stmt *row = walk->decisions;
  void *items = sends->items, *ranges = sends->ranges;
  enum ls_status items_status =
      ls_array_reserve(&items, &sends->capacity, sends->count + 1, sizeof *sends->items);
  sends->items = items;
  enum ls_status ranges_status = ls_array_reserve(&ranges, &sends->ranges_capacity,
                                                  sends->ranges_count + 1, sizeof *sends->ranges);
  sends->ranges = ranges;
  if (items_status != LS_OK || ranges_status != LS_OK)
    return ls_fail(err, LS_ENOMEM, "%s: no memory for the decisions", walk->journal->path);
  uint64_t chunk = read_whole(row, 2) - walk->session.first_chunk;
  bool is_more = sends->count > 0 && sends->items[sends->count - 1].send.chunk == chunk;
  if (!is_more)
    sends->items[sends->count++] =
        (struct ls_action){.kind = LS_ACTION_SEND,
                           .worker = (uint32_t)read_whole(row, 1) - walk->session.first_worker,
                           .send = {.chunk = chunk, .first_range = sends->ranges_count}};
  struct ls_action_send *send = &sends->items[sends->count - 1].send;
  send->ranges_count++;
  send->units += read_whole(row, 4);
  sends->ranges[sends->ranges_count++] =
      (struct ls_range){.first = read_whole(row, 3), .count = read_whole(row, 4)};
  return LS_OK;
}

/* Gathers the decisions that event `id` caused. */
static enum ls_status gather_sends(struct walk *walk, uint64_t id, struct ls_error *err) {
  walk->sends.count = walk->sends.ranges_count = 0;
  enum ls_status status = LS_OK;
  while (status == LS_OK && walk->decision_code == SQLITE_ROW &&
         read_whole(walk->decisions, 0) <= id) {
    if (read_whole(walk->decisions, 0) == id) status = add_send_range(walk, err);
    walk->decision_code = sqlite3_step(walk->decisions);
  }
  if (status == LS_OK && walk->decision_code != SQLITE_ROW && walk->decision_code != SQLITE_DONE)
    status = ls_journal_refuse(walk->journal, walk->decision_code, "cannot be read", err);
  return status;
}

/* The items of the list behind an event. */
static enum ls_status measure_list(const struct walk *walk, size_t item_bytes, size_t *count,
                                   struct ls_error *err) {
  size_t bytes = (size_t)sqlite3_column_bytes(walk->events, 11);
  if (bytes % item_bytes != 0)
    return ls_fail(
        err, LS_ECORRUPT, "%s: event %llu has a list of %zu bytes, expected items of %zu",
        walk->journal->path, (unsigned long long)read_whole(walk->events, 0), bytes, item_bytes);
  *count = bytes / item_bytes;
  return LS_OK;
}

static enum ls_status read_times(struct walk *walk, size_t *count, struct ls_error *err) {
  /* A single one that is the time of computing stands there, too. */
  bool is_computing = sqlite3_column_type(walk->events, 11) == SQLITE_INTEGER;
  const double compute_s = sqlite3_column_double(walk->events, 12);
  const void *bytes = is_computing ? &compute_s : sqlite3_column_blob(walk->events, 11);
  void *times = walk->times;
  *count = 1;
  enum ls_status status =
      is_computing ? LS_OK : measure_list(walk, sizeof *walk->times, count, err);
  if (status != LS_OK || *count == 0) return status;
  if (ls_array_reserve(&times, &walk->times_capacity, *count, sizeof *walk->times) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "%s: no memory for the times of an event", walk->journal->path);
  walk->times = times;
  memcpy(walk->times, bytes, *count * sizeof *walk->times);
  return LS_OK;
}

static enum ls_status fail_list(const struct walk *walk, struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "%s: no memory for the units of an event", walk->journal->path);
}

/* Is it a range of units that there can be? */
static enum ls_status check_range(const struct walk *walk, struct ls_range range,
                                  struct ls_error *err) {
  if (range.count > 0 && range.count <= UINT64_MAX - range.first) return LS_OK;
  return ls_fail(err, LS_ECORRUPT, "%s: event %llu has %llu units from %llu on",
                 walk->journal->path, (unsigned long long)read_whole(walk->events, 0),
                 (unsigned long long)range.count, (unsigned long long)range.first);
}

/* What the worker of the event has, in `walk->held`: so many. */
static enum ls_status read_held(struct walk *walk, size_t *held_count, struct ls_error *err) {
  void *held = walk->held;
  size_t count = 0;
  enum ls_status status = measure_list(walk, sizeof *walk->held, &count, err);
  *held_count = count;
  if (status != LS_OK || count == 0) return status;
  if (ls_array_reserve(&held, &walk->held_capacity, count, sizeof *walk->held) != LS_OK)
    return fail_list(walk, err);
  walk->held = held;
  memcpy(walk->held, sqlite3_column_blob(walk->events, 11), count * sizeof *walk->held);
  for (size_t i = 0; i < count && status == LS_OK; i++)
    status = check_range(walk, walk->held[i].units, err);
  return status;
}

/* "0+3"; false: it is none. */
static bool read_range(const char *text, const char **end, struct ls_range *range) {
  char *behind;
  if (*text < '0' || *text > '9') return false;
  range->first = strtoull(text, &behind, 10);
  if (*behind != '+' || behind[1] < '0' || behind[1] > '9') return false;
  range->count = strtoull(behind + 1, &behind, 10);
  *end = behind;
  return (*behind == ' ' || *behind == '\0') && range->count > 0 &&
         range->count <= UINT64_MAX - range->first;
}

static enum ls_status add_need(struct walk *walk, const struct ls_event_need *need,
                               struct ls_error *err) {
  void *items = walk->needs;
  if (ls_array_reserve(&items, &walk->needs_capacity, walk->needs_count + 1, sizeof *walk->needs) !=
      LS_OK)
    return fail_list(walk, err);
  walk->needs = items;
  walk->needs[walk->needs_count++] = *need;
  return LS_OK;
}

/* As journal_event.c writes them, into `walk->needs`. */
static enum ls_status read_needs(struct walk *walk, struct ls_error *err) {
  const unsigned char *text = sqlite3_column_text(walk->events, 13);
  enum ls_status status = LS_OK;
  ls_bytes_clear(&walk->labels);
  walk->needs_count = 0;
  if (text == NULL || text[0] == '\0') return LS_OK;
  ls_bytes_append_text(&walk->labels, (const char *)text);
  if (walk->labels.failed) return fail_list(walk, err);
  struct ls_event_need need = {.label = NULL};
  for (char *at = walk->labels.data; status == LS_OK && *at != '\0';) {
    const char *end = at;
    if (need.label != NULL && read_range(at, &end, &need.units)) {
      status = add_need(walk, &need, err);
      at += end - at;
      at += *at == ' ';
      continue;
    }
    size_t length = strcspn(at, " ");
    if (at[length] != ' ')
      return ls_fail(err, LS_ECORRUPT, "%s: event %llu has needs that end with '%.80s'",
                     walk->journal->path, (unsigned long long)read_whole(walk->events, 0), at);
    at[length] = '\0';
    need.label = at;
    at += length + 1;
    const char *behind = at;
    struct ls_range first;
    if (!read_range(at, &behind, &first))
      return ls_fail(err, LS_ECORRUPT, "%s: event %llu has no units that need '%.80s'",
                     walk->journal->path, (unsigned long long)read_whole(walk->events, 0),
                     need.label);
  }
  return status;
}

static enum ls_status read_added(struct walk *walk, struct ls_event *event, struct ls_error *err) {
  enum ls_status status = read_needs(walk, err);
  event->added = (struct ls_event_added){.units = read_whole(walk->events, 6),
                                         .is_last = read_whole(walk->events, 7) != 0,
                                         .needs = walk->needs,
                                         .needs_count = walk->needs_count};
  return status;
}

static enum ls_status read_joined(struct walk *walk, struct ls_event_joined *joined,
                                  struct ls_error *err) {
  sqlite3_stmt *row = walk->events;
  *joined = (struct ls_event_joined){.lifetime_s = sqlite3_column_double(row, 9),
                                     .place = read_whole(row, 5),
                                     .lease = read_whole(row, 8),
                                     .has_lifeline = read_whole(row, 7) != 0,
                                     .labels = (const char *)sqlite3_column_text(row, 13)};
  enum ls_status status = read_held(walk, &joined->held_count, err);
  if (joined->held_count > 0) joined->held = walk->held;
  return status;
}

static enum ls_status read_resumed(struct walk *walk, struct ls_event_resumed *resumed,
                                   struct ls_error *err) {
  *resumed = (struct ls_event_resumed){.is_told = read_whole(walk->events, 7) != 0,
                                       .stood_s = sqlite3_column_double(walk->events, 9)};
  enum ls_status status = read_held(walk, &resumed->held_count, err);
  if (resumed->held_count > 0) resumed->held = walk->held;
  return status;
}

static enum ls_status read_iteration(struct walk *walk, struct ls_event *event,
                                     struct ls_error *err) {
  void *idle = walk->idle;
  size_t count = 0;
  enum ls_status status = measure_list(walk, sizeof *walk->idle, &count, err);
  event->iteration_units = read_whole(walk->events, 6);
  event->is_incomplete = read_whole(walk->events, 7) != 0;
  if (status == LS_OK) status = read_needs(walk, err);
  event->needs = walk->needs;
  event->needs_count = walk->needs_count;
  if (status != LS_OK || count == 0) return status;
  if (ls_array_reserve(&idle, &walk->idle_capacity, count, sizeof *walk->idle) != LS_OK)
    return fail_list(walk, err);
  walk->idle = idle;
  memcpy(walk->idle, sqlite3_column_blob(walk->events, 11), count * sizeof *walk->idle);
  event->idle = walk->idle;
  event->idle_count = count;
  for (size_t i = 0; i < count && status == LS_OK; i++)
    status = check_range(walk, walk->idle[i], err);
  return status;
}

/* What workers say of themselves; false: another event. */
static bool read_worker_details(sqlite3_stmt *row, struct ls_event *event) {
  switch (event->kind) {
    case LS_EVENT_READY:
      event->ready_units = read_whole(row, 6);
      return true;
    case LS_EVENT_HEARTBEAT:
      event->answer_s = sqlite3_column_double(row, 9);
      event->send_s = sqlite3_column_double(row, 10);
      event->speed = sqlite3_column_double(row, 8);
      return true;
    case LS_EVENT_SUSPENDED:
      event->suspended = (struct ls_event_suspended){.reason = (enum ls_away)read_whole(row, 7),
                                                     .is_vacated = read_whole(row, 8) != 0};
      return true;
    case LS_EVENT_LOST:
      event->lost = (enum ls_loss)read_whole(row, 7);
      return true;
    default:
      return false;
  }
}

/* The columns behind `worker`, as journal.c writes them. */
static enum ls_status read_details(struct walk *walk, struct ls_event *event,
                                   struct ls_error *err) {
  sqlite3_stmt *row = walk->events;
  size_t times_count = 0;
  if (read_worker_details(row, event)) return LS_OK;
  if (event->kind == LS_EVENT_JOINED) return read_joined(walk, &event->joined, err);
  if (event->kind == LS_EVENT_RESUMED) return read_resumed(walk, &event->resumed, err);
  if (event->kind == LS_EVENT_ITERATION) return read_iteration(walk, event, err);
  if (event->kind == LS_EVENT_ADDED) return read_added(walk, event, err);
  enum ls_status status = read_times(walk, &times_count, err);
  if (status != LS_OK) return status;
  const double seconds = sqlite3_column_double(row, 9), squares = sqlite3_column_double(row, 10);
  switch (event->kind) {
    case LS_EVENT_RESULT:
      event->result =
          (struct ls_event_result){.chunk = sqlite3_column_type(row, 4) == SQLITE_NULL
                                                ? LS_CHUNK_NONE
                                                : read_whole(row, 4) - walk->session.first_chunk,
                                   .units = {read_whole(row, 5), read_whole(row, 6)},
                                   .outcome = (enum ls_outcome)read_whole(row, 7),
                                   .is_whole = read_whole(row, 8) != 0,
                                   .seconds = seconds,
                                   .squares = squares,
                                   .latest = walk->times,
                                   .latest_count = times_count};
      break;
    case LS_EVENT_REFUSED:
      event->refused = read_whole(row, 8);
      break;
    case LS_EVENT_GRANTED:
      event->granted = read_whole(row, 8);
      break;
    case LS_EVENT_ADVICE:
      event->advice = (struct ls_event_advice){.policy = (size_t)read_whole(row, 5),
                                               .prefetch = read_whole(row, 6),
                                               .workers = read_whole(row, 8),
                                               .heartbeat_s = seconds};
      break;
    case LS_EVENT_STOP:
      event->is_hard = read_whole(row, 7) != 0;
      break;
    default:
      break;
  }
  return LS_OK;
}

/* What stands in the column `outcome` is below this: an outcome, a cause, or a truth value. */
static uint64_t count_outcomes(uint64_t kind) {
  return kind == LS_EVENT_LOST        ? (uint64_t)LS_LOSS_COUNT
         : kind == LS_EVENT_SUSPENDED ? (uint64_t)LS_AWAY_COUNT
                                      : (uint64_t)LS_OUTCOME_COUNT;
}

static enum ls_status read_event(struct walk *walk, struct ls_event *event, struct ls_error *err) {
  sqlite3_stmt *row = walk->events;
  uint64_t kind = read_whole(row, 1), outcome = read_whole(row, 7);
  bool is_nobody = sqlite3_column_type(row, 3) == SQLITE_NULL;
  if (kind >= LS_EVENT_COUNT || outcome >= count_outcomes(kind))
    return ls_fail(err, LS_ECORRUPT, "%s: event %llu has kind %llu and outcome %llu",
                   walk->journal->path, (unsigned long long)read_whole(row, 0),
                   (unsigned long long)kind, (unsigned long long)outcome);
  *event = (struct ls_event){
      .kind = (enum ls_event_kind)kind,
      .now_s = sqlite3_column_double(row, 2),
      .worker =
          is_nobody ? LS_WORKER_NONE : (uint32_t)read_whole(row, 3) - walk->session.first_worker};
  return read_details(walk, event, err);
}

enum ls_status ls_journal_each_event(struct ls_journal *journal, uint32_t session,
                                     ls_journal_event_fn visit, void *context,
                                     struct ls_error *err) {
  struct walk walk = {.journal = journal};
  int code = SQLITE_DONE;
  enum ls_status status = open_walk(&walk, session, err);
  while (status == LS_OK && (code = sqlite3_step(walk.events)) == SQLITE_ROW) {
    struct ls_event event;
    status = read_event(&walk, &event, err);
    if (status == LS_OK) status = gather_sends(&walk, read_whole(walk.events, 0), err);
    if (status == LS_OK) status = visit(context, &event, &walk.sends);
  }
  free(walk.sends.items);
  free(walk.sends.ranges);
  free(walk.times);
  free(walk.held);
  free(walk.idle);
  free(walk.needs);
  ls_bytes_close(&walk.labels);
  sqlite3_finalize(walk.decisions);
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(walk.events);
  return status;
}
