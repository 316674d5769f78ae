/* zmq_order.c: tells the thread sanitizer that messages order what their ends do.
 *
 * libzmq is not built with the sanitizer, which therefore sees two threads touch a message and
 * nothing in between.  Preloaded: what stands before a send comes before what stands behind a
 * receive that it allowed.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <zmq.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static char order;

/* Programs that a test starts are not built with the sanitizer. */
__attribute__((constructor)) static void stay_here(void) {
  (void)unsetenv("LD_PRELOAD");
}

int zmq_msg_send(zmq_msg_t *message, void *socket, int flags) {
  int (*next)(zmq_msg_t *, void *, int);
  *(void **)&next = dlsym(RTLD_NEXT, "zmq_msg_send");
  __tsan_release(&order);
  return next(message, socket, flags);
}

int zmq_msg_recv(zmq_msg_t *message, void *socket, int flags) {
  int (*next)(zmq_msg_t *, void *, int);
  *(void **)&next = dlsym(RTLD_NEXT, "zmq_msg_recv");
  int length = next(message, socket, flags);
  if (length >= 0) __tsan_acquire(&order);
  return length;
}
