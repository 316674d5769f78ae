/* open_site.h: a place with one open door and no token, for masters whose workers are threads. */
#ifndef LS_TEST_OPEN_SITE_H
#define LS_TEST_OPEN_SITE_H

#include <stdio.h>

#include "runtime/master/site.h"

/* One for each program: valid until the next call. */
static inline struct ls_site *open_site(const struct ls_transport *transport, const char *address) {
  static struct ls_site site;
  site = (struct ls_site){.doors = {{.transport = transport, .is_open = true}}, .doors_count = 1};
  (void)snprintf(site.doors[0].address, sizeof site.doors[0].address, "%s", address);
  return &site;
}

/* The same, and a pool that workers come from. */
static inline struct ls_site *open_site_with(const struct ls_transport *transport,
                                             const char *address,
                                             const struct ls_pool_choice *pool) {
  struct ls_site *site = open_site(transport, address);
  site->pools = pool;
  site->pools_count = 1;
  return site;
}

#endif
