#include "runtime/journal_places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal_private.h"
#include "runtime/journal_slots.h"

/* Where a worker is, as far as it was read. */
struct worker {
  uint32_t number, slot, pool;
  char name[LS_PLACES_NAME_BYTES]; /* cut */
  bool is_suspended, is_leaving;
  double joined_s, left_s; /* left NAN: it stayed */
};

/* A slot was given to a pool. */
struct grant {
  double time_s;
  uint32_t slot, pool;
  bool has_come;
};

struct reader {
  struct ls_places *places;
  struct ls_error *err;
  struct worker *workers; /* by number */
  size_t workers_count, workers_capacity;
  struct grant *grants;
  size_t grants_count, grants_capacity;
  double finished_s; /* from then on all are let go; HUGE_VAL: not yet */
};

static enum ls_status change(struct reader *reader, enum ls_place_change_kind kind, double time_s,
                             uint32_t pool, uint64_t workers) {
  const struct ls_place_change made = {
      .time_s = time_s, .kind = kind, .pool = pool, .workers = workers};
  return ls_places_add(reader->places, &made, reader->err);
}

/* ---- what pools on other machines told ---- */

static enum ls_status add_grant(struct reader *reader, const struct ls_journal_slot *slot,
                                uint32_t pool) {
  void *grants = reader->grants;
  enum ls_status status = ls_array_reserve(&grants, &reader->grants_capacity,
                                           reader->grants_count + 1, sizeof *reader->grants);
  reader->grants = grants;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for granted workers");
  reader->grants[reader->grants_count++] =
      (struct grant){.time_s = slot->time_s, .slot = slot->slot, .pool = pool};
  return LS_OK;
}

/* The last grant of the slot up to this time; a worker may also come before its pool has heard of
 * it. NULL: no pool has the slot. */
static struct grant *find_grant(struct reader *reader, uint32_t slot, double time_s) {
  struct grant *later = NULL;
  for (size_t i = reader->grants_count; i > 0; --i) {
    struct grant *grant = &reader->grants[i - 1];
    if (grant->slot != slot) continue;
    if (grant->time_s <= time_s) return grant;
    later = grant;
  }
  return later;
}

static enum ls_status on_slot(void *context, const struct ls_journal_slot *slot) {
  struct reader *reader = context;
  uint32_t pool;
  if (slot->pool[0] == '\0') return LS_OK;
  enum ls_status status = ls_places_pool(reader->places, slot->pool, &pool, reader->err);
  if (status != LS_OK) return status;
  if (strcmp(slot->kind, "pending") == 0)
    return change(reader, LS_PLACE_PENDING, slot->time_s, pool, slot->workers);
  if (strcmp(slot->kind, "denied") == 0 || strcmp(slot->kind, "refused") == 0)
    return change(reader, LS_PLACE_REFUSED, slot->time_s, pool, slot->workers);
  if (strcmp(slot->kind, "granted") != 0) return LS_OK; /* the rest is told of the workers */
  status = change(reader, LS_PLACE_GRANTED, slot->time_s, pool, 1);
  return status == LS_OK ? add_grant(reader, slot, pool) : status;
}

/* The worker that was in the slot then; NULL: none was. */
static struct worker *find_holder(struct reader *reader, uint32_t slot, double time_s) {
  struct worker *found = NULL;
  for (size_t i = 0; i < reader->workers_count; ++i) {
    struct worker *worker = &reader->workers[i];
    if (worker->slot == slot && worker->joined_s <= time_s) found = worker;
  }
  return found;
}

/* Who was granted and did not come is not on its way for ever; who was released is not lost. */
static enum ls_status on_end_of_slot(void *context, const struct ls_journal_slot *slot) {
  struct reader *reader = context;
  if (slot->slot == 0) return LS_OK;
  if (strcmp(slot->kind, "released") == 0) {
    struct worker *worker = find_holder(reader, slot->slot, slot->time_s);
    if (worker != NULL) worker->is_leaving = true;
    return LS_OK;
  }
  if (strcmp(slot->kind, "ended") != 0) return LS_OK;
  struct grant *grant = find_grant(reader, slot->slot, slot->time_s);
  if (grant == NULL || grant->has_come) return LS_OK;
  grant->has_come = true;
  return change(reader, LS_PLACE_MISSED, slot->time_s, grant->pool, 1);
}

/* ---- the workers ---- */

/* The pool of one that no slot tells of: that of its name before, when it was taken for lost. */
static enum ls_status guess_pool(struct reader *reader, struct worker *worker) {
  bool is_local = strncmp(worker->name, "local-", strlen("local-")) == 0;
  for (size_t i = reader->workers_count; i > 0; --i) {
    const struct worker *former = &reader->workers[i - 1];
    if (strcmp(former->name, worker->name) != 0) continue;
    worker->pool = former->pool;
    return LS_OK;
  }
  return ls_places_pool(reader->places, is_local ? "local" : "guests", &worker->pool, reader->err);
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *row) {
  struct reader *reader = context;
  void *workers = reader->workers;
  enum ls_status status = ls_array_reserve(&workers, &reader->workers_capacity,
                                           reader->workers_count + 1, sizeof *reader->workers);
  reader->workers = workers;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for workers");
  struct worker worker = {
      .number = row->worker, .slot = row->slot, .joined_s = row->joined_s, .left_s = row->left_s};
  struct grant *grant = find_grant(reader, row->slot, row->joined_s);
  (void)snprintf(worker.name, sizeof worker.name, "%s", row->name);
  if (grant != NULL) {
    worker.pool = grant->pool;
    grant->has_come = true;
  } else {
    status = guess_pool(reader, &worker);
  }
  reader->workers[reader->workers_count++] = worker;
  return status != LS_OK ? status : change(reader, LS_PLACE_JOINED, row->joined_s, worker.pool, 1);
}

static int compare(const void *left, const void *right) {
  const struct worker *a = left, *b = right;
  return a->number < b->number ? -1 : a->number > b->number;
}

static struct worker *find_worker(struct reader *reader, uint32_t number) {
  const struct worker wanted = {.number = number};
  if (reader->workers_count == 0) return NULL;
  return bsearch(&wanted, reader->workers, reader->workers_count, sizeof wanted, compare);
}

static enum ls_status on_presence(struct reader *reader, enum ls_event_kind kind, double time_s,
                                  struct worker *worker) {
  bool was_suspended = worker->is_suspended;
  switch (kind) {
    case LS_EVENT_SUSPENDED:
      worker->is_suspended = true;
      return was_suspended ? LS_OK : change(reader, LS_PLACE_SUSPENDED, time_s, worker->pool, 1);
    case LS_EVENT_RESUMED:
      worker->is_suspended = false;
      return was_suspended ? change(reader, LS_PLACE_RESUMED, time_s, worker->pool, 1) : LS_OK;
    default: /* LEAVING, or LOST as it left */
      worker->is_leaving = true;
      return LS_OK;
  }
}

static const char *const presence_sql =
    "SELECT h.kind, h.now_s + s.offset_s, h.worker FROM heard h JOIN sessions s ON s.session = "
    "(SELECT session FROM sessions WHERE first_event <= h.id ORDER BY first_event DESC, session "
    "DESC LIMIT 1) WHERE h.kind IN (?1, ?2, ?3) OR (h.kind = ?4 AND h.outcome = ?5) OR (h.kind = "
    "?6 "
    "AND h.units = 0) ORDER BY h.id";

static enum ls_status read_presence(struct reader *reader, struct ls_journal *journal) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, presence_sql, &row, reader->err);
  if (status != LS_OK) return status;
  ls_journal_bind(row, 1, LS_EVENT_SUSPENDED);
  ls_journal_bind(row, 2, LS_EVENT_RESUMED);
  ls_journal_bind(row, 3, LS_EVENT_LEAVING);
  ls_journal_bind(row, 4, LS_EVENT_LOST);
  ls_journal_bind(row, 5, LS_LOSS_LEFT);
  ls_journal_bind(row, 6, LS_EVENT_ITERATION);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    enum ls_event_kind kind = (enum ls_event_kind)sqlite3_column_int(row, 0);
    double time_s = sqlite3_column_double(row, 1);
    struct worker *worker = find_worker(reader, (uint32_t)sqlite3_column_int64(row, 2));
    if (kind == LS_EVENT_ITERATION)
      reader->finished_s = time_s;
    else if (worker != NULL)
      status = on_presence(reader, kind, time_s, worker);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", reader->err);
  sqlite3_finalize(row);
  return status;
}

/* Who did not say that it goes was lost; at the end of the run all are let go. */
static enum ls_status add_ends(struct reader *reader) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < reader->workers_count && status == LS_OK; ++i) {
    const struct worker *worker = &reader->workers[i];
    if (isnan(worker->left_s)) continue;
    bool is_let_go = worker->is_leaving || worker->left_s >= reader->finished_s;
    enum ls_place_change_kind kind = is_let_go              ? LS_PLACE_LEFT
                                     : worker->is_suspended ? LS_PLACE_LOST_SUSPENDED
                                                            : LS_PLACE_LOST;
    status = change(reader, kind, worker->left_s, worker->pool, 1);
  }
  return status;
}

static enum ls_status on_advice(void *context, const struct ls_journal_advice *advice) {
  struct reader *reader = context;
  if (advice->workers == 0) return LS_OK;
  return change(reader, LS_PLACE_WANTED, advice->time_s, 0, advice->workers);
}

enum ls_status ls_journal_read_places(struct ls_journal *journal, struct ls_places *places,
                                      struct ls_error *err) {
  struct reader reader = {.places = places, .err = err, .finished_s = HUGE_VAL};
  struct ls_journal_summary summary;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) {
    places->end_s = summary.elapsed_s;
    status = change(&reader, LS_PLACE_WANTED, 0, 0, summary.job.workers);
  }
  if (status == LS_OK) status = ls_journal_each_slot(journal, on_slot, &reader, err);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, &reader, err);
  if (status == LS_OK) {
    qsort(reader.workers, reader.workers_count, sizeof *reader.workers, compare);
    status = ls_journal_each_slot(journal, on_end_of_slot, &reader, err);
  }
  if (status == LS_OK) status = read_presence(&reader, journal);
  if (status == LS_OK) status = add_ends(&reader);
  if (status == LS_OK) status = ls_journal_each_advice(journal, on_advice, &reader, err);
  if (status == LS_OK) ls_places_sort(places);
  free(reader.workers);
  free(reader.grants);
  return status;
}
