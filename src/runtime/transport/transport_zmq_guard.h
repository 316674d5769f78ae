/* transport_zmq_guard.h: who may stay connected to a master that listens on a network.
 *
 * Whoever connects is a stranger until the master admits it, which it does (or not) on seeing the
 * first frame.  A stranger has so long to send one frame of so many bytes; all that it sends beyond
 * is dropped, and its connection is closed.  There are at most so many connections; the strangers
 * go first.  A peer is known by its descriptor and the number that libzmq gave it.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_GUARD_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_guard;

/* NULL: there is no memory. */
struct ls_guard *ls_guard_create(size_t connections_max);
void ls_guard_destroy(struct ls_guard *guard);

/* The peer number of a transport: the descriptor of its connection above libzmq's own number. */
uint64_t ls_guard_peer(int descriptor, uint32_t number);

/* A connection was accepted; one may be closed for it, or itself. */
void ls_guard_accept(struct ls_guard *guard, int descriptor, double now_s);
/* A frame of a peer: is it to be delivered? */
bool ls_guard_hear(struct ls_guard *guard, uint64_t peer, size_t length, double now_s);
/* The peer whose frame was delivered last is one of ours: neither limit is for it. */
void ls_guard_admit(struct ls_guard *guard, uint64_t peer);
/* One of ours does not read: its connection is closed. What it had sent is still heard. */
void ls_guard_cut(struct ls_guard *guard, uint64_t peer);
/* Closes the connections of strangers that have sent too much. `is_drained`: all frames that had
 * arrived have been heard; only then those go whose time is over. */
void ls_guard_look(struct ls_guard *guard, bool is_drained, double now_s);
/* Seconds after which it is to look again; INFINITY: no stranger is there. */
double ls_guard_patience_s(const struct ls_guard *guard, double now_s);

/* So far. */
uint64_t ls_guard_frames_dropped(const struct ls_guard *guard);
uint64_t ls_guard_connections_closed(const struct ls_guard *guard);

#endif
