#include "planners/pack/pack_spread.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"

/* Fewer where there are many shards, which takes as long. */
enum { DRAWS_MAX = 2000, DRAWS_MIN = 100, NORMALS_MAX = 4000000 };

/* Marsaglia's polar method, one of the two numbers. */
static double draw_normal(struct ls_random *random) {
  for (;;) {
    double x = 2 * ls_random_real(random) - 1, y = 2 * ls_random_real(random) - 1;
    double square = x * x + y * y;
    if (square > 0 && square < 1) return x * sqrt(-2 * log(square) / square);
  }
}

static double draw_makespan(const struct ls_pack_shards *shards, struct ls_random *random) {
  double makespan_s = 0;
  for (size_t k = 0; k < shards->shards; k++) {
    double work = shards->seconds[k];
    if (shards->variances[k] > 0) work += sqrt(shards->variances[k]) * draw_normal(random);
    makespan_s = fmax(makespan_s, work / shards->speeds[k]);
  }
  return makespan_s;
}

enum ls_status ls_pack_spread_draw(const struct ls_pack_shards *shards, uint64_t seed,
                                   struct ls_pack_spread *out) {
  size_t draws = NORMALS_MAX / (shards->shards + 1);
  if (draws > DRAWS_MAX) draws = DRAWS_MAX;
  if (draws < DRAWS_MIN) draws = DRAWS_MIN;
  double *makespans = calloc(draws, sizeof *makespans);
  if (makespans == NULL) return LS_ENOMEM;
  struct ls_random random;
  struct ls_sum sum = {0};
  ls_random_init(&random, seed, "spread");
  for (size_t i = 0; i < draws; i++) {
    makespans[i] = draw_makespan(shards, &random);
    ls_sum_add(&sum, makespans[i]);
  }
  ls_sort_ascending(makespans, draws);
  *out = (struct ls_pack_spread){.expected_s = ls_sum_value(&sum) / (double)draws,
                                 .low_s = ls_quantile_sorted(makespans, draws, 0.1),
                                 .high_s = ls_quantile_sorted(makespans, draws, 0.9),
                                 .draws = draws};
  free(makespans);
  return LS_OK;
}
