#include "cli/run/run_staff.h"

#include "cli/run/run_pools.h"
#include "cli/run/worker_count.h"

struct ls_run_staff ls_run_staff_of(const struct ls_run_options *options,
                                    const struct ls_run_policy *policy) {
  bool is_alone = options->elsewhere.workers == 0 && !options->has_no_local;
  bool is_plain = policy->speeds == NULL && options->speeds_count == 0 && options->plan == NULL &&
                  options->platform == NULL && options->sizing == NULL;
  return (struct ls_run_staff){.file = is_alone && is_plain ? options->workers_file : NULL,
                               .most = options->workers_most,
                               .wanted = options->workers};
}

size_t ls_run_staff_places(const struct ls_run_staff *staff, size_t slots) {
  return staff->file != NULL && staff->most > slots ? staff->most : slots;
}

enum ls_status ls_run_staff_look(struct ls_run_staff *staff, uint64_t tasks, struct ls_error *err) {
  struct ls_worker_count count;
  struct ls_error why;
  enum ls_status status = ls_worker_count_read("--workers", staff->file, &count, &why);
  if (status != LS_OK) {
    bool is_news = !staff->is_wrong;
    staff->is_wrong = true;
    return is_news ? ls_fail(err, LS_EINVAL, "%s", why.text) : LS_OK;
  }
  staff->is_wrong = false;
  staff->wanted = ls_worker_count_of(&count, ls_run_pools_cores(), staff->most);
  /* More than tasks would find nothing to do. */
  if (staff->wanted > tasks) staff->wanted = tasks > 0 ? tasks : 1;
  return LS_OK;
}
