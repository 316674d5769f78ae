#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* Marks a text that vsnprintf had to cut, so that nobody takes half a sentence for the whole. */
static void mark_cut(char *text, size_t text_bytes, int wanted) {
  if (wanted >= 0 && (size_t)wanted >= text_bytes) memcpy(text + text_bytes - 4, "...", 4);
}

enum ls_status ls_fail(struct ls_error *err, enum ls_status status, const char *format, ...) {
  if (err == NULL) return status;
  /* The arguments may point into the old text, so the new one is made aside. */
  char text[LS_ERROR_TEXT_BYTES] = "";
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  mark_cut(text, sizeof text, wanted);
  err->status = status;
  memcpy(err->text, text, sizeof text);
  return status;
}

enum ls_status ls_fail_while(struct ls_error *err, enum ls_status status, const char *format, ...) {
  if (err == NULL) return status;
  char doing[LS_ERROR_TEXT_BYTES] = "";
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(doing, sizeof doing, format, arguments);
  va_end(arguments);
  mark_cut(doing, sizeof doing, wanted);
  char text[2 * LS_ERROR_TEXT_BYTES + 4] = "";
  int length = snprintf(text, sizeof text, "%s: %s", doing, err->text);
  err->status = status;
  memcpy(err->text, text, sizeof err->text);
  err->text[sizeof err->text - 1] = '\0';
  mark_cut(err->text, sizeof err->text, length);
  return status;
}

const char *ls_status_name(enum ls_status status) {
  static const char *const names[LS_STATUS_COUNT] = {
      [LS_OK] = "ok",
      [LS_EINVAL] = "invalid",
      [LS_ENOMEM] = "out of memory",
      [LS_EIO] = "input or output failed",
      [LS_ECORRUPT] = "corrupt",
      [LS_EBUSY] = "busy",
      [LS_EMISMATCH] = "belongs to something else",
      [LS_ENOWORKERS] = "no workers",
      [LS_EINTERRUPTED] = "interrupted",
      [LS_ECLOSED] = "closed",
  };
  if ((unsigned)status >= LS_STATUS_COUNT) return "unknown status";
  return names[status];
}
