/* site.h: where a run happens: what a program assembles before anything else.
 *
 * Doors are where workers come in: a transport and the address at which the master listens.  The
 * first one is that of the local workers; others come by an open door, under the keys of the run
 * unless the user does without: guests, and the workers that a pool starts on other machines. Pools
 * are where workers come from; guests may join all the same.
 */
#ifndef LS_RUNTIME_MASTER_SITE_H
#define LS_RUNTIME_MASTER_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "runtime/os/keys.h"
#include "runtime/pool/pool.h"
#include "runtime/transport/transport.h"

enum { LS_SITE_DOORS_MAX = 4, LS_SITE_ADDRESS_BYTES = LS_KEY_ADDRESS_BYTES };

struct ls_site_door {
  const struct ls_transport *transport;
  char address[LS_SITE_ADDRESS_BYTES];   /* ""; a private socket, made when the master listens */
  unsigned ports_more;                   /* which may be tried behind the address's, one by one */
  char advertise[LS_SITE_ADDRESS_BYTES]; /* host name that guests use; "": found out */
  bool is_open;                          /* to workers on other machines */
  bool is_for_pools;                     /* to those that a pool starts, and no others */
  bool has_keys;                         /* those of the site */
};

struct ls_keeper;

struct ls_site {
  struct ls_site_door doors[LS_SITE_DOORS_MAX];
  size_t doors_count;
  const struct ls_pool_choice *pools; /* borrowed for as long as the site is used */
  size_t pools_count;
  struct ls_keeper *keeper; /* removes the run's private folder if the master dies; NULL: nobody */
  struct ls_key_file keys;  /* of the doors that have them; `asked` is "" as long as none has */
};

/* A wish of the user: other workers may join; or the need of a pool. Borrowed texts. */
struct ls_site_listening {
  const char *address;            /* tcp://HOST:PORT, or HOST:FIRST-LAST */
  const char *advertise;          /* NULL: found out */
  bool is_insecure;               /* without keys: open to all who reach it, and in the clear */
  bool is_for_pools;              /* nobody else is told of it */
  const struct ls_key_file *keys; /* of an earlier session of the run; NULL: new ones */
};

/* This machine: a private door of the local workers, and no other. */
struct ls_site ls_site_here(void);
/* LS_EINVAL: no site can listen there, and what was expected; whether its host is known is not
 * looked at. */
LS_CHECKED enum ls_status ls_site_check_address(const char *address, struct ls_error *err);
/* Opens a door to guests. An earlier session that was asked for the same listened on what its keys
 * say, and so will this one. LS_EINVAL: the address is none. May ask the network for the host's
 * address. */
LS_CHECKED enum ls_status ls_site_listen(struct ls_site *site, const struct ls_site_listening *wish,
                                         struct ls_error *err);
/* The address that guests use: of a door at which a master listens at `bound`. */
void ls_site_advertise(const struct ls_site_door *door, const char *bound,
                       char address[LS_SITE_ADDRESS_BYTES]);

#endif
