/* run_summary.h: the outcome of a run, for people and as JSON. */
#ifndef LS_CLI_RUN_SUMMARY_H
#define LS_CLI_RUN_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/offers.h"
#include "advise/size_advice.h"
#include "base/bytes.h"
#include "cli/run/failures.h"
#include "cli/run/run_learnt.h"
#include "model/account.h"
#include "runtime/master/master.h"

struct ls_run_summary {
  const struct ls_master_report *report;
  const char *application; /* "run" */
  const char *policy;      /* in words */
  const char *order;
  const char *listens;         /* for whom, in words; NULL or "": for local workers alone */
  const char *pools;           /* where workers were to come from; NULL or "": as listens */
  const char *reason;          /* "ss, because ...": why auto chose it; NULL or "": it did not */
  bool has_asked;              /* the user has asked for a choice, and hears of it in any case */
  struct ls_terms terms;       /* for the workers */
  const char *prefetch_reason; /* "2: ...": of --prefetch auto; NULL or "": it was not asked */
  const char *expectations;    /* a line for each candidate, best first; NULL or "": none */
  const char *advice;          /* the last one of the run; NULL or "": none */
  const struct ls_failures *failures; /* NULL: none */
  const char *repeat; /* a command line that repeats them; NULL or "": there is none */
  const char *sizing, *replication;       /* NULL: none */
  const struct ls_comparison *comparison; /* with the prediction; NULL: there was none */
  const char *excuse; /* why there is none though something was known; NULL or "": none */
  const struct ls_run_learnt *learnt; /* NULL: nothing was */
  const struct ls_size_advice *size;  /* how many workers were right; NULL: nothing is said */
  const char *calibrated;             /* how a platform was renewed; NULL or "": none was */
  size_t extra;                       /* workers kept for replicas */
  uint64_t tries;                     /* after which a task is abandoned; 0: not known */
  bool has_foretold;                  /* the user has asked for a prediction */
  bool has_bundles;                   /* commands took several of them */
  bool is_brief;                      /* what everybody wants to know, in plain words */
  uint64_t units;
  uint64_t prefetch, seed;
  int exit_status;
};

/* Tasks that will not run any more in this session: the run was stopped before them. */
uint64_t ls_run_summary_left(const struct ls_run_summary *summary);
/* Tasks that have failed or were abandoned, in this session or an earlier one. */
uint64_t ls_run_summary_failed(const struct ls_run_summary *summary);
void ls_run_summary_write(const struct ls_run_summary *summary, struct ls_bytes *out);
void ls_run_summary_write_json(const struct ls_run_summary *summary, struct ls_bytes *out);

#endif
