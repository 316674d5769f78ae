/* ssh_words.h: the command lines of ssh.
 *
 * No key stands on any of them.  What the user says for ssh is read by a shell; the rest is words
 * of ours behind it.
 */
#ifndef LS_RUNTIME_POOL_SSH_SSH_WORDS_H
#define LS_RUNTIME_POOL_SSH_SSH_WORDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "runtime/pool/ssh/ssh_hosts.h"

enum { LS_SSH_WORDS_MAX = 64 };

struct ls_ssh_words {
  char *items[LS_SSH_WORDS_MAX]; /* NULL-terminated */
  size_t count;
  struct ls_arena arena;
};

/* LS_ENOWORKERS: the program that `command` (NULL: ssh) begins with is not there. */
LS_CHECKED enum ls_status ls_ssh_words_check(const char *command, struct ls_error *err);
/* LS_EINVAL: no socket of ssh fits into a folder with so long a name. */
LS_CHECKED enum ls_status ls_ssh_words_check_folder(const char *folder, struct ls_error *err);
/* Logs in, and starts the agent. LS_ENOMEM; close in any case. */
LS_CHECKED enum ls_status ls_ssh_words_login(struct ls_ssh_words *words,
                                             const struct ls_ssh_hosts *hosts,
                                             const struct ls_ssh_host *host, struct ls_error *err);
/* Sends the program, which is packed, to a host that lacks it. */
LS_CHECKED enum ls_status ls_ssh_words_ship(struct ls_ssh_words *words,
                                            const struct ls_ssh_hosts *hosts,
                                            const struct ls_ssh_host *host, struct ls_error *err);
/* Lays the tunnel over that connection. */
LS_CHECKED enum ls_status ls_ssh_words_forward(struct ls_ssh_words *words,
                                               const struct ls_ssh_hosts *hosts,
                                               const struct ls_ssh_host *host,
                                               struct ls_error *err);
/* Where that ssh lets others share its connection; one that was killed has left it. */
void ls_ssh_words_sharing(const struct ls_ssh_hosts *hosts, const struct ls_ssh_host *host,
                          char *path, size_t path_bytes);
/* The end of the tunnel at the host. Each tunnel has another one: of a broken one it is still
 * there. */
void ls_ssh_words_socket(const struct ls_ssh_host *host, char *path, size_t path_bytes);
void ls_ssh_words_close(struct ls_ssh_words *words);

#endif
