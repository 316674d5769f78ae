/* pack_options.h: the command line of `loadstar pack`.
 */
#ifndef LS_CLI_PACK_OPTIONS_H
#define LS_CLI_PACK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/pack/pack_source.h"

struct ls_pack_options {
  const char *name;
  char **files; /* of times; borrowed, as all words */
  size_t files_count, files_capacity;
  const char *tasks; /* a list of the tasks; NULL: those of the files */
  bool has_sizes;    /* the list has sizes */
  enum ls_pack_form form;
  enum ls_same_names same_names;
  bool skips_bad;  /* lines of job logs */
  bool uses_mean;  /* of known times for unknown ones; else the median */
  uint64_t shards; /* 0: not given */
  double *speeds;  /* owned */
  size_t speeds_count;
  double job_s;          /* 0: not given */
  double start_s;        /* of each shard or job */
  uint64_t machines;     /* of unknown speeds; 0: not given */
  uint64_t index;        /* the shard to print, from 1; 0: not given */
  uint64_t index_shards; /* of so many */
  const char *output;    /* a folder, or a name with {} */
  const char *slurm;
  double time_margin;
  uint64_t seed, work;
  bool wants_json;
  char *const *command; /* behind --, for the script */
  size_t command_count;
};

/* Ends the program with status 2 where the words are wrong, as argp does. */
void ls_pack_options_read(struct ls_pack_options *options, int argc, char **argv);
void ls_pack_options_close(struct ls_pack_options *options);

#endif
