#include "cli/run/value_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

enum { BLOCK_VALUES = 1024, LOADED_MAX = 64, LOADED_LEAST = 2, ROW_BYTES = 1 << 20 };
static const uint64_t LOADED_BYTES_MAX = 16 << 20;

/* Each value is ended by a zero byte. */
struct content {
  struct ls_bytes text;
  size_t offsets[BLOCK_VALUES];
  size_t count;
};

struct ls_value_block {
  struct content *content; /* NULL: not in memory */
  uint64_t turn;           /* of its last use */
  size_t released;
};

static enum ls_status fail_for_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "out of memory for input values");
}

static uint64_t measure(const struct content *content) {
  return sizeof *content + content->text.length;
}

static void unload(struct ls_value_store *store, struct ls_value_block *block) {
  if (block->content == NULL) return;
  if (store->journal != NULL) store->bytes -= measure(block->content);
  ls_bytes_close(&block->content->text);
  free(block->content);
  block->content = NULL;
}

/* ---- blocks in memory, when a journal has all ---- */

static bool may_unload(const struct ls_value_store *store, size_t place) {
  return ((uint64_t)place + 1) * BLOCK_VALUES <= store->kept;
}

/* Drops blocks, the longest unused first, but not the one at `held`. */
static void unload_surplus(struct ls_value_store *store, size_t held) {
  while (store->loaded_count > LOADED_MAX ||
         (store->bytes > LOADED_BYTES_MAX && store->loaded_count > LOADED_LEAST)) {
    size_t oldest = store->loaded_count;
    for (size_t i = 0; i < store->loaded_count; i++) {
      size_t place = store->loaded[i];
      if (place == held || !may_unload(store, place)) continue;
      if (oldest == store->loaded_count ||
          store->blocks[place].turn < store->blocks[store->loaded[oldest]].turn)
        oldest = i;
    }
    if (oldest == store->loaded_count) return;
    unload(store, &store->blocks[store->loaded[oldest]]);
    store->loaded[oldest] = store->loaded[--store->loaded_count];
  }
}

/* The block is in memory now. */
static enum ls_status note_loaded(struct ls_value_store *store, size_t place,
                                  struct ls_error *err) {
  void *loaded = store->loaded;
  if (store->journal == NULL) return LS_OK;
  if (ls_array_reserve(&loaded, &store->loaded_capacity, store->loaded_count + 1,
                       sizeof *store->loaded) != LS_OK)
    return fail_for_memory(err);
  store->loaded = loaded;
  store->loaded[store->loaded_count++] = place;
  store->bytes += measure(store->blocks[place].content);
  return LS_OK;
}

static bool append(struct content *content, const char *text, size_t length) {
  content->offsets[content->count++] = content->text.length;
  ls_bytes_append(&content->text, text, length);
  ls_bytes_append_char(&content->text, '\0');
  return !content->text.failed;
}

/* What of the journal's rows belongs into a block. */
struct loading {
  struct content *content;
  uint64_t first; /* of its values */
  size_t count;   /* that it is to have */
};

static enum ls_status on_row(void *context, const struct ls_journal_inputs *row) {
  const struct loading *loading = context;
  struct content *content = loading->content;
  const char *value = row->text;
  for (uint64_t i = row->first; i < row->first + row->count; i++) {
    size_t length = strlen(value);
    bool is_wanted = i == loading->first + content->count && content->count < loading->count;
    if (is_wanted && !append(content, value, length)) return LS_ENOMEM;
    value += length + 1;
  }
  return LS_OK;
}

/* Reads a block that has no content from the journal. */
static enum ls_status load(struct ls_value_store *store, size_t place, struct ls_error *err) {
  struct loading loading = {.first = (uint64_t)place * BLOCK_VALUES, .count = BLOCK_VALUES};
  if (loading.first + BLOCK_VALUES > store->kept)
    loading.count = (size_t)(store->kept - loading.first);
  loading.content = calloc(1, sizeof *loading.content);
  if (loading.content == NULL) return fail_for_memory(err);
  enum ls_status status = ls_journal_each_inputs_of(
      store->journal, (struct ls_range){loading.first, loading.count}, on_row, &loading, err);
  if (status == LS_ENOMEM) status = fail_for_memory(err);
  if (status == LS_OK && loading.content->count < loading.count)
    status = ls_fail(err, LS_ECORRUPT, "the journal lacks input %llu",
                     (unsigned long long)(loading.first + loading.content->count + 1));
  store->blocks[place].content = loading.content;
  if (status == LS_OK) status = note_loaded(store, place, err);
  if (status == LS_OK) return LS_OK;
  ls_bytes_close(&loading.content->text);
  free(loading.content);
  store->blocks[place].content = NULL;
  return status;
}

/* Blocks for so many values, the new ones without content. */
static enum ls_status reserve(struct ls_value_store *store, uint64_t values, struct ls_error *err) {
  size_t count = (size_t)((values + BLOCK_VALUES - 1) / BLOCK_VALUES);
  void *blocks = store->blocks;
  if (count > store->blocks_count &&
      ls_array_reserve(&blocks, &store->blocks_capacity, count, sizeof *store->blocks) != LS_OK)
    return fail_for_memory(err);
  store->blocks = blocks;
  while (store->blocks_count < count)
    store->blocks[store->blocks_count++] = (struct ls_value_block){0};
  return LS_OK;
}

/* The content that the next value belongs to. */
static enum ls_status open_last(struct ls_value_store *store, struct ls_error *err) {
  size_t place = (size_t)(store->count / BLOCK_VALUES);
  enum ls_status status = reserve(store, store->count + 1, err);
  if (status != LS_OK || store->blocks[place].content != NULL) return status;
  if (store->count % BLOCK_VALUES > 0) return load(store, place, err);
  store->blocks[place].content = calloc(1, sizeof(struct content));
  if (store->blocks[place].content == NULL) return fail_for_memory(err);
  return note_loaded(store, place, err);
}

enum ls_status ls_value_store_add(struct ls_value_store *store, const char *text, size_t length,
                                  struct ls_error *err) {
  enum ls_status status = open_last(store, err);
  if (status != LS_OK) return status;
  struct ls_value_block *block = &store->blocks[store->count / BLOCK_VALUES];
  uint64_t before = measure(block->content);
  if (!append(block->content, text, length)) return fail_for_memory(err);
  if (store->journal != NULL) store->bytes += measure(block->content) - before;
  block->turn = ++store->turn;
  store->count++;
  return LS_OK;
}

enum ls_status ls_value_store_read(struct ls_value_store *store, uint64_t index, const char **value,
                                   struct ls_error *err) {
  assert(index < store->count);
  size_t place = (size_t)(index / BLOCK_VALUES);
  struct ls_value_block *block = &store->blocks[place];
  if (block->content == NULL) {
    assert(store->journal != NULL);
    enum ls_status status = load(store, place, err);
    if (status != LS_OK) return status;
    unload_surplus(store, place);
  }
  block->turn = ++store->turn;
  *value = block->content->text.data + block->content->offsets[index % BLOCK_VALUES];
  return LS_OK;
}

void ls_value_store_release(struct ls_value_store *store, struct ls_range values) {
  for (uint64_t i = 0; i < values.count; i++) {
    struct ls_value_block *block = &store->blocks[(values.first + i) / BLOCK_VALUES];
    assert(block->released < BLOCK_VALUES);
    block->released++;
    /* Of a journal's blocks those go that were not used for long. */
    if (block->released == BLOCK_VALUES && store->journal == NULL) unload(store, block);
  }
}

enum ls_status ls_value_store_record(struct ls_value_store *store, struct ls_journal *journal,
                                     uint64_t known, struct ls_error *err) {
  assert(store->journal == NULL && store->count == 0);
  store->journal = journal;
  store->kept = store->count = known;
  return reserve(store, known, err);
}

/* As many of the values that are not kept as fit into a row. */
static void keep_row(struct ls_value_store *store) {
  const struct content *content = store->blocks[store->kept / BLOCK_VALUES].content;
  assert(content != NULL);
  size_t first = (size_t)(store->kept % BLOCK_VALUES), end = first;
  const char *text = content->text.data + content->offsets[first];
  size_t length = 0;
  for (; end < content->count && (end == first || length < ROW_BYTES); end++)
    length = (end + 1 < content->count ? content->offsets[end + 1] : content->text.length) -
             content->offsets[first];
  ls_journal_inputs(
      store->journal,
      &(struct ls_journal_inputs){
          .first = store->kept, .count = end - first, .text = text, .length = length});
  store->kept += end - first;
}

void ls_value_store_keep(struct ls_value_store *store) {
  while (store->kept < store->count) keep_row(store);
  unload_surplus(store, store->blocks_count);
}

void ls_value_store_close(struct ls_value_store *store) {
  for (size_t i = 0; i < store->blocks_count; i++) unload(store, &store->blocks[i]);
  free(store->blocks);
  free(store->loaded);
  *store = (struct ls_value_store){0};
}
