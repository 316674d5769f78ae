#include "cli/worker_agent.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_pools.h"
#include "cli/worker_process.h"
#include "runtime/os/keys.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/agent.h"

struct team {
  const char *name;
  const struct ls_worker_options *worker;
  struct ls_key_file keys;
};

enum ls_status ls_worker_agent_check(const char *letters, struct ls_error *err) {
  size_t length = strlen(letters);
  bool is_good = length == LS_TEMPORARY_LETTERS;
  for (size_t i = 0; i < length; i++) is_good = is_good && isalnum((unsigned char)letters[i]);
  if (is_good) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--agent is '%.40s', expected %d letters and digits", letters,
                 LS_TEMPORARY_LETTERS);
}

/* In a fork of the keeper, which has begun when the keys were known. */
static int serve(void *context, const struct ls_keeper_worker *member) {
  const struct team *team = context;
  const struct ls_curve curve = ls_keys_of_worker(&team->keys);
  struct ls_worker_options worker = *team->worker;
  char place[32];
  (void)snprintf(place, sizeof place, "ssh:%u", member->slot);
  worker.address = member->address;
  worker.name = member->name;
  worker.place = place;
  worker.curve = &curve;
  worker.speed = member->speed;
  worker.lifeline = member->lifeline;
  worker.is_far = true;
  return ls_worker_serve(team->name, &worker);
}

/* The line moves away from where any program would read or write. */
static int move_away(int file, int flags) {
  int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int nothing = open("/dev/null", flags | O_CLOEXEC);
  if (nothing >= 0) (void)dup2(nothing, file);
  if (nothing > STDERR_FILENO) (void)close(nothing);
  return moved;
}

int ls_worker_agent_run(const char *name, const struct ls_worker_agent *agent,
                        const struct ls_worker_options *worker) {
  struct team team = {.name = name, .worker = worker};
  struct ls_error err = {0};
  bool is_kept = agent->shipped != NULL && strcmp(agent->shipped, "-") == 0;
  const struct ls_agent_setup setup = {.shipped = is_kept ? NULL : agent->shipped,
                                       .name = agent->letters,
                                       .cores = ls_run_pools_cores(),
                                       .input = move_away(STDIN_FILENO, O_RDONLY),
                                       .output = move_away(STDOUT_FILENO, O_WRONLY),
                                       .serve = serve,
                                       .prepare = ls_transport_zmq.prepare,
                                       .context = &team,
                                       .keys = &team.keys};
  enum ls_status status =
      setup.input >= 0 && setup.output >= 0
          ? ls_agent_run(&setup, &err)
          : ls_fail(&err, LS_EIO, "no descriptor for the agent's line: %s", strerror(errno));
  explicit_bzero(&team.keys, sizeof team.keys);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(name, &err);
}
