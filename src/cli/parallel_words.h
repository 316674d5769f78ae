/* parallel_words.h: a command line of GNU parallel as one of `loadstar run'.
 */
#ifndef LS_CLI_PARALLEL_WORDS_H
#define LS_CLI_PARALLEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Starts as {0}. The words are those of `run': its options, "--", the command and its inputs. */
struct ls_parallel_words {
  char **items; /* NULL-terminated; each owned */
  size_t count, capacity;
  bool has_failed; /* out of memory, as soon as it is so */
};

/* Reads GNU parallel's options, and those of `run' that it has not; --help and the like, and
 * options that are none, end the program. `argv[0]` is what messages begin with. LS_EINVAL: an
 * option that is not taken, or a wrong value; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_parallel_words_read(struct ls_parallel_words *words, int argc,
                                                 char **argv, struct ls_error *err);
void ls_parallel_words_close(struct ls_parallel_words *words);

#endif
