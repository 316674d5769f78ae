/* elapsed.h: durations as Slurm's accounting writes them. */
#ifndef LS_FORMATS_ELAPSED_H
#define LS_FORMATS_ELAPSED_H

#include <stdbool.h>
#include <stddef.h>

/* [DAYS-]HOURS:MINUTES:SECONDS or MINUTES:SECONDS, perhaps with a fraction; false: it is none. */
bool ls_elapsed_read(const char *text, size_t length, double *seconds);

#endif
