/* run_options.h: the wishes of the user of `loadstar run`: the command line, checked word by word.
 */
#ifndef LS_CLI_RUN_OPTIONS_H
#define LS_CLI_RUN_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/offers.h"
#include "base/bytes.h"
#include "base/labels.h"
#include "base/status.h"
#include "cli/run/block_options.h"
#include "cli/run/bundle_options.h"
#include "cli/run/file_options.h"
#include "cli/run/halt.h"
#include "cli/run/input_options.h"
#include "cli/run/limit_options.h"
#include "cli/run/login_options.h"
#include "cli/run/output_options.h"
#include "protocol/slurm_wish.h"
#include "runtime/application.h"
#include "theory/load_pattern.h"

enum {
  LS_RUN_WORKERS_MAX = 4096,
  LS_RUN_POOLS_MAX = 4, /* the local one, and those elsewhere */
  LS_RUN_SETTINGS_MAX = 32,
  LS_RUN_FILES_MAX = 32,
  LS_RUN_LOSSES = 3 /* of --losses, where it is not given */
};

/* Workers that pools start on other machines, in the order of their slots. */
struct ls_run_elsewhere {
  size_t ranks;     /* of MPI, but for the master; they come first, before local workers, too */
  const char *door; /* where they come in without --listen; NULL: no pool needs that */
  size_t workers;
  double *speeds; /* owned; one each */
  struct {
    const char *name; /* of the pool */
    size_t workers;
  } pools[LS_RUN_POOLS_MAX];
  size_t pools_count;
};

/* How master and workers meet: over MPI where its launcher has started several processes, always,
 * or never. */
enum ls_run_transport { LS_RUN_AUTO, LS_RUN_MPI, LS_RUN_LOCAL };

/* Which options there are: those of `run' itself, or also those that only another dialect has. */
enum ls_run_names { LS_RUN_OWN_NAMES, LS_RUN_ALL_NAMES };

/* Texts are borrowed from argv. */
struct ls_run_left; /* cli/run/run_left.h */

struct ls_run_options {
  char **words; /* the command and its inputs, or the application's words */
  size_t words_count;

  const char *files[LS_RUN_FILES_MAX]; /* --arg-file */
  size_t files_count;
  struct ls_input_options inputs;
  bool is_shell, is_dry;
  bool asks_cost;       /* --dry-run=cost */
  char shell[PATH_MAX]; /* the program for command lines; "": there are none */

  size_t workers;           /* 0: not said */
  bool has_worker_by_task;  /* -j 0: `workers` are the most, and no more than tasks */
  const char *workers_file; /* that says them; NULL: none */
  size_t workers_most;      /* local ones that there are descriptors for */
  double *speeds;           /* owned */
  size_t speeds_count;
  bool has_load_pattern;
  struct ls_load_pattern load_pattern; /* busy and slot_s 0: not said, until all are read */
  struct ls_run_elsewhere elsewhere;
  enum ls_run_transport transport;
  const char *mpi;                      /* name or file of the module; NULL: by the launcher */
  const char *listen, *advertise, *key; /* NULL: not said */
  const char *ssh, *ssh_command;
  bool ships, keeps_cache; /* of hosts by ssh */
  bool is_insecure, has_no_local;
  char labels[LS_LABELS_BYTES]; /* of the workers here, and of the ranks of MPI; "": none */
  const char *needs;            /* of all tasks; NULL: none */
  const char *needs_by_task;    /* replacement strings that say it of each; NULL: none */
  bool has_needs;               /* not all units are for all workers */
  bool has_slurm;
  struct ls_slurm_wish slurm;
  const char *slurm_extra; /* NULL: not said */
  uint64_t prefetch;
  bool has_whole_chunks;         /* a chunk of the policy is one process */
  size_t stage_ahead;            /* of applications that stage */
  bool computes_in_thread;       /* --executor thread */
  bool has_prefetch;             /* it was given; it stays unless --policy auto was given, too */
  bool chooses_prefetch;         /* it was given as auto */
  const char *sizing;            /* NULL: as many workers as were asked for */
  const char *replication;       /* NULL: none */
  size_t extra;                  /* of the workers, kept for replicas */
  bool has_extra;                /* it was said */
  double loss_rate;              /* losses per second and worker; 0: measured */
  const char *efficiency_weight; /* NULL: not said */

  const char *policy;    /* NULL: not said */
  struct ls_terms terms; /* of time and price */
  const char *settings[LS_RUN_SETTINGS_MAX];
  size_t settings_count;
  const char *arguments; /* file */
  const char *plan;      /* file */
  const char *order;
  const char *times;     /* file of declared seconds; NULL: none */
  const char *history;   /* journal of an earlier run; NULL: none */
  const char *platform;  /* file, or one line; NULL: none */
  const char *calibrate; /* file that this run renews; NULL: none */
  uint64_t seed;

  uint32_t retries;
  double retry_delay_s;              /* 0: at once */
  double timeout_s, timeout_percent; /* one of them, of the median of those that succeed; or 0 */
  const char *ending;                /* --termseq; NULL: as ever */
  double silence_s, patience_s;      /* 0: derived */
  enum ls_replacing replacing;       /* of lost workers */
  double workers_wait_s;             /* 0: as long as the patience, if that was said */
  size_t workers_min;                /* 0: not said */
  uint32_t losses;                   /* of workers, after which a task is given up; 0: never */
  double heartbeat_s;                /* 0: the default */
  struct ls_halt halt;

  struct ls_file_options files_of_tasks;
  struct ls_login_options logins;
  struct ls_block_options blocks;
  struct ls_bundle_options bundles;

  struct ls_output_options outputs;
  struct ls_limit_options limits;

  bool keeps_order;
  bool wants_progress, is_quiet, is_verbose, wants_json;
  const char *json;    /* file; NULL: standard output */
  const char *drawing; /* of the workers over time, a file; NULL: none */

  /* The options that a resume needs again, "--name" or "--name=value" each followed by a zero byte;
   * owned. */
  struct ls_bytes recorded;
  size_t recorded_count;
  /* Those that this start alone has, such as --json, in the same form; owned. */
  struct ls_bytes of_start;

  const char *journal;
  bool is_resumed, repeats_failures, is_synced;
  /* What the run passes over, which it finds by itself; borrowed. NULL: nothing. */
  const struct ls_run_left *left;
};

/* Does it only go on with a run, whose journal is there and has the rest of the command line? */
bool ls_run_options_may_join(const struct ls_run_options *options);
/* What options say about each other. LS_EINVAL names them. */
LS_CHECKED enum ls_status ls_run_options_check_all(struct ls_run_options *options,
                                                   const struct ls_app *app, struct ls_error *err);
/* Reads the command line; prints what is wrong. Returns -1: go on; else the exit status.  Options
 * that may be joined to others are not checked against each other. */
int ls_run_options_read(struct ls_run_options *options, int argc, char **argv,
                        const struct ls_app *app, enum ls_run_names names);
void ls_run_options_close(struct ls_run_options *options);

#endif
