/* process.h: starts programs, each in a process group of its own, and leaves no orphan.
 *
 * Children get empty standard input unless they are given one, default signals, and the limit of
 * descriptors that this process was started with; where asked for they die with their starter
 * (PR_SET_PDEATHSIG).
 * A process that called ls_process_adopt becomes the parent of its children's orphans and can end
 * them.
 */
#ifndef LS_RUNTIME_OS_PROCESS_H
#define LS_RUNTIME_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "model/usage.h"

struct ls_process {
  pid_t pid;
  int pidfd; /* becomes readable (poll) when the process has ended; -1 when the kernel has none */
};

struct ls_process_request {
  char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH, as execvp does */
  const char *program;      /* tried first; NULL: unknown. From ls_process_find */
  const char *directory;    /* NULL: the present one */
  char *const *environment; /* NULL: that of this process */
  int niceness;             /* above that of this process */
  int input;                /* descriptor for 0; 0: empty */
  int output, error_output; /* descriptors for 1 and 2 */
  const int *keep;   /* further descriptors that stay open in the child, under the same number; */
  size_t keep_count; /* all others must be close-on-exec */
  bool dies_with_us; /* PR_SET_PDEATHSIG SIGKILL */
};

struct ls_process_end {
  int exit_code;         /* 0 .. 255; 0 when killed by a signal */
  int signal;            /* 0: exited by itself */
  struct ls_usage usage; /* not known where somebody else has reaped it */
};

/* Where PATH has the program `name`, so that a thousand starts look for it once: an absolute path
 * (owned by the caller), or NULL when only a look at the moment of the start can tell. */
char *ls_process_find(const char *name);
/* LS_EIO names the program and the reason (ENOENT, EACCES, ...); `*exec_errno` (may be NULL) then
 * gets the errno of exec, or 0 when something before exec failed. LS_EBUSY: the machine has no room
 * for a process now. */
LS_CHECKED enum ls_status ls_process_start(const struct ls_process_request *request,
                                           struct ls_process *process, int *exec_errno,
                                           struct ls_error *err);
/* Has it ended? Reaps it and closes the pidfd then. `wait`: blocks until it has. */
bool ls_process_ended(struct ls_process *process, bool wait, struct ls_process_end *end);
/* Was the child stopped since this was last asked, or has it ended? */
bool ls_process_has_stood(pid_t child);
/* The signal that keeps it stopped, or has since this was last asked of it by
 * ls_process_has_stood; 0: there is none. */
int ls_process_stopped_by(const struct ls_process *process);
/* Sends the signal to the whole group; also after its first process has ended. */
void ls_process_signal(const struct ls_process *process, int signal_number);
/* Is there anything left of its group that a signal would reach? To be asked when the first process
 * of it has ended; reaps those of the others that have, too, and are ours. */
bool ls_process_has_group(const struct ls_process *process);
/* Makes the calling process the one that adopts the orphans below it (PR_SET_CHILD_SUBREAPER). */
void ls_process_adopt(void);
/* Is it? */
bool ls_process_adopts(void);
/* The children of the calling process at present, at most `capacity` of them; how many there are in
 * all. For `known` below: a child that a process was started with is not its orphan. */
size_t ls_process_children(pid_t *children, size_t capacity);
/* Kills every child of the calling process that is not among `known` (adopted orphans), and reaps
 * them; how many there were. */
size_t ls_process_kill_orphans(const pid_t *known, size_t known_count);
/* Has this process, whoever it is, a child that is neither stopped nor dead? */
bool ls_process_has_active_child(pid_t pid);
/* Who has to reap a process; 0: it is not there, or that cannot be told. */
pid_t ls_process_parent(pid_t pid);
/* Has the calling process more threads than this one? Also when that cannot be told. */
bool ls_process_has_threads(void);
/* Every signal gets its default, none stays blocked: for a child before it becomes something else.
 */
void ls_process_reset_signals(void);
/* Does the calling process have any child at all besides `known`? Reaps those that have ended. One
 * cheap system call when it has no child. */
bool ls_process_has_orphans(const pid_t *known, size_t known_count);

#endif
