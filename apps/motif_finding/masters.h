/* masters.h: several masters share one search: `run ... -- --masters K`.
 *
 * Each is a run of its own, in a process of its own, with its share of the search space (`--share`)
 * and of the workers; the best of their bests is the answer.  Who started them shows what they say,
 * line by line, and ends when all have ended: with the worst of their ends.  When it dies, they do.
 */
#ifndef MOTIF_MASTERS_H
#define MOTIF_MASTERS_H

#include <stdbool.h>

/* Does this command line run several masters? */
bool masters_are_wanted(int argc, char **argv);
/* Runs them; the exit status. */
int masters_run(int argc, char **argv);

#endif
