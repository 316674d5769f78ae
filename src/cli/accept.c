/* accept.c: a connection that lacks a descriptor is waited for; of the program `loadstar` alone.
 *
 * It takes the place of the C library's accept4 for libzmq 4.3.4: its listener at a path ends the
 * program when no descriptor is free for the next connection, though descriptors may become free;
 * its listener on the network goes on.  Here the listener is told a moment later that there is no
 * connection, and looks again.  The library does without: its users' own accept4 is none of ours.
 */
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where libzmq, a shared library, finds it. The C library declares its own with a union. */
__attribute__((visibility("default"))) int ls_accept_patiently(int socket, void *address,
                                                               void *length,
                                                               int flags) __asm__("accept4");

int ls_accept_patiently(int socket, void *address, void *length, int flags) {
  enum { PAUSE_MS = 5 };
  int accepted = (int)syscall(SYS_accept4, socket, address, length, flags);
  if (accepted >= 0 || errno != EMFILE) return accepted;
  (void)poll(NULL, 0, PAUSE_MS);
  errno = EAGAIN;
  return -1;
}
