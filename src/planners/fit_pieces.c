#include "planners/fit_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/load_parts.h"
#include "model/room.h"
#include "model/windows.h"

void ls_fit_limits(const struct ls_fit *fit, uint32_t worker, double *least, double *most) {
  const struct ls_worker_model *model = &fit->platform->workers[worker];
  *least = ls_worker_chunk_least(model);
  if (fit->is_whole) *least = fmax(1, ls_whole_least(*least));
  *most = fit->is_total ? fit->rooms * model->room_units : ls_worker_chunk_most(model);
  /* A share is one of whole chunks: so many at most, of at most that size. */
  if (fit->is_total && *least > 0 && !isinf(*most))
    *most = fmin(*most, floor(*most / *least * (1 + 1e-9)) * model->window_to);
  if (fit->parts > 1) *most = fmin(*most, fmax(model->room_units / fit->parts, *least));
  if (fit->is_whole) *most = ls_whole_most(*most);
}

bool ls_fit_add(struct ls_fit *fit, struct ls_fit_piece piece) {
  if (fit->count == fit->capacity) return false;
  ls_fit_limits(fit, piece.worker, &piece.least, &piece.most);
  piece.is_used = piece.least <= piece.most;
  fit->items[fit->count++] = piece;
  return true;
}

/* Every piece as near to what was planned as it may be; what is left of the load. */
static double clamp_pieces(struct ls_fit *fit) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < fit->count; i++) {
    struct ls_fit_piece *piece = &fit->items[i];
    piece->units = 0;
    if (!piece->is_used) continue;
    piece->units = fmin(fmax(piece->planned, piece->least), piece->most);
    ls_sum_add(&sum, piece->units);
  }
  return fit->load - ls_sum_value(&sum);
}

/* What a piece can take (`sign` > 0) or give; in proportion to its size where there is no end. */
static double find_slack(const struct ls_fit_piece *piece, double sign, bool *is_endless) {
  *is_endless = sign > 0 && isinf(piece->most);
  if (!piece->is_used) return 0;
  if (*is_endless) return piece->units > 0 ? piece->units : 1;
  return sign > 0 ? piece->most - piece->units : piece->units - piece->least;
}

/* Shares what is left (or too much) among those who can take (or give) it; what remains of it. */
static double share_rest(struct ls_fit *fit, double rest) {
  struct ls_sum finite = {0}, endless = {0};
  for (size_t i = 0; i < fit->count; i++) {
    bool is_endless;
    double slack = find_slack(&fit->items[i], rest, &is_endless);
    ls_sum_add(is_endless ? &endless : &finite, slack);
  }
  bool has_endless = ls_sum_value(&endless) > 0;
  double total = has_endless ? ls_sum_value(&endless) : ls_sum_value(&finite);
  if (!(total > 0)) return rest;
  double share = has_endless ? rest / total : fmax(-1, fmin(1, rest / total));
  for (size_t i = 0; i < fit->count; i++) {
    bool is_endless;
    double slack = find_slack(&fit->items[i], rest, &is_endless);
    if (is_endless == has_endless && fit->items[i].is_used) fit->items[i].units += share * slack;
  }
  return has_endless ? 0 : rest - share * total;
}

static bool has_piece(const struct ls_fit *fit, uint32_t worker) {
  for (size_t i = 0; i < fit->count; i++) {
    if (fit->items[i].worker == worker) return true;
  }
  return false;
}

/* One more message for every worker (of whole shares: for those without one), in a round of its
 * own. False: that leads to nothing. */
static bool add_round(struct ls_fit *fit) {
  size_t before = fit->count;
  uint32_t round = before > 0 ? fit->items[before - 1].round + 1 : 0;
  for (uint32_t i = 0; i < fit->platform->workers_count; i++) {
    double least, most;
    ls_fit_limits(fit, i, &least, &most);
    if (!(least <= most) || (fit->is_total && has_piece(fit, i))) continue;
    struct ls_fit_piece piece = {
        .worker = i, .round = round, .chunk = SIZE_MAX, .planned = fmin(most, fit->load)};
    if (!ls_fit_add(fit, piece)) return false;
  }
  return fit->count > before;
}

/* Leaves out the used piece that is farthest below its window, or the smallest. */
static bool drop_piece(struct ls_fit *fit) {
  size_t worst = fit->count;
  double least = HUGE_VAL;
  for (size_t i = 0; i < fit->count; i++) {
    const struct ls_fit_piece *piece = &fit->items[i];
    double value = piece->planned - piece->least;
    if (!piece->is_used || !(value < least)) continue;
    least = value;
    worst = i;
  }
  if (worst == fit->count) return false;
  fit->items[worst].is_used = false;
  return true;
}

/* One unit more (`sign` > 0) or less to the piece that rounding has wronged most. */
static bool move_unit(struct ls_fit *fit, double sign) {
  size_t best = fit->count;
  double most = -HUGE_VAL;
  for (size_t i = 0; i < fit->count; i++) {
    const struct ls_fit_piece *piece = &fit->items[i];
    double units = piece->units + sign, wronged = sign * (piece->planned - piece->units);
    if (!piece->is_used || !(units >= piece->least && units <= piece->most)) continue;
    if (!(wronged > most)) continue;
    most = wronged;
    best = i;
  }
  if (best == fit->count) return false;
  fit->items[best].units += sign;
  return true;
}

/* Within their limits, which are whole: what these take goes to others. */
static bool take_whole(struct ls_fit *fit, const uint64_t *units) {
  double left = fit->load;
  size_t used = 0;
  for (size_t i = 0; i < fit->count; i++) {
    struct ls_fit_piece *piece = &fit->items[i];
    if (!piece->is_used) continue;
    piece->planned = piece->units;
    piece->units = fmin(fmax((double)units[used++], piece->least), piece->most);
    left -= piece->units;
  }
  for (; left > 0.5; left--)
    if (!move_unit(fit, 1)) return false;
  for (; left < -0.5; left++)
    if (!move_unit(fit, -1)) return false;
  return true;
}

/* Whole sizes; what a worker lacks or has too much of one piece, its next ones make good. */
static enum ls_status round_pieces(struct ls_fit *fit, bool *is_found, struct ls_error *err) {
  struct ls_load_part *parts = calloc(fit->count + 1, sizeof *parts);
  uint64_t *units = calloc(fit->count + 1, sizeof *units);
  size_t used = 0;
  enum ls_status status = LS_OK;
  if (parts == NULL || units == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory to round %zu chunks", fit->count);
    goto done;
  }
  for (size_t i = 0; i < fit->count; i++) {
    const struct ls_fit_piece *piece = &fit->items[i];
    double unit_s = ls_worker_unit_s(&fit->platform->workers[piece->worker]);
    if (piece->is_used) parts[used++] = (struct ls_load_part){piece->units, piece->worker, unit_s};
  }
  status = ls_load_round_parts(parts, used, (uint64_t)fit->load, units, err);
  if (status == LS_OK) *is_found = take_whole(fit, units);
done:
  free(parts);
  free(units);
  return status;
}

enum ls_status ls_fit_settle(struct ls_fit *fit, bool *is_settled, struct ls_error *err) {
  double tolerance = 1e-12 * fit->load;
  *is_settled = false;
  for (;;) {
    double rest = clamp_pieces(fit);
    if (fabs(rest) > tolerance) rest = share_rest(fit, rest);
    if (fabs(rest) <= tolerance) break;
    if (rest > 0 && !(fit->may_add && add_round(fit))) return LS_OK;
    if (rest < 0 && !drop_piece(fit)) return LS_OK;
  }
  if (fit->is_whole) return round_pieces(fit, is_settled, err);
  *is_settled = true;
  return LS_OK;
}
