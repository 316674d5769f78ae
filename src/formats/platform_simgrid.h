/* platform_simgrid.h: a platform as the XML text that SimGrid reads.
 *
 * What is read: one zone (or AS) with hosts, links and routes.  The master is the host with the
 * property loadstar.master, else the one called "master", else the first.  Every host to which a
 * route leads from the master (or, being symmetrical, the other way) is a worker, in the order of
 * the hosts:
 *
 *   compute.per_unit   = unit_flops / (speed of the host x cores)
 *   transfer.latency   = the sum of the latencies of the route's links
 *   transfer.per_unit  = unit_bytes / (the least bandwidth of these links)
 *
 * Properties hold what SimGrid has no word for, and a property wins: of a host
 * loadstar.compute.latency, loadstar.delay, loadstar.reply.per_unit, ... (the fields of the JSON
 * form; loadstar.task_seconds.law and .variation, the law's deviation / mean), of the zone
 * loadstar.ports, loadstar.alpha, loadstar.limit, loadstar.share, loadstar.storage.readers,
 * loadstar.prepare.latency, loadstar.prepare.per_unit.  Results cost nothing unless a host says so.
 * Links are not shared between workers: one port sends one chunk at a time.
 */
#ifndef LS_FORMATS_PLATFORM_SIMGRID_H
#define LS_FORMATS_PLATFORM_SIMGRID_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "model/platform.h"

/* What one unit of load is worth; both > 0. */
struct ls_simgrid_unit {
  double flops, bytes;
};

/* 1e9 flops and 1e6 bytes. */
struct ls_simgrid_unit ls_simgrid_unit_default(void);
/* The caller closes the result. LS_EINVAL names the line, what stands there and what was expected;
 * nothing but the text itself is read (no DTD, no declarations of the document). */
LS_CHECKED enum ls_status ls_platform_read_simgrid(struct ls_platform *platform,
                                                   struct ls_text text,
                                                   const struct ls_simgrid_unit *unit,
                                                   struct ls_error *err);
/* Appends the XML text. Reading it gives the same platform, costs per unit up to the last digit
 * (they pass through a speed or a bandwidth). LS_EINVAL: two workers have one name, or a name that
 * XML cannot hold; or a worker has several windows. */
LS_CHECKED enum ls_status ls_platform_write_simgrid(const struct ls_platform *platform,
                                                    const struct ls_simgrid_unit *unit,
                                                    struct ls_bytes *out, struct ls_error *err);

#endif
