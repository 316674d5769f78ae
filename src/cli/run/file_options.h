/* file_options.h: the options of `loadstar run` about the files of tasks and where they run. */
#ifndef LS_CLI_RUN_FILE_OPTIONS_H
#define LS_CLI_RUN_FILE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "protocol/staging.h"
#include "runtime/files/sandbox.h"

enum { LS_FILE_PATTERNS_MAX = LS_STAGED_OUTPUTS_MAX };

/* Names with replacement strings, as they were given; borrowed. */
struct ls_file_patterns {
  const char *items[LS_FILE_PATTERNS_MAX];
  size_t count;
};

struct ls_file_options {
  bool is_sandboxed;
  enum ls_sandboxing sandboxing;          /* --keep-sandbox; LS_SANDBOX_NONE: not given */
  struct ls_file_patterns inputs, common; /* --stage-in, --stage-common */
  struct ls_file_patterns outputs;        /* --stage-out */
  bool returns_failed;                    /* --stage-out-failed */
  uint64_t cache_bytes;                   /* 0: not given */
};

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_file_options_table[];
/* Of other dialects only. */
extern const struct argp_option ls_file_dialect_table[];

/* Is it a key of that table? */
bool ls_file_options_has(int key);
/* One option; LS_EINVAL. */
LS_CHECKED enum ls_status ls_file_options_read(struct ls_file_options *options, int key,
                                               const char *text, struct ls_error *err);
/* How commands run. */
enum ls_sandboxing ls_file_options_sandboxing(const struct ls_file_options *options);
/* Do tasks take files with them? */
bool ls_file_options_stages(const struct ls_file_options *options);
/* LS_EINVAL: an option needs another one. */
LS_CHECKED enum ls_status ls_file_options_check(const struct ls_file_options *options,
                                                struct ls_error *err);

#endif
