/* interrupts.h: Ctrl-C and its kin: once to stop handing out, twice to stop now.
 *
 * SIGINT and SIGHUP (the terminal has gone) count one, SIGTERM counts two; the third ends the
 * process at once.  A signal that is ignored at the start (nohup) stays ignored; one that is
 * blocked (by a starter that waits for its own signals) is unblocked, and stays so.  SIGPIPE is
 * ignored meanwhile: a closed output is an error, and the run ends in order.
 */
#ifndef LS_CLI_INTERRUPTS_H
#define LS_CLI_INTERRUPTS_H

#include <stdbool.h>

/* Begins to count; the count so far is where the result points. `name` stands in front of the
 * words that the user is shown (none, when quiet), and must live until the end. */
const _Atomic int *ls_interrupts_start(const char *name, bool is_quiet);
/* As above, for a worker: whoever reclaims its machine asks politely, so SIGTERM counts one; and
 * it hears of SIGTSTP (which no longer stops it by itself) and SIGCONT.  SIGURG, a warning that
 * comes to all processes of a job and maybe several times, counts as the first interrupt only. */
struct ls_worker_signals {
  const _Atomic int *interrupts, *suspensions, *returns;
};
struct ls_worker_signals ls_interrupts_start_worker(const char *name, bool is_quiet);
/* Behind a fork, before ls_interrupts_start_worker: SIGUSR1 says that whoever started this worker
 * has been told so often. What both were told at once counts once. */
void ls_interrupts_follow(const _Atomic int *starter);
/* Until the end SIGTERM counts two, and never ends the process: whoever sends it sends SIGKILL
 * soon, as launchers of MPI do. */
void ls_interrupts_expect_kill(void);
/* SIGUSR1 asks how things stand: so often it has, from now on, until the end. */
const _Atomic int *ls_interrupts_hear_questions(void);
/* Gives the signals back to the system. */
void ls_interrupts_end(void);
/* The user has asked to stop now; also true after the end. */
bool ls_interrupts_is_hurried(void);

#endif
