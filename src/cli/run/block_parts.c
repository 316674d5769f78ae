#include "cli/run/block_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "runtime/block_source.h"

/* Around a cut so much is read at first, then ever more. */
enum { LOOK_BYTES = 4096, LOOK_BYTES_MAX = 1 << 20 };

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

/* Reads `most` bytes more. */
static enum ls_status read_on(const struct ls_block_parts *parts, struct window *window,
                              size_t most, struct ls_error *err) {
  char block[1 << 16];
  while (most > 0 && !window->is_end) {
    size_t some = most < sizeof block ? most : sizeof block;
    ssize_t got = pread(parts->file, block, some, (off_t)(window->at + window->bytes.length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EINVAL, "%s: %s", parts->path, strerror(errno));
    ls_bytes_append(&window->bytes, block, (size_t)got);
    most -= (size_t)got;
    window->is_end = got == 0 || window->at + window->bytes.length >= parts->source.bytes;
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

static size_t find_first(const struct ls_records *records, const struct window *window) {
  const struct ls_bytes *bytes = &window->bytes;
  return records->find != NULL
             ? records->find(records->context, bytes->data, bytes->length, 0, window->is_end)
             : ls_records_first(records, bytes->data, bytes->length, 0);
}

/* The first edge at `from` or behind it; the size of the file: there is none. */
static enum ls_status find_edge(const struct ls_block_parts *parts,
                                const struct ls_records *records, uint64_t from, uint64_t *edge,
                                struct ls_error *err) {
  uint64_t back = records->end_length > 0 ? records->end_length : 1;
  struct window window = {.at = from > back ? from - back : 0};
  size_t most = LOOK_BYTES;
  enum ls_status status = LS_OK;
  *edge = parts->source.bytes;
  while (status == LS_OK && !window.is_end) {
    status = read_on(parts, &window, most, err);
    size_t found = status == LS_OK ? find_first(records, &window) : LS_RECORD_NONE;
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

enum ls_status ls_block_parts_cut(struct ls_block_parts *parts, const struct ls_block_cut *cut,
                                  struct ls_error *err) {
  uint64_t end = parts->source.bytes, edge = cut->first;
  parts->count = 0;
  if (cut->first >= end) return LS_OK;
  enum ls_status status = add_edge(parts, cut->first, err);
  for (uint64_t at = cut->first; status == LS_OK && end - at > cut->stretch;) {
    at += cut->stretch;
    /* A record that began before reaches behind this stretch. */
    if (edge >= at) continue;
    status = find_edge(parts, cut->records, at, &edge, err);
    if (status == LS_OK) status = add_edge(parts, edge, err);
  }
  if (status == LS_OK) status = add_edge(parts, end, err);
  if (status == LS_OK)
    status = ls_block_source_check(parts->file, parts->path, &parts->source, err);
  if (status == LS_OK) parts->count--;
  return status;
}

void ls_block_parts_close(struct ls_block_parts *parts) {
  if (parts->file >= 0) (void)close(parts->file);
  free(parts->path);
  free(parts->edges);
  *parts = (struct ls_block_parts){.file = -1};
}
