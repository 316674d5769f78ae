/* platform_simgrid_private.h: what the reader of SimGrid's XML collects, and quantities in words.
 */
#ifndef LS_FORMATS_PLATFORM_SIMGRID_PRIVATE_H
#define LS_FORMATS_PLATFORM_SIMGRID_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "model/platform.h"

enum ls_simgrid_quantity { LS_SIMGRID_SPEED, LS_SIMGRID_BANDWIDTH, LS_SIMGRID_TIME };

/* "1.5Gf", "125MBps", "10Mbps" (bits), "50us" in flops per second, bytes per second, seconds. Of a
 * list of speeds the first. False: it is none. */
bool ls_simgrid_quantity_read(enum ls_simgrid_quantity quantity, const char *text, double *value);

/* The fields of a worker that a property may set, as numbers. */
struct ls_simgrid_property {
  char name[40]; /* "loadstar.compute.latency" */
  size_t offset; /* of a double in struct ls_worker_model */
};
enum { LS_SIMGRID_PROPERTIES = 2 * (LS_OPERATION_COUNT - LS_OPERATION_OF_WORKER) + 6 };
struct ls_simgrid_property ls_simgrid_property(size_t index);

struct ls_simgrid_host {
  char *name;
  struct ls_worker_model model; /* its name is not used */
  unsigned set;                 /* bits by ls_simgrid_property */
  double speed;                 /* of all cores, flops per second */
  bool is_master, has_route;
  double route_latency_s, route_bandwidth;
};

struct ls_simgrid_link {
  char *name;
  double latency_s, bandwidth;
};

/* All of a document; ends of routes are indices of hosts, links of routes indices of links. */
struct ls_simgrid_route {
  char *from, *to;
  bool is_symmetrical;
  double latency_s, bandwidth; /* INFINITY before the first link */
  size_t line;
};

struct ls_simgrid_document {
  const char *source; /* of the text, for messages; borrowed */
  struct ls_simgrid_host *hosts;
  size_t hosts_count, hosts_capacity;
  struct ls_simgrid_link *links; /* in the order of their names once routes are read */
  size_t links_count, links_capacity;
  struct ls_simgrid_route *routes;
  size_t routes_count, routes_capacity;
  struct ls_platform globals; /* ports, prepare, share; no workers */
};

void ls_simgrid_document_close(struct ls_simgrid_document *document);
/* Parses the text; LS_EINVAL names the line. The caller closes the document also after a failure.
 */
LS_CHECKED enum ls_status ls_simgrid_parse(struct ls_simgrid_document *document,
                                           struct ls_text text, struct ls_error *err);

#endif
