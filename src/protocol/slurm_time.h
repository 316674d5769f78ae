/* slurm_time.h: lengths of time as Slurm writes them.
 *
 * MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES,
 * DAYS-HOURS:MINUTES:SECONDS.  What Slurm prints always has a colon, so that its "0:40" are 40
 * seconds.
 */
#ifndef LS_PROTOCOL_SLURM_TIME_H
#define LS_PROTOCOL_SLURM_TIME_H

#include <stdbool.h>

#include "base/bytes.h"

/* What an option that takes such a length expects, in words. */
#define LS_SLURM_TIME_EXPECTED "[DAYS-]HOURS:MINUTES:SECONDS, MINUTES:SECONDS or MINUTES"

/* False: the text is none; minutes and seconds, and hours behind days, must be of the right size.
 */
bool ls_slurm_time_read(const char *text, double *seconds);
/* "2-03:04:05", "3:04:05", "4:05": rounded up to a second. */
void ls_slurm_time_write(double seconds, struct ls_bytes *out);

#endif
