/* transport.h: frames between a master and its workers.
 *
 * The interface; transport_zmq.c implements it for threads (inproc), processes (ipc) and TCP,
 * transport_mpi.c for the ranks of MPI.  A frame is one encoded message.  Frames of one sender
 * arrive in order, whole, at most once.  The master knows a worker by the peer number that the
 * transport gives it.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_curve;    /* keys.h */
struct ls_endpoint; /* one end: the master's or a worker's */

/* A frame. A received one is borrowed until the next receive on this endpoint. */
struct ls_frame {
  uint64_t peer; /* at the master's end, who sent it or is to get it; 0 at a worker's */
  const void *data;
  size_t length;
};

/* Data that a sender lends: it stays as it is until `release` is called, once, by any thread. */
struct ls_loan {
  void (*release)(void *context);
  void *context;
};

/* What is to be watched on behalf of an endpoint, so that several can be waited for at once. */
enum { LS_WATCH_FILES_MAX = 16 };
struct ls_watch {
  int files[LS_WATCH_FILES_MAX]; /* readable (POLLIN): the endpoint is to be looked at again */
  size_t files_count;
  double seconds; /* the wait is over after so long in any case */
  double pause_s; /* no descriptor tells of it: the wait goes on, but it is looked at again after so
                     long. INFINITY: descriptors tell */
  bool is_relaxed; /* given: who waits has enough to do, so that nothing that comes is urgent */
};

/* What the keys have to do with the end of a connection. */
enum ls_handshake {
  LS_HANDSHAKE_WELL,    /* nothing */
  LS_HANDSHAKE_REFUSED, /* the master does not know our key */
  LS_HANDSHAKE_FOREIGN, /* who answers does not speak as a master of this key does */
  LS_HANDSHAKE_BROKEN /* closed by the other end before anything was said: it is another master, */
                      /* or has too many strangers at once */
};

/* What was kept from a master. */
struct ls_strangers {
  uint64_t frames_dropped, connections_closed;
};

struct ls_transport {
  const char *name;
  /* Does once, for all processes that the caller forks from now on, what each of them would do
   * before its first connection. Starts no thread, and keeps a descriptor that is closed on exec.
   * NULL: there is nothing of that kind. */
  void (*prepare)(void);
  /* Before the first connection of this process, whose launcher has started so many (0: not known):
   * joins them, and waits until all have come. `end`, after the last connection: waits until all
   * are there, too (not for long when `is_master_dead`, unless more is heard of it); then this
   * process does not start again. NULL, both: nothing to be done. */
  enum ls_status (*start)(uint32_t processes, struct ls_error *err);
  void (*end)(bool is_master_dead);
  /* The master's end. `address`: "inproc://NAME", "ipc:///PATH", "tcp://HOST:PORT" (port *
   * chooses one) or "mpi:". The socket file of ipc is readable by its owner only. `curve` NULL: in
   * the clear, and open to everybody who reaches the address. */
  enum ls_status (*listen)(const char *address, const struct ls_curve *curve,
                           struct ls_endpoint **out, struct ls_error *err);
  /* A worker's end. A master over TCP may come a little later: see is_cut. */
  enum ls_status (*connect)(const char *address, const struct ls_curve *curve,
                            struct ls_endpoint **out, struct ls_error *err);
  /* At a worker's end: the connection was broken or could not be made. It is never made again, and
   * frames on their way are lost: receive those that had arrived, close this endpoint and connect
   * another one. `wait` returns when it happens. At the master's end: false. */
  bool (*is_cut)(struct ls_endpoint *endpoint);
  /* Behind a cut: why. NULL: this transport knows no keys. */
  enum ls_handshake (*handshake)(const struct ls_endpoint *endpoint);
  /* The address that workers connect to (with the port that was chosen). Borrowed. */
  const char *(*address)(const struct ls_endpoint *endpoint);
  /* Sends a frame (copied). To a peer that is gone: LS_EIO, and nothing happens; a number is never
   * given to a second peer. The master's end
   * never blocks; a worker's end waits while the master is behind, at most `patience_s`, then
   * LS_EBUSY; after a cut it answers LS_EIO. */
  enum ls_status (*send)(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                         double patience_s, struct ls_error *err);
  /* `send` at the master's end without a copy: for frames of megabytes. The loan ends in any case,
   * whether sending succeeds or not. NULL: this transport copies. */
  enum ls_status (*lend)(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                         const struct ls_loan *loan, struct ls_error *err);
  /* The next frame without waiting; false: there is none now. */
  bool (*receive)(struct ls_endpoint *endpoint, struct ls_frame *frame);
  /* At the master's end: the peer whose frame was received last is a worker of ours. On a network,
   * whoever is not admitted before the next receive or wait is a stranger: what else it sends is
   * dropped, and its connection is closed a moment later, as are those that say nothing for some
   * seconds. */
  void (*admit)(struct ls_endpoint *endpoint, uint64_t peer);
  /* At the master's end: who has been silent for too long is dead, unless more is heard of it. The
   * end of the transport does not wait for it long. NULL: it waits for nobody. */
  void (*give_up)(struct ls_endpoint *endpoint, uint64_t peer);
  /* Adds what happened so far. */
  void (*count_strangers)(const struct ls_endpoint *endpoint, struct ls_strangers *strangers);
  /* Looks after the connections; is a frame there? Adds to `watch`: transport_wait.h. */
  bool (*look)(struct ls_endpoint *endpoint, struct ls_watch *watch);
  /* Waits by itself as ls_transport_wait does, because its time is not the system's. NULL: waiting
   * is looking. */
  bool (*wait)(struct ls_endpoint *endpoint, const int *files, size_t files_count, bool *ready,
               double seconds);
  /* Sends what is queued for at most `linger_s`, then closes. Frames that the other end has not
   * received by then may be lost, as with an end that dies: what must arrive is answered first. */
  void (*close)(struct ls_endpoint *endpoint, double linger_s);
};

extern const struct ls_transport ls_transport_zmq;

#endif
