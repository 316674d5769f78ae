/* bound_search.h: searches over one number, for the lower bounds. */
#ifndef LS_MODEL_BOUND_SEARCH_H
#define LS_MODEL_BOUND_SEARCH_H

typedef double (*ls_bound_fn)(void *context, double value);

/* Where a convex function is about least between 0 and `to`: by the golden section. */
double ls_bound_least(ls_bound_fn function, void *context, double to, int steps);
/* Value and slopes at a point of two numbers. */
struct ls_bound_point {
  double value, slopes[2];
};
typedef struct ls_bound_point (*ls_bound_plane_fn)(void *context, const double at[2]);

/* Where a convex function of two numbers is about least, from 0 to `to` each: cuts through the
 * centre of gravity of what is left, a third of it or more each time. */
void ls_bound_least_of_two(ls_bound_plane_fn function, void *context, const double to[2], int steps,
                           double least[2]);
/* The last time from `from_s` on, to 1e-12, before which a growing function is below `load`; from_s
 * where it never is, or nothing is found. */
double ls_bound_time(ls_bound_fn function, void *context, double load, double from_s);

#endif
