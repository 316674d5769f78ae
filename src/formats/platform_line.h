/* platform_line.h: a platform in one line: "10x(compute=0.3+1x, transfer=0.1+0.05x)".
 *
 *   platform  = part { (";" | "+") part }
 *   part      = [COUNT ["x"]] "(" [setting {"," setting}] ")"      a group of equal workers
 *             | setting {"," setting}                              of the platform
 *   of workers    send transfer receive compute reply = cost; delay cost = seconds, price per
 * second; name = text; window = FROM:[TO] units; on_master = true | false; task_seconds =
 * LAW:MEAN[:DEVIATION] of platforms  ports = two-port | one-port | multi-port; alpha, limit (of
 * multi-port); prepare = cost; share = number
 *   cost      = LATENCY + PER_UNIT x, in any order, either may be absent: 0.3+1x, 1x, 0.3
 *
 * What is absent costs nothing, as in the JSON form.  Blanks mean nothing.
 */
#ifndef LS_FORMATS_PLATFORM_LINE_H
#define LS_FORMATS_PLATFORM_LINE_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "model/platform.h"

/* The caller closes the result. LS_EINVAL names the column, what stands there and what was
 * expected. */
LS_CHECKED enum ls_status ls_platform_read_line(struct ls_platform *platform, struct ls_text text,
                                                struct ls_error *err);

#endif
