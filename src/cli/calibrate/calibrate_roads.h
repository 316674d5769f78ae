/* calibrate_roads.h: --fit=makespan: two roads from journals to a platform, for people and for
 * machines. */
#ifndef LS_CLI_CALIBRATE_ROADS_H
#define LS_CLI_CALIBRATE_ROADS_H

#include "advise/roads.h"
#include "base/bytes.h"
#include "base/status.h"

/* ls_roads_compare of the runs in `setup->count` journals; `setup` comes without courses, and is
 * left so. LS_EINVAL names a file that is no journal of a run. */
LS_CHECKED enum ls_status ls_calibrate_roads_read(const char *const *paths,
                                                  struct ls_roads_setup *setup,
                                                  struct ls_platform *platform,
                                                  struct ls_roads *roads, struct ls_error *err);
/* `paths` name the runs. */
void ls_roads_write_text(const struct ls_roads *roads, const char *const *paths,
                         struct ls_bytes *out);
void ls_roads_write_json(const struct ls_roads *roads, const char *const *paths,
                         struct ls_bytes *out);

#endif
