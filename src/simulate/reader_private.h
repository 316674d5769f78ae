/* reader_private.h: the readers of workers, which stage chunks beside their processors.
 *
 * A reader takes the chunks of its worker one by one, in their order, while fewer than `ahead` that
 * have been taken up by it are not begun; with 0 ahead only what was started and waits for it.  A
 * chunk that is dropped while it is read is read to its end.  Where the storage serves only so many
 * readers at once, they wait in a line by the time at which they came, of equal ones by the number
 * of the chunk.  Where nobody stages there are no readers, and nothing here is done.
 */
#ifndef LS_SIMULATE_READER_PRIVATE_H
#define LS_SIMULATE_READER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"

struct ls_engine;

struct ls_engine_reader {
  uint32_t stamp;  /* of the one valid STAGED event, or of its place in the line */
  uint32_t chunk;  /* what it reads; LS_ENGINE_NONE: nothing */
  uint64_t number; /* of that chunk: the entry may be another one's by now */
  uint64_t units;
  double start_s, end_s;
  bool is_in_line;
};

struct ls_reading {
  struct ls_engine_reader *readers; /* by worker; NULL: nobody stages */
  uint64_t ahead;
  uint64_t places;     /* readers that may read at once; 0: all */
  uint64_t busy;       /* that do */
  struct ls_heap line; /* of workers with stamps */
};

/* False: there is no memory. */
bool ls_reader_open(struct ls_engine *engine);
void ls_reader_close(struct ls_engine *engine);
/* Is there nothing left to stage of this chunk? */
bool ls_reader_has(const struct ls_engine *engine, uint32_t chunk);
/* The worker's reader, which there is, takes up what it may. */
void ls_reader_take_up(struct ls_engine *engine, uint32_t worker);
/* Places at the storage are given to those who wait for one. */
void ls_reader_grant(struct ls_engine *engine);
void ls_reader_end(struct ls_engine *engine, uint32_t worker, uint32_t stamp);
/* The worker is lost with all it has; it stands still; it goes on. */
void ls_reader_clear(struct ls_engine *engine, uint32_t worker);
void ls_reader_stand(struct ls_engine *engine, uint32_t worker);
void ls_reader_go_on(struct ls_engine *engine, uint32_t worker);

#endif
