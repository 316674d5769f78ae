/* option_words.h: the words that an option accepts, where there is a list of them.
 */
#ifndef LS_CLI_OPTION_WORDS_H
#define LS_CLI_OPTION_WORDS_H

#include <jansson.h>

/* The words of the option of this long name in the subcommand; `option` NULL: of what stands behind
 * its options. An array, which the caller releases; NULL: there is no list, or no memory. */
json_t *ls_option_words(const char *subcommand, const char *option);

#endif
