#include "runtime/os/clock.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PATH_BYTES = 64, NAME_BYTES = 32 };

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ls_clock_s(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double ls_clock_calendar_s(void) {
  return read_clock(CLOCK_REALTIME);
}

/* Linux: nanoseconds on a processor, nanoseconds in a queue for one, turns. */
double ls_clock_delayed_s(void) {
  unsigned long long delayed_ns = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%*u %llu", &delayed_ns) != 1) delayed_ns = 0;
  (void)fclose(file);
  return 1e-9 * (double)delayed_ns;
}

double ls_clock_processor_s(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static bool is_called(const char *thread, const char *prefix) {
  char path[PATH_BYTES], name[NAME_BYTES] = "";
  (void)snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", thread);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  bool is_read = fgets(name, sizeof name, file) != NULL;
  (void)fclose(file);
  return is_read && strncmp(name, prefix, strlen(prefix)) == 0;
}

static double read_thread(const char *thread) {
  char path[PATH_BYTES];
  unsigned long long used_ns = 0;
  (void)snprintf(path, sizeof path, "/proc/self/task/%.16s/schedstat", thread);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%llu", &used_ns) != 1) used_ns = 0;
  (void)fclose(file);
  return 1e-9 * (double)used_ns;
}

double ls_clock_threads_s(const char *prefix) {
  double used_s = 0;
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return 0;
  for (const struct dirent *thread; (thread = readdir(threads)) != NULL;)
    if (thread->d_name[0] != '.' && is_called(thread->d_name, prefix))
      used_s += read_thread(thread->d_name);
  (void)closedir(threads);
  return used_s;
}
