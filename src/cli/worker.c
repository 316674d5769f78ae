#include "cli/worker_process.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/labels.h"
#include "cli/console.h"
#include "cli/duration.h"
#include "cli/mpi_rank.h"
#include "cli/option_names.h"
#include "cli/run/run_pools.h"
#include "cli/subcommands.h"
#include "cli/worker_agent.h"
#include "cli/worker_team.h"
#include "protocol/slurm_time.h"
#include "runtime/os/keys.h"
#include "runtime/os/limits.h"
#include "runtime/os/program.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/ssh/shipped.h"

enum { KEY_SHIPPED = 256 };

static const struct argp_option options[] = {
    {"connect", 'c', "ADDRESS", 0, "Address of the master, instead of the one in the key file", 1},
    {"key", 'k', "FILE", 0,
     "Address and keys of the run, which the master has written; - for a line of standard input",
     1},
    {"name", 'n', "NAME", 0, "Name shown to people (default: HOST-PID)", 1},
    {"speed", 's', "S", 0, "Share of full speed, more than 0 to 1 (default: 1)", 1},
    {"lifetime", 't', "S", 0,
     "Seconds, or [DAYS-]HOURS:MINUTES:SECONDS, until this worker is ended from outside: it leaves "
     "before (default: no limit)",
     1},
    {"workers", 'j', "N", 0, "Join as N workers, each a process; 0: one for each core (default: 1)",
     1},
    {"place", 'p', "TEXT", 0, "What started this worker, such as its job: told to the master", 1},
    {"label", 'L', "LABEL", 0,
     "What this worker has, such as gpu, for runs that need it (repeatable)", 1},
    {"wait", 'w', "S", 0, "Seconds to wait for a master that is not there yet (default: 30)", 1},
    {"cache", 'd', "DIR", 0,
     "Keep inputs and sandboxes of tasks in DIR (default: a folder of the run in TMPDIR)", 2},
    {"cache-bytes", 'b', "SIZE", 0,
     "Keep at most SIZE of inputs, such as 20G (default: what the run says)", 2},
    {"keep-cache", 'y', NULL, 0, "Leave the inputs there when the run is over, for later ones", 2},
    {"lifeline", 'l', "FD", 0, "Descriptor whose end of file means that the master is gone", 1},
    {"agent", 'a', "LETTERS", 0,
     "Keep workers here for the master at the other end of standard input and output (run --ssh "
     "starts it)",
     1},
    {"shipped", KEY_SHIPPED, "DIR", 0,
     "With --agent: this program came by ssh into DIR, which goes with it (-: it stays)", 1},
    {0}};

static const char doc[] =
    "Joins a run as a worker, and works until the run is over. What a run that listens writes into "
    "its key file is all that a worker needs; a run that listens without keys (--insecure) is "
    "named "
    "by its address alone."
    "\v"
    "Examples:\n"
    "  loadstar worker --key run.key\n"
    "  ssh node1 loadstar worker --key - < run.key\n\n"
    "When the connection is cut, it goes on with what runs and connects again. SIGTERM, SIGHUP and "
    "a "
    "first SIGINT let it finish what runs and leave; a second one stops it at once. SIGTSTP says "
    "to "
    "the master that it is stopped, and stops it.\n\n"
    "Exit status: 0 after the run or after leaving in order, 2 bad usage or refused by the master, "
    "3 the master vanished or cannot be reached, 130 stopped at once.";

struct reading {
  struct ls_worker_options options;
  char labels[LS_LABELS_BYTES];
  uint64_t workers;
  struct ls_worker_agent agent; /* no letters: it is none */
  bool reads_keys;              /* from standard input */
  struct ls_key_file keys;
  struct ls_curve curve;
  struct ls_error err;
};

static enum ls_status check_text(const char *field, const char *text, size_t most,
                                 struct ls_error *err) {
  size_t length = strlen(text);
  if (length >= 1 && length <= most) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s has %zu characters, expected 1 to %zu", field, length, most);
}

/* Others show it to people, and look for it in lists of jobs. */
static enum ls_status check_place(const char *text, struct ls_error *err) {
  enum ls_status status = check_text("--place", text, LS_WORKER_PLACE_MAX, err);
  if (status != LS_OK) return status;
  for (const char *letter = text; *letter != '\0'; ++letter) {
    if (*letter > ' ' && *letter < 0x7f) continue;
    return ls_fail(err, LS_EINVAL,
                   "--place has the byte 0x%02x at its position %td, expected printable ASCII "
                   "without spaces",
                   (unsigned)(unsigned char)*letter, letter - text + 1);
  }
  return LS_OK;
}

static enum ls_status read_lifeline(struct ls_worker_options *worker, const char *text,
                                    struct ls_error *err) {
  uint64_t number = 0;
  enum ls_status status =
      ls_console_whole("--lifeline", text, (struct ls_whole_range){0, 1 << 20}, &number, err);
  if (status != LS_OK) return status;
  worker->lifeline = (int)number;
  /* The commands must not hold it open. */
  if (fcntl(worker->lifeline, F_SETFD, FD_CLOEXEC) != 0)
    return ls_fail(err, LS_EINVAL, "--lifeline is %s: %s", text, strerror(errno));
  return LS_OK;
}

/* With a colon it is as Slurm tells the time that a job has left. */
static enum ls_status read_lifetime(const char *text, double *seconds, struct ls_error *err) {
  if (strchr(text, ':') == NULL) return ls_duration_read_positive("--lifetime", text, seconds, err);
  if (ls_slurm_time_read(text, seconds) && *seconds > 0) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--lifetime is '%.40s', expected seconds, or [DAYS-]HOURS:MINUTES:SECONDS or "
                 "MINUTES:SECONDS, more than 0",
                 text);
}

/* The keys name the address; who names another one goes there with them. */
static enum ls_status read_keys(struct reading *reading, const char *path) {
  reading->reads_keys = strcmp(path, "-") == 0;
  /* An agent hears the keys as it hears everything else. */
  if (reading->agent.letters != NULL && reading->reads_keys) return LS_OK;
  enum ls_status status = ls_keys_read(path, false, &reading->keys, &reading->err);
  if (status != LS_OK) return status;
  reading->curve = ls_keys_of_worker(&reading->keys);
  reading->options.curve = &reading->curve;
  return LS_OK;
}

static enum ls_status finish(struct reading *reading) {
  struct ls_worker_options *worker = &reading->options;
  if (reading->agent.letters != NULL && reading->reads_keys && worker->curve == NULL) return LS_OK;
  if (reading->agent.letters != NULL)
    return ls_fail(&reading->err, LS_EINVAL, "--agent needs --key - after it");
  if (reading->agent.shipped != NULL)
    return ls_fail(&reading->err, LS_EINVAL, "--shipped needs --agent LETTERS");
  if (reading->workers == 0) reading->workers = ls_run_pools_cores();
  if (reading->workers > 1 && worker->lifeline >= 0)
    return ls_fail(&reading->err, LS_EINVAL, "--workers %llu and --lifeline exclude each other",
                   (unsigned long long)reading->workers);
  if (worker->address == NULL && worker->curve != NULL) worker->address = reading->keys.address;
  if (worker->address != NULL) return LS_OK;
  return ls_fail(&reading->err, LS_EINVAL, "--key FILE, or --connect ADDRESS, is missing");
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  struct ls_worker_options *worker = &reading->options;
  struct ls_error *err = &reading->err;
  enum ls_status status = LS_OK;
  switch (key) {
    case 'a':
      reading->agent.letters = text;
      status = ls_worker_agent_check(text, err);
      break;
    case KEY_SHIPPED:
      reading->agent.shipped = text;
      if (strcmp(text, "-") != 0) status = ls_shipped_check(text, err);
      break;
    case 'c':
      worker->address = text;
      status = check_text("--connect", text, 180, err);
      break;
    case 'k':
      status = read_keys(reading, text);
      break;
    case 'n':
      worker->name = text;
      status = check_text("--name", text, 63, err);
      break;
    case 'p':
      worker->place = text;
      status = check_place(text, err);
      break;
    case 'L':
      worker->labels = reading->labels;
      status = ls_labels_add(reading->labels, "--label", text, err);
      break;
    case 's':
      status = ls_console_real("--speed", text, (struct ls_real_range){0, 1}, &worker->speed, err);
      if (status == LS_OK && !(worker->speed >= 1e-6))
        status = ls_fail(err, LS_EINVAL, "--speed is '%s', expected more than 0, at most 1", text);
      break;
    case 't':
      status = read_lifetime(text, &worker->lifetime_s, err);
      break;
    case 'j':
      status = ls_console_whole("--workers", text, (struct ls_whole_range){0, LS_WORKER_TEAM_MAX},
                                &reading->workers, err);
      break;
    case 'w':
      status = ls_duration_read_positive("--wait", text, &worker->wait_s, err);
      break;
    case 'd':
      worker->cache = text;
      status = check_text("--cache", text, 4000, err);
      break;
    case 'b':
      status = ls_console_size("--cache-bytes", text, &worker->cache_bytes, err);
      break;
    case 'y':
      worker->keeps_cache = true;
      break;
    case 'l':
      status = read_lifeline(worker, text, err);
      break;
    case ARGP_KEY_ARG:
      status = ls_fail(err, LS_EINVAL, "'%s' is no option, expected none but options", text);
      break;
    case ARGP_KEY_END:
      status = finish(reading);
      break;
    default:
      return ARGP_ERR_UNKNOWN;
  }
  return status == LS_OK ? 0 : EINVAL;
}

/* A rank of a job whose first process is another program. */
static int join_mpi(const char *name, struct ls_worker_options *worker) {
  struct ls_mpi_rank rank = {.launcher = ls_launcher_find()};
  struct ls_error err = {0};
  enum ls_status status =
      rank.launcher.mpi != NULL
          ? ls_mpi_rank_load(&rank, NULL, &err)
          : ls_fail(&err, LS_EINVAL,
                    "--connect mpi: needs a launcher of MPI: start with mpirun -n 1 loadstar run "
                    "... : -n 7 loadstar worker --connect mpi:");
  if (status == LS_OK && rank.launcher.rank == 0)
    status = ls_fail(&err, LS_EINVAL, "rank 0 of MPI is the master, and no worker");
  return status == LS_OK ? ls_mpi_rank_work(&rank, name, worker) : ls_console_fail(name, &err);
}

int ls_worker_main(int argc, char **argv, const struct ls_app *app) {
  struct reading reading = {
      .workers = 1,
      .options = {
          .transport = &ls_transport_zmq, .speed = 1, .wait_s = 30, .lifeline = -1, .app = app}};
  struct ls_worker_options *worker = &reading.options;
  const struct argp argp = {.options = options, .parser = parse, .doc = doc};
  if (ls_option_names_parse(&argp, argc, argv, ARGP_IN_ORDER, &reading) != 0)
    return ls_console_fail(argv[0], &reading.err);
  /* Commands need files there; units of an application may do without. */
  enum ls_status status = ls_temporary_enter("TMPDIR", getenv("TMPDIR"), &reading.err);
  if (status != LS_OK && app == NULL) return ls_console_fail(argv[0], &reading.err);
  if (strcmp(worker->address != NULL ? worker->address : "", LS_MPI_ADDRESS) == 0)
    return join_mpi(argv[0], worker);
  char host[32] = "", name[64], program[LS_PROGRAM_BYTES];
  (void)gethostname(host, sizeof host - 1);
  snprintf(name, sizeof name, "%s-%ld", host, (long)getpid());
  if (worker->name == NULL) worker->name = name;
  /* One that came by ssh was started by its loader, which is what the kernel knows of. */
  if (reading.agent.shipped != NULL) {
    ls_program_describe_file(program_invocation_name, program);
  } else {
    ls_program_describe(program);
  }
  worker->program = program;
  ls_limits_raise();
  int result = reading.agent.letters != NULL ? ls_worker_agent_run(argv[0], &reading.agent, worker)
               : reading.workers == 1
                   ? ls_worker_serve(argv[0], worker)
                   : ls_worker_team_run(argv[0], worker, (unsigned)reading.workers);
  explicit_bzero(&reading.keys, sizeof reading.keys);
  return result;
}
