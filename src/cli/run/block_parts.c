#include "cli/run/block_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cli/run/block_edges.h"
#include "runtime/execute/block_source.h"

/* Around a cut so much is read at first, then ever more. */
enum { LOOK_BYTES = 4096, LOOK_BYTES_MAX = 1 << 20, WALK_BYTES = 1 << 18 };

enum ls_status ls_block_parts_open(struct ls_block_parts *parts, const char *path,
                                   struct ls_error *err) {
  /* A named pipe is to be refused, not waited for. */
  parts->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (parts->file < 0) return ls_fail(err, LS_EINVAL, "--pipe-part: %s: %s", path, strerror(errno));
  enum ls_status status = ls_block_source_look(parts->file, path, &parts->source, err);
  if (status != LS_OK) return ls_fail_while(err, LS_EINVAL, "--pipe-part");
  parts->path = realpath(path, NULL);
  return parts->path != NULL
             ? LS_OK
             : ls_fail(err, LS_EINVAL, "--pipe-part: %s: %s", path, strerror(errno));
}

/* What has been read of the file, from `at` on. */
struct window {
  struct ls_bytes bytes;
  uint64_t at;
  bool is_end;
};

/* At most `*length` bytes, and how many there were; 0: the file has ended. */
static enum ls_status read_at(const struct ls_block_parts *parts, uint64_t at, char *data,
                              size_t *length, struct ls_error *err) {
  ssize_t got = 0;
  do {
    got = pread(parts->file, data, *length, (off_t)at);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return ls_fail(err, LS_EINVAL, "%s: %s", parts->path, strerror(errno));
  *length = (size_t)got;
  return LS_OK;
}

/* Reads `most` bytes more. */
static enum ls_status read_on(const struct ls_block_parts *parts, struct window *window,
                              size_t most, struct ls_error *err) {
  char block[1 << 16];
  while (most > 0 && !window->is_end) {
    size_t some = most < sizeof block ? most : sizeof block;
    enum ls_status status = read_at(parts, window->at + window->bytes.length, block, &some, err);
    if (status != LS_OK) return status;
    ls_bytes_append(&window->bytes, block, some);
    most -= some;
    window->is_end = some == 0 || window->at + window->bytes.length >= parts->source.bytes;
  }
  return window->bytes.failed
             ? ls_fail(err, LS_ENOMEM, "out of memory for a part of %s", parts->path)
             : LS_OK;
}

/* Texts need but the bytes that may be their first ones to be kept. */
static void forget_searched(const struct ls_records *records, struct window *window) {
  size_t reach = records->end_length + records->start_length;
  if (records->find != NULL || window->bytes.length <= reach) return;
  size_t gone = window->bytes.length - reach;
  memmove(window->bytes.data, window->bytes.data + gone, reach);
  window->bytes.length = reach;
  window->at += gone;
}

/* A search that has failed found no edge, and will find none. */
static enum ls_status check_search(const struct ls_block_parts *parts,
                                   const struct ls_block_cut *cut, struct ls_error *err) {
  if (cut->failure == NULL || cut->failure->status == LS_OK) return LS_OK;
  return ls_fail(err, cut->failure->status, "%s: %s", parts->path, cut->failure->text);
}

/* The first edge at `least` or behind it. An expression that matched from within one of its matches
 * comes upon the next one as from its beginning. */
static size_t find_first(const struct ls_records *records, const struct window *window,
                         size_t least) {
  const struct ls_bytes *bytes = &window->bytes;
  if (records->find == NULL) return ls_records_first(records, bytes->data, bytes->length, 0);
  size_t edge = 0;
  do {
    edge = records->find(records->context, bytes->data, bytes->length, edge, window->is_end);
  } while (edge < least);
  return edge;
}

/* The first edge at `from` or behind it; the size of the file: there is none. */
static enum ls_status find_edge(const struct ls_block_parts *parts, const struct ls_block_cut *cut,
                                uint64_t from, uint64_t *edge, struct ls_error *err) {
  const struct ls_records *records = cut->records;
  uint64_t back = records->find != NULL     ? LS_BLOCK_EDGE_BYTES
                  : records->end_length > 0 ? records->end_length
                                            : 1;
  struct window window = {.at = from > back ? from - back : 0};
  size_t most = LOOK_BYTES;
  enum ls_status status = LS_OK;
  *edge = parts->source.bytes;
  while (status == LS_OK && !window.is_end) {
    status = read_on(parts, &window, most, err);
    size_t found =
        status == LS_OK ? find_first(records, &window, (size_t)(from - window.at)) : LS_RECORD_NONE;
    if (status == LS_OK) status = check_search(parts, cut, err);
    if (found != LS_RECORD_NONE) {
      *edge = window.at + found;
      break;
    }
    forget_searched(records, &window);
    if (most < LOOK_BYTES_MAX) most *= 4;
    if (records->find != NULL && most < window.bytes.length) most = window.bytes.length;
  }
  ls_bytes_close(&window.bytes);
  return status;
}

static enum ls_status add_edge(struct ls_block_parts *parts, uint64_t edge, struct ls_error *err) {
  if (parts->count > 0 && parts->edges[parts->count - 1] == edge) return LS_OK;
  if (ls_array_reserve((void **)&parts->edges, &parts->capacity, parts->count + 1,
                       sizeof *parts->edges) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the parts of %s", parts->path);
  parts->edges[parts->count++] = edge;
  return LS_OK;
}

/* ---- rows ---- */

/* On the way through the rows of a file. */
struct walk {
  const struct ls_block_cut *cut;
  uint64_t row, before;          /* where the present row begins, and the one before it */
  struct ls_input_search search; /* for its end */
  char *data;                    /* read at `at`; `used` bytes are behind the walk */
  uint64_t at;
  size_t length, used;
};

/* A line begins behind any line end: there is no need to read all lines up to `from`. */
static enum ls_status skip_lines(const struct ls_block_parts *parts, struct walk *walk,
                                 uint64_t from, struct ls_error *err) {
  if (walk->cut->rows->is_csv || from < walk->row + WALK_BYTES) return LS_OK;
  size_t length = WALK_BYTES - 1;
  uint64_t at = from - WALK_BYTES;
  enum ls_status status = read_at(parts, at, walk->data, &length, err);
  const char *line_end = status == LS_OK ? memrchr(walk->data, '\n', length) : NULL;
  walk->length = walk->used = 0;
  /* In a line as long as that the walk goes on where it was. */
  walk->at = walk->row;
  walk->search = (struct ls_input_search){0};
  if (line_end != NULL) walk->at = walk->row = at + (uint64_t)(line_end - walk->data) + 1;
  return status;
}

/* To the first row that begins at `from` or behind it, or to the end of the file. */
static enum ls_status walk_to(const struct ls_block_parts *parts, struct walk *walk, uint64_t from,
                              struct ls_error *err) {
  enum ls_status status = skip_lines(parts, walk, from, err);
  while (status == LS_OK && walk->row < from) {
    size_t length = 0;
    if (walk->used == walk->length) {
      walk->at += walk->length;
      walk->length = WALK_BYTES;
      walk->used = walk->search.at = 0;
      status = read_at(parts, walk->at, walk->data, &walk->length, err);
      if (status != LS_OK || walk->length > 0) continue;
      walk->before = walk->row;
      walk->row = parts->source.bytes;
      break;
    }
    if (!ls_input_form_cut(walk->cut->rows, walk->data + walk->used, walk->length - walk->used,
                           &walk->search, &length)) {
      walk->used = walk->length;
      continue;
    }
    walk->used += length + 1;
    walk->search = (struct ls_input_search){0};
    walk->before = walk->row;
    walk->row = walk->at + walk->used;
  }
  return status;
}

/* The whole rows of a window: where they end, and where the last of them begins. */
static size_t find_whole_rows(const struct ls_input_form *rows, const struct window *window,
                              size_t *last) {
  const struct ls_bytes *bytes = &window->bytes;
  size_t end = 0, length = 0;
  struct ls_input_search search = {0};
  *last = 0;
  while (ls_input_form_cut(rows, bytes->data + end, bytes->length - end, &search, &length)) {
    *last = end;
    end += length + 1;
    search = (struct ls_input_search){0};
  }
  return window->is_end ? bytes->length : end;
}

/* The first row that begins another group than the row before the walk; rows that are known to be
 * of one group are not kept. */
static enum ls_status find_group_edge(const struct ls_block_parts *parts, const struct walk *walk,
                                      uint64_t *edge, struct ls_error *err) {
  const struct ls_records *records = walk->cut->records;
  struct window window = {.at = walk->before};
  size_t most = LOOK_BYTES, found = LS_RECORD_NONE;
  enum ls_status status = LS_OK;
  while (status == LS_OK && found == LS_RECORD_NONE && !window.is_end) {
    status = read_on(parts, &window, most, err);
    if (status != LS_OK) break;
    size_t last = 0, end = find_whole_rows(walk->cut->rows, &window, &last);
    if (end > 0) found = records->find(records->context, window.bytes.data, end, 0, true);
    status = check_search(parts, walk->cut, err);
    if (status != LS_OK || found != LS_RECORD_NONE) break;
    window.at += last;
    window.bytes.length -= last;
    memmove(window.bytes.data, window.bytes.data + last, window.bytes.length);
    if (most < LOOK_BYTES_MAX || most < window.bytes.length) most *= 2;
  }
  *edge = found != LS_RECORD_NONE ? window.at + found : parts->source.bytes;
  ls_bytes_close(&window.bytes);
  return status;
}

static enum ls_status find_row_edge(const struct ls_block_parts *parts, struct walk *walk,
                                    uint64_t from, uint64_t *edge, struct ls_error *err) {
  enum ls_status status = walk_to(parts, walk, from, err);
  if (status != LS_OK) return status;
  *edge = walk->row;
  bool is_grouped = walk->cut->is_grouped && walk->row < parts->source.bytes;
  return is_grouped ? find_group_edge(parts, walk, edge, err) : LS_OK;
}

/* ---- all parts ---- */

enum ls_status ls_block_parts_cut(struct ls_block_parts *parts, const struct ls_block_cut *cut,
                                  struct ls_error *err) {
  uint64_t end = parts->source.bytes, edge = cut->first;
  parts->count = 0;
  if (cut->first >= end) return LS_OK;
  struct walk walk = {.cut = cut, .row = cut->first, .at = cut->first};
  if (cut->rows != NULL && (walk.data = malloc(WALK_BYTES)) == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for the rows of %s", parts->path);
  enum ls_status status = add_edge(parts, cut->first, err);
  for (uint64_t at = cut->first; status == LS_OK && end - at > cut->stretch;) {
    at += cut->stretch;
    /* A record that began before reaches behind this stretch. */
    if (edge >= at) continue;
    status = cut->rows != NULL ? find_row_edge(parts, &walk, at, &edge, err)
                               : find_edge(parts, cut, at, &edge, err);
    if (status == LS_OK) status = add_edge(parts, edge, err);
  }
  if (status == LS_OK) status = add_edge(parts, end, err);
  if (status == LS_OK)
    status = ls_block_source_check(parts->file, parts->path, &parts->source, err);
  if (status == LS_OK) parts->count--;
  free(walk.data);
  return status;
}

void ls_block_parts_close(struct ls_block_parts *parts) {
  if (parts->file >= 0) (void)close(parts->file);
  free(parts->path);
  free(parts->edges);
  *parts = (struct ls_block_parts){.file = -1};
}
