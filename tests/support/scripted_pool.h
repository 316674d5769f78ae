/* scripted_pool.h: a pool whose workers are nobody's: what becomes of them is written in a script.
 *
 * One line per news, in order; a line waits until its condition holds:
 *
 *     grant            the next wanted worker is granted
 *     refuse N WORDS   N of the wanted workers are refused for now; `refuse! N WORDS`: for good
 *     lose SLOT CAUSE  the worker in the slot is lost: crashed, silent, reclaimed, left, never-came
 *     suspend SLOT     it is stopped;  resume SLOT: it goes on
 *     await NAME       what follows comes after the test has called scripted_pool_pass(NAME)
 *
 * A grant or refusal waits for a request.  Whoever is to be granted a worker is told at once by way
 * of `granted`, so that the test can start a thread that joins as local-SLOT.
 */
#ifndef LS_TEST_SUPPORT_SCRIPTED_POOL_H
#define LS_TEST_SUPPORT_SCRIPTED_POOL_H

#include "runtime/pool.h"

struct scripted_pool_script {
  const char *text;
  bool has_file; /* has a descriptor that tells of news; else it is polled by time */
  void (*granted)(void *context, const char *name);
  void *context;
  /* For the test: what was asked of the pool. */
  unsigned requests, wanted, kills, releases;
};

/* setup.own is a struct scripted_pool_script, which is the test's. */
extern const struct ls_pool_kind scripted_pool;
/* From any thread, for every scripted pool: the condition of this name holds from now on. */
void scripted_pool_pass(const char *name);
void scripted_pool_forget(void);

#endif
