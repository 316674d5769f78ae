/* run_calibrate.h: --calibrate FILE: the platform that a run renews by what it measures.
 *
 * It is read before the run begins, so a file that is none is told before hours of work; it is
 * replaced behind the run, whole or not at all.
 */
#ifndef LS_CLI_RUN_CALIBRATE_H
#define LS_CLI_RUN_CALIBRATE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_learnt.h"
#include "model/platform.h"

/* Starts as {0}. */
struct ls_run_calibrate {
  const char *name; /* as it was given; borrowed; NULL: not wanted */
  struct ls_platform platform;
  bool has_platform; /* the file was there */
};

/* LS_EINVAL: what is there is no platform in JSON, or nothing can be made there; names the file. */
LS_CHECKED enum ls_status ls_run_calibrate_open(struct ls_run_calibrate *calibrate,
                                                const char *path, struct ls_error *err);
/* Renews the file; `words` gets a line that says how. Where nothing was measured, or not what a
 * platform needs, the file stays as it was, and the line says so. Workers are found by name; where
 * none of the run's names is in the file, by their order. LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_calibrate_finish(struct ls_run_calibrate *calibrate,
                                                  const struct ls_run_learnt *learnt,
                                                  struct ls_bytes *words, struct ls_error *err);
void ls_run_calibrate_close(struct ls_run_calibrate *calibrate);

#endif
