#include "model/bound_search.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { ROOT_STEPS = 60, CORNERS_MOST = 128 };

static const double rounding = 1e-12;

double ls_bound_least(ls_bound_fn function, void *context, double to, int steps) {
  static const double golden = 0.6180339887498949;
  double from = 0, left = to - golden * to, right = golden * to;
  double at_left = function(context, left), at_right = function(context, right);
  assert(to >= 0);
  for (int step = 0; step < steps; step++) {
    if (at_left <= at_right) {
      to = right, right = left, at_right = at_left;
      left = to - golden * (to - from);
      at_left = function(context, left);
    } else {
      from = left, left = right, at_left = at_right;
      right = from + golden * (to - from);
      at_right = function(context, right);
    }
  }
  return at_left <= at_right ? left : right;
}

/* A convex polygon. */
struct polygon {
  double corners[CORNERS_MOST][2];
  int count;
};

/* False when nothing is left of it. */
static bool find_centre(const struct polygon *polygon, double centre[2]) {
  const double *origin = polygon->corners[0];
  double area = 0, moments[2] = {0, 0};
  for (int i = 1; i + 1 < polygon->count; i++) {
    const double *a = polygon->corners[i], *b = polygon->corners[i + 1];
    double part = (a[0] - origin[0]) * (b[1] - origin[1]) - (b[0] - origin[0]) * (a[1] - origin[1]);
    area += part;
    for (int k = 0; k < 2; k++) moments[k] += part * (origin[k] + a[k] + b[k]) / 3;
  }
  if (!(area > 0)) return false;
  for (int k = 0; k < 2; k++) centre[k] = moments[k] / area;
  return true;
}

/* Leaves what lies where slope * (x - centre) <= 0. */
static void cut(struct polygon *polygon, const double centre[2], const double slopes[2]) {
  struct polygon left = {.count = 0};
  for (int i = 0; i < polygon->count && left.count + 2 <= CORNERS_MOST; i++) {
    const double *a = polygon->corners[i], *b = polygon->corners[(i + 1) % polygon->count];
    double at_a = slopes[0] * (a[0] - centre[0]) + slopes[1] * (a[1] - centre[1]);
    double at_b = slopes[0] * (b[0] - centre[0]) + slopes[1] * (b[1] - centre[1]);
    if (at_a <= 0) {
      left.corners[left.count][0] = a[0];
      left.corners[left.count++][1] = a[1];
    }
    if ((at_a < 0 && at_b > 0) || (at_a > 0 && at_b < 0)) {
      double share = at_a / (at_a - at_b);
      left.corners[left.count][0] = a[0] + share * (b[0] - a[0]);
      left.corners[left.count++][1] = a[1] + share * (b[1] - a[1]);
    }
  }
  *polygon = left;
}

void ls_bound_least_of_two(ls_bound_plane_fn function, void *context, const double to[2], int steps,
                           double least[2]) {
  struct polygon polygon = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 4};
  double found = (double)INFINITY, centre[2];
  assert(to[0] > 0 && to[1] > 0);
  least[0] = least[1] = 0;
  for (int step = 0; step < steps && find_centre(&polygon, centre); step++) {
    const double at[2] = {centre[0] * to[0], centre[1] * to[1]};
    struct ls_bound_point point = function(context, at);
    if (point.value < found) {
      found = point.value;
      least[0] = at[0];
      least[1] = at[1];
    }
    const double slopes[2] = {point.slopes[0] * to[0], point.slopes[1] * to[1]};
    if (!isfinite(slopes[0]) || !isfinite(slopes[1])) return;
    cut(&polygon, centre, slopes);
  }
}

/* Regula falsi in the form of Illinois. */
double ls_bound_time(ls_bound_fn function, void *context, double load, double from_s) {
  double low_s = from_s, high_s = from_s;
  double low = function(context, from_s) - load, high = low;
  if (!(low < 0)) return from_s;
  for (int step = 0; !(high >= 0) && step < ROOT_STEPS; step++) {
    high_s += high_s * ldexp(0.02, step);
    if (!isfinite(high_s)) return from_s;
    high = function(context, high_s) - load;
  }
  if (!(high >= 0)) return from_s;
  for (int step = 0; step < ROOT_STEPS && high_s - low_s > rounding * high_s; step++) {
    double middle_s = low_s - low * (high_s - low_s) / (high - low);
    if (!(middle_s > low_s && middle_s < high_s)) middle_s = low_s + (high_s - low_s) / 2;
    double middle = function(context, middle_s) - load;
    if (middle < 0) {
      low_s = middle_s, low = middle;
      high /= 2;
    } else {
      high_s = middle_s, high = middle;
      low /= 2;
    }
  }
  assert(low_s >= from_s);
  return low_s;
}
