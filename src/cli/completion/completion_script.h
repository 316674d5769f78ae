/* completion_script.h: what the scripts of all shells are made of.
 *
 * The options come from each subcommand's --options-json (option_table.h), so they are those that
 * the program parses. A script holds all words: completing starts no process.
 */
#ifndef LS_CLI_COMPLETION_COMPLETION_SCRIPT_H
#define LS_CLI_COMPLETION_COMPLETION_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"

struct ls_completion {
  const char *program;  /* as it is called */
  const char *function; /* the same, of characters that a shell's names may have */
  json_t *subcommands;  /* [{"name": "run", "summary": "...", "table": {...}}, ...] */
};

/* Whole scripts. */
void ls_completion_bash(const struct ls_completion *completion, struct ls_bytes *out);
void ls_completion_zsh(const struct ls_completion *completion, struct ls_bytes *out);
void ls_completion_fish(const struct ls_completion *completion, struct ls_bytes *out);

/* A member of an option, a table or a subcommand; NULL: it has none. */
const char *ls_completion_text(const json_t *object, const char *key);
/* The names of an option, as they are typed ("--workers", "-j", "--jobs"); the caller releases. */
json_t *ls_completion_spellings(const json_t *option);
/* Does the option take a folder? */
bool ls_completion_takes_folder(const json_t *option);
/* Is what stands behind "--" a command? What stands there is one without "--", too, where
 * `is_first`. */
bool ls_completion_takes_command(const json_t *table, bool is_first);
/* The words with `between` between them. */
void ls_completion_join(const json_t *words, const char *between, struct ls_bytes *out);
/* The names of the subcommands, with a space between them. */
void ls_completion_names(const struct ls_completion *completion, struct ls_bytes *out);
/* `length` bytes of a text, those of `special` behind a backslash, a quote so that it may stand
 * between quotes of a shell: as `quote`. */
void ls_completion_escape(const char *text, size_t length, const char *special, const char *quote,
                          struct ls_bytes *out);

#endif
