#include "cli/run/block_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/os/temporary.h"

/* Items up to `count` exist; those that are new are empty. */
static enum ls_status reserve(struct ls_block_store *store, size_t count, struct ls_error *err) {
  void *items = store->items;
  if (ls_array_reserve(&items, &store->capacity, count, sizeof *store->items) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for %zu blocks", count);
  store->items = items;
  while (store->known < count) store->items[store->known++] = (struct ls_stored_block){.file = -1};
  return LS_OK;
}

static enum ls_status write_all(const struct ls_stored_block *block, const char *data,
                                size_t length, struct ls_error *err) {
  while (length > 0) {
    ssize_t written = write(block->file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && block->is_in_memory)
      return ls_fail(err, LS_EIO, "a block cannot be kept in memory: %s", strerror(errno));
    if (written < 0) return ls_temporary_fail("a block", err);
    data += written;
    length -= (size_t)written;
  }
  return LS_OK;
}

static enum ls_status keep(struct ls_block_store *store, struct ls_stored_block *block,
                           const char *data, struct ls_error *err) {
  block->is_in_memory = store->memory_bytes + block->length <= LS_BLOCK_STORE_MEMORY_BYTES;
  block->file = block->is_in_memory ? memfd_create("loadstar-block", MFD_CLOEXEC) : -1;
  if (block->file < 0) {
    block->is_in_memory = false;
    block->file = ls_temporary_file(err);
  }
  if (block->file < 0) return LS_EIO;
  store->bytes += block->length;
  if (block->is_in_memory) store->memory_bytes += block->length;
  return write_all(block, data, (size_t)block->length, err);
}

static void drop(struct ls_block_store *store, struct ls_stored_block *block) {
  if (block->file < 0) return;
  (void)close(block->file);
  block->file = -1;
  store->bytes -= block->length;
  if (block->is_in_memory) store->memory_bytes -= block->length;
}

enum ls_status ls_block_store_add(struct ls_block_store *store, uint64_t offset, const char *data,
                                  size_t length, struct ls_error *err) {
  enum ls_status status = reserve(store, store->count + 1, err);
  if (status != LS_OK) return status;
  struct ls_stored_block *block = &store->items[store->count++];
  block->offset = offset;
  block->length = length;
  return block->is_settled ? LS_OK : keep(store, block, data, err);
}

enum ls_status ls_block_store_copy(struct ls_block_store *store, int file, struct ls_error *err) {
  enum ls_status status = ls_block_store_add(store, 0, "", 0, err);
  struct ls_stored_block *block = status == LS_OK ? &store->items[store->count - 1] : NULL;
  char piece[1 << 16];
  ssize_t got = 1;
  if (block != NULL && block->is_in_memory) {
    /* How long it will be nobody knows: it does not belong into memory. */
    (void)close(block->file);
    block->is_in_memory = false;
    block->file = ls_temporary_file(err);
    if (block->file < 0) status = LS_EIO;
  }
  while (status == LS_OK && got != 0) {
    got = read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EINVAL, "cannot be read: %s", strerror(errno));
    status = write_all(block, piece, (size_t)got, err);
    block->length += (uint64_t)got;
    store->bytes += (uint64_t)got;
  }
  return status;
}

enum ls_status ls_block_store_find(const struct ls_block_store *store, uint64_t number,
                                   const struct ls_stored_block **block, struct ls_error *err) {
  if (number < store->count && store->items[number].file >= 0) {
    *block = &store->items[number];
    return LS_OK;
  }
  return ls_fail(err, LS_EIO, "block %llu is not there any more", (unsigned long long)number + 1);
}

enum ls_status ls_block_store_read(const struct ls_block_store *store, uint64_t number,
                                   struct ls_bytes *out, struct ls_error *err) {
  const struct ls_stored_block *block = NULL;
  enum ls_status status = ls_block_store_find(store, number, &block, err);
  char piece[1 << 16];
  uint64_t at = 0;
  while (status == LS_OK && at < block->length) {
    ssize_t got = pread(block->file, piece, sizeof piece, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return ls_fail(err, LS_EIO, "block %llu cannot be read: %s", (unsigned long long)number + 1,
                     got < 0 ? strerror(errno) : "it is too short");
    ls_bytes_append(out, piece, (size_t)got);
    at += (uint64_t)got;
  }
  if (status == LS_OK && out->failed) status = ls_fail(err, LS_ENOMEM, "out of memory for a block");
  return status;
}

enum ls_status ls_block_store_settle(struct ls_block_store *store, struct ls_range blocks,
                                     struct ls_error *err) {
  size_t end = (size_t)(blocks.first + blocks.count);
  enum ls_status status = end > store->known ? reserve(store, end, err) : LS_OK;
  for (size_t i = (size_t)blocks.first; i < end && status == LS_OK; i++) {
    store->items[i].is_settled = true;
    drop(store, &store->items[i]);
  }
  return status;
}

void ls_block_store_close(struct ls_block_store *store) {
  for (size_t i = 0; i < store->known; i++) drop(store, &store->items[i]);
  free(store->items);
  *store = (struct ls_block_store){0};
}
