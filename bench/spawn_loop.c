/* spawn_loop.c: the physical limit: a bare posix_spawn loop.
 *
 * spawn_loop COUNT AT_ONCE PROGRAM [WORD]: runs `PROGRAM K` for K = 1 to COUNT (or `PROGRAM WORD`
 * COUNT times), at most AT_ONCE at a time, with no scheduling, no output handling and no record.
 * The argument matters: programs do less without one, and the peers pass one.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    (void)fprintf(stderr, "usage: spawn_loop COUNT AT_ONCE PROGRAM [WORD]\n");
    return 2;
  }
  long left = strtol(argv[1], NULL, 10), at_once = strtol(argv[2], NULL, 10);
  long running = 0, started = 0;
  char argument[24];
  char *words[] = {argv[3], argc == 5 ? argv[4] : argument, NULL};
  while (left > 0 || running > 0) {
    if (left > 0 && running < at_once) {
      pid_t pid;
      (void)snprintf(argument, sizeof argument, "%ld", ++started);
      if (posix_spawnp(&pid, argv[3], NULL, NULL, words, environ) != 0) {
        perror(argv[3]);
        return 1;
      }
      --left;
      ++running;
    } else {
      int status;
      if (wait(&status) > 0) --running;
    }
  }
  return 0;
}
