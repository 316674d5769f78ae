#include "runtime/transport_wait.h"

#include <assert.h>
#include <math.h>
#include <poll.h>

int ls_transport_milliseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e6 ? (int)ceil(seconds * 1e3) : 1000000000;
}

bool ls_transport_wait(const struct ls_transport *transport, struct ls_endpoint *endpoint,
                       const struct ls_wait_files *files, double seconds) {
  struct ls_watch watch = {.seconds = seconds};
  struct pollfd items[2 * LS_WATCH_FILES_MAX];
  nfds_t count = 0;
  assert(files->count <= LS_WATCH_FILES_MAX);
  for (size_t i = 0; i < files->count; i++) {
    files->ready[i] = false;
    items[count++] = (struct pollfd){files->files[i], POLLIN, 0};
  }
  /* Descriptors may tell of changes only: what is there already is asked for first. */
  bool has = transport->look(endpoint, &watch);
  for (size_t i = 0; i < watch.files_count; i++) {
    items[count++] = (struct pollfd){watch.files[i], POLLIN, 0};
  }
  int found = poll(items, count, has ? 0 : ls_transport_milliseconds(watch.seconds));
  /* The end of a file stands among the events as POLLHUP. */
  for (size_t i = 0; i < files->count && found > 0; i++) files->ready[i] = items[i].revents != 0;
  if (has) return true;
  watch.files_count = 0;
  return transport->look(endpoint, &watch);
}
