/* short_help.h: what `SUBCOMMAND -h` prints: what people do most, on at most 25 lines.
 *
 * What an option does comes from argp's tables; here stands only which options are common.
 */
#ifndef LS_CLI_SHORT_HELP_H
#define LS_CLI_SHORT_HELP_H

#include <argp.h>
#include <stddef.h>

#include "base/bytes.h"

/* `program`: its name and the subcommand, as in "loadstar run". Options that `argp` does not have
 * are left out; no line of an option is as long as `columns`; a subcommand that is not known has
 * its usage only. */
void ls_short_help_write(const struct argp *argp, const char *program, size_t columns,
                         struct ls_bytes *out);
/* The length of the first statement of an option's help, at most `room` bytes: the rest is for
 * --help. */
size_t ls_short_help_measure(const char *doc, size_t room);

#endif
