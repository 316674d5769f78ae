#include "runtime/execute/feeder.h"

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
  size_t head_at; /* bytes of the head that are written */
  size_t part;    /* that is being written, */
  uint64_t moved; /* and so many bytes of it are */
  bool has_thread;
  pthread_t thread;
  int stop; /* readable: the thread is to end */
  int done; /* readable: all is done */
  struct ls_feed_result result;
};

enum state { STATE_GOES_ON, STATE_FULL, STATE_ENDED };

/* Waits until the descriptor is ready, or for so long. False: the thread is to end. */
static bool wait_for(const struct ls_feeder *feeder, int file, short events, int most_ms) {
  struct pollfd waited[] = {{.fd = feeder->stop, .events = POLLIN}, {.fd = file, .events = events}};
  int count = poll(waited, file >= 0 ? 2 : 1, most_ms);
  return count < 0 || waited[0].revents == 0;
}

static enum state finish(struct ls_feeder *feeder, enum ls_feed_end end, int number) {
  bool has_part = feeder->part < feeder->feed.parts_count;
  feeder->result = (struct ls_feed_result){
      .end = end,
      .part = feeder->part,
      .at = has_part ? feeder->feed.parts[feeder->part].offset + feeder->moved : 0,
      .number = number};
  return STATE_ENDED;
}

/* After a call that wrote nothing. */
static enum state look_at(struct ls_feeder *feeder, int number) {
  if (number == EINTR) return STATE_GOES_ON;
  if (number == EAGAIN) return STATE_FULL;
  return number == EPIPE ? finish(feeder, LS_FEED_ENOUGH, 0)
                         : finish(feeder, LS_FEED_UNWRITTEN, number);
}

static enum state write_head(struct ls_feeder *feeder) {
  const struct ls_feed *feed = &feeder->feed;
  ssize_t written = write(feed->target, (const char *)feed->head + feeder->head_at,
                          feed->head_length - feeder->head_at);
  if (written < 0) return look_at(feeder, errno);
  feeder->head_at += (size_t)written;
  return STATE_GOES_ON;
}

/* Not every file system moves bytes inside the kernel; and which of two files a failure is of, only
 * two calls tell. */
static enum state copy_some(struct ls_feeder *feeder, const struct ls_feed_part *part) {
  char block[COPY_BYTES];
  uint64_t left = part->length - feeder->moved;
  size_t most = left < sizeof block ? (size_t)left : sizeof block;
  ssize_t got = pread(part->file, block, most, (off_t)(part->offset + feeder->moved));
  if (got < 0) return errno == EINTR ? STATE_GOES_ON : finish(feeder, LS_FEED_BROKEN, errno);
  if (got == 0) return finish(feeder, LS_FEED_SHORT, 0);
  ssize_t written = write(feeder->feed.target, block, (size_t)got);
  if (written < 0) return look_at(feeder, errno);
  feeder->moved += (uint64_t)written;
  return STATE_GOES_ON;
}

static enum state move_some(struct ls_feeder *feeder, const struct ls_feed_part *part) {
  uint64_t left = part->length - feeder->moved;
  off_t offset = (off_t)(part->offset + feeder->moved);
  size_t most = left < PIPE_BYTES ? (size_t)left : PIPE_BYTES;
  ssize_t sent = sendfile(feeder->feed.target, part->file, &offset, most);
  if (sent == 0) return finish(feeder, LS_FEED_SHORT, 0);
  bool is_of_pipe = errno == EINTR || errno == EAGAIN || errno == EPIPE;
  if (sent < 0) return is_of_pipe ? look_at(feeder, errno) : copy_some(feeder, part);
  feeder->moved += (uint64_t)sent;
  return STATE_GOES_ON;
}

/* One step: a part of the head, or of what follows it. */
static enum state advance(struct ls_feeder *feeder) {
  const struct ls_feed *feed = &feeder->feed;
  if (feeder->head_at < feed->head_length) return write_head(feeder);
  if (feeder->part == feed->parts_count) return finish(feeder, LS_FEED_WHOLE, 0);
  const struct ls_feed_part *part = &feed->parts[feeder->part];
  if (feeder->moved < part->length) return move_some(feeder, part);
  feeder->part++;
  feeder->moved = 0;
  return STATE_GOES_ON;
}

/* A reader that never comes is no reason to wait for ever: whoever ends the command closes us. */
static bool open_fifo(struct ls_feeder *feeder) {
  const char *path = feeder->feed.fifo;
  while ((feeder->feed.target = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    if (errno != ENXIO && errno != EINTR) return finish(feeder, LS_FEED_UNWRITTEN, errno), false;
    if (!wait_for(feeder, -1, 0, LOOK_MS)) return finish(feeder, LS_FEED_ENOUGH, 0), false;
  }
  return true;
}

static void *serve(void *context) {
  struct ls_feeder *feeder = context;
  const struct ls_feed *feed = &feeder->feed;
  enum state state = STATE_GOES_ON;
  if (feed->fifo != NULL && !open_fifo(feeder)) state = STATE_ENDED;
  while (state != STATE_ENDED) {
    bool is_full = state == STATE_FULL;
    if (wait_for(feeder, is_full ? feed->target : -1, POLLOUT, is_full ? -1 : 0))
      state = advance(feeder);
    else
      state = finish(feeder, LS_FEED_ENOUGH, 0);
  }
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

static uint64_t count_bytes(const struct ls_feed *feed) {
  uint64_t bytes = feed->head_length;
  for (size_t i = 0; i < feed->parts_count; ++i) bytes += feed->parts[i].length;
  return bytes;
}

/* A disk may take its time; only files in memory know seals. */
static bool is_in_memory(const struct ls_feed *feed) {
  for (size_t i = 0; i < feed->parts_count; ++i)
    if (fcntl(feed->parts[i].file, F_GET_SEALS) < 0) return false;
  return true;
}

/* What is in memory and a pipe has room for is written at once: most blocks need no thread. True:
 * that was all. */
static bool fill_pipe(struct ls_feeder *feeder) {
  int target = feeder->feed.target;
  int room = target >= 0 ? fcntl(target, F_GETPIPE_SZ) : -1;
  if (room < 0) return false; /* a regular file has room for everything */
  if (count_bytes(&feeder->feed) > (uint64_t)room) (void)fcntl(target, F_SETPIPE_SZ, PIPE_BYTES);
  (void)fcntl(target, F_SETFL, O_NONBLOCK);
  if (!is_in_memory(&feeder->feed)) return false;
  enum state state = STATE_GOES_ON;
  while (state == STATE_GOES_ON) state = advance(feeder);
  if (state == STATE_ENDED) (void)close(target);
  return state == STATE_ENDED;
}

enum ls_status ls_feeder_open(const struct ls_feed *feed, struct ls_feeder **out,
                              struct ls_error *err) {
  struct ls_feeder *feeder = malloc(sizeof *feeder);
  if (feeder == NULL) {
    if (feed->target >= 0) (void)close(feed->target);
    return ls_fail(err, LS_ENOMEM, "out of memory for the input of a command");
  }
  *feeder = (struct ls_feeder){.feed = *feed, .stop = -1};
  bool is_done = fill_pipe(feeder);
  feeder->done = eventfd(is_done ? 1 : 0, EFD_CLOEXEC);
  if (!is_done) feeder->stop = eventfd(0, EFD_CLOEXEC);
  int failure = feeder->done < 0 || (!is_done && feeder->stop < 0) ? errno : 0;
  if (failure == 0 && !is_done) failure = start_thread(feeder);
  if (failure == 0) {
    feeder->has_thread = !is_done;
    *out = feeder;
    return LS_OK;
  }
  if (!is_done && feed->target >= 0) (void)close(feed->target);
  close_files(feeder);
  return ls_fail(err, LS_EIO, "cannot feed a command: %s", strerror(failure));
}

int ls_feeder_file(const struct ls_feeder *feeder) {
  return feeder->done;
}

struct ls_feed_result ls_feeder_close(struct ls_feeder *feeder) {
  if (feeder->has_thread) {
    const uint64_t one = 1;
    (void)!write(feeder->stop, &one, sizeof one);
    (void)pthread_join(feeder->thread, NULL);
  }
  struct ls_feed_result result = feeder->result;
  close_files(feeder);
  return result;
}
