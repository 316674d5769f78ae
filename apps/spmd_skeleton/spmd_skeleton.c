#include "spmd_skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "circle.h"
#include "schedule.h"

static const char help[] =
    "Usage: spmd_skeleton [OPTION...]\n"
    "Counts the points of a quarter of a circle, one unit a row, by the schedule that it was\n"
    "compiled with: one master and its workers, none of which decides anything.\n\n"
    "      --check            also count in one process, and compare\n"
    "      --json             print one JSON object\n"
    "      --schedule         print the schedule, as loadstar plan --spmd does, and end\n"
    "      --trace FILE       append a line for each message sent and each unit computed\n"
    "      --die WORKER:ROUND this worker is killed when the round begins, to see what follows\n"
    "      --help             print this, and end\n\n"
    "Exit status: 0 all well; 1 the result is not the serial one; 2 bad usage; 3 a worker is "
    "lost,\nor something cannot be written.\n";

struct options {
  struct spmd_settings settings;
  bool is_checked, is_json;
  const char *trace;
};

static int fail_usage(const char *option, const char *text, const char *expected) {
  fprintf(stderr, "spmd_skeleton: --%s is '%s', expected %s\n", option, text, expected);
  return 2;
}

static bool read_number(const char **text, unsigned long long *number) {
  char *end;
  errno = 0;
  if (**text < '0' || **text > '9') return false;
  *number = strtoull(*text, &end, 10);
  *text = end;
  return errno == 0;
}

static int read_death(const char *text, struct spmd_settings *settings) {
  const char *at = text;
  unsigned long long number = 0, round = 0;
  bool is_read = read_number(&at, &number) && *at++ == ':' && read_number(&at, &round) && *at == 0;
  for (size_t i = 0; is_read && i < schedule_workers(); i++)
    if (schedule_number(i) == number) settings->dying = i;
  settings->dying_round = round;
  if (is_read && settings->dying != SIZE_MAX && round < schedule_rounds()) return 0;
  char expected[96];
  (void)snprintf(expected, sizeof expected,
                 "the number of a worker of the schedule, a colon, a round below %llu",
                 (unsigned long long)schedule_rounds());
  return fail_usage("die", text, expected);
}

static int open_trace(struct options *options) {
  if (options->trace == NULL) return 0;
  options->settings.trace =
      open(options->trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  return options->settings.trace >= 0
             ? 0
             : fail_usage("trace", options->trace, "a file that can be written");
}

/* Each line is one write, so that those of several processes do not mix. */
bool spmd_trace(const struct spmd_settings *settings, const char *format, ...) {
  va_list arguments;
  if (settings->trace < 0) return true;
  va_start(arguments, format);
  bool is_written = vdprintf(settings->trace, format, arguments) >= 0;
  va_end(arguments);
  if (!is_written) fprintf(stderr, "spmd_skeleton: --trace: %s\n", strerror(errno));
  return is_written;
}

/* The exit status, when what was said has arrived; that of a failure otherwise. */
static int end_output(int status) {
  if (ferror(stdout) == 0 && fflush(stdout) == 0) return status;
  fprintf(stderr, "spmd_skeleton: standard output: %s\n", strerror(errno));
  return 3;
}

/* -1: go on; else the exit status. */
static int read_words(int argc, char **argv, struct options *options) {
  static const struct option words[] = {{"check", no_argument, NULL, 'c'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"schedule", no_argument, NULL, 's'},
                                        {"trace", required_argument, NULL, 't'},
                                        {"die", required_argument, NULL, 'd'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  int word, status = 0;
  *options = (struct options){.settings = {.trace = -1, .dying = SIZE_MAX}};
  while (status == 0 && (word = getopt_long(argc, argv, "", words, NULL)) != -1) {
    if (word == 'c') options->is_checked = true;
    if (word == 'j') options->is_json = true;
    if (word == 't') options->trace = optarg;
    if (word == 'd') status = read_death(optarg, &options->settings);
    if (word == 'h') (void)fputs(help, stdout);
    if (word == 's') schedule_print(stdout);
    if (word == 'h' || word == 's') return end_output(0);
    if (word == '?') status = 2;
  }
  if (status == 0 && optind < argc) {
    fprintf(stderr, "spmd_skeleton: unexpected word '%s', expected options only\n", argv[optind]);
    status = 2;
  }
  if (status == 0) status = open_trace(options);
  return status == 0 ? -1 : status;
}

/* The worker keeps no end of the others: whoever waits for a process that died must see it. */
static void run_worker(const struct options *options, struct spmd_worker *workers, size_t position,
                       int channel) {
  for (size_t i = 0; i < position; i++) close(workers[i].channel);
  free(workers);
  int status = spmd_work(&options->settings, position, channel);
  close(channel);
  _exit(status);
}

/* How many could be started. */
static size_t start_workers(const struct options *options, struct spmd_worker *workers) {
  for (size_t i = 0; i < schedule_workers(); i++) {
    int ends[2];
    if (!channel_open(ends)) return i;
    pid_t pid = fork();
    if (pid < 0) {
      close(ends[0]);
      close(ends[1]);
      return i;
    }
    if (pid == 0) {
      close(ends[0]);
      run_worker(options, workers, i, ends[1]);
    }
    close(ends[1]);
    workers[i] = (struct spmd_worker){pid, ends[0]};
  }
  return schedule_workers();
}

/* Whoever lost its master or was not done is no news any more. */
static void end_workers(const struct spmd_worker *workers, size_t count, bool is_early) {
  for (size_t i = 0; i < count; i++) {
    if (is_early && workers[i].pid > 0) kill(workers[i].pid, SIGTERM);
    close(workers[i].channel);
  }
  for (size_t i = 0; i < count; i++) {
    while (workers[i].pid > 0 && waitpid(workers[i].pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
}

static int report(const struct options *options, const struct spmd_result *sum) {
  uint64_t load = schedule_load(), serial = options->is_checked ? circle_count(load) : sum->points;
  bool is_right = sum->points == serial && sum->units == load;
  double near_pi = load > 0 ? 4 * (double)sum->points / ((double)load * (double)load) : 0;
  if (options->is_json) {
    printf(
        "{\"units\": %llu, \"workers\": %zu, \"rounds\": %llu, \"messages\": %llu, "
        "\"points\": %llu, \"pi\": %.10g, \"checked\": %s}\n",
        (unsigned long long)sum->units, schedule_workers(), (unsigned long long)schedule_rounds(),
        (unsigned long long)schedule_messages(), (unsigned long long)sum->points, near_pi,
        options->is_checked ? "true" : "false");
  } else {
    printf("%llu units by %zu workers in %llu messages: %llu points, pi is about %.10g%s\n",
           (unsigned long long)sum->units, schedule_workers(),
           (unsigned long long)schedule_messages(), (unsigned long long)sum->points, near_pi,
           options->is_checked && is_right ? "; as computed serially" : "");
  }
  if (is_right) return 0;
  fprintf(stderr, "spmd_skeleton: %llu units and %llu points, expected %llu and %llu\n",
          (unsigned long long)sum->units, (unsigned long long)sum->points, (unsigned long long)load,
          (unsigned long long)serial);
  return 1;
}

int main(int argc, char **argv) {
  struct options options;
  struct spmd_result sum;
  int status = read_words(argc, argv, &options);
  if (status >= 0) return status;
  struct spmd_worker *workers = calloc(schedule_workers(), sizeof *workers);
  size_t started = workers != NULL ? start_workers(&options, workers) : 0;
  if (started == schedule_workers()) {
    status = spmd_lead(&options.settings, workers, &sum);
  } else {
    fprintf(stderr, "spmd_skeleton: only %zu of %zu workers could be started: %s\n", started,
            schedule_workers(), strerror(errno));
    status = 3;
  }
  if (workers != NULL) end_workers(workers, started, status != 0);
  free(workers);
  if (status == 0) status = report(&options, &sum);
  return end_output(status);
}
