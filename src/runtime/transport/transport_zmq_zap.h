/* transport_zmq_zap.h: who may come in under keys: libzmq asks, the master's loop answers.
 *
 * ZeroMQ's authentication protocol (RFC 27): its thread sends the key of each peer that has shown
 * one to inproc://zeromq.zap.01 of its context, and goes on with it when the answer is 200.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_ZAP_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_ZAP_H

#include <stdbool.h>
#include <zmq.h>

#include "base/status.h"
#include "runtime/transport/transport.h"

enum { LS_ZAP_KEY_BYTES = 32 };

/* Who answers, for one context. */
struct ls_zap {
  void *socket;                           /* NULL: not open */
  int file;                               /* edge-triggered, as the descriptor of a socket */
  unsigned char client[LS_ZAP_KEY_BYTES]; /* of those who may come in */
};

/* Before a socket of the context listens under keys. */
LS_CHECKED enum ls_status ls_zap_open(struct ls_zap *zap, void *context,
                                      const struct ls_curve *curve, struct ls_error *err);
/* What a socket that listens under keys asks with. */
extern const char ls_zap_domain[];
/* Answers what was asked, some questions at a time; true: there are more. */
bool ls_zap_answer(struct ls_zap *zap);
/* Is the frame one of a peer that was let in? */
bool ls_zap_has_admitted(zmq_msg_t *frame);
void ls_zap_close(struct ls_zap *zap);

#endif
