/* transport_zmq_private.h: one end of a connection over libzmq.
 *
 * transport_zmq.c opens and closes it; transport_zmq_frames.c sends, receives and looks after it.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_PRIVATE_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_PRIVATE_H

#include <sys/types.h>
#include <zmq.h>

#include "runtime/transport/transport.h"
#include "runtime/transport/transport_zmq_address.h"
#include "runtime/transport/transport_zmq_guard.h"
#include "runtime/transport/transport_zmq_hub.h"
#include "runtime/transport/transport_zmq_monitor.h"
#include "runtime/transport/transport_zmq_zap.h"

struct ls_endpoint {
  struct ls_hub *hub;
  void *socket;
  char address[LS_ADDRESS_BYTES];
  bool is_master;
  bool has_path; /* the socket file of ipc is there, and is this one: */
  dev_t path_device;
  ino_t path_number;
  bool has_frame; /* `frame` is open */
  zmq_msg_t frame;
  /* Of a worker's connection over ipc or TCP: its end. Of a master's over TCP: who connects. */
  struct ls_monitor monitor;
  struct ls_guard *guard; /* of a master over TCP, else NULL */
  struct ls_zap zap;      /* of a master under keys */
  bool is_cut;
  enum ls_handshake handshake; /* behind a cut */
};

/* transport_zmq_frames.c: as runtime/transport/transport.h has them. */
bool ls_zmq_is_cut(struct ls_endpoint *endpoint);
enum ls_handshake ls_zmq_handshake(const struct ls_endpoint *endpoint);
LS_CHECKED enum ls_status ls_zmq_send(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                      double patience_s, struct ls_error *err);
LS_CHECKED enum ls_status ls_zmq_lend(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                      const struct ls_loan *loan, struct ls_error *err);
bool ls_zmq_receive(struct ls_endpoint *endpoint, struct ls_frame *frame);
void ls_zmq_admit(struct ls_endpoint *endpoint, uint64_t peer);
void ls_zmq_count_strangers(const struct ls_endpoint *endpoint, struct ls_strangers *strangers);
bool ls_zmq_look(struct ls_endpoint *endpoint, struct ls_watch *watch);

/* The words of libzmq, with the address; a taken address is LS_EBUSY. */
LS_CHECKED enum ls_status ls_zmq_fail(const char *what, const char *address, struct ls_error *err);

#endif
