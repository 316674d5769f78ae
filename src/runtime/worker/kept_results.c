#include "runtime/worker/kept_results.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Storage that may stay when nothing is kept: one huge output must not hold its memory. */
enum { IDLE_BYTES_MAX = 1 << 20 };

static void close_files(struct ls_kept_results *kept, const struct ls_kept_result *item) {
  for (size_t i = 0; i < item->files_count; ++i) (void)close(item->files[i].file);
  kept->files -= item->files_count;
  free(item->files);
}

static uint64_t count_bytes(const struct ls_kept_result *item) {
  uint64_t bytes = item->length;
  for (size_t i = 0; i < item->files_count; ++i) bytes += item->files[i].bytes;
  return bytes;
}

/* Moves what is in use to the front once it is the smaller part. */
static void compact(struct ls_kept_results *kept) {
  if (kept->count == 0) {
    kept->first = 0;
    if (kept->bytes.capacity > IDLE_BYTES_MAX && !kept->bytes.failed) ls_bytes_close(&kept->bytes);
    kept->bytes.length = 0;
    return;
  }
  struct ls_kept_result *items = kept->items + kept->first;
  size_t unused = items->offset;
  if (unused > kept->bytes.length / 2) {
    kept->bytes.length -= unused;
    memmove(kept->bytes.data, kept->bytes.data + unused, kept->bytes.length);
    for (size_t i = 0; i < kept->count; ++i) items[i].offset -= unused;
  }
  if (kept->first > kept->count) {
    memmove(kept->items, items, kept->count * sizeof *items);
    kept->first = 0;
  }
}

/* Room for one item more behind the last. */
static struct ls_kept_result *append_item(struct ls_kept_results *kept) {
  void *items = kept->items;
  if (ls_array_reserve(&items, &kept->capacity, kept->first + kept->count + 1,
                       sizeof *kept->items) != LS_OK) {
    kept->bytes.failed = true;
    return NULL;
  }
  kept->items = items;
  return &kept->items[kept->first + kept->count];
}

static void count_in(struct ls_kept_results *kept, const struct ls_kept_result *item) {
  ++kept->count;
  kept->open_bytes += count_bytes(item);
  kept->files += item->files_count;
}

/* NULL with a count of 0. */
static struct ls_result_file *copy_files(const struct ls_result_file *files, size_t count) {
  struct ls_result_file *copy = count > 0 ? calloc(count, sizeof *copy) : NULL;
  if (copy != NULL) memcpy(copy, files, count * sizeof *copy);
  return copy;
}

void ls_kept_results_add(struct ls_kept_results *kept, const struct ls_message *result,
                         const struct ls_result_file *files, size_t files_count) {
  assert(result->kind == LS_MESSAGE_RESULT);
  struct ls_kept_result *item = kept->bytes.failed ? NULL : append_item(kept);
  struct ls_result_file *own = copy_files(files, files_count);
  size_t offset = kept->bytes.length;
  bool has_room = item != NULL && (own != NULL || files_count == 0);
  if (has_room) ls_message_encode(result, &kept->bytes);
  if (!has_room || kept->bytes.failed) {
    kept->bytes.failed = true;
    for (size_t i = 0; i < files_count; ++i) (void)close(files[i].file);
    free(own);
    return;
  }
  *item = (struct ls_kept_result){.chunk = result->chunk,
                                  .units = result->range,
                                  .offset = offset,
                                  .length = kept->bytes.length - offset,
                                  .files = own,
                                  .files_count = files_count};
  count_in(kept, item);
}

const struct ls_kept_result *ls_kept_results_at(const struct ls_kept_results *kept, size_t index) {
  assert(index < kept->count);
  return &kept->items[kept->first + index];
}

struct ls_blob ls_kept_results_message(const struct ls_kept_results *kept, size_t index) {
  const struct ls_kept_result *item = ls_kept_results_at(kept, index);
  return (struct ls_blob){kept->bytes.data + item->offset, item->length};
}

void ls_kept_results_drop(struct ls_kept_results *kept, size_t count) {
  assert(count <= kept->count);
  for (size_t i = 0; i < count; ++i) {
    const struct ls_kept_result *item = &kept->items[kept->first + i];
    kept->open_bytes -= count_bytes(item);
    close_files(kept, item);
  }
  kept->first += count;
  kept->count -= count;
  compact(kept);
}

void ls_kept_results_truncate(struct ls_kept_results *kept, size_t count) {
  while (kept->count > count) {
    const struct ls_kept_result *item = &kept->items[kept->first + --kept->count];
    kept->open_bytes -= count_bytes(item);
    kept->bytes.length = item->offset;
    close_files(kept, item);
  }
  compact(kept);
}

/* The bytes of those that move stay unused until compact finds the others few. */
size_t ls_kept_results_move(struct ls_kept_results *kept, uint64_t chunk,
                            struct ls_kept_results *to) {
  size_t left = 0, moved = 0;
  for (size_t i = 0; i < kept->count; ++i) {
    struct ls_kept_result item = kept->items[kept->first + i];
    struct ls_kept_result *place = item.chunk == chunk ? append_item(to) : NULL;
    if (place == NULL) {
      kept->items[kept->first + left++] = item;
      continue;
    }
    size_t offset = to->bytes.length;
    ls_bytes_append(&to->bytes, kept->bytes.data + item.offset, item.length);
    kept->open_bytes -= count_bytes(&item);
    kept->files -= item.files_count;
    item.offset = offset;
    *place = item;
    count_in(to, place);
    ++moved;
  }
  kept->count = left;
  compact(kept);
  return moved;
}

bool ls_kept_results_is_full(const struct ls_kept_results *kept) {
  return kept->count >= LS_KEPT_COUNT_MAX || kept->open_bytes >= LS_KEPT_BYTES_MAX ||
         kept->files >= LS_KEPT_FILES_MAX;
}

void ls_kept_results_close(struct ls_kept_results *kept) {
  for (size_t i = 0; i < kept->count; ++i) close_files(kept, &kept->items[kept->first + i]);
  free(kept->items);
  ls_bytes_close(&kept->bytes);
  *kept = (struct ls_kept_results){0};
}
