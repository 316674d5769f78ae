/* run_option_table.h: the options of `loadstar run`, by name: what --help says of them.
 */
#ifndef LS_CLI_RUN_OPTION_TABLE_H
#define LS_CLI_RUN_OPTION_TABLE_H

#include <argp.h>

/* Long options without a letter. */
enum {
  KEY_SHELL = 256,
  KEY_DRY_RUN,
  KEY_SPEEDS,
  KEY_LOAD_PATTERN,
  KEY_BUSY,
  KEY_SLOT,
  KEY_LISTEN,
  KEY_ADVERTISE,
  KEY_KEY,
  KEY_INSECURE,
  KEY_NO_LOCAL,
  KEY_LABEL,
  KEY_NEEDS,
  KEY_SSH,
  KEY_SSH_COMMAND,
  KEY_TRANSPORT,
  KEY_MPI,
  KEY_EXECUTOR,
  KEY_SHIP,
  KEY_KEEP_CACHE,
  KEY_SLURM,
  KEY_SLURM_EXTRA,
  KEY_WORKERS_MIN,
  KEY_WORKERS_WAIT,
  KEY_PREFETCH,
  KEY_STAGE_AHEAD,
  KEY_SIZING,
  KEY_REPLICATION,
  KEY_EXTRA,
  KEY_LOSS_RATE,
  KEY_EFFICIENCY_WEIGHT,
  KEY_DEADLINE,
  KEY_PRICE_MAX,
  KEY_POLICY,
  KEY_SET,
  KEY_ARGUMENTS,
  KEY_PLAN,
  KEY_ORDER,
  KEY_TIMES,
  KEY_HISTORY,
  KEY_PLATFORM,
  KEY_CALIBRATE,
  KEY_SHUF,
  KEY_SEED,
  KEY_PROGRESS,
  KEY_JSON,
  KEY_SVG,
  KEY_JOURNAL,
  KEY_RESUME,
  KEY_RESUME_FAILED,
  KEY_SYNC
};

/* Numbers of groups put what people need first, in --help: 1 tasks, 2 inputs, 4 workers, 5
 * machines, 7 failures, 8 outputs, 11 what is shown, 12 restart, 13 blocks, 14 bundles, 15
 * division, 16 limits, 17 files; then what is rare: 18 replacement strings, 19 how workers are
 * reached, 20 workers that are away, 21 replicas, 22 studies. Within a group argp sorts by name. */
/* Each ends in {0}: for command lines only, for applications that stage, for both. */
extern const struct argp_option ls_run_command_options[], ls_run_staging_options[],
    ls_run_common_options[];
/* All tables of options of `run', ended by NULL. */
extern const struct argp_option *const ls_run_option_tables[];
/* Those that only other dialects have, and journals of their runs. */
extern const struct argp_option *const ls_run_dialect_tables[];
/* The long name of the option with that key, of another dialect, too; NULL: there is none. */
const char *ls_run_option_name(int key);

#endif
