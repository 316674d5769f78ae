/* awf.c: Adaptive Weighted Factoring over time steps (AWF).
 *
 * Reference:  banicescu2003; see awf_shared.c.
 * Assumes:    iterations (time steps) of like work; a worker's speed changes slowly beside one.
 * Answers:    wf2 with weights from the earlier iterations, the later ones counting more, fixed
 *             within an iteration.  In the first one: the weights given, or all equal.
 * Cost:       O(1) per request, O(workers_max) per batch.
 * Symbols:    those of awf_shared.c, with the iterations as reports.
 */
#include "policies/chunking.h"
#include "policies/chunking/awf_private.h"

/* The weights stay; but who listens to reports gets them, and the next iteration needs them. */
static void on_report(void *memory, const struct ls_chunking_view *view,
                      const struct ls_chunking_report *report) {
  (void)memory;
  (void)view;
  (void)report;
}

const struct ls_chunking ls_chunking_awf = {
    .name = "awf",
    .summary = "adaptive weighted factoring: weights from the earlier iterations",
    .reference = "Banicescu, Velusamy, Devaprasad 2003",
    .facts = LS_CHUNKING_WEIGHTS,
    .state_bytes = ls_awf_state_bytes,
    .init = ls_awf_init_earlier,
    .next_units = ls_awf_next_by_batch,
    .on_report = on_report,
    .on_worker = ls_awf_on_worker,
};
