#include "runtime/transport/transport_wait.h"

#include <assert.h>
#include <math.h>
#include <poll.h>
#include <time.h>

#include "runtime/os/clock.h"

int ls_wait_milliseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e6 ? (int)ceil(seconds * 1e3) : 1000000000;
}

void ls_watch_add(struct ls_watch *watch, int file) {
  assert(watch->files_count < LS_WATCH_FILES_MAX);
  watch->files[watch->files_count++] = file;
}

/* To the nanosecond, for pauses of microseconds. */
static struct timespec make_limit(double seconds) {
  struct timespec limit = {.tv_sec = 1000000};
  if (!(seconds > 0)) return (struct timespec){0};
  if (seconds < 1e6) {
    limit.tv_sec = (time_t)seconds;
    limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
  }
  return limit;
}

/* One wait, as long as nothing need be looked at again: whether any descriptor is ready, or an
 * error. */
static int wait_once(const struct ls_watch *watch, const struct ls_wait_files *files,
                     double seconds) {
  struct pollfd items[2 * LS_WATCH_FILES_MAX];
  nfds_t count = 0;
  for (size_t i = 0; i < files->count; i++) {
    files->ready[i] = false;
    items[count++] = (struct pollfd){files->files[i], POLLIN, 0};
  }
  for (size_t i = 0; i < watch->files_count; i++) {
    items[count++] = (struct pollfd){watch->files[i], POLLIN, 0};
  }
  const struct timespec limit = make_limit(seconds);
  int found = ppoll(items, count, &limit, NULL);
  /* The end of a file stands among the events as POLLHUP. */
  for (size_t i = 0; i < files->count && found > 0; i++) files->ready[i] = items[i].revents != 0;
  return found;
}

bool ls_wait_for(ls_look_fn look, void *context, const struct ls_wait_files *files,
                 double seconds) {
  double until_s = ls_clock_s() + seconds;
  assert(files->count <= LS_WATCH_FILES_MAX);
  for (;;) {
    struct ls_watch watch = {
        .seconds = seconds, .pause_s = HUGE_VAL, .is_relaxed = files->is_relaxed};
    /* Descriptors may tell of changes only: what is there already is asked for first. */
    bool has = look(context, &watch);
    int found = wait_once(&watch, files, has ? 0 : fmin(watch.seconds, watch.pause_s));
    if (has || found < 0) return has;
    seconds = until_s - ls_clock_s();
    bool goes_on = found == 0 && watch.pause_s < watch.seconds && seconds > 0;
    watch.files_count = 0;
    if (!goes_on) return found > 0 && look(context, &watch);
  }
}

/* An endpoint, and how it is looked at. */
struct looked_at {
  const struct ls_transport *transport;
  struct ls_endpoint *endpoint;
};

static bool look_at(void *context, struct ls_watch *watch) {
  const struct looked_at *one = context;
  return one->transport->look(one->endpoint, watch);
}

bool ls_transport_wait(const struct ls_transport *transport, struct ls_endpoint *endpoint,
                       const struct ls_wait_files *files, double seconds) {
  struct looked_at one = {transport, endpoint};
  if (transport->wait != NULL)
    return transport->wait(endpoint, files->files, files->count, files->ready, seconds);
  return ls_wait_for(look_at, &one, files, seconds);
}
