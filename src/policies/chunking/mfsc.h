/* mfsc.h: the chunk size without knowledge, for mfsc, and for fsc when it knows nothing. */
#ifndef LS_POLICIES_CHUNKING_MFSC_H
#define LS_POLICIES_CHUNKING_MFSC_H

#include <stddef.h>
#include <stdint.h>

/* At least 1; `workers` >= 1. */
uint64_t ls_mfsc_size(uint64_t units, size_t workers);

#endif
