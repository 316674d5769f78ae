/* cache_private.h: names in the cache, for its two files. */
#ifndef LS_RUNTIME_FILES_CACHE_PRIVATE_H
#define LS_RUNTIME_FILES_CACHE_PRIVATE_H

#include "runtime/files/cache.h"

#define LS_CACHE_FILES LS_SCRATCH_FILES
#define LS_CACHE_PINS  "pins-"
#define LS_CACHE_PART  ".part"

/* Of all files in the folder. */
uint64_t ls_cache_count_bytes(int files);

#endif
