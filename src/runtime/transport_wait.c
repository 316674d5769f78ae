#include "runtime/transport_wait.h"

#include <assert.h>
#include <math.h>
#include <poll.h>

int ls_wait_milliseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e6 ? (int)ceil(seconds * 1e3) : 1000000000;
}

void ls_watch_add(struct ls_watch *watch, int file) {
  assert(watch->files_count < LS_WATCH_FILES_MAX);
  watch->files[watch->files_count++] = file;
}

bool ls_wait_for(ls_look_fn look, void *context, const struct ls_wait_files *files,
                 double seconds) {
  struct ls_watch watch = {.seconds = seconds};
  struct pollfd items[2 * LS_WATCH_FILES_MAX];
  nfds_t count = 0;
  assert(files->count <= LS_WATCH_FILES_MAX);
  for (size_t i = 0; i < files->count; i++) {
    files->ready[i] = false;
    items[count++] = (struct pollfd){files->files[i], POLLIN, 0};
  }
  /* Descriptors may tell of changes only: what is there already is asked for first. */
  bool has = look(context, &watch);
  for (size_t i = 0; i < watch.files_count; i++) {
    items[count++] = (struct pollfd){watch.files[i], POLLIN, 0};
  }
  int found = poll(items, count, has ? 0 : ls_wait_milliseconds(watch.seconds));
  /* The end of a file stands among the events as POLLHUP. */
  for (size_t i = 0; i < files->count && found > 0; i++) files->ready[i] = items[i].revents != 0;
  if (has || found <= 0) return has;
  watch.files_count = 0;
  return look(context, &watch);
}
