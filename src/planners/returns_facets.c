/* returns_facets.c: what two workers can do together, whatever the others do.
 *
 * Reference:  section 5 of the project's specification of returns has the row of the two's sum;
 *             this is the whole convex hull.
 * Assumes:    two workers of a set, and what is fixed of their two orders.
 * Answers:    the edges of the convex hull of the loads of the pairs of orders that agree, as rows
 *             a x_i + b x_j <= 1 in the time left to both.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include <math.h>
#include <stdlib.h>

#include "planners/returns_branch_private.h"

struct spot {
  double x, y;
};

struct line {
  double a, b; /* a x + b y <= 1 */
};

enum { LINES_MAX = 3, SPOTS_MAX = 16 };

static int compare_spots(const void *left, const void *right) {
  const struct spot *a = left, *b = right;
  if (a->x > b->x) return -1;
  if (a->x < b->x) return 1;
  return a->y < b->y ? -1 : a->y > b->y;
}

/* The corners of one pair of orders, beyond those where one of the two has all. */
static size_t add_corners(const struct line *lines, size_t count, struct spot *spots,
                          size_t spots_count) {
  for (size_t p = 0; p < count; p++) {
    for (size_t q = p + 1; q < count; q++) {
      double determinant = lines[p].a * lines[q].b - lines[p].b * lines[q].a;
      if (!(fabs(determinant) > 1e-14)) continue;
      struct spot spot = {(lines[q].b - lines[p].b) / determinant,
                          (lines[p].a - lines[q].a) / determinant};
      bool is_inside = spot.x >= 0 && spot.y >= 0;
      for (size_t r = 0; r < count; r++) {
        if (!(lines[r].a * spot.x + lines[r].b * spot.y <= 1 + 1e-12)) is_inside = false;
      }
      if (is_inside && spots_count < SPOTS_MAX) spots[spots_count++] = spot;
    }
  }
  return spots_count;
}

/* The rows of the two workers when `ahead` says, by order, whether i stands ahead of j. */
static size_t build_lines(const struct ls_small *small, size_t i, size_t j, const bool ahead[2],
                          struct line *lines) {
  lines[0] = (struct line){1, 0}; /* of i */
  lines[1] = (struct line){0, 1}; /* of j */
  for (int side = 0; side < 2; side++) {
    if (ahead[side])
      lines[1].a += small->cost[side][i];
    else
      lines[0].b += small->cost[side][j];
  }
  if (!small->is_one_port) return 2;
  lines[2] =
      (struct line){small->cost[0][i] + small->cost[1][i], small->cost[0][j] + small->cost[1][j]};
  return 3;
}

/* Keeps the spots on the outer hull, from (1, 0) to (0, 1). */
static size_t keep_hull(struct spot *spots, size_t count) {
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    while (kept >= 2) {
      const struct spot *a = &spots[kept - 2], *b = &spots[kept - 1];
      double turn = (b->x - a->x) * (spots[k].y - a->y) - (b->y - a->y) * (spots[k].x - a->x);
      if (turn > 1e-15) break;
      kept--;
    }
    spots[kept++] = spots[k];
  }
  return kept;
}

static void find_facets(const struct ls_small *small, size_t i, size_t j, int state,
                        struct ls_facets *facets) {
  struct spot spots[SPOTS_MAX] = {{1, 0}, {0, 1}};
  size_t count = 2;
  int fixed[2] = {state / 3, state % 3};
  for (int pattern = 0; pattern < 4; pattern++) {
    bool ahead[2] = {(pattern & 1) != 0, (pattern & 2) != 0};
    bool does_agree = true;
    for (int side = 0; side < 2; side++) {
      if (fixed[side] != 0 && (fixed[side] == 1) != ahead[side]) does_agree = false;
    }
    struct line lines[LINES_MAX];
    if (does_agree)
      count = add_corners(lines, build_lines(small, i, j, ahead, lines), spots, count);
  }
  qsort(spots, count, sizeof *spots, compare_spots);
  count = keep_hull(spots, count);
  facets->count = 0;
  for (size_t k = 0; k + 1 < count && facets->count < LS_BRANCH_FACETS_MAX; k++) {
    double determinant = spots[k].x * spots[k + 1].y - spots[k].y * spots[k + 1].x;
    if (!(determinant > 1e-15)) continue;
    struct ls_facet facet = {(spots[k + 1].y - spots[k].y) / determinant,
                             (spots[k].x - spots[k + 1].x) / determinant};
    if (facet.a >= -1e-12 && facet.b >= -1e-12) facets->facet[facets->count++] = facet;
  }
}

void ls_branch_find_facets(struct ls_branch *branch) {
  for (size_t i = 0; i < branch->small.count; i++) {
    for (size_t j = i + 1; j < branch->small.count; j++) {
      for (int state = 0; state < LS_BRANCH_STATES; state++)
        find_facets(&branch->small, i, j, state, &branch->facets[i][j][state]);
    }
  }
}
