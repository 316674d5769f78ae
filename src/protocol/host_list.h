/* host_list.h: hosts on which workers are started, as a user names them.
 *
 * A host is `[user@]host[:workers[/speed]][+label]...`, such as me@n3:4/0.5+gpu: one worker at full
 * speed where nothing else is said, 0 workers for as many as it has cores; its workers have the
 * labels.  An address of IPv6 with something
 * behind it stands in brackets.  Hosts stand between commas or on lines of their own; # begins a
 * comment.  No host can be taken for an option of ssh.
 *
 * A login, as GNU parallel has it, is `[workers/][user@]host`, or `:` for this machine.
 */
#ifndef LS_PROTOCOL_HOST_LIST_H
#define LS_PROTOCOL_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

enum { LS_HOST_WORKERS_MAX = 4096, LS_HOST_LETTERS_MAX = 255, LS_HOSTS_MAX = 4096 };

struct ls_host {
  const char *target; /* "me@n3": for ssh */
  const char *name;   /* "n3" */
  size_t workers;     /* 0: its cores */
  double speed;       /* in (0, 1] */
  const char *labels; /* of its workers (base/labels.h); "": none */
  bool is_here;       /* this machine, without ssh: ":" */
};

/* Starts as {0}. */
struct ls_host_list {
  struct ls_arena arena;
  struct ls_host *items;
  size_t count;
};

/* LS_EINVAL names source, line, host and what was expected; a list without any host is refused. */
LS_CHECKED enum ls_status ls_host_list_read(struct ls_text text, struct ls_host_list *list,
                                            struct ls_error *err);
/* Adds logins; where no number is said it is 0. One that is there already is not added again. On
 * failure the list has those before the wrong one. */
LS_CHECKED enum ls_status ls_host_list_add_logins(struct ls_text text, struct ls_host_list *list,
                                                  struct ls_error *err);
void ls_host_list_close(struct ls_host_list *list);

#endif
