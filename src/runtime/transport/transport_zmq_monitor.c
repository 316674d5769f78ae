/* transport_zmq_monitor.c: what libzmq tells of a socket's connections. */
#include <stdint.h>
#include <string.h>
#include <zmq.h>

#include "runtime/transport/transport_zmq_monitor.h"

/* One monitor by context: each endpoint over ipc or TCP has a context of its own. */
static const char monitor_address[] = "inproc://loadstar-monitor";

/* Of an event's first frame: 16 bits of event, 32 bits of value. */
enum { EVENT_BYTES = 6 };

enum ls_status ls_monitor_open(struct ls_monitor *monitor, void *context, void *watched, int events,
                               struct ls_error *err) {
  const int one = 1, nothing = 0;
  size_t size = sizeof monitor->file;
  void *socket = NULL;
  if (zmq_socket_monitor(watched, monitor_address, events) == 0) {
    socket = zmq_socket(context, ZMQ_PAIR);
  }
  if (socket == NULL || zmq_setsockopt(socket, ZMQ_RCVHWM, &one, sizeof one) != 0 ||
      zmq_setsockopt(socket, ZMQ_LINGER, &nothing, sizeof nothing) != 0 ||
      zmq_connect(socket, monitor_address) != 0 ||
      zmq_getsockopt(socket, ZMQ_FD, &monitor->file, &size) != 0) {
    enum ls_status status =
        ls_fail(err, LS_EIO, "cannot watch a socket: %s", zmq_strerror(zmq_errno()));
    (void)zmq_socket_monitor(watched, NULL, 0);
    if (socket != NULL) (void)zmq_close(socket);
    return status;
  }
  monitor->socket = socket;
  return LS_OK;
}

bool ls_monitor_next(struct ls_monitor *monitor, int *event, int *value) {
  if (monitor->socket == NULL) return false;
  unsigned char frame[EVENT_BYTES];
  char address[1]; /* the second frame: of the connection; cut off here, for nobody asks for it */
  int length = zmq_recv(monitor->socket, frame, sizeof frame, ZMQ_DONTWAIT);
  if (length < 0) return false;
  (void)zmq_recv(monitor->socket, address, sizeof address, ZMQ_DONTWAIT);
  uint16_t kind = 0;
  int32_t number = 0;
  memcpy(&kind, frame, sizeof kind);
  memcpy(&number, frame + sizeof kind, sizeof number);
  *event = kind;
  *value = number;
  return true;
}

void ls_monitor_close(struct ls_monitor *monitor, void *watched) {
  if (monitor->socket == NULL) return;
  /* libzmq's thread may wait for room among the events, with a lock that the end of the monitor
   * needs, too. */
  int event, value;
  while (ls_monitor_next(monitor, &event, &value)) continue;
  (void)zmq_socket_monitor(watched, NULL, 0);
  (void)zmq_close(monitor->socket);
  *monitor = (struct ls_monitor){.socket = NULL, .file = -1};
}
