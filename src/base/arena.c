#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Stands in front of what the caller sees. */
struct ls_arena_block {
  struct ls_arena_block *next, *previous;
  size_t bytes;
  alignas(max_align_t) unsigned char content[];
};

static struct ls_arena_block *find_block(void *content) {
  return (struct ls_arena_block *)((unsigned char *)content -
                                   offsetof(struct ls_arena_block, content));
}

void *ls_arena_take(struct ls_arena *arena, size_t bytes) {
  assert(bytes > 0);
  if (bytes > (size_t)PTRDIFF_MAX - sizeof(struct ls_arena_block)) return NULL;
  struct ls_arena_block *block = calloc(1, sizeof *block + bytes);
  if (block == NULL) return NULL;
  block->bytes = bytes;
  block->next = arena->first;
  if (block->next != NULL) block->next->previous = block;
  arena->first = block;
  return block->content;
}

/* The block has moved: its neighbours learn where it is. */
static void link_again(struct ls_arena *arena, struct ls_arena_block *block) {
  if (block->next != NULL) block->next->previous = block;
  if (block->previous != NULL)
    block->previous->next = block;
  else
    arena->first = block;
}

void *ls_arena_array(struct ls_arena *arena, void *items, size_t count, size_t item_bytes) {
  assert(count > 0 && item_bytes > 0);
  if (count > (size_t)PTRDIFF_MAX / 2 / item_bytes) return NULL;
  size_t needed = count * item_bytes;
  if (items == NULL) return ls_arena_take(arena, needed);
  struct ls_arena_block *block = find_block(items);
  size_t before = block->bytes;
  if (needed <= before) return items;
  /* By half, so that many small steps cost no more than one large one. */
  size_t bytes = before / item_bytes * item_bytes;
  bytes += bytes / (2 * item_bytes) * item_bytes;
  if (bytes < needed) bytes = needed;
  block = realloc(block, sizeof *block + bytes);
  if (block == NULL) return NULL;
  memset(block->content + before, 0, bytes - before);
  block->bytes = bytes;
  link_again(arena, block);
  return block->content;
}

size_t ls_arena_bytes(const struct ls_arena *arena) {
  size_t bytes = 0;
  for (const struct ls_arena_block *block = arena->first; block != NULL; block = block->next)
    bytes += block->bytes;
  return bytes;
}

void ls_arena_close(struct ls_arena *arena) {
  while (arena->first != NULL) {
    struct ls_arena_block *block = arena->first;
    arena->first = block->next;
    free(block);
  }
}
