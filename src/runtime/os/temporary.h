/* temporary.h: files for data too large for memory, and folders for sockets: private to this
 * process, gone with it.
 *
 * A process that is killed leaves its folder behind.  The lock on a folder tells whether its owner
 * lives, so whoever comes later can remove it.
 */
#ifndef LS_RUNTIME_OS_TEMPORARY_H
#define LS_RUNTIME_OS_TEMPORARY_H

#include "base/status.h"

/* The folder that TMPDIR names, else /tmp. Borrowed from the environment. */
const char *ls_temporary_parent(void);
/* Makes `path` TMPDIR, for this process and those that it starts, by its absolute name: a relative
 * one is meant from the folder where the program was started, and workers go elsewhere.  NULL or
 * "": nothing happens.  LS_EINVAL names `source`, such as TMPDIR, and the folder that cannot be
 * used. */
LS_CHECKED enum ls_status ls_temporary_enter(const char *source, const char *path,
                                             struct ls_error *err);

/* An unnamed file in the folder that TMPDIR names (else /tmp), open for reading and writing, which
 * the caller closes; -1: `err` (LS_EIO) names the folder and the reason. */
int ls_temporary_file(struct ls_error *err);

/* What is to be said when such a file cannot be written, by errno: LS_EIO, with the folder and the
 * room that is left there. */
enum ls_status ls_temporary_fail(const char *what, struct ls_error *err);

/* The names of the only plain files that such a folder may hold; by the mark it is known as one. */
#define LS_TEMPORARY_KEY  "key"
#define LS_TEMPORARY_MARK "loadstar"

/* A folder that only its owner's user can enter. */
struct ls_temporary_folder {
  char path[96]; /* short, so that the path of a socket within it is not too long; "": none */
  int lock;      /* held as long as the folder is in use; -1: none */
};

/* Makes one in the folder that TMPDIR names (else, or when that is too long a path: /tmp). */
LS_CHECKED enum ls_status ls_temporary_folder_open(struct ls_temporary_folder *folder,
                                                   struct ls_error *err);
enum { LS_TEMPORARY_LETTERS = 6 };
/* The same with these letters at the end of its name, so that others find it; one that a dead
 * process of this user has left, with the mark, is taken over, empty. LS_EBUSY: a living one has
 * it, and `folder` has its path and no lock. */
LS_CHECKED enum ls_status ls_temporary_folder_claim(struct ls_temporary_folder *folder,
                                                    const char letters[LS_TEMPORARY_LETTERS + 1],
                                                    struct ls_error *err);
/* Removes it with the sockets, links and the key in it; with anything else in it, it stays. */
void ls_temporary_folder_close(struct ls_temporary_folder *folder);
/* The same for a folder of another process, which has died. */
void ls_temporary_remove(const char *path);
/* Removes the folders beside `path` that dead processes of this user have left: those with the
 * mark, whatever others are called. */
void ls_temporary_sweep(const char *path);

#endif
