#include "formats/task_times_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digest.h"

enum { PLACES_FIRST = 1024, SHOWN_BYTES = 60 };

static const uint32_t NO_TASK = UINT32_MAX;

void ls_task_times_begin_file(struct ls_task_times *times) {
  times->files++;
}

const char *ls_task_times_name(const struct ls_task_times *times, size_t task) {
  assert(task < times->count);
  return ls_bytes_text(&times->names) + times->items[task].name;
}

static uint64_t digest_of(const char *name, size_t length) {
  return ls_digest_add(LS_DIGEST_START, name, length);
}

/* The last bits of FNV are its best. */
static size_t first_place(const struct ls_task_times *times, uint64_t digest) {
  return (size_t)(digest ^ digest >> 32) & (times->places_count - 1);
}

/* Where the name is, or would be. */
static size_t find_place(const struct ls_task_times *times, const char *name, size_t length,
                         uint64_t digest) {
  size_t place = first_place(times, digest);
  while (times->places[place].task != 0) {
    const struct ls_task_time *item = &times->items[times->places[place].task - 1];
    if (times->places[place].tag == (uint32_t)digest && item->length == length &&
        memcmp(times->names.data + item->name, name, length) == 0)
      break;
    place = (place + 1) & (times->places_count - 1);
  }
  return place;
}

size_t ls_task_times_find(const struct ls_task_times *times, const char *name, size_t length) {
  if (times->places_count == 0) return SIZE_MAX;
  uint32_t found = times->places[find_place(times, name, length, digest_of(name, length))].task;
  return found == 0 ? SIZE_MAX : found - 1;
}

/* At most half of the places are taken. */
static enum ls_status make_places(struct ls_task_times *times) {
  if (2 * (times->names_count + 1) <= times->places_count) return LS_OK;
  size_t count = times->places_count == 0 ? PLACES_FIRST : 4 * times->places_count;
  struct ls_task_place *places = calloc(count, sizeof *places), *old = times->places;
  if (places == NULL) return LS_ENOMEM;
  size_t old_count = times->places_count;
  times->places = places;
  times->places_count = count;
  for (size_t i = 0; i < old_count; i++) {
    if (old[i].task == 0) continue;
    size_t place = first_place(times, times->items[old[i].task - 1].digest);
    while (times->places[place].task != 0) place = (place + 1) & (count - 1);
    times->places[place] = old[i];
  }
  free(old);
  return LS_OK;
}

static enum ls_status append_task(struct ls_task_times *times, const struct ls_task_times_row *row,
                                  uint64_t digest) {
  void *items = times->items;
  enum ls_status status =
      ls_array_reserve(&items, &times->capacity, times->count + 1, sizeof *times->items);
  times->items = items;
  if (status != LS_OK || times->count >= NO_TASK - 1) return LS_ENOMEM;
  times->items[times->count] = (struct ls_task_time){.digest = digest,
                                                     .name = times->names.length,
                                                     .length = (uint32_t)row->length,
                                                     .same = NO_TASK,
                                                     .latest = (uint32_t)times->count,
                                                     .file = times->files};
  ls_bytes_append(&times->names, row->name, row->length);
  ls_bytes_append_char(&times->names, '\0');
  if (times->names.failed) return LS_ENOMEM;
  times->count++;
  return LS_OK;
}

/* One line of text, of SHOWN_BYTES at most. */
static void show(const char *text, size_t length, char shown[SHOWN_BYTES + 1]) {
  size_t i = 0;
  for (; i < length && i < SHOWN_BYTES; i++)
    shown[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
  shown[i] = '\0';
}

/* Where it stands may hold its name. */
static enum ls_status refuse(const struct ls_task_times_row *row, const char *what,
                             struct ls_error *err) {
  char name[SHOWN_BYTES + 1], where[SHOWN_BYTES + 1];
  show(row->name, row->length, name);
  show(row->where, strlen(row->where), where);
  return ls_fail(err, LS_EINVAL, "%s: %s: the name of the task is \"%s\"%s, expected %s",
                 row->source, where, name, row->length > SHOWN_BYTES ? "..." : "", what);
}

static enum ls_status check_row(const struct ls_task_times_row *row, struct ls_error *err) {
  if (row->length == 0) return refuse(row, "a name", err);
  if (row->length > LS_TASK_NAME_BYTES_MAX) return refuse(row, "at most a MiB", err);
  if (memchr(row->name, '\n', row->length) != NULL || memchr(row->name, '\0', row->length) != NULL)
    return refuse(row, "one line of text", err);
  if (row->seconds < 0 || row->seconds > LS_TASK_SECONDS_MAX)
    return ls_fail(err, LS_EINVAL, "%s: %s: the time is %.17g, expected seconds from 0 to %g",
                   row->source, row->where, row->seconds, LS_TASK_SECONDS_MAX);
  if (row->size < 0 || row->size > LS_TASK_SECONDS_MAX)
    return ls_fail(err, LS_EINVAL, "%s: %s: the size is %.17g, expected a number from 0 to %g",
                   row->source, row->where, row->size, LS_TASK_SECONDS_MAX);
  return LS_OK;
}

/* The task that the row is about, new or known. */
static enum ls_status find_task(struct ls_task_times *times, const struct ls_task_times_row *row,
                                size_t *task, struct ls_error *err) {
  uint64_t digest = digest_of(row->name, row->length);
  if (make_places(times) != LS_OK) return ls_fail(err, LS_ENOMEM, "%s: out of memory", row->source);
  size_t place = find_place(times, row->name, row->length, digest);
  if (times->places[place].task == 0) {
    if (append_task(times, row, digest) != LS_OK)
      return ls_fail(err, LS_ENOMEM, "%s: out of memory", row->source);
    *task = times->count - 1;
    times->places[place] = (struct ls_task_place){(uint32_t)times->count, (uint32_t)digest};
    times->names_count++;
    return LS_OK;
  }
  size_t first = times->places[place].task - 1;
  *task = first;
  if (times->items[first].file != times->files) {
    times->items[first].latest = (uint32_t)first;
    return LS_OK;
  }
  if (times->same_names == LS_SAME_NAMES_MEAN) return LS_OK;
  if (times->same_names == LS_SAME_NAMES_REFUSE)
    return refuse(row, "each name once in a file (or --same-names mean, or each)", err);
  uint32_t latest = times->items[first].latest, next = times->items[latest].same;
  if (next == NO_TASK) {
    if (append_task(times, row, digest) != LS_OK)
      return ls_fail(err, LS_ENOMEM, "%s: out of memory", row->source);
    next = (uint32_t)times->count - 1;
    times->items[latest].same = next;
  }
  times->items[first].latest = next;
  *task = next;
  return LS_OK;
}

enum ls_status ls_task_times_add(struct ls_task_times *times, const struct ls_task_times_row *row,
                                 struct ls_error *err) {
  size_t task = 0;
  enum ls_status status = check_row(row, err);
  if (status == LS_OK) status = find_task(times, row, &task, err);
  if (status != LS_OK) return status;
  struct ls_task_time *item = &times->items[task];
  item->file = times->files;
  if (row->has_size) {
    item->size = row->size;
    item->has_size = times->has_sizes = true;
  }
  if (isnan(row->seconds)) return LS_OK;
  double before = row->seconds - item->mean_s;
  item->count++;
  item->mean_s += before / item->count;
  item->squares += before * (row->seconds - item->mean_s);
  return LS_OK;
}

void ls_task_times_close(struct ls_task_times *times) {
  free(times->items);
  free(times->places);
  ls_bytes_close(&times->names);
  *times = (struct ls_task_times){.same_names = times->same_names};
}
