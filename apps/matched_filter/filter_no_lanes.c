/* filter_no_lanes.c: a processor without vectors that this program knows. */
#include <assert.h>
#include <stddef.h>

#include "filter_lanes.h"

enum ls_status lanes_create(const struct kernels *kernels, enum response response,
                            struct lanes **out, struct ls_error *err) {
  (void)kernels, (void)response, (void)err;
  *out = NULL;
  return LS_OK;
}

void lanes_destroy(struct lanes *lanes) {
  assert(lanes == NULL);
}

void lanes_run(const struct lanes *lanes, const struct patch *patch, int64_t *responses) {
  (void)patch, (void)responses;
  assert(lanes != NULL);
}
