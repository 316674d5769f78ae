/* scripted_pool.h: a pool whose news are written in a script.
 *
 * One line each, in order; a line that cannot be yet keeps those behind it waiting:
 *
 *     grant            a wanted worker is granted, in the lowest free slot
 *     refuse N WORDS   N wanted workers are refused for now;  refuse! N WORDS: for good
 *     lose SLOT CAUSE  crashed, silent, reclaimed, left or never-came
 *     suspend SLOT     its worker is stopped;  resume SLOT: it goes on
 *     await NAME       until somebody has called scripted_pool_pass(NAME)
 *     requests N       until the pool was asked so often
 *
 * The last line may be "again": whatever is wanted from then on is granted.  Slots are those of the
 * pool, from 1, whatever its first slot is.
 */
#ifndef LS_TEST_SUPPORT_SCRIPTED_POOL_H
#define LS_TEST_SUPPORT_SCRIPTED_POOL_H

#include "runtime/pool/pool.h"

/* setup.own; the test's. */
struct scripted_pool {
  const char *text;
  bool has_file; /* has a descriptor that tells of news; else it is polled by time */
  /* A worker is granted, or lost; called by the thread that polls. May be NULL. */
  void (*granted)(void *context, uint32_t slot);
  void (*lost)(void *context, uint32_t slot);
  void *context;
  /* For the test: what was asked of it. */
  unsigned requests, kills;
  double patience_s; /* with its workers, when it was closed */
};

extern const struct ls_pool_kind scripted_pool_kind;

/* From any thread: the condition of this name holds from now on, for every pool. */
void scripted_pool_pass(const char *name);
/* No condition holds any more. */
void scripted_pool_forget(void);

#endif
