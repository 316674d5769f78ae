/* awf_shared.h: adaptive weighted factoring, the common part of awf and its variants b, c, d, e.
 *
 * All are wf2 whose weights follow measurements.  They differ in when weights and R are
 * renewed (a batch opens; a request comes) and in what a worker's time is (of its tasks; elapsed at
 * the master, with all that a request costs).  Each variant's file is its descriptor.
 */
#ifndef LS_POLICIES_CHUNKING_AWF_SHARED_H
#define LS_POLICIES_CHUNKING_AWF_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "policies/chunking.h"

/* The functions of struct ls_chunking. */
/* Start weights only; what earlier iterations showed is not looked at. */
LS_CHECKED enum ls_status ls_awf_init(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                      void **memory, struct ls_error *err);
/* Start weights, and the speeds of the iterations before. */
LS_CHECKED enum ls_status ls_awf_init_earlier(struct ls_arena *arena,
                                              const struct ls_chunking_setup *setup, void **memory,
                                              struct ls_error *err);
LS_CHECKED enum ls_status ls_awf_resize(void *memory, size_t slots, struct ls_error *err);
/* New weights and R when a batch opens. */
uint64_t ls_awf_next_by_batch(void *memory, const struct ls_chunking_view *view, uint32_t worker);
/* New weights and R at every request. */
uint64_t ls_awf_next_by_request(void *memory, const struct ls_chunking_view *view, uint32_t worker);
void ls_awf_on_report_seconds(void *memory, const struct ls_chunking_view *view,
                              const struct ls_chunking_report *report);
void ls_awf_on_report_elapsed(void *memory, const struct ls_chunking_view *view,
                              const struct ls_chunking_report *report);
void ls_awf_on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back);

#endif
