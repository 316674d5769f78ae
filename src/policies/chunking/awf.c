/* awf.c: Adaptive Weighted Factoring over time steps (AWF).
 *
 * Reference:  banicescu2003; see awf_shared.c.
 * Assumes:    iterations (time steps) of like work; a worker's speed changes slowly beside one.
 * Answers:    wf2 with weights from the earlier iterations, the later ones counting more, fixed
 *             within an iteration.  In the first one: the weights given, or all equal.
 * Cost:       O(1) per request, O(p) per batch.
 * Symbols:    those of awf_shared.c, with the iterations as reports.
 */
#include "policies/chunking.h"
#include "policies/chunking/awf_shared.h"

const struct ls_chunking ls_chunking_awf = {
    .name = "awf",
    .summary = "adaptive weighted factoring: weights from the earlier iterations",
    .reference = "Banicescu, Velusamy, Devaprasad 2003",
    .facts = LS_CHUNKING_WEIGHTS,
    .learns = true,
    .init = ls_awf_init_earlier,
    .resize = ls_awf_resize,
    .next_units = ls_awf_next_by_batch,
    .on_worker = ls_awf_on_worker,
};
