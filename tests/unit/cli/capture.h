/* capture.h: runs a program's main in a child process and keeps what it prints.
 *
 * A test program that starts real runs is itself the workers' program: its main gives "worker" to
 * ls_cli_main (IS_WORKER).
 */
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

#define IS_WORKER(argc, argv) ((argc) > 1 && strcmp((argv)[1], "worker") == 0)

struct capture {
  int exit_status;
  char output[1 << 16], error[1 << 16];
};

static inline void read_back(FILE *file, char *text, size_t bytes) {
  rewind(file);
  size_t length = fread(text, 1, bytes - 1, file);
  text[length] = '\0';
  fclose(file);
}

typedef int (*capture_main_fn)(int argc, char **argv, const struct ls_app *app);

/* Calls the main with the words (NULL-terminated) and this standard input. */
static inline void capture_main(struct capture *capture, capture_main_fn run,
                                const struct ls_app *app, char **words, const char *input) {
  FILE *output = tmpfile(), *error = tmpfile(), *in = tmpfile();
  if (output == NULL || error == NULL || in == NULL) abort();
  fputs(input, in);
  rewind(in);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    int argc = 0;
    while (words[argc] != NULL) argc++;
    dup2(fileno(in), 0);
    dup2(fileno(output), 1);
    dup2(fileno(error), 2);
    int result = run(argc, words, app);
    fflush(NULL);
    _exit(result);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) abort();
  capture->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  read_back(output, capture->output, sizeof capture->output);
  read_back(error, capture->error, sizeof capture->error);
  fclose(in);
}

static inline void capture_app(struct capture *capture, const struct ls_app *app, char **words,
                               const char *input) {
  capture_main(capture, ls_cli_main, app, words, input);
}

#define CAPTURE(capture, input, ...) \
  capture_app((capture), NULL, (char *[]){(char *)"loadstar", __VA_ARGS__, NULL}, (input))

#endif
