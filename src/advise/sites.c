#include "advise/sites.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

static const double FAR_MULTIPLE = 8, NEGLIGIBLE = 1e-3, WORTH = 0.995;

double ls_worker_unit_delay(const struct ls_worker_model *worker) {
  static const enum ls_operation on_the_way[] = {LS_OPERATION_SEND, LS_OPERATION_TRANSFER,
                                                 LS_OPERATION_RECEIVE, LS_OPERATION_REPLY};
  double delay_s = worker->delay_s;
  for (size_t i = 0; i < sizeof on_the_way / sizeof *on_the_way; i++)
    delay_s += ls_cost_time(&worker->costs[on_the_way[i]], 1);
  return delay_s;
}

/* The shortest delay of a far one; INFINITY: none is far. */
static double find_edge(double *delays, size_t count) {
  double most = FAR_MULTIPLE, edge_s = (double)INFINITY;
  ls_sort_ascending(delays, count);
  for (size_t i = 1; i < count; i++) {
    if (delays[i] < most * delays[i - 1] || delays[i] == delays[i - 1]) continue;
    most = delays[i] / delays[i - 1];
    edge_s = delays[i];
  }
  return edge_s;
}

enum ls_status ls_sites_find(const struct ls_platform *platform, bool *is_far, size_t *far,
                             struct ls_error *err) {
  size_t count = platform->workers_count;
  double *delays = calloc(count, sizeof *delays), least_s = (double)INFINITY;
  *far = 0;
  if (delays == NULL) return ls_fail(err, LS_ENOMEM, "no memory for delays of %zu workers", count);
  for (size_t i = 0; i < count; i++)
    least_s = fmin(least_s, ls_cost_time(&platform->workers[i].costs[LS_OPERATION_COMPUTE], 1));
  for (size_t i = 0; i < count; i++)
    delays[i] = fmax(ls_worker_unit_delay(&platform->workers[i]), NEGLIGIBLE * least_s);
  double edge_s = find_edge(delays, count);
  for (size_t i = 0; i < count; i++) {
    is_far[i] = ls_worker_unit_delay(&platform->workers[i]) >= edge_s;
    *far += is_far[i];
  }
  free(delays);
  return LS_OK;
}

bool ls_sites_pay(double near_s, double all_s) {
  return all_s < WORTH * near_s;
}

static void write_time(double time_s, struct ls_bytes *out) {
  if (isfinite(time_s))
    ls_bytes_printf(out, "%.4g s", time_s);
  else
    ls_bytes_append_text(out, "no way");
}

void ls_sites_describe(size_t far, double near_s, double all_s, struct ls_bytes *out) {
  const char *verdict = far == 1 ? "pays" : "pay";
  if (!ls_sites_pay(near_s, all_s)) verdict = far == 1 ? "does not pay" : "do not pay";
  ls_bytes_printf(out, "the %zu far worker%s %s: ", far, far == 1 ? "" : "s", verdict);
  write_time(all_s, out);
  ls_bytes_printf(out, " with %s, ", far == 1 ? "it" : "them");
  write_time(near_s, out);
  ls_bytes_append_text(out, " without");
}
