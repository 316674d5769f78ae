/* app_words.h: the words of an application, those behind `--`: options with two dashes. */
#ifndef LS_CLI_APP_WORDS_H
#define LS_CLI_APP_WORDS_H

#include <getopt.h>

#include "base/linkage.h"
#include "base/status.h"

LS_C_BEGIN

struct ls_app_words {
  const char *application;      /* before each message */
  const char *letters;          /* options of one letter, as getopt has them; NULL: none */
  const struct option *options; /* ends with a NULL name; values are neither '?' nor ':' */
  /* A word was found: its value in the list, or its letter.  `text` is what follows it, one of
   * argv; NULL: it takes nothing. */
  enum ls_status (*read)(void *context, int word, const char *text, struct ls_error *err);
  void *context;
};

/* Reads the words of argv[1] on, in order, to the first that `read` refuses.  LS_EINVAL: a word is
 * no option, lacks its value, or is none that was expected.  The order of argv may change, as by
 * getopt_long.  Nothing is kept between calls. */
LS_CHECKED enum ls_status ls_app_words_read(const struct ls_app_words *words, int argc, char **argv,
                                            struct ls_error *err);

LS_C_END

#endif
