#include "planners/pack/pack_bins.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum ls_status ls_pack_bins_init(struct ls_pack_bins *bins, size_t most) {
  bins->leaves = 1;
  while (bins->leaves < most) bins->leaves *= 2;
  bins->rooms = calloc(2 * bins->leaves, sizeof *bins->rooms);
  return bins->rooms == NULL ? LS_ENOMEM : LS_OK;
}

void ls_pack_bins_open(struct ls_pack_bins *bins, const double *rooms, size_t count) {
  double *tree = bins->rooms;
  for (size_t i = 0; i < bins->leaves; i++) tree[bins->leaves + i] = i < count ? rooms[i] : -1;
  for (size_t i = bins->leaves - 1; i > 0; i--) tree[i] = fmax(tree[2 * i], tree[2 * i + 1]);
}

size_t ls_pack_bins_put(struct ls_pack_bins *bins, double size) {
  double *tree = bins->rooms;
  size_t at = 1;
  if (!(tree[1] >= size)) return SIZE_MAX;
  while (at < bins->leaves) at = tree[2 * at] >= size ? 2 * at : 2 * at + 1;
  size_t bin = at - bins->leaves;
  tree[at] -= size;
  for (at /= 2; at > 0; at /= 2) tree[at] = fmax(tree[2 * at], tree[2 * at + 1]);
  return bin;
}

void ls_pack_bins_close(struct ls_pack_bins *bins) {
  free(bins->rooms);
  bins->rooms = NULL;
}
