/* student.c: Student's distribution of whole degrees of freedom.
 *
 * Reference:  Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4 (the
 *             share as a finite sum), 26.7.8 (from so many degrees on, by the normal law).
 */
#include "base/student.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { SUMMED_MAX = 200, HALVINGS = 100 };
static const double PI = 3.14159265358979323846;

/* The share within -t .. t. */
static double find_middle(double t, uint64_t freedom) {
  double tangent = t / sqrt((double)freedom), cosine = 1 / sqrt(1 + tangent * tangent), sum, term;
  bool is_odd = freedom % 2 == 1;
  sum = term = is_odd ? cosine : 1;
  for (uint64_t k = is_odd ? 3 : 2; k + 2 <= freedom; k += 2) {
    term *= cosine * cosine * (double)(k - 1) / (double)k;
    sum += term;
  }
  if (!is_odd) return tangent * cosine * sum;
  return 2 / PI * (atan(tangent) + (freedom == 1 ? 0 : tangent * cosine * sum));
}

double ls_student_share(double t, uint64_t freedom) {
  assert(freedom >= 1);
  double n = (double)freedom;
  if (freedom > SUMMED_MAX)
    return 0.5 * (1 + erf(t * (1 - 0.25 / n) / sqrt(1 + t * t / (2 * n)) / sqrt(2)));
  return 0.5 * (1 + find_middle(t, freedom));
}

double ls_student_quantile(double share, uint64_t freedom) {
  assert(share > 0 && share < 1);
  if (share < 0.5) return -ls_student_quantile(1 - share, freedom);
  double least = 0, most = 1;
  while (ls_student_share(most, freedom) < share && most < 1e18) most *= 2;
  for (int i = 0; i < HALVINGS && most - least > 1e-14 * most; i++) {
    double middle = (least + most) / 2;
    if (ls_student_share(middle, freedom) < share)
      least = middle;
    else
      most = middle;
  }
  return most;
}
