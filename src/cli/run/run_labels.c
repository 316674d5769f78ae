#include "cli/run/run_labels.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/terms_options.h"

static bool have_need(const struct ls_run_options *options, const char *labels) {
  return options->needs == NULL || ls_labels_have(labels, options->needs);
}

/* Its chunks would go to others than it was made for. */
static enum ls_status refuse_plan(const struct ls_run_options *options, const char *who,
                                  struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "--plan is given with --needs %s, which %s lack: expected a plan over workers "
                 "that all have it",
                 options->needs, who);
}

enum ls_status ls_run_labels_begin(struct ls_run_options *options, bool has_ranks,
                                   struct ls_error *err) {
  if (options->needs == NULL) return LS_OK;
  if (options->logins.is_on_all)
    return ls_fail(err, LS_EINVAL,
                   "--needs %s and --onall or --nonall exclude each other: all hosts do each task",
                   options->needs);
  if (has_ranks && !have_need(options, options->labels))
    return ls_fail(err, LS_EINVAL,
                   "--needs is '%s', which the processes of MPI lack: expected with them --label "
                   "%s, or --transport local",
                   options->needs, options->needs);
  bool is_lacking = options->has_slurm && !have_need(options, options->slurm.labels);
  if (is_lacking && options->plan != NULL) return refuse_plan(options, "those of --slurm", err);
  options->has_slurm = options->has_slurm && !is_lacking;
  return LS_OK;
}

enum ls_status ls_run_labels_check(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_terms *terms = &options->terms;
  const char *other = options->logins.is_on_all      ? "--onall or --nonall"
                      : options->plan != NULL        ? "--plan"
                      : options->sizing != NULL      ? "--sizing"
                      : options->replication != NULL ? "--replication"
                      : terms->deadline_s > 0        ? "--deadline"
                      : ls_terms_limit_price(terms)  ? "--price-max"
                                                     : NULL;
  if (!options->has_needs || other == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s takes all tasks for tasks of all workers, expected none of it where they need "
                 "labels of their own",
                 other);
}

/* As --no-local: with --listen the number still says how many to reckon with. */
static void leave_out_local(struct ls_run_options *options) {
  options->has_no_local = true;
  if (options->listen != NULL) return;
  options->workers = 0;
  options->speeds_count = 0;
}

enum ls_status ls_run_labels_narrow(struct ls_run_options *options, struct ls_host_list *hosts,
                                    struct ls_error *err) {
  size_t kept = 0;
  const char *lacking = NULL;
  if (options->needs == NULL) return LS_OK;
  for (size_t i = 0; i < hosts->count; i++) {
    if (have_need(options, hosts->items[i].labels))
      hosts->items[kept++] = hosts->items[i];
    else
      lacking = hosts->items[i].name;
  }
  hosts->count = kept;
  if (!options->has_no_local && !have_need(options, options->labels)) lacking = "workers here";
  if (options->plan != NULL && lacking != NULL) return refuse_plan(options, lacking, err);
  bool starts_here = !options->has_no_local && have_need(options, options->labels);
  bool has_any = starts_here || kept > 0 || options->has_slurm || options->listen != NULL ||
                 options->elsewhere.ranks > 0;
  if (!has_any)
    return ls_fail(err, LS_ENOWORKERS,
                   "--needs is '%s', and no worker that this run starts has that label: expected "
                   "--label %s for those here, --ssh HOST+%s, --slurm label=%s,..., or --listen "
                   "ADDRESS for others",
                   options->needs, options->needs, options->needs, options->needs);
  if (!starts_here) leave_out_local(options);
  return LS_OK;
}

enum ls_status ls_run_labels_add(struct ls_run_labels *labels, size_t workers, const char *text,
                                 struct ls_error *err) {
  void *items = labels->items;
  enum ls_status status =
      ls_array_reserve(&items, &labels->capacity, labels->count + workers, sizeof *labels->items);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for %zu workers", workers);
  labels->items = items;
  for (size_t i = 0; i < workers; i++) labels->items[labels->count++] = text;
  return LS_OK;
}

void ls_run_labels_close(struct ls_run_labels *labels) {
  free(labels->items);
  *labels = (struct ls_run_labels){0};
}
