/* platform_build.h: a platform is built worker by worker; what its readers share. */
#ifndef LS_MODEL_PLATFORM_BUILD_H
#define LS_MODEL_PLATFORM_BUILD_H

#include "model/platform.h"

/* A reader of untrusted text must not be made to fill the memory by one large count. */
enum { LS_PLATFORM_WORKERS_MOST = 1000000 };

/* "two-port", "one-port", "multi-port", by enum ls_ports. */
extern const char *const ls_platform_port_names[LS_PORTS_MULTI + 1];

/* What a reader starts from. */
struct ls_platform ls_platform_without_workers(void);
/* A worker that costs nothing, as a reader finds it before any field. */
struct ls_worker_model ls_platform_free_worker(void);
/* Appends `count` copies of `model`, whose name is not looked at: they are called `name`, numbered
 * when there are several ("node-0"), or "worker-N" when it is NULL. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_platform_add_copies(struct ls_platform *platform, size_t *capacity,
                                                 const char *name, uint64_t count,
                                                 const struct ls_worker_model *model);

#endif
