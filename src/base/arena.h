/* arena.h: memory that is given back all at once.
 *
 * Whoever builds something out of many blocks takes them from one arena and closes it in the end;
 * nobody frees a single block.  An array of an arena may grow; what it was before is then gone.
 * Starts as {0} and stays where it is as long as somebody keeps its address.
 */
#ifndef LS_BASE_ARENA_H
#define LS_BASE_ARENA_H

#include <stddef.h>

struct ls_arena_block;

struct ls_arena {
  struct ls_arena_block *first;
};

/* A zeroed block of `bytes` > 0, aligned for anything; NULL: no memory. */
void *ls_arena_take(struct ls_arena *arena, size_t bytes);
/* The array `items` of this arena (NULL: none yet) with room for `count` > 0 items of `item_bytes`
 * each: what it held is kept, what is new is zeroed.  NULL: no memory, and `items` is as before. */
void *ls_arena_array(struct ls_arena *arena, void *items, size_t count, size_t item_bytes);
/* Bytes in all blocks. */
size_t ls_arena_bytes(const struct ls_arena *arena);
/* Frees all blocks; the arena is {0} again. */
void ls_arena_close(struct ls_arena *arena);

#endif
