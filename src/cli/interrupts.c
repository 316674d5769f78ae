#include "cli/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int counted[] = {SIGINT, SIGTERM, SIGHUP};
enum { COUNTED = sizeof counted / sizeof *counted };
/* Of a worker. */
static const int paused[] = {SIGTSTP, SIGCONT};
enum { PAUSED = sizeof paused / sizeof *paused };
/* Of a worker: what Slurm says a while before the end of a job, to all of its processes; commands
 * that do not know the signal are none the worse for it. */
static const int warned[] = {SIGURG};
enum { WARNED = sizeof warned / sizeof *warned };
/* Of a run. */
static const int asking[] = {SIGUSR1};
enum { ASKING = sizeof asking / sizeof *asking };

/* A signal handler can reach nothing else than these. */
static _Atomic int interrupts, suspensions, returns, questions, terminate_counts = 2;
static _Atomic bool is_kill_expected;
/* Of the interrupts, those that this process was told itself. */
static _Atomic int told;
static const _Atomic int *followed;
static void (*pipe_before)(int) = SIG_DFL, (*large_before)(int) = SIG_DFL;
static char message_soon[160], message_now[160];

static void note(int count) {
  told = count;
  bool is_news = told > interrupts;
  if (is_news) interrupts = told;
  const char *message = interrupts == 1 ? message_soon : message_now;
  /* snprintf must not be called here; the words were made before. */
  if (is_news && interrupts <= 2 && message[0] != '\0') {
    ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
  }
}

static void on_signal(int number) {
  int reason = errno;
  int before = told;
  int count = number == SIGTERM && before < terminate_counts ? terminate_counts : before + 1;
  if (number == SIGTERM && is_kill_expected) count = before < 2 ? 2 : before;
  note(count);
  if (interrupts > 2) {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = reason;
}

/* However often it is said: nobody is in a hurry yet. */
static void on_warning(int number) {
  int reason = errno;
  (void)number;
  if (told < 1) note(1);
  errno = reason;
}

static void on_word(int number) {
  (void)number;
  if (*followed > interrupts) interrupts = *followed;
}

static void on_question(int number) {
  (void)number;
  ++questions;
}

static void on_pause(int number) {
  ++*(number == SIGTSTP ? &suspensions : &returns);
}

/* Who waits for its own signals (sigwait) blocks them, and all that it starts inherits that. */
static void unblock(const int *numbers, size_t count) {
  sigset_t heard;
  sigemptyset(&heard);
  for (size_t i = 0; i < count; i++) sigaddset(&heard, numbers[i]);
  pthread_sigmask(SIG_UNBLOCK, &heard, NULL);
}

/* A signal that is ignored stays so. */
static void handle(const int *numbers, size_t count, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < count; i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
  unblock(numbers, count);
}

static void give_back(const int *numbers, size_t count, void (*handler)(int)) {
  for (size_t i = 0; i < count; i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == handler)
      signal(numbers[i], SIG_DFL);
  }
}

const _Atomic int *ls_interrupts_start(const char *name, bool is_quiet) {
  told = 0;
  interrupts = followed != NULL ? *followed : 0;
  message_soon[0] = message_now[0] = '\0';
  if (!is_quiet) {
    snprintf(message_soon, sizeof message_soon,
             "\n%.60s: finishing what runs (Ctrl-C again: stop now)\n", name);
    snprintf(message_now, sizeof message_now, "\n%.60s: stopping now\n", name);
  }
  terminate_counts = 2;
  is_kill_expected = false;
  handle(counted, COUNTED, on_signal);
  pipe_before = signal(SIGPIPE, SIG_IGN);
  /* A file that may not grow (ulimit -f) is a full disk. */
  large_before = signal(SIGXFSZ, SIG_IGN);
  return &interrupts;
}

bool ls_interrupts_is_hurried(void) {
  return interrupts >= 2;
}

struct ls_worker_signals ls_interrupts_start_worker(const char *name, bool is_quiet) {
  (void)ls_interrupts_start(name, is_quiet);
  terminate_counts = 1;
  suspensions = returns = 0;
  handle(paused, PAUSED, on_pause);
  handle(warned, WARNED, on_warning);
  return (struct ls_worker_signals){&interrupts, &suspensions, &returns};
}

void ls_interrupts_follow(const _Atomic int *starter) {
  struct sigaction action = {.sa_handler = on_word};
  sigemptyset(&action.sa_mask);
  followed = starter;
  /* It is ours, whatever whoever started us ignores. */
  sigaction(SIGUSR1, &action, NULL);
  unblock(asking, ASKING);
}

void ls_interrupts_expect_kill(void) {
  is_kill_expected = true;
}

const _Atomic int *ls_interrupts_hear_questions(void) {
  questions = 0;
  handle(asking, ASKING, on_question);
  return &questions;
}

void ls_interrupts_end(void) {
  signal(SIGPIPE, pipe_before);
  signal(SIGXFSZ, large_before);
  give_back(counted, COUNTED, on_signal);
  give_back(paused, PAUSED, on_pause);
  give_back(warned, WARNED, on_warning);
  give_back(asking, ASKING, on_question);
}
