#include "runtime/feeder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* As large as a pipe may be without privileges; one call moves so much. */
enum { PIPE_BYTES = 1 << 20, COPY_BYTES = 1 << 16, LOOK_MS = 5, STACK_BYTES = 1 << 18 };

struct ls_feeder {
  struct ls_feed feed;
  pthread_t thread;
  int stop; /* readable: the thread is to end */
  int done; /* readable: it has ended */
  struct ls_feed_result result;
};

/* Waits until the descriptor is ready, or for so long. False: the thread is to end. */
static bool wait_for(const struct ls_feeder *feeder, int file, short events, int most_ms) {
  struct pollfd waited[] = {{.fd = feeder->stop, .events = POLLIN}, {.fd = file, .events = events}};
  int count = poll(waited, file >= 0 ? 2 : 1, most_ms);
  return count < 0 || waited[0].revents == 0;
}

static bool finish(struct ls_feeder *feeder, enum ls_feed_end end, int number) {
  feeder->result.end = end;
  feeder->result.number = number;
  return false;
}

/* After a call that wrote nothing: is it worth another one? */
static bool may_go_on(struct ls_feeder *feeder, int number) {
  if (number == EINTR) return true;
  if (number == EPIPE) return finish(feeder, LS_FEED_ENOUGH, 0);
  if (number != EAGAIN) return finish(feeder, LS_FEED_BROKEN, number);
  return wait_for(feeder, feeder->feed.target, POLLOUT, -1) || finish(feeder, LS_FEED_ENOUGH, 0);
}

static bool write_all(struct ls_feeder *feeder, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(feeder->feed.target, data, length);
    if (written < 0 && !may_go_on(feeder, errno)) return false;
    if (written < 0) continue;
    data += written;
    length -= (size_t)written;
  }
  return true;
}

/* Not every file system moves bytes inside the kernel. */
static bool copy_some(struct ls_feeder *feeder, const struct ls_feed_part *part, uint64_t *moved) {
  char block[COPY_BYTES];
  uint64_t left = part->length - *moved;
  size_t most = left < sizeof block ? (size_t)left : sizeof block;
  ssize_t got = pread(part->file, block, most, (off_t)(part->offset + *moved));
  if (got < 0) return errno == EINTR || finish(feeder, LS_FEED_BROKEN, errno);
  if (got == 0) return finish(feeder, LS_FEED_SHORT, 0);
  *moved += (uint64_t)got;
  return write_all(feeder, block, (size_t)got);
}

static bool move_some(struct ls_feeder *feeder, const struct ls_feed_part *part, uint64_t *moved) {
  uint64_t left = part->length - *moved;
  off_t offset = (off_t)(part->offset + *moved);
  size_t most = left < PIPE_BYTES ? (size_t)left : PIPE_BYTES;
  ssize_t sent = sendfile(feeder->feed.target, part->file, &offset, most);
  if (sent == 0) return finish(feeder, LS_FEED_SHORT, 0);
  if (sent < 0 && (errno == EINVAL || errno == ENOSYS)) return copy_some(feeder, part, moved);
  if (sent < 0) return may_go_on(feeder, errno);
  *moved += (uint64_t)sent;
  return wait_for(feeder, -1, 0, 0) || finish(feeder, LS_FEED_ENOUGH, 0);
}

static bool move_parts(struct ls_feeder *feeder) {
  const struct ls_feed *feed = &feeder->feed;
  for (size_t i = 0; i < feed->parts_count; ++i) {
    const struct ls_feed_part *part = &feed->parts[i];
    uint64_t moved = 0;
    while (moved < part->length) {
      bool goes_on = move_some(feeder, part, &moved);
      feeder->result.part = i;
      feeder->result.at = part->offset + moved;
      if (!goes_on) return false;
    }
  }
  return true;
}

/* A reader that never comes is no reason to wait for ever: whoever ends the command closes us. */
static bool open_fifo(struct ls_feeder *feeder) {
  const char *path = feeder->feed.fifo;
  while ((feeder->feed.target = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    if (errno != ENXIO && errno != EINTR) return finish(feeder, LS_FEED_BROKEN, errno);
    if (!wait_for(feeder, -1, 0, LOOK_MS)) return finish(feeder, LS_FEED_ENOUGH, 0);
  }
  return true;
}

static void *serve(void *context) {
  struct ls_feeder *feeder = context;
  const struct ls_feed *feed = &feeder->feed;
  bool is_open = feed->fifo == NULL || open_fifo(feeder);
  if (is_open && write_all(feeder, feed->head, feed->head_length)) (void)move_parts(feeder);
  if (feed->target >= 0) (void)close(feed->target);
  const uint64_t one = 1;
  (void)!write(feeder->done, &one, sizeof one);
  return NULL;
}

/* Signals are the loop's; a pipe without a reader is an error that is seen. */
static int start_thread(struct ls_feeder *feeder) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  sigset_t blocked, before;
  pthread_attr_t attributes;
  (void)sigfillset(&blocked);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) (void)sigdelset(&blocked, own[i]);
  int failure = pthread_attr_init(&attributes);
  if (failure != 0) return failure;
  (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
  (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
  failure = pthread_create(&feeder->thread, &attributes, serve, feeder);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  (void)pthread_attr_destroy(&attributes);
  return failure;
}

static void close_files(struct ls_feeder *feeder) {
  if (feeder->stop >= 0) (void)close(feeder->stop);
  if (feeder->done >= 0) (void)close(feeder->done);
  free(feeder);
}

enum ls_status ls_feeder_open(const struct ls_feed *feed, struct ls_feeder **out,
                              struct ls_error *err) {
  struct ls_feeder *feeder = calloc(1, sizeof *feeder);
  if (feeder == NULL) {
    if (feed->target >= 0) (void)close(feed->target);
    return ls_fail(err, LS_ENOMEM, "out of memory for the input of a command");
  }
  feeder->feed = *feed;
  feeder->result = (struct ls_feed_result){.end = LS_FEED_WHOLE};
  if (feed->target >= 0 && feed->fifo == NULL) {
    /* A regular file takes no notice of either. */
    (void)fcntl(feed->target, F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(feed->target, F_SETFL, O_NONBLOCK);
  }
  feeder->stop = eventfd(0, EFD_CLOEXEC);
  feeder->done = eventfd(0, EFD_CLOEXEC);
  int failure = feeder->stop < 0 || feeder->done < 0 ? errno : start_thread(feeder);
  if (failure == 0) {
    *out = feeder;
    return LS_OK;
  }
  if (feed->target >= 0) (void)close(feed->target);
  close_files(feeder);
  return ls_fail(err, LS_EIO, "cannot feed a command: %s", strerror(failure));
}

int ls_feeder_file(const struct ls_feeder *feeder) {
  return feeder->done;
}

struct ls_feed_result ls_feeder_close(struct ls_feeder *feeder) {
  const uint64_t one = 1;
  (void)!write(feeder->stop, &one, sizeof one);
  (void)pthread_join(feeder->thread, NULL);
  struct ls_feed_result result = feeder->result;
  close_files(feeder);
  return result;
}
