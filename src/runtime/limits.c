#include "runtime/limits.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
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

size_t ls_limits_descriptors_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return 0;
  size_t open_count = 0, most = (size_t)limit.rlim_cur;
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
