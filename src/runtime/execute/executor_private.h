/* executor_private.h: what the executors that compute for an application share. */
#ifndef LS_RUNTIME_EXECUTE_EXECUTOR_PRIVATE_H
#define LS_RUNTIME_EXECUTE_EXECUTOR_PRIVATE_H

#include "coordinator/event.h"
#include "runtime/execute/executor.h"

/* Gives the application what was broadcast for `work->iteration`: it is the input of `work`. */
enum ls_outcome ls_receiving_run(const struct ls_executor_setup *setup, const struct ls_work *work,
                                 struct ls_bytes *error_output);
/* Stages in the calling process; the outputs as of computing. */
enum ls_outcome ls_staging_run(const struct ls_executor_setup *setup, const struct ls_work *work,
                               struct ls_bytes *staged, struct ls_bytes *error_output,
                               double *seconds);
/* Computes in the calling process and rests as the speed demands; `*seconds` includes the rest.
 * Appends the output, or the reason of a failure to `error_output` (the output is then empty). */
enum ls_outcome ls_computation_run(const struct ls_executor_setup *setup,
                                   const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_bytes *error_output, double *seconds);
/* Seconds of rest after `used_s` seconds of computing that began at `start_s` on the clock, as the
 * speed and the load of that time demand. */
double ls_computation_rest_s(const struct ls_executor_setup *setup, double start_s, double used_s);
/* The units for the next call, after a call for `units` lasted `seconds`: twice as many until a
 * call lasts 10 ms, half as many when it lasted over 40 ms. Only a full call (or a long one) says
 * anything. */
uint64_t ls_computation_adapt(uint64_t units_max, uint64_t units, double seconds);
/* Fills in what a range of units that ended tells; outputs are the caller's. */
struct ls_execution ls_computation_report(enum ls_outcome outcome, struct ls_range units,
                                          double seconds);

#endif
