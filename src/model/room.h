/* room.h: the whole units that a worker can hold at once, and take as one chunk.
 *
 * A platform gives its rooms and windows in units of load, which are continuous; what is handed out
 * on line are whole units.  Only the upper end of a window limits these: a chunk below its lower
 * end may be all that is left.
 */
#ifndef LS_MODEL_ROOM_H
#define LS_MODEL_ROOM_H

#include "model/platform.h"

/* 0: any number. */
struct ls_room {
  uint64_t units;       /* there and unfinished, the running one included */
  uint64_t chunk_units; /* of one chunk */
};

/* The whole units from which on, and up to which, a chunk is within a limit given in units of load,
 * which may miss a whole number by rounding. */
double ls_whole_least(double units);
double ls_whole_most(double units);

struct ls_room ls_worker_room(const struct ls_worker_model *worker);
/* Of all workers, one entry each, which the caller frees; NULL: nothing limits any of them.
 * LS_EINVAL: not a single unit fits; names the worker and the field. */
LS_CHECKED enum ls_status ls_platform_rooms(const struct ls_platform *platform,
                                            struct ls_room **rooms, struct ls_error *err);

#endif
