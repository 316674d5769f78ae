/* help_width.h: how wide --help is.
 */
#ifndef LS_CLI_HELP_WIDTH_H
#define LS_CLI_HELP_WIDTH_H

#include <stddef.h>

/* Columns of standard output when it is a terminal; 0: it is none, or does not say. */
size_t ls_terminal_columns(void);
/* Columns of help, from 60 to 120: $COLUMNS, else the terminal's, else 80. */
size_t ls_help_columns(void);
/* Lets argp wrap its help at that width until ls_help_width_end; a user's $ARGP_HELP_FMT stands. */
void ls_help_width_begin(void);
/* Tasks get the environment as it was. */
void ls_help_width_end(void);

#endif
