/* machine_state.h: may a command begin on this machine now?  Its load, free memory and swapping
 * beside what the user allows.
 */
#ifndef LS_RUNTIME_EXECUTE_MACHINE_STATE_H
#define LS_RUNTIME_EXECUTE_MACHINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/execute/command_manners.h"

/* What the kernel's files say; NAN and 0 where they do not. */
struct ls_machine_facts {
  double load;         /* mean of the last minute of those that run or wait for a disk */
  uint64_t free_bytes; /* to be had without swapping, by this process */
  uint64_t swapped_in, swapped_out; /* pages since the machine started */
};

/* The state of the last look. Starts as {0}. */
struct ls_machine_state {
  struct ls_machine_facts last;
  double looked_s; /* on the clock; 0: never */
  bool is_good;
};

/* Pure: by the facts of now, and of the look before (NULL: there was none). */
bool ls_machine_is_good(const struct ls_command_manners *manners,
                        const struct ls_machine_facts *facts, const struct ls_machine_facts *last);
/* Reads /proc, and of memory what the groups of this process may still have (cgroup.h). `root`: as
 * there. */
void ls_machine_look(const char *root, struct ls_machine_facts *facts);
/* Looks again when the last look is ls_machine_look_s old; whether a command may begin. */
bool ls_machine_lets_begin(struct ls_machine_state *state, const struct ls_command_manners *manners,
                           double now_s);

/* Seconds between two looks. */
extern const double ls_machine_look_s;

#endif
