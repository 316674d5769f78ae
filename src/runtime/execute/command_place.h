/* command_place.h: a place in the input of a range of commands, which moves on from one command to
 * the next, so that a range is decoded once in all. */
#ifndef LS_RUNTIME_EXECUTE_COMMAND_PLACE_H
#define LS_RUNTIME_EXECUTE_COMMAND_PLACE_H

#include "protocol/command.h"
#include "runtime/application.h"

/* Starts as {0}. A copy is another place. */
struct ls_command_place {
  const void *input; /* NULL: nowhere */
  struct ls_range packed;
  uint64_t unit;
  size_t offset;
};

/* Moves to the command of the first unit of the work. LS_ECORRUPT, LS_ENOMEM: nowhere. */
LS_CHECKED enum ls_status ls_command_place_seek(struct ls_command_place *place,
                                                const struct ls_work *work,
                                                struct ls_command *command, struct ls_error *err);
/* Reads the command there, and moves behind it. */
LS_CHECKED enum ls_status ls_command_place_read(struct ls_command_place *place,
                                                const struct ls_work *work,
                                                struct ls_command *command, struct ls_error *err);

#endif
