/* bound_of.h: the lower bound of a load, for tests that have the memory. */
#ifndef LS_TESTS_BOUND_OF_H
#define LS_TESTS_BOUND_OF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/metrics.h"

static inline struct ls_lower_bound bound_of(const struct ls_platform *platform, double load) {
  struct ls_lower_bound bound;
  assert_int_equal(ls_lower_bound(platform, load, &bound, NULL), LS_OK);
  return bound;
}

#endif
