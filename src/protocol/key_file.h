/* key_file.h: what a worker needs to come to a run, as a file: address and keys.
 *
 * Keys are CURVE's, each 40 letters of Z85.  A worker's file holds the master's public key and a
 * pair of the run's workers; the master's own record, beside its journal, holds both pairs, and
 * what the master listened on.  JSON; a reader checks every field.
 */
#ifndef LS_PROTOCOL_KEY_FILE_H
#define LS_PROTOCOL_KEY_FILE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"

enum {
  LS_KEY_BYTES = 41,          /* a key, with the zero at its end */
  LS_KEY_RUN_BYTES = 33,      /* 32 digits of base 16 */
  LS_KEY_ADDRESS_BYTES = 256, /* of a transport */
  LS_KEY_FILE_BYTES_MAX = 8 << 10
};

struct ls_key_pair {
  char public_key[LS_KEY_BYTES], secret_key[LS_KEY_BYTES];
};

struct ls_key_file {
  char run[LS_KEY_RUN_BYTES];
  char address[LS_KEY_ADDRESS_BYTES]; /* workers connect to it */
  struct ls_key_pair server, client;
  /* Of the master's record only: what it was asked to listen on, and what that became. */
  bool is_master;
  char asked[LS_KEY_ADDRESS_BYTES], bound[LS_KEY_ADDRESS_BYTES];
};

/* `file->is_master`: the master's record, else the file of a worker, without the master's secret.
 * One line. */
void ls_key_file_write(const struct ls_key_file *file, struct ls_bytes *out);
/* LS_EINVAL names source, field, value and what was expected; never a key. */
LS_CHECKED enum ls_status ls_key_file_read(struct ls_text text, bool is_master,
                                           struct ls_key_file *file, struct ls_error *err);

#endif
