/* line_limits.h: how long a command line may be on this machine.
 *
 * Measured where the command runs: the system takes what sysconf(_SC_ARG_MAX) says for words and
 * environment together, a pointer counted for each string, and never more than 128 KiB for a word.
 */
#ifndef LS_RUNTIME_OS_LINE_LIMITS_H
#define LS_RUNTIME_OS_LINE_LIMITS_H

#include <stdint.h>

#include "protocol/bundle.h"

/* The limits now, with the environment that commands get (it ends in NULL); `line_bytes_max` as in
 * struct ls_bundling. */
struct ls_line_limits ls_line_limits_find(uint64_t line_bytes_max, char *const *environment);

#endif
