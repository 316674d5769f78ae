/* network_private.h: the ports, each of which carries one chunk at a time, or under multi-port one
 * for each worker.
 */
#ifndef LS_SIMULATE_NETWORK_PRIVATE_H
#define LS_SIMULATE_NETWORK_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"

struct ls_engine;

/* Under multi-port: the way to a worker, or back from it. */
struct ls_link {
  bool is_busy;
  double start_s;
  uint32_t first, last; /* chunks that wait for it, one behind another; LS_ENGINE_NONE: none */
};

struct ls_port {
  struct ls_heap waiting;
  bool is_reply;
  uint32_t chunk; /* what it carries */
  double start_s;
  /* Under multi-port. */
  struct ls_link *links;          /* by worker */
  struct ls_heap latencies, data; /* their ends, in seconds and in virtual ones */
  uint64_t in_progress;
  double at_s, virtual_s;
  uint32_t stamp;    /* of the one valid PORT_END */
  bool is_data_next; /* it ends data, else a latency */
};

/* The chunk is ready to cross. */
void ls_network_ask(struct ls_engine *engine, uint32_t chunk, bool is_reply);
/* The next that waits for the port begins, if there is one. */
void ls_network_grant(struct ls_engine *engine, size_t port);
/* What the port carries is across; `payload` is the event's. */
void ls_network_end(struct ls_engine *engine, uint64_t payload);
/* A chunk that began to cross at `start_s` is across. */
void ls_network_deliver(struct ls_engine *engine, size_t port, uint32_t chunk, double start_s);

/* links.c: the same under multi-port, where a step may end a latency, too. False: no memory. */
bool ls_links_open(struct ls_engine *engine);
void ls_links_close(struct ls_engine *engine);
void ls_links_ask(struct ls_engine *engine, size_t port, uint32_t chunk, double turn_s);
void ls_links_grant(struct ls_engine *engine, size_t port);
void ls_links_step(struct ls_engine *engine, size_t port, uint32_t stamp);

#endif
