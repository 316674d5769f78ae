#include "cli/run/output_lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

static void close_attempt(struct ls_live_attempt *attempt) {
  for (int i = 0; i < 2; i++) ls_spool_close(&attempt->held[i]);
}

/* Of a task that was halved each part is an attempt of its own. */
static struct ls_live_attempt *find(const struct ls_live_lines *lines, struct ls_range units,
                                    uint64_t chunk) {
  for (size_t i = 0; i < lines->count; i++) {
    struct ls_live_attempt *item = &lines->items[i];
    bool is_same = item->units.first == units.first && item->units.count == units.count;
    if (is_same && item->chunk == chunk) return item;
  }
  return NULL;
}

/* One for each worker, and those that were lost and whose tasks have not ended. */
static enum ls_status find_or_add(struct ls_live_lines *lines, const struct ls_unit_lines *piece,
                                  struct ls_live_attempt **attempt, struct ls_error *err) {
  *attempt = find(lines, piece->units, piece->chunk);
  if (*attempt != NULL) return LS_OK;
  if (ls_array_reserve((void **)&lines->items, &lines->capacity, lines->count + 1,
                       sizeof *lines->items) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for lines of running tasks");
  /* What is held of an attempt that was lost need not be shown. */
  for (size_t i = 0; i < lines->count; i++)
    if (lines->items[i].units.first == piece->units.first) close_attempt(&lines->items[i]);
  *attempt = &lines->items[lines->count++];
  **attempt = (struct ls_live_attempt){.units = piece->units,
                                       .chunk = piece->chunk,
                                       .slot = piece->slot,
                                       .held = {ls_spool_make(), ls_spool_make()}};
  return LS_OK;
}

static enum ls_status show_held(struct ls_live_attempt *attempt, const struct ls_live_show *show,
                                struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint8_t stream = 0; stream < 2 && status == LS_OK; stream++) {
    struct ls_spool *held = &attempt->held[stream];
    if (held->bytes == 0) continue;
    const struct ls_output all = {.length = held->bytes, .file = held->file};
    status = show->show(show->context, attempt, stream, &all, err);
    attempt->shown[stream] += held->bytes;
    ls_spool_close(held);
  }
  return status;
}

enum ls_status ls_live_lines_add(struct ls_live_lines *lines, const struct ls_unit_lines *piece,
                                 bool is_turn, const struct ls_live_show *show,
                                 struct ls_error *err) {
  struct ls_live_attempt *attempt = NULL;
  enum ls_status status = find_or_add(lines, piece, &attempt, err);
  if (status != LS_OK) return status;
  if (is_turn) status = show_held(attempt, show, err);
  uint64_t had = attempt->shown[piece->stream] + attempt->held[piece->stream].bytes;
  uint64_t end = piece->offset + piece->length;
  if (status != LS_OK || piece->offset > had || end <= had) return status;
  const char *news = (const char *)piece->data + (had - piece->offset);
  size_t length = (size_t)(end - had);
  if (!is_turn) return ls_spool_add(&attempt->held[piece->stream], news, length, err);
  const struct ls_output output = {news, length, -1};
  attempt->shown[piece->stream] = end;
  return show->show(show->context, attempt, piece->stream, &output, err);
}

enum ls_status ls_live_lines_turn(struct ls_live_lines *lines, uint64_t unit,
                                  const struct ls_live_show *show, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < lines->count && status == LS_OK; i++)
    if (lines->items[i].units.first == unit) status = show_held(&lines->items[i], show, err);
  return status;
}

uint64_t ls_live_lines_shown(const struct ls_live_lines *lines, struct ls_range units,
                             uint64_t chunk, uint8_t stream) {
  const struct ls_live_attempt *attempt = find(lines, units, chunk);
  return attempt != NULL ? attempt->shown[stream] : 0;
}

void ls_live_lines_forget(struct ls_live_lines *lines, uint64_t unit) {
  size_t kept = 0;
  for (size_t i = 0; i < lines->count; i++) {
    if (lines->items[i].units.first == unit)
      close_attempt(&lines->items[i]);
    else
      lines->items[kept++] = lines->items[i];
  }
  lines->count = kept;
}

void ls_live_lines_close(struct ls_live_lines *lines) {
  for (size_t i = 0; i < lines->count; i++) close_attempt(&lines->items[i]);
  free(lines->items);
  *lines = (struct ls_live_lines){0};
}
