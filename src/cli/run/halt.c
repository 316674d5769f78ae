#include "cli/run/halt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"

static enum ls_status refuse(const char *text, struct ls_error *err) {
  char shown[64];
  ls_console_show(text, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "--halt is '%s', expected never, 0, 1, 2, -1, -2, 10%%, or soon or now, a comma, "
                 "and fail=N, success=N or "
                 "done=N, where N is a number >= 1 or a percentage such as 10%%",
                 shown);
}

enum ls_status ls_halt_parse(struct ls_halt *halt, const char *text, struct ls_error *err) {
  static const struct {
    const char *text;
    enum ls_halt_reason reason;
  } reasons[] = {{"fail=", LS_HALT_FAIL}, {"success=", LS_HALT_SUCCESS}, {"done=", LS_HALT_DONE}};
  /* As GNU parallel had it first. */
  static const struct {
    const char *text, *meaning;
  } numbers[] = {{"0", "never"},
                 {"1", "soon,fail=1"},
                 {"2", "now,fail=1"},
                 {"-1", "soon,success=1"},
                 {"-2", "now,success=1"}};
  struct ls_halt read = {.reason = LS_HALT_NEVER};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(text, numbers[i].text) == 0) return ls_halt_parse(halt, numbers[i].meaning, err);
  if (strcmp(text, "never") == 0) {
    *halt = read;
    return LS_OK;
  }
  char percentage[48];
  if (text[strspn(text, "0123456789.")] == '%' && strlen(text) < 24) {
    (void)snprintf(percentage, sizeof percentage, "soon,fail=%s", text);
    return ls_halt_parse(halt, percentage, err);
  }
  read.is_hard = strncmp(text, "now,", 4) == 0;
  if (!read.is_hard && strncmp(text, "soon,", 5) != 0) return refuse(text, err);
  const char *rest = strchr(text, ',') + 1;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (strncmp(rest, reasons[i].text, strlen(reasons[i].text)) == 0) {
      read.reason = reasons[i].reason;
      rest += strlen(reasons[i].text);
      break;
    }
  char number[32];
  size_t length = strlen(rest);
  if (read.reason == LS_HALT_NEVER || length == 0 || length >= sizeof number)
    return refuse(text, err);
  memcpy(number, rest, length + 1);
  bool is_percent = number[length - 1] == '%';
  if (is_percent) number[length - 1] = '\0';
  /* A percentage of nothing would stop every run at its start. */
  if (is_percent ? ls_console_real("", number, (struct ls_real_range){1e-9, 100}, &read.percent,
                                   NULL) != LS_OK
                 : ls_console_whole("", number, (struct ls_whole_range){1, UINT64_MAX}, &read.count,
                                    NULL) != LS_OK)
    return refuse(text, err);
  *halt = read;
  return LS_OK;
}

enum ls_master_wish ls_halt_wish(const struct ls_halt *halt, uint64_t units, uint64_t succeeded,
                                 uint64_t failed) {
  uint64_t counted = 0;
  switch (halt->reason) {
    case LS_HALT_NEVER:
      return LS_WISH_GO_ON;
    case LS_HALT_FAIL:
      counted = failed;
      break;
    case LS_HALT_SUCCESS:
      counted = succeeded;
      break;
    case LS_HALT_DONE:
      counted = succeeded + failed;
      break;
  }
  double least =
      halt->percent > 0 ? ceil((double)units * halt->percent / 100 - 1e-9) : (double)halt->count;
  if (counted == 0 || !((double)counted >= least)) return LS_WISH_GO_ON;
  return halt->is_hard ? LS_WISH_STOP_NOW : LS_WISH_STOP;
}

enum ls_verdict ls_halt_verdict(const struct ls_halt *halt) {
  switch (halt->reason) {
    case LS_HALT_FAIL:
      return LS_VERDICT_FAILURE;
    case LS_HALT_SUCCESS:
      return LS_VERDICT_SUCCESS;
    case LS_HALT_DONE:
      return LS_VERDICT_ALWAYS;
    case LS_HALT_NEVER:
      break;
  }
  return LS_VERDICT_NEVER;
}
