/* keys.h: the keys of a run: made, kept in private files, and read from them.
 *
 * A connection under keys is encrypted, and each end knows that the other one is of the run
 * (CURVE). Files: protocol/key_file.h.
 */
#ifndef LS_RUNTIME_OS_KEYS_H
#define LS_RUNTIME_OS_KEYS_H

#include <stdbool.h>

#include "base/status.h"
#include "protocol/key_file.h"

/* Keys of CURVE, each 40 letters of Z85: the connection is encrypted, and each end knows that the
 * other one has its key. Borrowed for the call; an end needs those that are named for it. */
struct ls_curve {
  const char *server_public; /* a worker's end: the master's */
  const char *server_secret; /* the master's end */
  const char *client_public; /* both: of those who may come in */
  const char *client_secret; /* a worker's end */
};

/* New pairs for master and workers, and a number for the run. LS_EIO: there is no chance to be had,
 * or libzmq cannot encrypt. */
LS_CHECKED enum ls_status ls_keys_make(struct ls_key_file *keys, struct ls_error *err);
/* Writes the file (of a worker, or the master's record) with mode 0600, whole or not at all, over
 * one of its kind that is there. LS_EINVAL: something else is at the path; LS_EIO. */
LS_CHECKED enum ls_status ls_keys_write(const struct ls_key_file *keys, const char *path,
                                        struct ls_error *err);
/* Reads such a file; "-": one line of standard input. LS_EINVAL: it is no file of this user's, no
 * plain one, others may read it, or its content is wrong; LS_EIO. */
LS_CHECKED enum ls_status ls_keys_read(const char *path, bool is_master, struct ls_key_file *keys,
                                       struct ls_error *err);
/* What an end at the master's or at a worker's is opened with. Borrows the keys. */
struct ls_curve ls_keys_of_master(const struct ls_key_file *keys);
struct ls_curve ls_keys_of_worker(const struct ls_key_file *keys);

#endif
