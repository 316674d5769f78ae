#include "cli/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int counted[] = {SIGINT, SIGTERM, SIGHUP};
enum { COUNTED = sizeof counted / sizeof *counted };

/* A signal handler can reach nothing else than these. */
static _Atomic int interrupts;
static void (*pipe_before)(int) = SIG_DFL;
static char message_soon[160], message_now[160];

static void on_signal(int number) {
  int reason = errno;
  int before = interrupts;
  interrupts = number == SIGHUP && before < 2 ? 2 : before + 1;
  const char *message = interrupts == 1 ? message_soon : message_now;
  /* snprintf must not be called here; the words were made before. */
  if (interrupts <= 2 && message[0] != '\0') {
    ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
  }
  if (interrupts > 2) {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = reason;
}

const _Atomic int *ls_interrupts_start(const char *name, bool is_quiet) {
  interrupts = 0;
  message_soon[0] = message_now[0] = '\0';
  if (!is_quiet) {
    snprintf(message_soon, sizeof message_soon,
             "\n%.60s: finishing what runs (Ctrl-C again: stop now)\n", name);
    snprintf(message_now, sizeof message_now, "\n%.60s: stopping now\n", name);
  }
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < COUNTED; i++) {
    struct sigaction before;
    if (sigaction(counted[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(counted[i], &action, NULL);
  }
  pipe_before = signal(SIGPIPE, SIG_IGN);
  return &interrupts;
}

bool ls_interrupts_is_hurried(void) {
  return interrupts >= 2;
}

void ls_interrupts_end(void) {
  signal(SIGPIPE, pipe_before);
  for (int i = 0; i < COUNTED; i++) {
    struct sigaction before;
    if (sigaction(counted[i], NULL, &before) == 0 && before.sa_handler == on_signal)
      signal(counted[i], SIG_DFL);
  }
}
