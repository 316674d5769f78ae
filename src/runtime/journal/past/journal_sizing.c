#include "runtime/journal/past/journal_sizing.h"

#include <math.h>

#include "base/array.h"
#include "runtime/journal/journal_private.h"
#include "theory/eer.h"

/* The ideal intervals of all iterations together cost no more than those of so many tasks, each
 * weighed by how many its iteration has. */
static const uint64_t CREW_WORK_MAX = 30000000;

static void bind_opening(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  const struct ls_journal_opening *opening = item;
  ls_journal_bind(row, 1, journal->session.number);
  sqlite3_bind_double(row, 2, opening->time_s + journal->session.offset_s);
  ls_journal_bind(row, 3, opening->iteration);
  ls_journal_bind(row, 4, opening->units);
  ls_journal_bind(row, 5, opening->wanted);
}

static const struct ls_journal_side openings = {
    .make_sql =
        "CREATE TABLE IF NOT EXISTS openings (id INTEGER PRIMARY KEY, session INTEGER, time_s "
        "REAL, iteration INTEGER, units INTEGER, wanted INTEGER)",
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'openings'",
    .add_sql =
        "INSERT INTO openings (session, time_s, iteration, units, wanted) VALUES (?1,?2,?3,?4,?5)",
    .read_sql = "SELECT time_s, iteration, units, wanted FROM openings ORDER BY id",
    .bind = bind_opening};

void ls_journal_opening(struct ls_journal *journal, const struct ls_journal_opening *opening) {
  ls_journal_side_add(journal, &openings, opening);
}

struct reader {
  struct ls_sizing_course *course;
  const struct ls_places *places;
  size_t change; /* of the places, the next one to be followed */
  struct ls_places_counts counts;
  double present_s, away_s; /* of the row: seconds of those at work, of those suspended */
  struct ls_error *err;
  /* Of the iteration whose results are read: */
  struct ls_timeline tasks;
  uint64_t units;
  bool is_short; /* not all of them are among `tasks` */
  double largest_s;
  size_t row;
  uint64_t crew_work;
};

static struct ls_sizing_row *find_last(const struct reader *reader) {
  return &reader->course->rows[reader->course->count - 1];
}

static void add_seconds(struct reader *reader, double seconds) {
  reader->present_s += (double)reader->counts.working * seconds;
  reader->away_s += (double)reader->counts.suspended * seconds;
}

/* Those that were there until `until_s`, of which changes are no part. */
static void follow(struct reader *reader, double from_s, double until_s) {
  const struct ls_places *places = reader->places;
  while (reader->change < places->count && places->changes[reader->change].time_s < until_s) {
    const struct ls_place_change *change = &places->changes[reader->change++];
    double time_s = fmax(from_s, change->time_s);
    add_seconds(reader, time_s - from_s);
    ls_places_follow(&reader->counts, change);
    from_s = time_s;
  }
  add_seconds(reader, fmax(0, until_s - from_s));
}

/* The last row lasted until now, or goes on. */
static void end_row(struct reader *reader, double now_s) {
  struct ls_sizing_row *row = find_last(reader);
  follow(reader, row->begin_s + row->seconds, now_s);
  row->seconds = fmax(0, now_s - row->begin_s);
  row->granted = reader->counts.coming + reader->counts.working + reader->counts.suspended;
  row->present = row->seconds > 0 ? reader->present_s / row->seconds : 0;
  row->away_s = reader->away_s;
}

static enum ls_status on_opening(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                                 struct ls_error *err) {
  struct reader *reader = context;
  struct ls_sizing_course *course = reader->course;
  void *rows = course->rows;
  struct ls_sizing_row opened = {.begin_s = sqlite3_column_double(row, 0),
                                 .iteration = (uint32_t)sqlite3_column_int64(row, 1),
                                 .units = (uint64_t)sqlite3_column_int64(row, 2),
                                 .wanted = (uint64_t)sqlite3_column_int64(row, 3)};
  if (course->count > 0) {
    struct ls_sizing_row *last = find_last(reader);
    if (opened.iteration < last->iteration || opened.begin_s < last->begin_s)
      return ls_fail(err, LS_ECORRUPT, "%s: opens iteration %u at %g s after iteration %u at %g s",
                     ls_journal_path(journal), (unsigned)opened.iteration, opened.begin_s,
                     (unsigned)last->iteration, last->begin_s);
    end_row(reader, opened.begin_s);
    if (opened.iteration == last->iteration) { /* what is left of it, by another session */
      last->wanted = opened.wanted;
      return LS_OK;
    }
  }
  enum ls_status status =
      ls_array_reserve(&rows, &course->capacity, course->count + 1, sizeof *course->rows);
  course->rows = rows;
  if (status != LS_OK) return ls_fail(err, status, "out of memory for the iterations");
  reader->present_s = reader->away_s = 0;
  follow(reader, opened.begin_s, opened.begin_s);
  course->rows[course->count++] = opened;
  return LS_OK;
}

/* ---- what their tasks took ---- */

static enum ls_status end_tasks(struct reader *reader) {
  struct ls_eer_crew crew = {0};
  struct ls_sizing_row *row = &reader->course->rows[reader->row];
  enum ls_status status = LS_OK;
  if (reader->largest_s > 0) row->asp = row->useful_s / reader->largest_s;
  if (!reader->is_short) status = ls_eer_crew_of(&reader->tasks, &crew, reader->err);
  row->ideal_from = crew.ideal_from;
  row->ideal_to = crew.ideal_to;
  if (!reader->is_short) reader->crew_work += reader->units * reader->units;
  ls_timeline_close(&reader->tasks);
  ls_timeline_init(&reader->tasks);
  reader->units = 0;
  reader->is_short = false;
  reader->largest_s = 0;
  return status;
}

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  const struct ls_sizing_course *course = reader->course;
  enum ls_status status = LS_OK;
  if (result->outcome != LS_OUTCOME_DONE || result->units.count == 0) return LS_OK;
  if (course->rows[reader->row].iteration != result->iteration) {
    status = end_tasks(reader);
    if (course->rows[reader->row].iteration > result->iteration) reader->row = 0;
    while (reader->row + 1 < course->count &&
           course->rows[reader->row].iteration < result->iteration)
      reader->row++;
  }
  struct ls_sizing_row *row = &course->rows[reader->row];
  if (status != LS_OK || row->iteration != result->iteration) return status;
  row->useful_s += result->seconds;
  reader->units += result->units.count;
  reader->largest_s = fmax(reader->largest_s, result->seconds / (double)result->units.count);
  if (reader->crew_work + reader->units * reader->units > CREW_WORK_MAX) reader->is_short = true;
  if (reader->is_short) return LS_OK;
  ls_timeline_add_span(&reader->tasks, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                         .operation = LS_OPERATION_COMPUTE,
                                                         .units = result->units.count,
                                                         .end_s = result->seconds});
  return LS_OK;
}

static enum ls_status read_tasks(struct reader *reader, struct ls_journal *journal) {
  ls_timeline_init(&reader->tasks);
  enum ls_status status = ls_journal_each_result(journal, on_result, reader, reader->err);
  if (status == LS_OK) status = end_tasks(reader);
  ls_timeline_close(&reader->tasks);
  return status;
}

enum ls_status ls_journal_read_sizing(struct ls_journal *journal, const struct ls_places *places,
                                      struct ls_sizing_course *course, struct ls_error *err) {
  struct reader reader = {.course = course, .places = places, .err = err};
  enum ls_status status = ls_journal_side_each(journal, &openings, on_opening, &reader, err);
  if (status != LS_OK || course->count == 0) return status;
  end_row(&reader, fmax(places->end_s, find_last(&reader)->begin_s));
  status = read_tasks(&reader, journal);
  for (size_t i = 0; i < course->count; i++) {
    struct ls_sizing_row *row = &course->rows[i];
    /* A worker that was taken for suspended while it worked was there: a stopped task that sleeps
     * ends at its time, for example. */
    double up_s = row->present * row->seconds;
    up_s += fmin(row->away_s, fmax(0, row->useful_s - up_s));
    if (row->seconds > 0) row->present = up_s / row->seconds;
    row->efficiency = up_s > 0 ? row->useful_s / up_s : 0;
  }
  return status;
}
