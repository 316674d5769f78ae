/* awf_c.c: Adaptive Weighted Factoring, variant C (AWF-C).
 *
 * Reference:  carino2008; see awf_shared.c.
 * Assumes:    that a worker's speed changes slowly beside the time between two reports.
 * Answers:    New weights and R at every request; t is the seconds of the tasks.
 * Cost:       O(p) per request.
 * Symbols:    those of awf_shared.c.
 */
#include "policies/chunking.h"
#include "policies/chunking/awf_shared.h"

const struct ls_chunking ls_chunking_awf_c = {
    .name = "awf-c",
    .summary = "adaptive weighted factoring: weights from task times, at every request",
    .reference = "Carino, Banicescu 2008",
    .facts = LS_CHUNKING_WEIGHTS,
    .learns = true,
    .init = ls_awf_init,
    .resize = ls_awf_resize,
    .next_units = ls_awf_next_by_request,
    .on_report = ls_awf_on_report_seconds,
    .on_worker = ls_awf_on_worker,
};
