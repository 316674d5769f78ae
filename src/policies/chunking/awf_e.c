/* awf_e.c: Adaptive Weighted Factoring, variant E (AWF-E).
 *
 * Reference:  carino2008; see awf_shared.c.
 * Assumes:    that a worker's speed changes slowly beside the time between two reports.
 * Answers:    New weights and R at every request; t is the time elapsed at the master, which holds
 *             what a request costs.
 * Cost:       O(p) per request.
 * Symbols:    those of awf_shared.c.
 */
#include "policies/chunking.h"
#include "policies/chunking/awf_shared.h"

const struct ls_chunking ls_chunking_awf_e = {
    .name = "awf-e",
    .summary = "adaptive weighted factoring: weights from elapsed times, at every request",
    .reference = "Carino, Banicescu 2008",
    .facts = LS_CHUNKING_WEIGHTS,
    .learns = true,
    .init = ls_awf_init,
    .resize = ls_awf_resize,
    .next_units = ls_awf_next_by_request,
    .on_report = ls_awf_on_report_elapsed,
    .on_worker = ls_awf_on_worker,
};
