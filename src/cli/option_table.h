/* option_table.h: the options of a subcommand as JSON, from the tables that argp parses by.
 *
 * {"program": "loadstar run", "usage": "COMMAND ...", "words": [WORD, ...],
 *  "options": [{"long": "workers", "short": "j", "synonyms": [{"long": "jobs"}, ...],
 *    "argument": "N", "argument_optional": false, "group": "Workers", "help": "...",
 *    "words": [WORD, ...]}, ...]}
 * Hidden options are left out. The others stand in the order of --help's groups. Without an
 * argument, a short name, a group or a list of words the member is null; the outer "words" may
 * stand behind the options.
 */
#ifndef LS_CLI_OPTION_TABLE_H
#define LS_CLI_OPTION_TABLE_H

#include <argp.h>
#include <jansson.h>

/* `program`: its name and the subcommand, as in "loadstar run". The caller releases it; NULL: out
 * of memory. */
json_t *ls_option_table_make(const struct argp *argp, const char *program);

#endif
