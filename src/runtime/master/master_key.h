/* master_key.h: the keys of a run, as files: for its workers, and beside its journal for itself.
 *
 * A worker's file stands where the user said, or in the run's private folder.  The master's record,
 * JOURNAL.key, lets a resumed run listen under the same keys at the same address.
 */
#ifndef LS_RUNTIME_MASTER_MASTER_KEY_H
#define LS_RUNTIME_MASTER_MASTER_KEY_H

#include "base/bytes.h"
#include "runtime/master/master.h"
#include "runtime/os/temporary.h"

/* Where the record of a journal stands. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_master_key_name_record(const char *journal, struct ls_bytes *path,
                                                    struct ls_error *err);
/* A door under keys. */
struct ls_master_key_door {
  const struct ls_key_file *keys; /* where it listens, and where workers find it, too */
  bool is_for_pools;
};

/* Writes the record of the door, and the file of its workers: where the user said, else in the
 * folder, which is made when it is needed. Without a word of the user a door for pools has none.
 * `path`: of that file; "": none. */
LS_CHECKED enum ls_status ls_master_key_publish(const struct ls_master_options *options,
                                                const struct ls_master_key_door *door,
                                                struct ls_temporary_folder *folder,
                                                struct ls_bytes *path, struct ls_error *err);

#endif
