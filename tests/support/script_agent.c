/* script_agent.c: an agent whose workers run a script of the shell, with the words of a worker as
 * its arguments.
 *
 * Usage: script_agent LETTERS SCRIPT
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/pool/agent.h"

static int serve(void *context, const struct ls_keeper_worker *worker) {
  (void)execl("/bin/sh", "sh", "-c", (const char *)context, "worker", "--connect", worker->address,
              "--name", worker->name, (char *)NULL);
  return 127;
}

int main(int argc, char **argv) {
  struct ls_key_file keys;
  struct ls_error err = {0};
  if (argc != 3) return 2;
  const struct ls_agent_setup setup = {.name = argv[1],
                                       .cores = 1,
                                       .input = dup(STDIN_FILENO),
                                       .output = dup(STDOUT_FILENO),
                                       .serve = serve,
                                       .context = argv[2],
                                       .keys = &keys};
  if (ls_agent_run(&setup, &err) == LS_OK) return 0;
  (void)fprintf(stderr, "%s\n", err.text);
  return 1;
}
