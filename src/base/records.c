#include "base/records.h"

#include <assert.h>
#include <string.h>

static bool has_text(const char *data, const char *text, size_t length) {
  return length == 0 || memcmp(data, text, length) == 0;
}

/* Do the texts meet at `edge`? */
static bool is_edge(const struct ls_records *records, const char *data, size_t length,
                    size_t edge) {
  return edge >= records->end_length && records->start_length <= length - edge &&
         has_text(data + edge - records->end_length, records->end, records->end_length) &&
         has_text(data + edge, records->start, records->start_length);
}

static bool has_no_text(const struct ls_records *records) {
  return records->end_length + records->start_length == 0;
}

size_t ls_records_first(const struct ls_records *records, const char *data, size_t length,
                        size_t from) {
  if (has_no_text(records)) return from < length ? from + 1 : LS_RECORD_NONE;
  bool has_end = records->end_length > 0;
  const char *text = has_end ? records->end : records->start;
  size_t text_length = has_end ? records->end_length : records->start_length;
  size_t at = has_end ? from : from + 1;
  while (at < length) {
    const char *found = memmem(data + at, length - at, text, text_length);
    if (found == NULL) return LS_RECORD_NONE;
    at = (size_t)(found - data);
    if (is_edge(records, data, length, at + records->end_length)) return at + records->end_length;
    at++;
  }
  return LS_RECORD_NONE;
}

/* The last byte of the end text, or the first one of the start text, is sought backwards. */
size_t ls_records_last(const struct ls_records *records, const char *data, size_t length,
                       size_t most) {
  size_t limit = most < length ? most : length;
  if (has_no_text(records)) return limit > 0 ? limit : LS_RECORD_NONE;
  bool has_end = records->end_length > 0;
  char sought = has_end ? records->end[records->end_length - 1] : records->start[0];
  /* Edges are sought below `bound`; the byte stands before the edge, or behind it. */
  size_t bound = has_end ? limit : (limit < length ? limit + 1 : length);
  while (bound > 0) {
    const char *found = memrchr(data, sought, bound);
    if (found == NULL) return LS_RECORD_NONE;
    bound = (size_t)(found - data);
    size_t edge = has_end ? bound + 1 : bound;
    if (edge > 0 && is_edge(records, data, length, edge)) return edge;
  }
  return LS_RECORD_NONE;
}

/* Nothing but the end text, before any record. */
static bool is_leading(const struct ls_cutter *cutter, size_t edge) {
  return cutter->skips_leading && !cutter->has_begun && cutter->pieces == 0 &&
         edge - cutter->edge == cutter->records.end_length;
}

static size_t finish_block(struct ls_cutter *cutter, size_t length) {
  cutter->has_begun = true;
  cutter->edge = cutter->searched = cutter->last = cutter->retry = 0;
  cutter->pieces = cutter->whole = 0;
  return length;
}

/* The next edge; what was searched is not searched again, but for the bytes at its end, which may
 * be the first ones of the texts. */
static size_t search(struct ls_cutter *cutter, const char *data, size_t length) {
  const struct ls_records *records = &cutter->records;
  size_t at = cutter->searched > cutter->edge ? cutter->searched : cutter->edge;
  bool is_behind = records->end_length == 0 && at > cutter->edge;
  size_t edge = ls_records_first(records, data, length, at - is_behind);
  size_t reach = records->end_length + records->start_length;
  size_t searched = length >= reach ? length - reach : 0;
  if (edge == LS_RECORD_NONE && searched > cutter->searched) cutter->searched = searched;
  return edge;
}

/* As many bytes as there may be, back to the last edge; a record that is longer ends at the first
 * one. */
static size_t cut_bytes(struct ls_cutter *cutter, const char *data, size_t length, bool is_end) {
  const struct ls_records *records = &cutter->records;
  size_t most = cutter->bytes_max;
  if (is_end && length <= most) return finish_block(cutter, length);
  if (!is_end && (length < most || length - most < records->start_length)) return 0;
  size_t edge = LS_RECORD_NONE;
  if (cutter->pieces == 0) {
    edge = ls_records_last(records, data, length, most);
    if (edge != LS_RECORD_NONE && !is_leading(cutter, edge)) return finish_block(cutter, edge);
    cutter->pieces = 1;
    cutter->searched = most >= records->end_length ? most - records->end_length + 1 : 0;
  }
  edge = search(cutter, data, length);
  if (edge != LS_RECORD_NONE) return finish_block(cutter, edge);
  return is_end ? finish_block(cutter, length) : 0;
}

/* A function looks at the whole record again, so it is asked when that has doubled. */
static size_t ask_function(struct ls_cutter *cutter, const char *data, size_t length, bool is_end) {
  const struct ls_records *records = &cutter->records;
  if (!is_end && length < cutter->retry) return LS_RECORD_NONE;
  size_t edge = records->find(records->context, data, length, cutter->edge, is_end);
  cutter->retry = edge == LS_RECORD_NONE ? length + (length - cutter->edge) : 0;
  assert(edge == LS_RECORD_NONE || (edge > cutter->edge && edge <= length));
  return edge;
}

static size_t find_edge(struct ls_cutter *cutter, const char *data, size_t length, bool is_end) {
  if (cutter->records.find != NULL) return ask_function(cutter, data, length, is_end);
  return search(cutter, data, length);
}

/* Record after record, until there are enough of them. */
static size_t cut_records(struct ls_cutter *cutter, const char *data, size_t length, bool is_end) {
  uint64_t group = cutter->group > 0 ? cutter->group : 1;
  while (cutter->edge < length) {
    size_t edge = find_edge(cutter, data, length, is_end);
    if (edge == LS_RECORD_NONE && !is_end) return 0;
    if (edge == LS_RECORD_NONE) edge = length;
    bool is_part = is_leading(cutter, edge);
    cutter->edge = edge;
    if (is_part) continue;
    cutter->has_begun = true;
    bool is_whole = ++cutter->pieces % group == 0 || (is_end && edge == length);
    bool is_over = cutter->bytes_max > 0 && edge > cutter->bytes_max;
    if (is_over && cutter->last > 0) return finish_block(cutter, cutter->last);
    if (!is_whole) continue;
    cutter->last = edge;
    if (is_over || ++cutter->whole == cutter->records_max) return finish_block(cutter, edge);
  }
  return is_end && length > 0 ? finish_block(cutter, length) : 0;
}

size_t ls_cutter_cut(struct ls_cutter *cutter, const char *data, size_t length, bool is_end) {
  assert(cutter->records_max > 0 || cutter->bytes_max > 0);
  if (length == 0) return 0;
  bool counts = cutter->records_max > 0 || cutter->group > 1 || cutter->records.find != NULL;
  return counts ? cut_records(cutter, data, length, is_end)
                : cut_bytes(cutter, data, length, is_end);
}
