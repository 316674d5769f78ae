/* stuck_finalize.c: a library to be preloaded into ranks of MPI, whose MPI_Finalize never comes
 * back, as where a rank has died between the last barrier and its own.
 *
 * The limit of that time, a timer on the monotonic clock, is over after a second in place of half a
 * minute; a limit of another length, or none, is left as it is, so that the ranks stay.
 */
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 30 };

int MPI_Finalize(void);
int MPI_Finalize(void) {
  for (;;) (void)pause();
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *limit,
                  struct itimerspec *before) {
  static int (*real)(timer_t, int, const struct itimerspec *, struct itimerspec *);
  struct itimerspec mine = *limit;
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "timer_settime");
  if (mine.it_value.tv_sec == LIMIT_S) mine.it_value.tv_sec = 1;
  return real(timer, flags, &mine, before);
}
