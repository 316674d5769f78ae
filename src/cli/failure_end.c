#include "cli/failure_end.h"

#include <string.h>

/* Each of the two has the whole limit. */
static void write_time_out(const struct ls_failure_end *end, struct ls_bytes *out) {
  if (!(end->compute_s > 0) && end->stage_s > 0)
    ls_bytes_printf(out, "timed out after %.4g s of staging", end->stage_s);
  else
    ls_bytes_printf(out, "timed out after %.4g s", end->seconds);
}

void ls_failure_end_write(const struct ls_failure_end *end, struct ls_bytes *out) {
  const char *name = sigabbrev_np(end->signal);
  if (end->outcome == LS_OUTCOME_GIVEN_UP)
    ls_bytes_append_text(out, "abandoned");
  else if (end->has_timed_out)
    write_time_out(end, out);
  else if (end->signal != 0 && name != NULL)
    ls_bytes_printf(out, "killed by signal %d (SIG%s)", end->signal, name);
  else if (end->signal != 0)
    ls_bytes_printf(out, "killed by signal %d", end->signal);
  else if (end->exit_code != 0)
    ls_bytes_printf(out, "exit code %d", end->exit_code);
  else
    ls_bytes_append_text(out, "failed");
}
