/* basis_update.c: closed forms of neighbouring pairs of orders.
 *
 * Reference:  docs/theory/returns.md, 1 (no idle time); the updates are Woodbury's.
 * Assumes:    two ports, no latencies, at most capacity workers.
 * Answers:    with A the matrix of the rows, a = A^-1 1, y = A^-T 1, rho = sum a = sum y.  A swap
 *             of neighbours i, j adds cost_j to entry (i, j) and takes cost_i from entry (j, i).
 *             Without worker i the throughput is rho - y_i a_i / (A^-1)_ii.
 * Cost:       O(k^3) to load, O(1) to judge a swap or a drop, O(k^2) to make it.
 * Symbols:    a -> loads, y -> duals, rho -> throughput, A^-1 -> inverse.
 */

#include "planners/returns/basis_update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"

/* A load below minus this part of the throughput is negative. */
static const double NEGATIVE = 1e-13;
static const double IMPROVEMENT = 1e-12;

enum ls_status ls_basis_open(struct ls_basis *basis, size_t capacity, struct ls_error *err) {
  *basis = (struct ls_basis){.capacity = capacity};
  basis->workers = calloc(capacity, sizeof *basis->workers);
  basis->inverse = calloc(capacity * capacity, sizeof *basis->inverse);
  basis->compute_s = calloc(capacity, sizeof *basis->compute_s);
  basis->loads = calloc(capacity, sizeof *basis->loads);
  basis->duals = calloc(capacity, sizeof *basis->duals);
  basis->moved = calloc(capacity, sizeof *basis->moved);
  bool has_all = basis->workers != NULL && basis->inverse != NULL && basis->compute_s != NULL &&
                 basis->loads != NULL && basis->duals != NULL && basis->moved != NULL;
  for (int side = 0; side < 2; side++) {
    basis->order[side] = calloc(capacity, sizeof *basis->order[side]);
    basis->cost[side] = calloc(capacity, sizeof *basis->cost[side]);
    if (basis->order[side] == NULL || basis->cost[side] == NULL) has_all = false;
  }
  if (has_all) return LS_OK;
  ls_basis_close(basis);
  return ls_fail(err, LS_ENOMEM, "no memory for pairs of orders of %zu workers", capacity);
}

void ls_basis_close(struct ls_basis *basis) {
  free(basis->workers);
  free(basis->inverse);
  free(basis->compute_s);
  free(basis->loads);
  free(basis->duals);
  free(basis->moved);
  for (int side = 0; side < 2; side++) {
    free(basis->order[side]);
    free(basis->cost[side]);
  }
  *basis = (struct ls_basis){0};
}

static double *entry(const struct ls_basis *basis, size_t row, size_t column) {
  return &basis->inverse[row * basis->capacity + column];
}

static void build_matrix(struct ls_basis *basis) {
  size_t count = basis->count;
  for (size_t i = 0; i < count; i++) {
    memset(entry(basis, i, 0), 0, count * sizeof *basis->inverse);
    *entry(basis, i, i) = basis->compute_s[i];
  }
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < count; k++) {
      size_t outer = basis->order[side][k];
      for (size_t m = k; m < count; m++)
        *entry(basis, basis->order[side][m], outer) += basis->cost[side][outer];
    }
  }
}

/* Gauss-Jordan in place, rows swapped for the largest pivot; false: the matrix is singular. */
static bool invert(struct ls_basis *basis) {
  size_t count = basis->count, *moved = basis->moved;
  for (size_t k = 0; k < count; k++) {
    size_t largest = k;
    for (size_t r = k + 1; r < count; r++) {
      if (fabs(*entry(basis, r, k)) > fabs(*entry(basis, largest, k))) largest = r;
    }
    double pivot = *entry(basis, largest, k);
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    moved[k] = largest;
    double *row = entry(basis, k, 0), *other = entry(basis, largest, 0);
    for (size_t j = 0; j < count && largest != k; j++) {
      double kept = row[j];
      row[j] = other[j];
      other[j] = kept;
    }
    row[k] = 1;
    for (size_t j = 0; j < count; j++) row[j] /= pivot;
    for (size_t r = 0; r < count; r++) {
      double *target = entry(basis, r, 0);
      double factor = target[k];
      if (r == k || !(fabs(factor) > 0)) continue;
      target[k] = 0;
      for (size_t j = 0; j < count; j++) target[j] -= factor * row[j];
    }
  }
  for (size_t k = count; k-- > 0;) {
    for (size_t r = 0; r < count && moved[k] != k; r++) {
      double kept = *entry(basis, r, k);
      *entry(basis, r, k) = *entry(basis, r, moved[k]);
      *entry(basis, r, moved[k]) = kept;
    }
  }
  return true;
}

/* Loads and multipliers from the inverse; false: a load is negative. */
static bool sum_inverse(struct ls_basis *basis) {
  size_t count = basis->count;
  basis->throughput = 0;
  memset(basis->duals, 0, count * sizeof *basis->duals);
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    const double *row = entry(basis, i, 0);
    for (size_t j = 0; j < count; j++) {
      sum += row[j];
      basis->duals[j] += row[j];
    }
    basis->loads[i] = sum;
    basis->throughput += sum;
  }
  for (size_t i = 0; i < count; i++) {
    if (!(basis->loads[i] >= -NEGATIVE * basis->throughput)) return false;
  }
  return isfinite(basis->throughput);
}

bool ls_basis_load(struct ls_basis *basis, const struct ls_returns *returns,
                   const struct ls_scenario *scenario) {
  size_t count = scenario->count;
  basis->count = count;
  for (size_t k = 0; k < count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    basis->workers[k] = scenario->sends[k];
    basis->order[0][k] = k;
    basis->cost[0][k] = worker->send_s;
    basis->cost[1][k] = worker->reply_s;
    basis->compute_s[k] = worker->compute_s;
    for (size_t m = 0; m < count; m++) {
      if (scenario->returns[count - 1 - m] == scenario->sends[k]) basis->order[1][m] = k;
    }
  }
  build_matrix(basis);
  return invert(basis) && sum_inverse(basis);
}

/* A' = A + sum of e_row[k] factor[k] e_column[k]^T, k = 0, 1; M = (I + V A^-1 U)^-1. */
struct update {
  size_t i, j;        /* rows of the two changes; the columns are j and i */
  double plus, minus; /* of entry (i, j) and of entry (j, i) */
  double m[2][2];
};

/* False: the new matrix is singular. */
static bool prepare_swap(const struct ls_basis *basis, int side, size_t place,
                         struct update *update) {
  size_t i = basis->order[side][place], j = basis->order[side][place + 1];
  *update = (struct update){i, j, basis->cost[side][j], -basis->cost[side][i], {{0}}};
  double a = 1 + update->plus * *entry(basis, j, i), b = update->plus * *entry(basis, j, j);
  double c = update->minus * *entry(basis, i, i), d = 1 + update->minus * *entry(basis, i, j);
  double determinant = a * d - b * c;
  if (!(fabs(determinant) > 1e-9)) return false;
  update->m[0][0] = d / determinant;
  update->m[0][1] = -b / determinant;
  update->m[1][0] = -c / determinant;
  update->m[1][1] = a / determinant;
  return true;
}

bool ls_basis_swap(struct ls_basis *basis, int side, size_t place, double least) {
  struct update update;
  if (!prepare_swap(basis, side, place, &update)) return false;
  size_t i = update.i, j = update.j, count = basis->count;
  double v[2] = {update.plus * basis->loads[j], update.minus * basis->loads[i]};
  double s[2] = {update.m[0][0] * v[0] + update.m[0][1] * v[1],
                 update.m[1][0] * v[0] + update.m[1][1] * v[1]};
  double change = -(basis->duals[i] * s[0] + basis->duals[j] * s[1]);
  if (!(change > least * basis->throughput)) return false;
  for (size_t r = 0; r < count; r++) {
    double load = basis->loads[r] - *entry(basis, r, i) * s[0] - *entry(basis, r, j) * s[1];
    if (!(load >= -NEGATIVE * basis->throughput)) return false;
  }
  const double *row_i = entry(basis, i, 0), *row_j = entry(basis, j, 0);
  for (size_t column = 0; column < count; column++) {
    /* The two rows change too: they are read before they are written. */
    double p = update.plus * row_j[column], q = update.minus * row_i[column];
    basis->duals[column] = update.m[0][0] * p + update.m[0][1] * q; /* scratch */
    basis->loads[column] = update.m[1][0] * p + update.m[1][1] * q;
  }
  for (size_t r = 0; r < count; r++) {
    double *row = entry(basis, r, 0);
    double p = row[i], q = row[j];
    for (size_t column = 0; column < count; column++)
      row[column] -= p * basis->duals[column] + q * basis->loads[column];
  }
  basis->order[side][place] = j;
  basis->order[side][place + 1] = i;
  (void)sum_inverse(basis);
  return true;
}

static void remove_number(struct ls_basis *basis, size_t number) {
  for (int side = 0; side < 2; side++) {
    size_t kept = 0;
    for (size_t k = 0; k < basis->count; k++) {
      size_t here = basis->order[side][k];
      if (here != number) basis->order[side][kept++] = here > number ? here - 1 : here;
    }
    memmove(basis->cost[side] + number, basis->cost[side] + number + 1,
            (basis->count - number - 1) * sizeof *basis->cost[side]);
  }
  size_t behind = basis->count - number - 1;
  memmove(basis->workers + number, basis->workers + number + 1, behind * sizeof *basis->workers);
  memmove(basis->compute_s + number, basis->compute_s + number + 1,
          behind * sizeof *basis->compute_s);
  for (size_t r = 0; r + 1 < basis->count; r++) {
    double *row = entry(basis, r, 0);
    if (r >= number) memmove(row, entry(basis, r + 1, 0), basis->count * sizeof *row);
    memmove(row + number, row + number + 1, behind * sizeof *row);
  }
  basis->count--;
}

bool ls_basis_drop(struct ls_basis *basis, size_t number) {
  double own = *entry(basis, number, number);
  if (basis->count == 1 || !(fabs(own) > 0)) return false;
  double change = -basis->duals[number] * basis->loads[number] / own;
  if (!(change > IMPROVEMENT * basis->throughput)) return false;
  double scale = basis->loads[number] / own;
  for (size_t r = 0; r < basis->count; r++) {
    double load = basis->loads[r] - *entry(basis, r, number) * scale;
    if (r != number && !(load >= -NEGATIVE * basis->throughput)) return false;
  }
  /* The inverse of the smaller matrix is the Schur complement. */
  const double *leaving = entry(basis, number, 0);
  for (size_t r = 0; r < basis->count; r++) {
    if (r == number) continue;
    double *row = entry(basis, r, 0);
    double factor = row[number] / own;
    for (size_t column = 0; column < basis->count; column++)
      row[column] -= factor * leaving[column];
  }
  remove_number(basis, number);
  (void)sum_inverse(basis);
  return true;
}

void ls_basis_store(const struct ls_basis *basis, const struct ls_returns *returns,
                    struct ls_scenario *scenario) {
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  scenario->count = basis->count;
  scenario->throughput = basis->throughput;
  for (size_t k = 0; k < basis->count; k++) {
    scenario->sends[k] = basis->workers[basis->order[0][k]];
    scenario->returns[basis->count - 1 - k] = basis->workers[basis->order[1][k]];
    scenario->units[basis->workers[k]] = fmax(basis->loads[k], 0);
  }
}
