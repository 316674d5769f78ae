/* network_private.h: the ports, each of which carries one chunk at a time.
 */
#ifndef LS_SIMULATE_NETWORK_PRIVATE_H
#define LS_SIMULATE_NETWORK_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"

struct ls_engine;

struct ls_port {
  struct ls_heap waiting;
  bool is_reply;
  uint32_t chunk; /* what it carries */
  double start_s;
};

/* The chunk is ready to cross. */
void ls_network_ask(struct ls_engine *engine, uint32_t chunk, bool is_reply);
/* The next that waits for the port begins, if there is one. */
void ls_network_grant(struct ls_engine *engine, size_t port);
/* What the port carries is across. */
void ls_network_end(struct ls_engine *engine, size_t port);

#endif
