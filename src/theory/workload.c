#include "theory/workload.h"

#include <assert.h>
#include <math.h>

static void fill(double *work, size_t count, double total, bool differ) {
  assert(total >= 0 && isfinite(total));
  double steps = (double)count * ((double)count + 1) / 2;
  for (size_t i = 0; i < count; i++) {
    work[i] = differ ? total * ((double)i + 1) / steps : total / (double)count;
  }
}

enum ls_status ls_workload_make(const struct ls_workload *workload, double *work,
                                struct ls_error *err) {
  size_t tasks = workload->tasks;
  double share = workload->share_percent / 100;
  if (tasks == 0) return ls_fail(err, LS_EINVAL, "workload: tasks is 0, must be >= 1");
  if (!(share >= 0 && share <= 1)) {
    return ls_fail(err, LS_EINVAL, "workload: share_percent is %g, must be 0 to 100",
                   workload->share_percent);
  }
  if (!(workload->total > 0) || !isfinite(workload->total)) {
    return ls_fail(err, LS_EINVAL, "workload: total is %g, must be > 0 and finite",
                   workload->total);
  }
  size_t large = (size_t)floor(0.2 * (double)tasks + 0.5);
  assert(large <= tasks);
  if (large == 0) share = 0;
  if (large == tasks) share = 1;
  fill(work, large, workload->total * share, workload->large_differ);
  fill(work + large, tasks - large, workload->total * (1 - share), workload->small_differ);
  return LS_OK;
}

double ls_workload_vary(double work, double deviation, double chance) {
  assert(chance >= 0 && chance < 1);
  double factor = 1 + deviation * (2 * chance - 1);
  return work * (factor > 0.001 ? factor : 0.001);
}
