#include "runtime/os/limits.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* As ls_limits_raise found it: what a forked child gives back. */
static struct rlimit found;
static bool has_found;
static int found_slack_ns;

void ls_limits_raise(void) {
  struct rlimit limit;
  if (has_found || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  found = limit;
  found_slack_ns = prctl(PR_GET_TIMERSLACK);
  has_found = true;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void ls_limits_restore(void) {
  if (has_found) (void)setrlimit(RLIMIT_NOFILE, &found);
  if (has_found && found_slack_ns > 0)
    (void)prctl(PR_SET_TIMERSLACK, (unsigned long)found_slack_ns, 0, 0, 0);
}

/* Without /proc. A process with very many has hardly any among the higher numbers. */
static size_t count_one_by_one(size_t most) {
  enum { LOOKED_AT = 1 << 16 };
  size_t left = most;
  for (size_t number = 0; number < most && number < LOOKED_AT; number++)
    if (fcntl((int)number, F_GETFD) >= 0) left--;
  return left;
}

size_t ls_limits_descriptors_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  DIR *folder = opendir("/proc/self/fd");
  size_t open_count = 0, most = (size_t)limit.rlim_cur;
  if (folder == NULL) return errno == EMFILE || errno == ENFILE ? 0 : count_one_by_one(most);
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    /* The limit is one of numbers: a higher one was opened before it was lowered. */
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    unsigned long number = strtoul(entry->d_name, NULL, 10);
    if (number < most && number != (unsigned long)dirfd(folder)) open_count++;
  }
  (void)closedir(folder);
  return open_count < most ? most - open_count : 0;
}

bool ls_limits_has_room(size_t descriptors) {
  int numbers[LS_LIMITS_ROOM_MAX];
  size_t made = 0;
  assert(descriptors <= LS_LIMITS_ROOM_MAX);
  while (made < descriptors) {
    numbers[made] =
        made == 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : fcntl(numbers[0], F_DUPFD_CLOEXEC, 0);
    if (numbers[made] < 0) break;
    made++;
  }
  bool has_room = made == descriptors;
  while (made > 0) (void)close(numbers[--made]);
  return has_room;
}

static void *wait_for_leave(void *lock) {
  (void)pthread_mutex_lock(lock);
  (void)pthread_mutex_unlock(lock);
  return NULL;
}

/* All are there at once; a signal for this process is not theirs. */
bool ls_limits_has_threads(size_t threads) {
  pthread_t started[LS_LIMITS_ROOM_MAX];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  sigset_t all, before;
  size_t count = 0;
  assert(threads <= LS_LIMITS_ROOM_MAX);
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  (void)pthread_mutex_lock(&lock);
  while (count < threads && pthread_create(&started[count], NULL, wait_for_leave, &lock) == 0)
    count++;
  (void)pthread_mutex_unlock(&lock);
  bool has_room = count == threads;
  while (count > 0) (void)pthread_join(started[--count], NULL);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return has_room;
}

const char *ls_limits_words(int error) {
  if (error == EAGAIN) return "too few processes (ulimit -u, or those of a container)";
  if (error == ENOMEM) return "too little memory (ulimit -v, or that of a container)";
  return strerror(error);
}
