/* command_manners.h: what commands find in their environment, and how they treat their machine.
 *
 * A master tells its workers; what is not told changes nothing.
 */
#ifndef LS_RUNTIME_EXECUTE_COMMAND_MANNERS_H
#define LS_RUNTIME_EXECUTE_COMMAND_MANNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

enum { LS_ASSIGNMENTS_MAX = 256, LS_NICENESS_MAX = 19 };

struct ls_command_manners {
  char **assignments; /* NAME=VALUE each; owned */
  size_t assignments_count;
  char *slot_variable; /* gets the worker's slot, from 0; owned; NULL: none */
  int niceness;        /* above the worker's own, 0 to LS_NICENESS_MAX */
  /* No command begins while the machine's load is above (0: whatever it is), less memory is free
   * (0: likewise), or it swaps in and out. */
  double load_most;
  uint64_t memory_least_bytes;
  bool avoids_swap;
};

/* NULL: no memory. The caller owns it. */
json_t *ls_command_manners_json(const struct ls_command_manners *manners);
/* On failure the caller closes what was read. LS_EINVAL, LS_ECORRUPT: as the readers of JSON say.
 */
LS_CHECKED enum ls_status ls_command_manners_read(const struct ls_json *place,
                                                  struct ls_command_manners *manners,
                                                  struct ls_error *err);
void ls_command_manners_close(struct ls_command_manners *manners);
/* LS_EINVAL: no name of a variable of a shell. `field` stands in the message. */
LS_CHECKED enum ls_status ls_command_manners_check_name(const char *field, const char *name,
                                                        struct ls_error *err);
/* Does anything wait for the machine? */
static inline bool ls_command_manners_waits(const struct ls_command_manners *manners) {
  return manners->load_most > 0 || manners->memory_least_bytes > 0 || manners->avoids_swap;
}

#endif
