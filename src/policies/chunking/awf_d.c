/* awf_d.c: Adaptive Weighted Factoring, variant D (AWF-D).
 *
 * Reference:  carino2008; see awf_shared.c.
 * Assumes:    that a worker's speed changes slowly beside the time between two reports.
 * Answers:    New weights and R when a batch of p requests opens; t is the time elapsed at the
 *             master, which holds what a request costs.
 * Cost:       O(p) per batch.
 * Symbols:    those of awf_shared.c.
 */
#include "policies/chunking.h"
#include "policies/chunking/awf_shared.h"

const struct ls_chunking ls_chunking_awf_d = {
    .name = "awf-d",
    .summary =
        "adaptive weighted factoring: weights from elapsed times, at every opening of a batch",
    .reference = "Carino, Banicescu 2008",
    .facts = LS_CHUNKING_WEIGHTS,
    .learns = true,
    .init = ls_awf_init,
    .resize = ls_awf_resize,
    .next_units = ls_awf_next_by_batch,
    .on_report = ls_awf_on_report_elapsed,
    .on_worker = ls_awf_on_worker,
};
