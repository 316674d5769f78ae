/* status.h: how every function that can fail says so.
 *
 * 0 is success.  The function that detects a failure writes its text once, with the values that
 * matter, through ls_fail; callers forward the status or put what they were doing in front of the
 * text with ls_fail_while.  There is no global or thread-wide error state.
 */
#ifndef LS_BASE_STATUS_H
#define LS_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#include "base/linkage.h"

LS_C_BEGIN

enum ls_status {
  LS_OK = 0,
  LS_EINVAL,       /* the caller's input is wrong: bad usage, a bad file, a bad field (exit 2) */
  LS_ENOMEM,       /* memory could not be had */
  LS_EIO,          /* a file, socket or process operation failed */
  LS_ECORRUPT,     /* data that we once wrote is not what we wrote */
  LS_EBUSY,        /* not now: another process holds it (a journal), or there is no room for it */
  LS_EMISMATCH,    /* it belongs to something else (journal of another command or input) */
  LS_ENOWORKERS,   /* no worker could be had (exit 3) */
  LS_EINTERRUPTED, /* stopped by the user (exit 130) */
  LS_ECLOSED,      /* nobody reads the output any more (ends as by SIGPIPE) */
  LS_STATUS_COUNT
};

enum { LS_ERROR_TEXT_BYTES = 512 };

/* A failure in words.  Plain data; the caller owns it. */
struct ls_error {
  enum ls_status status;
  char text[LS_ERROR_TEXT_BYTES]; /* one sentence, no newline, cut with "..." when too long */
};

#define LS_CHECKED __attribute__((warn_unused_result))

/* Writes the text into `err` (which may be NULL) and returns `status`. */
enum ls_status ls_fail(struct ls_error *err, enum ls_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "what we were doing: " in front of the text in `err` (may be NULL); returns its status. */
enum ls_status ls_fail_while(struct ls_error *err, enum ls_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A lower-case word for the status, such as "invalid" or "out of memory"; never NULL. */
const char *ls_status_name(enum ls_status status);

LS_C_END

#endif
