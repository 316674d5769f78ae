/* block_options.h: the options of `loadstar run` about standard input, or a file, that is divided
 * among commands in blocks of whole records. */
#ifndef LS_CLI_RUN_BLOCK_OPTIONS_H
#define LS_CLI_RUN_BLOCK_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/input_form.h"
#include "protocol/block.h"

/* Texts are borrowed from argv. */
struct ls_block_options {
  bool is_piped;              /* --pipe */
  bool is_part;               /* --pipe-part */
  bool is_shared;             /* --tee: all of it for each task */
  bool is_dealt;              /* --round-robin: to processes that live to the end of it */
  uint64_t bytes;             /* --block; 0: not given */
  uint64_t blocks_per_worker; /* --block -n; 0: not given */
  uint64_t records, lines;    /* -N, -L; 0: not given */
  const char *end, *start;    /* --recend, --recstart; NULL: not given */
  bool is_pattern;            /* --regexp */
  bool removes;               /* --rrs */
  const char *header;         /* --header; NULL: none */
  struct ls_input_form csv;   /* --csv: records are rows of it; {0}: not given */
  const char *group_by;       /* --group-by; NULL: not given */
  const char *columns;        /* what separates columns where they are not CSV; NULL: nothing */
  enum ls_block_form form;    /* --cat, --fifo */
};

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_block_options_table[];

/* Is it a key of that table? */
bool ls_block_options_has(int key);
/* One option; LS_EINVAL. */
LS_CHECKED enum ls_status ls_block_options_read(struct ls_block_options *options, int key,
                                                const char *text, struct ls_error *err);
/* Is there anything to divide? */
bool ls_block_options_divide(const struct ls_block_options *options);
struct ls_run_options;
/* Takes -N and -L for records, and leaves the number of blocks of a task to the policy where no
 * size was given. LS_EINVAL: an option needs another one, or excludes it. */
LS_CHECKED enum ls_status ls_block_options_check(struct ls_run_options *options,
                                                 struct ls_error *err);
/* Appends the text with \n \t \r \0 \\ and \xHH as the bytes that they stand for. */
LS_CHECKED enum ls_status ls_block_options_decode(const char *option, const char *text,
                                                  struct ls_bytes *out, struct ls_error *err);

#endif
