#include "runtime/journal/past/journal_places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"
#include "runtime/journal/journal_slots.h"

/* A number of the run, and who has it now. The row of the journal tells of the latest only. */
struct worker {
  uint32_t number, row_slot;
  uint32_t slot, pool;             /* of the one that is here, or was last */
  char name[LS_PLACES_NAME_BYTES]; /* of the row; cut */
  bool has_pool, is_here, is_suspended, is_leaving;
};

/* A slot of a pool on other machines. */
struct slot {
  uint32_t number, pool;
  bool is_granted; /* and nobody has come */
  bool is_ahead;   /* its worker has come before the pool told of it */
};

/* What happened, in the order of these where the time is the same. */
enum happening_kind {
  HAPPENED_TO_POOL,   /* workers wait in its queue, or will not come */
  HAPPENED_GRANT,     /* of a slot */
  HAPPENED_EVENT,     /* of a worker, or of the run */
  HAPPENED_END,       /* of a slot: what was granted is over */
  HAPPENED_RELEASE,   /* of who is in the slot */
  HAPPENED_GIVING_UP, /* the same; the master decided that it is lost */
  HAPPENED_LAST       /* of a number: its latest worker left then */
};

struct happening {
  double time_s;
  enum happening_kind kind;
  size_t order;
  uint32_t number, pool; /* number: of a slot or worker */
  uint64_t workers;      /* of a pool; of JOINED: 1 + its slot, 0: not told */
  int what;              /* of an event its kind, of a pool its change */
  bool is_so;            /* has a lifeline; left by itself; has nothing more to do: by its kind */
};

struct reader {
  struct ls_places *places;
  struct ls_error *err;
  struct worker *workers; /* by number */
  size_t workers_count, workers_capacity;
  struct slot *slots; /* by number, once all are known */
  size_t slots_count, slots_capacity;
  struct happening *happenings;
  size_t count, capacity;
  bool is_over; /* whoever goes now is let go */
};

static enum ls_status change(struct reader *reader, enum ls_place_change_kind kind, double time_s,
                             uint32_t pool, uint64_t workers) {
  const struct ls_place_change made = {
      .time_s = time_s, .kind = kind, .pool = pool, .workers = workers};
  return ls_places_add(reader->places, &made, reader->err);
}

static enum ls_status add(struct reader *reader, const struct happening *happening) {
  void *happenings = reader->happenings;
  enum ls_status status = ls_array_reserve(&happenings, &reader->capacity, reader->count + 1,
                                           sizeof *reader->happenings);
  reader->happenings = happenings;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for what happened");
  reader->happenings[reader->count] = *happening;
  reader->happenings[reader->count].order = reader->count;
  reader->count++;
  return LS_OK;
}

/* ---- what is known by number ---- */

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static void *find(const void *items, size_t count, size_t item_bytes, uint32_t number) {
  return count == 0 ? NULL : bsearch(&number, items, count, item_bytes, compare_numbers);
}

static struct worker *find_worker(const struct reader *reader, uint32_t number) {
  return find(reader->workers, reader->workers_count, sizeof *reader->workers, number);
}

static struct slot *find_slot(const struct reader *reader, uint32_t number) {
  return find(reader->slots, reader->slots_count, sizeof *reader->slots, number);
}

static struct worker *find_holder(const struct reader *reader, uint32_t slot) {
  for (size_t i = 0; i < reader->workers_count; ++i)
    if (reader->workers[i].is_here && reader->workers[i].slot == slot) return &reader->workers[i];
  return NULL;
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *row) {
  struct reader *reader = context;
  void *workers = reader->workers;
  enum ls_status status = ls_array_reserve(&workers, &reader->workers_capacity,
                                           reader->workers_count + 1, sizeof *reader->workers);
  reader->workers = workers;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for workers");
  struct worker *worker = &reader->workers[reader->workers_count++];
  *worker = (struct worker){.number = row->worker, .row_slot = row->slot};
  (void)snprintf(worker->name, sizeof worker->name, "%s", row->name);
  if (isnan(row->left_s)) return LS_OK;
  const struct happening last = {
      .time_s = row->left_s, .kind = HAPPENED_LAST, .number = row->worker};
  return add(reader, &last);
}

/* ---- what the journal tells ---- */

static enum ls_status add_slot(struct reader *reader, uint32_t number, uint32_t pool) {
  void *slots = reader->slots;
  enum ls_status status = ls_array_reserve(&slots, &reader->slots_capacity, reader->slots_count + 1,
                                           sizeof *reader->slots);
  reader->slots = slots;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for slots");
  reader->slots[reader->slots_count++] = (struct slot){.number = number, .pool = pool};
  return LS_OK;
}

static const struct {
  const char *word;
  enum happening_kind kind;
  enum ls_place_change_kind change; /* of a pool */
} slot_words[] = {
    {"pending", HAPPENED_TO_POOL, LS_PLACE_PENDING}, {"denied", HAPPENED_TO_POOL, LS_PLACE_REFUSED},
    {"refused", HAPPENED_TO_POOL, LS_PLACE_REFUSED}, {"granted", HAPPENED_GRANT, LS_PLACE_GRANTED},
    {"ended", HAPPENED_END, LS_PLACE_MISSED},        {"released", HAPPENED_RELEASE, LS_PLACE_LEFT},
    {"lost", HAPPENED_GIVING_UP, LS_PLACE_LOST}};

static enum ls_status on_slot(void *context, const struct ls_journal_slot *row) {
  struct reader *reader = context;
  struct happening told = {.time_s = row->time_s, .number = row->slot, .workers = row->workers};
  size_t i = 0, words = sizeof slot_words / sizeof *slot_words;
  while (i < words && strcmp(row->kind, slot_words[i].word) != 0) ++i;
  if (i == words) return LS_OK; /* the rest is told of the workers */
  told.kind = slot_words[i].kind;
  told.what = (int)slot_words[i].change;
  if (row->pool[0] == '\0') {
    bool is_of_slot = told.kind == HAPPENED_RELEASE || told.kind == HAPPENED_GIVING_UP;
    return is_of_slot ? add(reader, &told) : LS_OK;
  }
  enum ls_status status = ls_places_pool(reader->places, row->pool, &told.pool, reader->err);
  if (status == LS_OK && told.kind == HAPPENED_GRANT)
    status = add_slot(reader, row->slot, told.pool);
  return status == LS_OK ? add(reader, &told) : status;
}

/* Of several grants of a slot one stays. */
static void sort_slots(struct reader *reader) {
  size_t kept = 0;
  if (reader->slots_count > 1)
    qsort(reader->slots, reader->slots_count, sizeof *reader->slots, compare_numbers);
  for (size_t i = 0; i < reader->slots_count; ++i)
    if (kept == 0 || reader->slots[kept - 1].number != reader->slots[i].number)
      reader->slots[kept++] = reader->slots[i];
  reader->slots_count = kept;
}

static const char *const events_sql =
    "SELECT h.kind, h.now_s + s.offset_s, h.worker, h.units, h.outcome FROM heard h JOIN sessions "
    "s ON s.session = (SELECT session FROM sessions WHERE first_event <= h.id ORDER BY first_event "
    "DESC, session DESC LIMIT 1) WHERE h.kind IN (?1, ?2, ?3, ?4, ?5, ?6, ?7) ORDER BY h.id";

static struct happening read_event(sqlite3_stmt *row) {
  struct happening event = {.time_s = sqlite3_column_double(row, 1),
                            .kind = HAPPENED_EVENT,
                            .number = (uint32_t)sqlite3_column_int64(row, 2),
                            .what = sqlite3_column_int(row, 0)};
  uint64_t units = (uint64_t)sqlite3_column_int64(row, 3);
  int outcome = sqlite3_column_int(row, 4);
  if (event.what == LS_EVENT_JOINED) {
    event.is_so = outcome != 0;
    event.workers = sqlite3_column_type(row, 3) == SQLITE_NULL ? 0 : units + 1;
  } else if (event.what == LS_EVENT_LOST) {
    event.is_so = outcome == LS_LOSS_LEFT;
  } else if (event.what == LS_EVENT_ITERATION) {
    event.is_so = units == 0;
  } else if (event.what == LS_EVENT_STOP) {
    event.is_so = true;
  }
  return event;
}

static enum ls_status read_events(struct reader *reader, struct ls_journal *journal) {
  static const enum ls_event_kind kinds[] = {
      LS_EVENT_JOINED,  LS_EVENT_LEAVING,   LS_EVENT_LOST, LS_EVENT_SUSPENDED,
      LS_EVENT_RESUMED, LS_EVENT_ITERATION, LS_EVENT_STOP};
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, events_sql, &row, reader->err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    ls_journal_bind(row, (int)i + 1, (uint64_t)kinds[i]);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    const struct happening event = read_event(row);
    status = add(reader, &event);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", reader->err);
  sqlite3_finalize(row);
  return status;
}

/* ---- one after another ---- */

/* Who is not there changes nothing. */
static enum ls_status leave(struct reader *reader, struct worker *worker, double time_s,
                            bool is_let_go) {
  enum ls_status status = LS_OK;
  if (worker == NULL || !worker->is_here) return LS_OK;
  enum ls_place_change_kind kind = is_let_go              ? LS_PLACE_LEFT
                                   : worker->is_suspended ? LS_PLACE_LOST_SUSPENDED
                                                          : LS_PLACE_LOST;
  if (is_let_go && worker->is_suspended)
    status = change(reader, LS_PLACE_RESUMED, time_s, worker->pool, 1);
  worker->is_here = worker->is_suspended = worker->is_leaving = false;
  return status == LS_OK ? change(reader, kind, time_s, worker->pool, 1) : status;
}

/* The pool of one in a slot that none tells of: that of its name before, when it was taken for
 * lost. */
static enum ls_status guess_pool(struct reader *reader, struct worker *worker, bool is_local) {
  for (size_t i = 0; i < reader->workers_count; ++i) {
    const struct worker *former = &reader->workers[i];
    bool is_own = former->has_pool && worker->slot == worker->row_slot && former != worker;
    if (!is_own || strcmp(former->name, worker->name) != 0) continue;
    worker->pool = former->pool;
    return LS_OK;
  }
  return ls_places_pool(reader->places, is_local ? "local" : "guests", &worker->pool, reader->err);
}

/* A worker where there was one: that one went as it had said, or was lost. */
static enum ls_status join(struct reader *reader, struct worker *worker,
                           const struct happening *event) {
  enum ls_place_change_kind kind = LS_PLACE_ARRIVED;
  enum ls_status status = leave(reader, worker, event->time_s, worker->is_leaving);
  worker->slot = event->workers > 0 ? (uint32_t)(event->workers - 1) : worker->row_slot;
  struct slot *slot = find_slot(reader, worker->slot);
  if (slot == NULL) {
    if (status == LS_OK) status = guess_pool(reader, worker, event->is_so);
  } else {
    worker->pool = slot->pool;
    if (slot->is_granted) kind = LS_PLACE_JOINED;
    slot->is_ahead = !slot->is_granted;
    slot->is_granted = false;
  }
  worker->is_here = worker->has_pool = true;
  return status == LS_OK ? change(reader, kind, event->time_s, worker->pool, 1) : status;
}

static enum ls_status set_suspended(struct reader *reader, struct worker *worker, double time_s,
                                    bool is_suspended) {
  if (!worker->is_here || worker->is_leaving || worker->is_suspended == is_suspended) return LS_OK;
  worker->is_suspended = is_suspended;
  return change(reader, is_suspended ? LS_PLACE_SUSPENDED : LS_PLACE_RESUMED, time_s, worker->pool,
                1);
}

static enum ls_status on_event(struct reader *reader, const struct happening *event) {
  struct worker *worker = find_worker(reader, event->number);
  if (event->what == LS_EVENT_ITERATION || event->what == LS_EVENT_STOP) {
    reader->is_over = event->is_so;
    return LS_OK;
  }
  if (worker == NULL) return LS_OK;
  enum ls_status status = LS_OK;
  switch (event->what) {
    case LS_EVENT_JOINED:
      return join(reader, worker, event);
    case LS_EVENT_LOST:
      return leave(reader, worker, event->time_s, event->is_so);
    case LS_EVENT_LEAVING:
      status = set_suspended(reader, worker, event->time_s, false);
      worker->is_leaving = worker->is_here;
      return status;
    default:
      return set_suspended(reader, worker, event->time_s, event->what == LS_EVENT_SUSPENDED);
  }
}

static enum ls_status on_grant(struct reader *reader, const struct happening *grant) {
  struct slot *slot = find_slot(reader, grant->number);
  enum ls_status status = change(reader, LS_PLACE_GRANTED, grant->time_s, grant->pool, 1);
  slot->pool = grant->pool;
  slot->is_granted = !slot->is_ahead;
  if (slot->is_ahead && status == LS_OK)
    status = change(reader, LS_PLACE_MISSED, grant->time_s, grant->pool, 1);
  slot->is_ahead = false;
  return status;
}

/* Who was granted and did not come is not on its way for ever. */
static enum ls_status on_end(struct reader *reader, const struct happening *end) {
  struct slot *slot = find_slot(reader, end->number);
  if (slot == NULL) return LS_OK;
  bool was_awaited = slot->is_granted;
  slot->is_granted = slot->is_ahead = false;
  return was_awaited ? change(reader, LS_PLACE_MISSED, end->time_s, slot->pool, 1) : LS_OK;
}

static enum ls_status follow(struct reader *reader, const struct happening *next) {
  struct worker *worker;
  switch (next->kind) {
    case HAPPENED_TO_POOL:
      return change(reader, (enum ls_place_change_kind)next->what, next->time_s, next->pool,
                    next->workers);
    case HAPPENED_GRANT:
      return on_grant(reader, next);
    case HAPPENED_EVENT:
      return on_event(reader, next);
    case HAPPENED_END:
      return on_end(reader, next);
    case HAPPENED_RELEASE:
      return leave(reader, find_holder(reader, next->number), next->time_s, true);
    case HAPPENED_GIVING_UP:
      return leave(reader, find_holder(reader, next->number), next->time_s, false);
    default: /* who did not say that it goes was lost; at the end of the run all are let go */
      worker = find_worker(reader, next->number);
      return leave(reader, worker, next->time_s,
                   reader->is_over || (worker != NULL && worker->is_leaving));
  }
}

static int compare_times(const void *left, const void *right) {
  const struct happening *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

static enum ls_status on_advice(void *context, const struct ls_journal_advice *advice) {
  struct reader *reader = context;
  if (advice->workers == 0) return LS_OK;
  return change(reader, LS_PLACE_WANTED, advice->time_s, 0, advice->workers);
}

static enum ls_status read_all(struct reader *reader, struct ls_journal *journal) {
  struct ls_journal_summary summary;
  enum ls_status status = ls_journal_summary(journal, &summary, reader->err);
  if (status != LS_OK) return status;
  reader->places->end_s = summary.elapsed_s;
  status = change(reader, LS_PLACE_WANTED, 0, 0, summary.job.workers);
  if (status == LS_OK) status = ls_journal_each_slot(journal, on_slot, reader, reader->err);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, reader, reader->err);
  if (status == LS_OK) status = read_events(reader, journal);
  return status;
}

enum ls_status ls_journal_read_places(struct ls_journal *journal, struct ls_places *places,
                                      struct ls_error *err) {
  struct reader reader = {.places = places, .err = err};
  enum ls_status status = read_all(&reader, journal);
  sort_slots(&reader);
  if (reader.count > 0)
    qsort(reader.happenings, reader.count, sizeof *reader.happenings, compare_times);
  for (size_t i = 0; i < reader.count && status == LS_OK; ++i)
    status = follow(&reader, &reader.happenings[i]);
  if (status == LS_OK) status = ls_journal_each_advice(journal, on_advice, &reader, err);
  if (status == LS_OK) ls_places_sort(places);
  free(reader.workers);
  free(reader.slots);
  free(reader.happenings);
  return status;
}
