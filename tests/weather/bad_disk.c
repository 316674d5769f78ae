/* bad_disk.c: a library to be preloaded into loadstar, with which a disk becomes slow or full.
 *
 * Acts on files below the folder $WEATHER_DISK alone, in programs named `loadstar` alone (tasks
 * inherit the preload), and only while a file says so: $WEATHER_DISK/slow holds the milliseconds
 * that a write or a flush takes longer; $WEATHER_DISK/full lets writes fail with ENOSPC, and
 * $WEATHER_DISK/full-tmpdir those to files below $TMPDIR.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *disk(void) {
  const char *folder = getenv("WEATHER_DISK");
  return folder != NULL && strncmp(program_invocation_short_name, "loadstar", 8) == 0 ? folder
                                                                                      : NULL;
}

static bool is_on_disk(const char *folder, int file) {
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return strncmp(path, folder, strlen(folder)) == 0;
}

/* Is it told to be full, and is `file` below the folder for which that counts? */
static bool is_told_full(const char *disk_folder, const char *mood, const char *folder, int file) {
  char path[PATH_MAX];
  (void)snprintf(path, sizeof path, "%s/%s", disk_folder, mood);
  return folder != NULL && access(path, F_OK) == 0 && is_on_disk(folder, file);
}

/* The disk's mood towards a write or a flush of `file`; false: it is full. */
static bool meet_disk(int file) {
  const char *folder = disk();
  char path[PATH_MAX], text[16] = "";
  if (folder == NULL) return true;
  int before = errno;
  bool is_full = is_told_full(folder, "full", folder, file) ||
                 is_told_full(folder, "full-tmpdir", getenv("TMPDIR"), file);
  (void)snprintf(path, sizeof path, "%s/slow", folder);
  FILE *slow = access(path, F_OK) == 0 && is_on_disk(folder, file) ? fopen(path, "r") : NULL;
  if (slow != NULL) {
    if (fgets(text, sizeof text, slow) != NULL) (void)usleep((useconds_t)atoi(text) * 1000U);
    (void)fclose(slow);
  }
  errno = is_full ? ENOSPC : before;
  return !is_full;
}

/* With offsets of 64 bits this is the symbol that SQLite uses, pwrite64. */
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
  ssize_t (*next)(int, const void *, size_t, off_t);
  *(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
  return meet_disk(file) ? next(file, data, length, offset) : -1;
}

ssize_t write(int file, const void *data, size_t length) {
  ssize_t (*next)(int, const void *, size_t);
  *(void **)&next = dlsym(RTLD_NEXT, "write");
  return file <= STDERR_FILENO || meet_disk(file) ? next(file, data, length) : -1;
}

int fdatasync(int file) {
  int (*next)(int);
  *(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
  return meet_disk(file) ? next(file) : -1;
}

int fsync(int file) {
  int (*next)(int);
  *(void **)&next = dlsym(RTLD_NEXT, "fsync");
  return meet_disk(file) ? next(file) : -1;
}
