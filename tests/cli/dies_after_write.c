/* dies_after_write.c: a library to be preloaded into an application, of which a computing child, or
 * its worker with it, dies by SIGKILL between its write and its result.
 *
 * Each file of the folder $DIES_TICKETS stands for one death, and goes with it; a ticket whose name
 * begins with "worker" kills the worker, too.  Deaths follow writes (pwritev) of children of
 * workers to files whose path contains $DIES_WRITING.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_worker(pid_t process) {
  char path[64], name[32] = "";
  (void)snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  bool is_read = fgets(name, sizeof name, file) != NULL;
  (void)fclose(file);
  return is_read && strcmp(name, "loadstar-worker\n") == 0;
}

static bool is_meant(int file) {
  const char *writing = getenv("DIES_WRITING");
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (writing == NULL || length <= 0) return false;
  path[length] = '\0';
  return strstr(path, writing) != NULL;
}

/* Takes one, which nobody else has then; whom it kills besides. */
static bool take_ticket(bool *takes_worker) {
  const char *folder = getenv("DIES_TICKETS");
  DIR *tickets = folder == NULL ? NULL : opendir(folder);
  if (tickets == NULL) return false;
  bool has_taken = false;
  for (struct dirent *one = readdir(tickets); one != NULL && !has_taken; one = readdir(tickets)) {
    if (one->d_name[0] == '.') continue;
    has_taken = unlinkat(dirfd(tickets), one->d_name, 0) == 0;
    *takes_worker = strncmp(one->d_name, "worker", strlen("worker")) == 0;
  }
  (void)closedir(tickets);
  return has_taken;
}

/* With offsets of 64 bits this is the symbol that applications use, pwritev64. */
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  ssize_t (*next)(int, const struct iovec *, int, off_t);
  *(void **)&next = dlsym(RTLD_NEXT, "pwritev64");
  ssize_t written = next(file, parts, count, offset);
  bool takes_worker = false;
  if (!is_meant(file) || !is_worker(getpid()) || !is_worker(getppid())) return written;
  if (!take_ticket(&takes_worker)) return written;
  if (takes_worker) (void)kill(getppid(), SIGKILL);
  (void)kill(getpid(), SIGKILL);
  return written;
}
