#include "model/platform_build.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"

static const double MASTER_SHARE_DEFAULT = 0.5;

const char *const ls_platform_port_names[LS_PORTS_MULTI + 1] = {
    [LS_PORTS_TWO] = "two-port", [LS_PORTS_ONE] = "one-port", [LS_PORTS_MULTI] = "multi-port"};

struct ls_platform ls_platform_without_workers(void) {
  return (struct ls_platform){.master_share = MASTER_SHARE_DEFAULT,
                              .ports = LS_PORTS_TWO,
                              .ports_alpha = 1,
                              .stage_ahead = LS_STAGE_AHEAD_DEFAULT};
}

struct ls_worker_model ls_platform_free_worker(void) {
  return (struct ls_worker_model){
      .window_to = (double)INFINITY, .room_units = (double)INFINITY, .price_per_s = 1};
}

/* The name of copy `copy` of `count`: the given one, numbered when there are several. */
static char *make_name(const char *given, size_t copy, uint64_t count, size_t index) {
  assert(copy < count);
  struct ls_bytes name = {0};
  if (given == NULL) {
    ls_bytes_printf(&name, "worker-%zu", index);
  } else if (count == 1) {
    ls_bytes_append_text(&name, given);
  } else {
    ls_bytes_printf(&name, "%s-%zu", given, copy);
  }
  assert(name.failed || name.length > 0);
  if (!name.failed) return name.data;
  ls_bytes_close(&name);
  return NULL;
}

enum ls_status ls_platform_add_copies(struct ls_platform *platform, size_t *capacity,
                                      const char *name, uint64_t count,
                                      const struct ls_worker_model *model) {
  assert(count > 0);
  void *items = platform->workers;
  enum ls_status status =
      ls_array_reserve(&items, capacity, platform->workers_count + count, sizeof *model);
  if (status != LS_OK) return status;
  platform->workers = items;
  for (uint64_t copy = 0; copy < count; copy++) {
    assert(platform->workers_count < *capacity);
    struct ls_worker_model *worker = &platform->workers[platform->workers_count];
    *worker = *model;
    worker->name = make_name(name, copy, count, platform->workers_count);
    if (worker->name == NULL) return LS_ENOMEM;
    platform->workers_count++;
  }
  assert(platform->workers_count <= *capacity);
  return LS_OK;
}
