/* long_run.h: how many cases a test tries.  A test that computes for long tries the first ones by
 * default; where LOADSTAR_TEST_LONG is set (tools/run-tests --long), it tries all. */
#ifndef LS_LONG_RUN_H
#define LS_LONG_RUN_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t cases_of(uint64_t all, uint64_t by_default) {
  return getenv("LOADSTAR_TEST_LONG") != NULL ? all : by_default;
}

#endif
