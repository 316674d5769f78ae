#include "cli/run/run_option_table.h"

#include <stddef.h>

#include "cli/run/block_options.h"
#include "cli/run/bundle_options.h"
#include "cli/run/failure_options.h"
#include "cli/run/file_options.h"
#include "cli/run/input_options.h"
#include "cli/run/limit_options.h"
#include "cli/run/login_options.h"
#include "cli/run/output_options.h"

/* For command lines only: an application has its own words. */
const struct argp_option ls_run_command_options[] = {
    {NULL, 0, NULL, 0, "Tasks (default: the lines of standard input)", 1},
    {"arg-file", 'a', "FILE", 0,
     "Read inputs from FILE, one per line (repeatable; - is standard input)", 1},
    {"shell", KEY_SHELL, "PROGRAM", OPTION_ARG_OPTIONAL,
     "Give the command to a shell; inputs are quoted for it (default: $LOADSTAR_SHELL, the shell "
     "that started this, or /bin/sh)",
     1},
    {"dry-run", KEY_DRY_RUN, "cost", OPTION_ARG_OPTIONAL,
     "Print the commands, and run nothing; with --slurm show and test its jobs; cost: say how long "
     "the run takes and how many workers pay",
     1},
    {NULL, 0, NULL, 0, "Outputs of tasks", 8},
    {"keep-order", 'k', NULL, 0, "Print outputs in the order of the inputs", 8},
    {0}};

/* Of applications that stage. */
const struct argp_option ls_run_staging_options[] = {
    {"stage-ahead", KEY_STAGE_AHEAD, "K", 0,
     "Pieces of input that a worker has read ahead, 0 to 64 (default: 1)", 15},
    {0}};

const struct argp_option ls_run_common_options[] = {
    {NULL, 0, NULL, 0, "Workers: how many, and where", 4},
    {"workers", 'j', "N", 0,
     "Start N workers (default: number of cores): N, 50% of the cores, +N or -N of them, 0: one "
     "for each "
     "task, or the file that holds one of these",
     4},
    {NULL, 0, NULL, 0, "Workers of unequal speed, for studies", 22},
    {"speeds", KEY_SPEEDS, "LIST", 0, "Slow workers down: shares of full speed, such as 1,1,0.5",
     22},
    {"load-pattern", KEY_LOAD_PATTERN, "NAME[:SECONDS]", 0,
     "Slow workers down by turns, as other users would: high-low, low-high, random, ..., or seven: "
     "each worker has another one (default: 60 seconds)",
     22},
    {"busy", KEY_BUSY, "SHARE", 0,
     "With --load-pattern: what high load leaves of the speed (default: 0.5)", 22},
    {"slot", KEY_SLOT, "SECONDS", 0,
     "With --load-pattern: how long random load stays high or low (default: 1)", 22},
    {"prefetch", KEY_PREFETCH, "N", 0, "Tasks that may wait at a worker, or auto (default: 1)", 15},
    {"listen", KEY_LISTEN, "ADDRESS", 0,
     "Let other workers join at tcp://HOST:PORT (or HOST:FIRST-LAST, the first port that is free)",
     4},
    {"key", KEY_KEY, "FILE", 0,
     "With --listen: write what workers need into FILE (default: a private file, which is named)",
     4},
    {NULL, 0, NULL, 0, "How workers are started and reached", 19},
    {"advertise", KEY_ADVERTISE, "HOST", 0, "Name by which other workers reach this machine", 19},
    {"insecure", KEY_INSECURE, NULL, 0,
     "Listen without keys: nothing is encrypted, and everybody who reaches the address can join",
     19},
    {"ssh", KEY_SSH, "HOSTS", 0,
     "Also start workers on [user@]host[:workers[/speed]][+label],... by ssh (0: its cores), or on "
     "those that @FILE lists",
     4},
    {"ssh-command", KEY_SSH_COMMAND, "WORDS", 0,
     "With --ssh: in place of ssh, such as 'ssh -F FILE'", 19},
    {"transport", KEY_TRANSPORT, "NAME", 0,
     "auto: the processes of mpirun or srun are master and workers of one run (default); mpi: they "
     "must be; local: each is a run of its own",
     19},
    {"mpi", KEY_MPI, "NAME", 0,
     "The MPI: openmpi, mpich, or the file of its module (default: the launcher's)", 19},
    {"executor", KEY_EXECUTOR, "NAME", 0,
     "Applications: compute in a child of each worker (child, default), or in a thread of it, for "
     "networks of MPI that bear no fork (thread)",
     19},
    {"ship", KEY_SHIP, NULL, 0,
     "With --ssh: bring this program to the hosts, also where it is; without --ship only where it "
     "is "
     "missing",
     19},
    {"keep-cache", KEY_KEEP_CACHE, NULL, 0,
     "With --ssh: leave a program that was brought there in ~/.cache/loadstar, for later runs", 19},
    {"no-local", KEY_NO_LOCAL, NULL, 0,
     "With --listen, --ssh or --slurm: start no worker here; with --listen --workers N says how "
     "many are expected",
     4},
    {"label", KEY_LABEL, "LABEL", 0, "What workers here have, such as gpu (repeatable)", 4},
    {"needs", KEY_NEEDS, "LABEL", 0,
     "Let only workers with this label do the tasks; {2}, for example: each by its own", 4},
    {"slurm", KEY_SLURM, "KEY=VALUE,...", 0,
     "Start workers in jobs of Slurm: partition, account, qos, time, nodes, workers (per node), "
     "cpus, mem, constraint, per-job, backlog, hours, notice, label, requeue",
     4},
    {"slurm-extra", KEY_SLURM_EXTRA, "WORDS", 0, "With --slurm: further options for sbatch", 19},
    {"workers-min", KEY_WORKERS_MIN, "N", 0, "Hand out nothing before N workers are there", 4},
    {"workers-wait", KEY_WORKERS_WAIT, "S", 0,
     "End when there is no worker, and none on its way, for S seconds (default: 30)", 4},
    {NULL, 0, NULL, 0, "Iterations and replicas", 21},
    {"sizing", KEY_SIZING, "NAME[:VALUE]", 0,
     "How many of them each iteration uses: fixed, table, self, asp (default: all)", 21},
    {"replication", KEY_REPLICATION, "NAME[:VALUE]", 0,
     "Which tasks run twice against losses or slowness: none, single, complete, gain, late, fork, "
     "clone, auto (default: none)",
     21},
    {"extra", KEY_EXTRA, "N", 0,
     "Keep N of the workers for replicas (default: 0, at most 3 with --replication auto)", 21},
    {"loss-rate", KEY_LOSS_RATE, "R", 0,
     "Losses per second and worker that --replication gain or auto expects (default: measured)",
     21},
    {"efficiency-weight", KEY_EFFICIENCY_WEIGHT, "P", 0,
     "With --replication auto: 1 % of efficiency is worth P % of time (default: 0.5)", 21},
    {NULL, 0, NULL, 0, "Division of the work (see `loadstar list')", 15},
    {"policy", KEY_POLICY, "NAME[:VALUE]", 0, "How many tasks a worker gets (default: auto)", 15},
    {"deadline", KEY_DEADLINE, "S", 0,
     "With --policy auto: take the workers that are expected to end within S seconds at the least "
     "price",
     15},
    {"price-max", KEY_PRICE_MAX, "P", 0,
     "With --policy auto: take the workers that are expected to end first for at most P", 15},
    {"set", KEY_SET, "NAME=VALUE", 0,
     "Set a parameter of policy, sizing or replication (repeatable)", 15},
    {"arguments", KEY_ARGUMENTS, "FILE", 0, "Read such parameters from a JSON object", 15},
    {"plan", KEY_PLAN, "FILE", 0, "Follow the plan in FILE (implies --policy follow-plan)", 15},
    {"order", KEY_ORDER, "NAME[:VALUE]", 0, "Which tasks go first (default: fifo)", 15},
    {"shuf", KEY_SHUF, NULL, 0, "The same as --order random; --seed N for another order", 15},
    {"times", KEY_TIMES, "FILE", 0,
     "Declared seconds of the tasks, one per line (--order lptf, --replication gain)", 15},
    {"history", KEY_HISTORY, "FILE", 0,
     "Learn from the journal of an earlier run (--policy auto, --order average, --prefetch auto, "
     "--replication gain)",
     15},
    {"platform", KEY_PLATFORM, "P", 0,
     "The workers' speeds and latencies, as for plan (--policy auto, weights)", 15},
    {"calibrate", KEY_CALIBRATE, "FILE", 0,
     "Renew the platform in FILE by what this run measures, or make it", 15},
    {"seed", KEY_SEED, "N", 0, "Seed of all chance (default: 0)", 15},
    {NULL, 0, NULL, 0, "What is shown", 11},
    {"progress", KEY_PROGRESS, NULL, 0, "Show a bar, when standard error is a terminal", 11},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "Write the summary as JSON (default: to standard output, at the end)", 11},
    {"svg", KEY_SVG, "FILE", 0, "With --journal: draw at the end which worker computed when", 11},
    {"quiet", 'q', NULL, 0, "No summary, no remarks", 11},
    {"verbose", 'v', NULL, 0, "Say each decision", 11},
    {NULL, 0, NULL, 0, "Restart", 12},
    {"journal", KEY_JOURNAL, "FILE", 0, "Record the run in FILE, so that it can be resumed", 12},
    {"resume", KEY_RESUME, NULL, 0,
     "Go on with the run in the journal, which has options, command and inputs; what is done is "
     "not "
     "repeated",
     12},
    {"resume-failed", KEY_RESUME_FAILED, NULL, 0, "As --resume, and repeat what failed", 12},
    {"sync", KEY_SYNC, NULL, 0, "Nothing recorded is lost even when the machine dies", 12},
    {0}};

const struct argp_option *const ls_run_option_tables[] = {
    ls_run_command_options,   ls_run_staging_options,  ls_run_common_options,
    ls_file_options_table,    ls_login_options_table,  ls_output_options_table,
    ls_failure_options_table, ls_bundle_options_table, ls_limit_options_table,
    ls_input_options_table,   ls_block_options_table,  NULL};

const struct argp_option *const ls_run_dialect_tables[] = {
    ls_failure_dialect_table, ls_limit_dialect_table,
    ls_input_dialect_table,   ls_file_dialect_table,
    ls_login_dialect_table,   ls_bundle_dialect_table,
    ls_output_dialect_table,  NULL};

static const char *find_name(const struct argp_option *const *tables, int key) {
  for (size_t i = 0; tables[i] != NULL; i++)
    for (const struct argp_option *option = tables[i]; option->name != NULL || option->doc != NULL;
         option++)
      if (option->key == key && option->name != NULL) return option->name;
  return NULL;
}

const char *ls_run_option_name(int key) {
  const char *name = find_name(ls_run_option_tables, key);
  return name != NULL ? name : find_name(ls_run_dialect_tables, key);
}
