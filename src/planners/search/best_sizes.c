/* best_sizes.c: sizes with which no worker waits, for any sequence of messages.
 *
 * Reference:  yang2002, the model; the recurrence is that of planner `xmi`
 *             (docs/theory/umr.md, 3.9), for any sequence.
 * Assumes:    one transfer at a time; reduced workers; compute_per_unit_s > 0.
 * Answers:    no suffix, when every one would need a negative size.
 * Cost:       O(messages).
 * Symbols:    x_k = p_k x + q_k -> units of message k; R_k -> time to send what comes after message
 *             k; E -> from the last arrival at the master's port to the end.
 *
 * Message k, if a later one goes to its worker, computes until that one is there:
 *     cLat + x_k/S = R_k - R_next.
 * A worker's last message ends with all others: tLat + cLat + x_k/S = E + R_k.
 */
#include "planners/search/best_sizes.h"

#include <math.h>
#include <stdlib.h>

#include "planners/search/best_changes.h"
#include "planners/star/reduced_star.h"

/* A size below -negligible * load makes a suffix impossible. */
static const double negligible = 1e-12;

/* Where the sum of all q outgrows the load, x is the small difference of two large numbers, and so
 * is every size: beyond this many loads a plan would not be the load any more. */
static const double drowned = 1e5;

/* An affine function of the unknown x. */
struct affine {
  double p, q;
};

/* The state of the backward pass after some messages. */
struct pass {
  struct affine after; /* R: time to send them all */
  struct affine end;   /* E */
  struct affine sum;   /* of their units */
  double x_least;      /* below it some size is negative */
};

enum ls_status ls_best_sizes_init(struct ls_best_sizes *sizes, size_t workers_count,
                                  size_t count_max, struct ls_error *err) {
  *sizes = (struct ls_best_sizes){.workers_count = workers_count};
  sizes->p = calloc(count_max + 1, sizeof *sizes->p);
  sizes->q = calloc(count_max + 1, sizeof *sizes->q);
  sizes->next_p = calloc(workers_count, sizeof *sizes->next_p);
  sizes->next_q = calloc(workers_count, sizeof *sizes->next_q);
  sizes->is_seen = calloc(workers_count, sizeof *sizes->is_seen);
  if (sizes->p != NULL && sizes->q != NULL && sizes->next_p != NULL && sizes->next_q != NULL &&
      sizes->is_seen != NULL) {
    return LS_OK;
  }
  ls_best_sizes_close(sizes);
  return ls_fail(err, LS_ENOMEM, "no memory for sequences of %zu messages", count_max);
}

void ls_best_sizes_close(struct ls_best_sizes *sizes) {
  free(sizes->p);
  free(sizes->q);
  free(sizes->next_p);
  free(sizes->next_q);
  free(sizes->is_seen);
  *sizes = (struct ls_best_sizes){0};
}

/* The size of the next message towards the front. */
static struct affine size_message(struct ls_best_sizes *sizes, struct pass *pass,
                                  const struct ls_star_worker *worker, uint32_t index,
                                  bool is_last) {
  struct affine size;
  if (is_last) {
    size = (struct affine){1, 0};
    pass->end =
        (struct affine){worker->compute_per_unit_s, worker->delay_s + worker->compute_latency_s};
  } else if (sizes->is_seen[index]) {
    size.p = (pass->after.p - sizes->next_p[index]) / worker->compute_per_unit_s;
    size.q = (pass->after.q - sizes->next_q[index] - worker->compute_latency_s) /
             worker->compute_per_unit_s;
  } else {
    size.p = (pass->end.p + pass->after.p) / worker->compute_per_unit_s;
    size.q = (pass->end.q + pass->after.q - worker->delay_s - worker->compute_latency_s) /
             worker->compute_per_unit_s;
  }
  sizes->is_seen[index] = true;
  sizes->next_p[index] = pass->after.p;
  sizes->next_q[index] = pass->after.q;
  pass->after.p += worker->send_per_unit_s * size.p;
  pass->after.q += worker->send_per_unit_s * size.q + worker->send_latency_s;
  pass->sum.p += size.p;
  pass->sum.q += size.q;
  return size;
}

bool ls_best_sizes_find(struct ls_best_sizes *sizes, const struct ls_reduced_star *workers,
                        const struct ls_best_order *sequence, double load,
                        struct ls_best_suffix *suffix) {
  struct pass pass = {.x_least = 0};
  bool is_found = false;
  for (size_t i = 0; i < workers->count; i++) sizes->is_seen[i] = false;
  for (size_t k = sequence->count; k-- > 0;) {
    uint32_t index = sequence->items[k];
    struct affine size =
        size_message(sizes, &pass, &workers->items[index], index, k + 1 == sequence->count);
    sizes->p[k] = size.p;
    sizes->q[k] = size.q;
    if (!(pass.sum.p < 1e200) || !(fabs(pass.sum.q) < drowned * load)) break;
    double least = -negligible * load - size.q;
    if (size.p > 0) {
      pass.x_least = fmax(pass.x_least, least / size.p);
    } else if (least > 0) {
      break; /* negative in every longer sequence, too */
    }
    double x = (load - pass.sum.q) / pass.sum.p;
    if (!(x >= pass.x_least)) continue;
    double makespan_s = (pass.after.p + pass.end.p) * x + pass.after.q + pass.end.q;
    if (is_found && makespan_s >= suffix->makespan_s) continue;
    *suffix = (struct ls_best_suffix){.first = k, .x = x, .makespan_s = makespan_s};
    is_found = true;
  }
  return is_found;
}

double ls_best_sizes_units(const struct ls_best_sizes *sizes, const struct ls_best_suffix *suffix,
                           size_t index) {
  return sizes->p[index] * suffix->x + sizes->q[index];
}
