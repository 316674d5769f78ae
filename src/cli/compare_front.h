/* compare_front.h: `loadstar compare --front`: time against price, over algorithms and crews.
 */
#ifndef LS_CLI_COMPARE_FRONT_H
#define LS_CLI_COMPARE_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/crews.h"
#include "base/bytes.h"
#include "base/status.h"

/* A planner, or a policy with its order. */
struct ls_front_way {
  const char *name;
  enum ls_status (*judge)(void *context, struct ls_crew *crews, size_t count, struct ls_error *err);
  void *context;
};

struct ls_front_request {
  const struct ls_platform *platform;
  double load;
  const struct ls_front_way *ways;
  size_t ways_count;
  const char *kind;   /* "algorithm" or "policy": of the names */
  size_t least, most; /* workers of a crew; most 0: all */
  struct ls_terms terms;
  bool wants_json;
  bool shows_sites;    /* compare_sites.h answers in place of the front */
  const char *picture; /* a file for the drawing; NULL: none */
};

/* Prints the front and what the terms choose of it. `*holds` false: nothing applies, or the terms
 * are not met. */
LS_CHECKED enum ls_status ls_compare_front(const struct ls_front_request *request, bool *holds,
                                           struct ls_error *err);
/* "a, b-0 to b-7": neighbours on the platform in one. */
void ls_front_write_names(const struct ls_platform *platform, const struct ls_crew *crew,
                          struct ls_bytes *out);

#endif
