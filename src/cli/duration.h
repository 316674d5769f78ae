/* duration.h: seconds as people write them: 90, 2.5, 2m, 1h30m, 1d.
 *
 * The units are s, m, h and d; several parts, each with its unit, are added.  A number alone is in
 * seconds.
 */
#ifndef LS_CLI_DURATION_H
#define LS_CLI_DURATION_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/console.h"

/* False: the text is no duration. */
bool ls_duration_parse(const char *text, double *seconds);
/* LS_EINVAL names the field, what it is and what was expected. */
LS_CHECKED enum ls_status ls_duration_read(const char *field, const char *text,
                                           struct ls_real_range range, double *seconds,
                                           struct ls_error *err);
/* The same of seconds > 0, up to some decades. */
LS_CHECKED enum ls_status ls_duration_read_positive(const char *field, const char *text,
                                                    double *seconds, struct ls_error *err);

#endif
