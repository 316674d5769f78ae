/* support.h: what the tests of the simulator share: platforms and runs in a few words. */
#ifndef TESTS_UNIT_SIMULATE_SUPPORT_H
#define TESTS_UNIT_SIMULATE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/chunking.h"
#include "simulate/simulate.h"

#define assert_near(got, expected, tolerance)                                \
  do {                                                                       \
    double got_ = (got), expected_ = (expected);                             \
    if (!(fabs(got_ - expected_) <= (tolerance)*fmax(1.0, fabs(expected_)))) \
      fail_msg("%s is %.17g, expected %.17g", #got, got_, expected_);        \
  } while (0)

/* A setup with the defaults of `name`'s parameters and fifo order. */
static inline struct ls_simulation make_simulation(const struct ls_platform *platform,
                                                   const char *name, uint64_t units) {
  struct ls_simulation setup = {
      .platform = platform, .units = units, .asking = LS_ASKING_ONE, .prefetch = 1};
  setup.config.chunking = ls_chunking_find(name);
  assert_non_null(setup.config.chunking);
  ls_arguments_init(&setup.config.arguments, setup.config.chunking->parameters);
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  setup.config.is_exact = true;
  setup.config.seed = 1;
  return setup;
}

static inline void open_platform(struct ls_platform *platform, size_t workers) {
  struct ls_error err = {0};
  if (ls_platform_init(platform, workers, &err) != LS_OK) fail_msg("%s", err.text);
}

/* The run must succeed. */
static inline struct ls_simulated run_simulation(const struct ls_simulation *setup,
                                                 struct ls_timeline *timeline) {
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  if (ls_simulate(setup, &result, timeline, &err) != LS_OK) fail_msg("%s", err.text);
  return result;
}

/* The run must be refused with a text that contains `part`. */
static inline void assert_refused(const struct ls_simulation *setup, const char *part) {
  struct ls_error err = {0};
  struct ls_simulated result = {.chunks = 77};
  enum ls_status status = ls_simulate(setup, &result, NULL, &err);
  assert_int_equal(status, LS_EINVAL);
  assert_int_equal(result.chunks, 77);
  if (!strstr(err.text, part)) fail_msg("\"%s\" does not contain \"%s\"", err.text, part);
}

static inline double draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

#endif
