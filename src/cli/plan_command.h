/* plan_command.h: plans that a program writes: --command 'PROGRAM {platform} {load}'.
 *
 * The shell runs the command once for each platform, with the name of a file of JSON in place of
 * {platform} and the units in place of {load}; what it prints is a plan (docs/model.md, "Files").
 */
#ifndef LS_CLI_PLAN_COMMAND_H
#define LS_CLI_PLAN_COMMAND_H

#include "base/bytes.h"
#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

/* LS_EINVAL: the command has no {platform}. */
LS_CHECKED enum ls_status ls_plan_command_check(const char *command, struct ls_error *err);
/* Appends what stands for the command in tables: its text without {platform} and {load}. */
void ls_plan_command_name(const char *command, struct ls_bytes *out);
/* Runs it, and reads and replays its plan, which the caller closes on success; one whose outcome
 * is not_applicable is read as it is.  LS_EINVAL: the program failed or its plan is none for this
 * platform and load; the file of the platform then stays, and the text names it. */
LS_CHECKED enum ls_status ls_plan_command_run(const char *command,
                                              const struct ls_platform *platform, double load,
                                              struct ls_plan *plan, struct ls_error *err);

#endif
