/* run_policy.h: from names on the command line to the coordinator's configuration.
 */
#ifndef LS_CLI_RUN_POLICY_H
#define LS_CLI_RUN_POLICY_H

#include "advise/run_advise.h"
#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_adaptive.h"
#include "cli/run/run_history.h"
#include "cli/run/run_options.h"
#include "coordinator/coordinator.h"

/* The choice. Owns its arrays; `config` points into them. */
struct ls_run_policy {
  struct ls_coordinator_config config; /* `weights`: one per worker, or NULL */
  struct ls_plan plan;                 /* of --plan */
  double *weights;
  struct ls_room *rooms; /* of the platform's workers; NULL: any */
  double *prices;        /* of a second of each worker; NULL: 1 */
  uint64_t prefetch;     /* that was asked for or, with auto, chosen */
  struct ls_arguments order_arguments;
  struct ls_run_adaptive adaptive;
  double *times_left; /* its times of what a resumed run has left; NULL: of all */
  struct ls_run_history history;
  struct ls_platform platform;     /* of --platform, by slot; no workers: none was given */
  double *speeds;                  /* of the workers that auto left; NULL: as in the options */
  size_t places;                   /* workers that there may be at once, >= config.workers */
  struct ls_run_advised advised;   /* of auto; no reason: it was not asked */
  struct ls_bytes prefetch_reason; /* of --prefetch auto, which chose it; else empty */
  bool may_save;                   /* auto decides on the number of workers, too */
  struct ls_bytes terms_words;     /* what --deadline or --price-max chose; else empty */
  bool misses_terms;               /* and that it cannot be kept */
  struct ls_coordinator_choice choices[LS_RUN_CHOICES_MAX];
};

/* Of what the names of order, policy, sizing and replication say by themselves, before anything is
 * read or begun. `has_times`: some are declared. LS_EINVAL names the option. */
LS_CHECKED enum ls_status ls_run_policy_check(const struct ls_run_options *options, bool has_times,
                                              struct ls_error *err);
/* LS_EINVAL names the option, file, field or policy at fault. `units`: of the first iteration. */
LS_CHECKED enum ls_status ls_run_policy_choose(struct ls_run_policy *policy,
                                               const struct ls_run_options *options, uint64_t units,
                                               struct ls_error *err);
void ls_run_policy_close(struct ls_run_policy *policy);
/* "gss least_units=2": the policy, with the parameters that differ from their defaults. */
void ls_run_policy_describe(const struct ls_run_policy *policy, struct ls_bytes *out);

#endif
