/* delayed_wire.c: a wire between two network namespaces with a delay and a rate, for kernels
 * without netem.
 *
 * Usage: delayed_wire SPACE INTERFACE SPACE INTERFACE DELAY_MS MBIT
 * Makes a TAP interface in each of the namespaces, says "up", and carries frames from one to the
 * other, in their order, DELAY_MS later and with MBIT Mbit/s at most (0: no bound) each way.
 * Another delay is told on standard input, a line each; at its end the wire ends.  Where too much
 * waits, frames are lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <math.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_MAX = 2048, QUEUE_BYTES = 256 << 10, AT_ONCE = 64 };

struct frame {
  double due_s;
  ssize_t length;
  struct frame *next;
  char bytes[FRAME_MAX];
};

struct way {
  int from, to;
  struct frame *first, *last;
  double free_s; /* when the frames that it has are on the wire */
  double waiting;
};

struct wire {
  double delay_s, bytes_per_s;
  struct way ways[2];
};

static double clock_s(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *what) {
  perror(what);
  exit(1);
}

static int open_end(const char *space, const char *name) {
  char path[256];
  (void)snprintf(path, sizeof path, "/run/netns/%s", space);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, CLONE_NEWNET) != 0) stop(path);
  (void)close(file);
  int end = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  if (end < 0 || ioctl(end, TUNSETIFF, &request) != 0) stop("/dev/net/tun");
  int line = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (line < 0 || ioctl(line, SIOCGIFFLAGS, &request) != 0) stop(name);
  request.ifr_flags |= IFF_UP;
  if (ioctl(line, SIOCSIFFLAGS, &request) != 0) stop(name);
  (void)close(line);
  return end;
}

static void take(struct wire *wire, struct way *way) {
  double most = QUEUE_BYTES + 2 * wire->bytes_per_s * wire->delay_s;
  for (int i = 0; i < AT_ONCE; i++) {
    struct frame *frame = malloc(sizeof *frame);
    if (frame == NULL) return;
    frame->length = read(way->from, frame->bytes, sizeof frame->bytes);
    bool is_bounded = wire->bytes_per_s > 0;
    if (frame->length <= 0 || (is_bounded && way->waiting + (double)frame->length > most)) {
      bool is_all = frame->length <= 0;
      free(frame);
      if (is_all) return;
      continue;
    }
    way->free_s = fmax(way->free_s, clock_s());
    if (is_bounded) way->free_s += (double)frame->length / wire->bytes_per_s;
    frame->due_s = way->free_s + wire->delay_s;
    frame->next = NULL;
    way->waiting += (double)frame->length;
    if (way->first == NULL) way->first = frame;
    if (way->last != NULL) way->last->next = frame;
    way->last = frame;
  }
}

/* An end that is down takes nothing: its frames are lost, as on a wire that is cut. */
static void give(struct way *way) {
  double now_s = clock_s();
  while (way->first != NULL && way->first->due_s <= now_s) {
    struct frame *frame = way->first;
    if (write(way->to, frame->bytes, (size_t)frame->length) < 0 && errno != EAGAIN && errno != EIO)
      stop("write");
    way->first = frame->next;
    if (way->first == NULL) way->last = NULL;
    way->waiting -= (double)frame->length;
    free(frame);
  }
}

static struct timespec patience(const struct wire *wire) {
  double seconds = 1, now_s = clock_s();
  for (int i = 0; i < 2; i++) {
    const struct frame *first = wire->ways[i].first;
    if (first != NULL) seconds = fmin(seconds, fmax(0, first->due_s - now_s));
  }
  return (struct timespec){.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  struct wire wire = {.delay_s = 1e-3 * atof(argv[5]), .bytes_per_s = 1e6 / 8 * atof(argv[6])};
  int ends[] = {open_end(argv[1], argv[2]), open_end(argv[3], argv[4])};
  wire.ways[0] = (struct way){.from = ends[0], .to = ends[1]};
  wire.ways[1] = (struct way){.from = ends[1], .to = ends[0]};
  (void)prctl(PR_SET_TIMERSLACK, 1);
  (void)puts("up");
  (void)fflush(stdout);
  for (;;) {
    struct pollfd polled[] = {{.fd = ends[0], .events = POLLIN},
                              {.fd = ends[1], .events = POLLIN},
                              {.fd = STDIN_FILENO, .events = POLLIN}};
    struct timespec most = patience(&wire);
    (void)ppoll(polled, 3, &most, NULL);
    if (polled[2].revents != 0) {
      char told[64] = "";
      if (fgets(told, sizeof told, stdin) == NULL) return 0;
      wire.delay_s = 1e-3 * atof(told);
    }
    for (int i = 0; i < 2; i++) {
      take(&wire, &wire.ways[i]);
      give(&wire.ways[i]);
    }
  }
}
