/* console.h: what all subcommands share: messages, exit statuses, numbers from words, files.
 */
#ifndef LS_CLI_CONSOLE_H
#define LS_CLI_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/status.h"

enum ls_exit {
  LS_EXIT_OK = 0,
  LS_EXIT_FAILED = 1, /* it ran, and something asked for did not hold */
  LS_EXIT_USAGE = 2,
  LS_EXIT_INFRASTRUCTURE = 3,
  LS_EXIT_INTERRUPTED = 130,
  LS_EXIT_UNREAD = 141 /* as a shell shows the end by SIGPIPE */
};

/* The exit status that a failure of this kind means. */
int ls_console_exit(enum ls_status status);
/* Prints "NAME: text" on standard error; returns the exit status for `err->status`, which an
 * application may have forgotten to fill: that is a failure, too. */
int ls_console_fail(const char *name, const struct ls_error *err);

/* What a number may be, both ends included. */
struct ls_whole_range {
  uint64_t least, most;
};
struct ls_real_range {
  double least, most; /* DBL_MAX: no limit that messages need to tell */
};
/* Numbers from a whole word. LS_EINVAL names `field` ("--retries"), the value and the range. */
LS_CHECKED enum ls_status ls_console_whole(const char *field, const char *text,
                                           struct ls_whole_range range, uint64_t *number,
                                           struct ls_error *err);
LS_CHECKED enum ls_status ls_console_real(const char *field, const char *text,
                                          struct ls_real_range range, double *number,
                                          struct ls_error *err);
/* A size in bytes, more than 0: a number and perhaps one of K M G T (powers of 1024) or k m g t (of
 * 1000). LS_EINVAL names the field. */
LS_CHECKED enum ls_status ls_console_size(const char *field, const char *text, uint64_t *bytes,
                                          struct ls_error *err);
/* Reads a whole text into `out` (appended) without its byte order mark, of at most 2 GiB where it
 * is no ordinary file, for some have no end; "-" is standard input. LS_EINVAL names the file. */
#define LS_CONSOLE_BYTES_MOST ((size_t)1 << 31)
LS_CHECKED enum ls_status ls_console_read(const char *path, struct ls_bytes *out,
                                          struct ls_error *err);
/* All bytes of a file, at most `most` where it is no ordinary one. */
LS_CHECKED enum ls_status ls_console_read_most(const char *path, size_t most, struct ls_bytes *out,
                                               struct ls_error *err);
/* Reads a file of JSON, "-" is standard input; the caller owns the document. LS_EINVAL names the
 * file. */
LS_CHECKED enum ls_status ls_console_read_json(const char *path, json_t **document,
                                               struct ls_error *err);
/* Writes everything to a descriptor, whatever interrupts it; false: errno says why. */
bool ls_console_write(int file, const void *data, size_t length);
/* Could a file of this name be written, now or, where `may_come`, once its folder is there? Tries
 * nothing out. LS_EINVAL names it, and why not. */
LS_CHECKED enum ls_status ls_console_check_file(const char *path, bool may_come,
                                                struct ls_error *err);
/* The same of the file of an option, whose name the message has, too; NULL: it was not given. */
LS_CHECKED enum ls_status ls_console_check_option(const char *option, const char *path,
                                                  struct ls_error *err);
/* Writes a file, or to standard output for "-". LS_EINVAL names a file that cannot be opened,
 * LS_EIO one that cannot be written; LS_ENOMEM: the text has failed. */
LS_CHECKED enum ls_status ls_console_write_file(const char *path, const struct ls_bytes *text,
                                                struct ls_error *err);
/* Makes a message that may quote what came from elsewhere harmless to a terminal: what is no
 * character, line end or tabulator becomes "?". */
void ls_console_tame(char *text);
/* Puts `limit` characters of a word that may hold any byte into a message: `out` is text. */
void ls_console_show(const char *word, char *out, size_t out_bytes);

/* What is said goes nowhere until ls_console_speak, and wrong options end the program with status
 * 0.
 */
struct ls_console_hush {
  int output, error_output, exit_status;
};
void ls_console_hush(struct ls_console_hush *hush);
void ls_console_speak(const struct ls_console_hush *hush);

#endif
