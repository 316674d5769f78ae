/* returns_chain.c: closed forms of neighbouring pairs of orders.
 *
 * Reference:  section 1 of the project's specification of returns (no idle time); the updates are
 *             Woodbury's.
 * Assumes:    two ports, no latencies, at most capacity workers.
 * Answers:    with A the matrix of the rows, a = A^-1 1, y = A^-T 1, rho = sum a = sum y.  A swap
 *             of neighbours i, j adds cost_j to entry (i, j) and takes cost_i from entry (j, i).
 *             Without worker i the throughput is rho - y_i a_i / (A^-1)_ii.
 * Cost:       O(k^3) to load, O(1) to judge a swap or a drop, O(k^2) to make it.
 * Symbols:    a -> loads, y -> duals, rho -> throughput, A^-1 -> inverse.
 */
#include "planners/returns_chain_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A load below minus this part of the throughput is negative. */
static const double NEGATIVE = 1e-13;
static const double IMPROVEMENT = 1e-12;

enum ls_status ls_chain_open(struct ls_chain *chain, size_t capacity, struct ls_error *err) {
  *chain = (struct ls_chain){.capacity = capacity};
  chain->workers = calloc(capacity, sizeof *chain->workers);
  chain->inverse = calloc(capacity * capacity, sizeof *chain->inverse);
  chain->compute_s = calloc(capacity, sizeof *chain->compute_s);
  chain->loads = calloc(capacity, sizeof *chain->loads);
  chain->duals = calloc(capacity, sizeof *chain->duals);
  bool has_all = chain->workers != NULL && chain->inverse != NULL && chain->compute_s != NULL &&
                 chain->loads != NULL && chain->duals != NULL;
  for (int side = 0; side < 2; side++) {
    chain->order[side] = calloc(capacity, sizeof *chain->order[side]);
    chain->cost[side] = calloc(capacity, sizeof *chain->cost[side]);
    if (chain->order[side] == NULL || chain->cost[side] == NULL) has_all = false;
  }
  if (has_all) return LS_OK;
  ls_chain_close(chain);
  return ls_fail(err, LS_ENOMEM, "no memory for pairs of orders of %zu workers", capacity);
}

void ls_chain_close(struct ls_chain *chain) {
  free(chain->workers);
  free(chain->inverse);
  free(chain->compute_s);
  free(chain->loads);
  free(chain->duals);
  for (int side = 0; side < 2; side++) {
    free(chain->order[side]);
    free(chain->cost[side]);
  }
  *chain = (struct ls_chain){0};
}

static double *entry(const struct ls_chain *chain, size_t row, size_t column) {
  return &chain->inverse[row * chain->capacity + column];
}

void ls_chain_copy(struct ls_chain *to, const struct ls_chain *from) {
  size_t count = from->count;
  to->count = count;
  to->throughput = from->throughput;
  memcpy(to->workers, from->workers, count * sizeof *to->workers);
  memcpy(to->compute_s, from->compute_s, count * sizeof *to->compute_s);
  memcpy(to->loads, from->loads, count * sizeof *to->loads);
  memcpy(to->duals, from->duals, count * sizeof *to->duals);
  for (int side = 0; side < 2; side++) {
    memcpy(to->order[side], from->order[side], count * sizeof *to->order[side]);
    memcpy(to->cost[side], from->cost[side], count * sizeof *to->cost[side]);
  }
  for (size_t i = 0; i < count; i++)
    memcpy(entry(to, i, 0), entry(from, i, 0), count * sizeof *to->inverse);
}

static void build_matrix(struct ls_chain *chain) {
  size_t count = chain->count;
  for (size_t i = 0; i < count; i++) {
    memset(entry(chain, i, 0), 0, count * sizeof *chain->inverse);
    *entry(chain, i, i) = chain->compute_s[i];
  }
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < count; k++) {
      size_t outer = chain->order[side][k];
      for (size_t m = k; m < count; m++)
        *entry(chain, chain->order[side][m], outer) += chain->cost[side][outer];
    }
  }
}

/* Gauss-Jordan in place, rows swapped for the largest pivot; `moved` has room for count numbers. */
static bool invert(struct ls_chain *chain, size_t *moved) {
  size_t count = chain->count;
  for (size_t k = 0; k < count; k++) {
    size_t largest = k;
    for (size_t r = k + 1; r < count; r++) {
      if (fabs(*entry(chain, r, k)) > fabs(*entry(chain, largest, k))) largest = r;
    }
    double pivot = *entry(chain, largest, k);
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    moved[k] = largest;
    double *row = entry(chain, k, 0), *other = entry(chain, largest, 0);
    for (size_t j = 0; j < count && largest != k; j++) {
      double kept = row[j];
      row[j] = other[j];
      other[j] = kept;
    }
    row[k] = 1;
    for (size_t j = 0; j < count; j++) row[j] /= pivot;
    for (size_t r = 0; r < count; r++) {
      double *target = entry(chain, r, 0);
      double factor = target[k];
      if (r == k || !(fabs(factor) > 0)) continue;
      target[k] = 0;
      for (size_t j = 0; j < count; j++) target[j] -= factor * row[j];
    }
  }
  for (size_t k = count; k-- > 0;) {
    for (size_t r = 0; r < count && moved[k] != k; r++) {
      double kept = *entry(chain, r, k);
      *entry(chain, r, k) = *entry(chain, r, moved[k]);
      *entry(chain, r, moved[k]) = kept;
    }
  }
  return true;
}

/* Loads and multipliers from the inverse; false: a load is negative. */
static bool sum_inverse(struct ls_chain *chain) {
  size_t count = chain->count;
  chain->throughput = 0;
  memset(chain->duals, 0, count * sizeof *chain->duals);
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    const double *row = entry(chain, i, 0);
    for (size_t j = 0; j < count; j++) {
      sum += row[j];
      chain->duals[j] += row[j];
    }
    chain->loads[i] = sum;
    chain->throughput += sum;
  }
  for (size_t i = 0; i < count; i++) {
    if (!(chain->loads[i] >= -NEGATIVE * chain->throughput)) return false;
  }
  return isfinite(chain->throughput);
}

bool ls_chain_load(struct ls_chain *chain, const struct ls_returns *returns,
                   const struct ls_scenario *scenario) {
  size_t count = scenario->count;
  chain->count = count;
  for (size_t k = 0; k < count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    chain->workers[k] = scenario->sends[k];
    chain->order[0][k] = k;
    chain->cost[0][k] = worker->send_s;
    chain->cost[1][k] = worker->reply_s;
    chain->compute_s[k] = worker->compute_s;
    for (size_t m = 0; m < count; m++) {
      if (scenario->returns[count - 1 - m] == scenario->sends[k]) chain->order[1][m] = k;
    }
  }
  build_matrix(chain);
  size_t *moved = calloc(count + 1, sizeof *moved);
  bool is_regular = moved != NULL && invert(chain, moved);
  free(moved);
  return is_regular && sum_inverse(chain);
}

/* A' = A + sum of e_row[k] factor[k] e_column[k]^T, k = 0, 1; M = (I + V A^-1 U)^-1. */
struct update {
  size_t i, j;        /* rows of the two changes; the columns are j and i */
  double plus, minus; /* of entry (i, j) and of entry (j, i) */
  double m[2][2];
};

/* False: the new matrix is singular. */
static bool prepare_swap(const struct ls_chain *chain, int side, size_t place,
                         struct update *update) {
  size_t i = chain->order[side][place], j = chain->order[side][place + 1];
  *update = (struct update){i, j, chain->cost[side][j], -chain->cost[side][i], {{0}}};
  double a = 1 + update->plus * *entry(chain, j, i), b = update->plus * *entry(chain, j, j);
  double c = update->minus * *entry(chain, i, i), d = 1 + update->minus * *entry(chain, i, j);
  double determinant = a * d - b * c;
  if (!(fabs(determinant) > 1e-9)) return false;
  update->m[0][0] = d / determinant;
  update->m[0][1] = -b / determinant;
  update->m[1][0] = -c / determinant;
  update->m[1][1] = a / determinant;
  return true;
}

bool ls_chain_swap(struct ls_chain *chain, int side, size_t place, double least) {
  struct update update;
  if (!prepare_swap(chain, side, place, &update)) return false;
  size_t i = update.i, j = update.j, count = chain->count;
  double v[2] = {update.plus * chain->loads[j], update.minus * chain->loads[i]};
  double s[2] = {update.m[0][0] * v[0] + update.m[0][1] * v[1],
                 update.m[1][0] * v[0] + update.m[1][1] * v[1]};
  double change = -(chain->duals[i] * s[0] + chain->duals[j] * s[1]);
  if (!(change > least * chain->throughput)) return false;
  for (size_t r = 0; r < count; r++) {
    double load = chain->loads[r] - *entry(chain, r, i) * s[0] - *entry(chain, r, j) * s[1];
    if (!(load >= -NEGATIVE * chain->throughput)) return false;
  }
  const double *row_i = entry(chain, i, 0), *row_j = entry(chain, j, 0);
  for (size_t column = 0; column < count; column++) {
    /* The two rows change too: they are read before they are written. */
    double p = update.plus * row_j[column], q = update.minus * row_i[column];
    chain->duals[column] = update.m[0][0] * p + update.m[0][1] * q; /* scratch */
    chain->loads[column] = update.m[1][0] * p + update.m[1][1] * q;
  }
  for (size_t r = 0; r < count; r++) {
    double *row = entry(chain, r, 0);
    double p = row[i], q = row[j];
    for (size_t column = 0; column < count; column++)
      row[column] -= p * chain->duals[column] + q * chain->loads[column];
  }
  chain->order[side][place] = j;
  chain->order[side][place + 1] = i;
  (void)sum_inverse(chain);
  return true;
}

static void remove_number(struct ls_chain *chain, size_t number) {
  for (int side = 0; side < 2; side++) {
    size_t kept = 0;
    for (size_t k = 0; k < chain->count; k++) {
      size_t here = chain->order[side][k];
      if (here != number) chain->order[side][kept++] = here > number ? here - 1 : here;
    }
    memmove(chain->cost[side] + number, chain->cost[side] + number + 1,
            (chain->count - number - 1) * sizeof *chain->cost[side]);
  }
  size_t behind = chain->count - number - 1;
  memmove(chain->workers + number, chain->workers + number + 1, behind * sizeof *chain->workers);
  memmove(chain->compute_s + number, chain->compute_s + number + 1,
          behind * sizeof *chain->compute_s);
  for (size_t r = 0; r + 1 < chain->count; r++) {
    double *row = entry(chain, r, 0);
    if (r >= number) memmove(row, entry(chain, r + 1, 0), chain->count * sizeof *row);
    memmove(row + number, row + number + 1, behind * sizeof *row);
  }
  chain->count--;
}

bool ls_chain_drop(struct ls_chain *chain, size_t number) {
  double own = *entry(chain, number, number);
  if (chain->count == 1 || !(fabs(own) > 0)) return false;
  double change = -chain->duals[number] * chain->loads[number] / own;
  if (!(change > IMPROVEMENT * chain->throughput)) return false;
  double scale = chain->loads[number] / own;
  for (size_t r = 0; r < chain->count; r++) {
    double load = chain->loads[r] - *entry(chain, r, number) * scale;
    if (r != number && !(load >= -NEGATIVE * chain->throughput)) return false;
  }
  /* The inverse of the smaller matrix is the Schur complement. */
  const double *leaving = entry(chain, number, 0);
  for (size_t r = 0; r < chain->count; r++) {
    if (r == number) continue;
    double *row = entry(chain, r, 0);
    double factor = row[number] / own;
    for (size_t column = 0; column < chain->count; column++)
      row[column] -= factor * leaving[column];
  }
  remove_number(chain, number);
  (void)sum_inverse(chain);
  return true;
}

void ls_chain_store(const struct ls_chain *chain, const struct ls_returns *returns,
                    struct ls_scenario *scenario) {
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  scenario->count = chain->count;
  scenario->throughput = chain->throughput;
  for (size_t k = 0; k < chain->count; k++) {
    scenario->sends[k] = chain->workers[chain->order[0][k]];
    scenario->returns[chain->count - 1 - k] = chain->workers[chain->order[1][k]];
    scenario->units[chain->workers[k]] = fmax(chain->loads[k], 0);
  }
}
