#include "masters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"
#include "masters_line.h"
#include "motif_finding.h"

/* As of the program itself (docs/man/loadstar-run.1). */
enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INFRASTRUCTURE = 3, EXIT_INTERRUPTED = 130 };

enum { OUT, ERR, STREAMS };

static const char self[] = "/proc/self/exe";

/* What a master says, up to the end of the line that has begun. */
struct stream {
  int file; /* -1: at its end */
  struct ls_bytes line;
};

struct master {
  uint64_t number; /* from 1 on */
  pid_t pid;       /* 0: it has ended */
  int status;      /* of its end */
  struct stream streams[STREAMS];
  struct best best;
};

struct masters {
  const char *name;
  char program[PATH_MAX]; /* what is running */
  struct motif *motif;    /* of the whole search */
  struct masters_line line;
  struct master *items;
  size_t count;
  sigset_t signals, before; /* that are read from `file`; and those that were blocked */
  int file;
};

bool masters_are_wanted(int argc, char **argv) {
  int i = 2;
  if (argc < 2 || strcmp(argv[1], "run") != 0) return false;
  while (i < argc && strcmp(argv[i], "--") != 0) i++;
  for (; i < argc; i++) {
    if (strcmp(argv[i], "--masters") == 0 || strncmp(argv[i], "--masters=", 10) == 0) return true;
  }
  return false;
}

/* ---- MPI ---- */

/* The first of the variables that is set, as a number; 0: none is. */
static unsigned long find_number(const char *const *names) {
  for (; *names != NULL; names++) {
    const char *text = getenv(*names);
    if (text != NULL) return strtoul(text, NULL, 10);
  }
  return 0;
}

/* Is this one of the processes of which `run` makes master and workers of one run? */
static bool is_of_mpi(const char *transport) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                      NULL};
  bool is_launched = getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL ||
                     getenv("PMI_FD") != NULL || getenv("PMI_RANK") != NULL;
  if (transport != NULL && strcmp(transport, "auto") != 0) return strcmp(transport, "mpi") == 0;
  return is_launched && find_number(sizes) > 1;
}

/* Of several processes that are refused one tells. */
static bool is_follower(const char *transport) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
  return is_of_mpi(transport) && find_number(ranks) > 0;
}

/* Masters would be processes of MPI, but of none that its launcher knows. */
static enum ls_status check_transport(const struct masters_line *line, struct ls_error *err) {
  if (!is_of_mpi(line->transport)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "motif: --masters is %" PRIu64
                 " under MPI, whose processes are one run, expected --transport local: each a run "
                 "of its own",
                 line->masters);
}

/* ---- what they say ---- */

static void say_line(struct master *master, size_t stream, const struct space *space) {
  struct ls_bytes *line = &master->streams[stream].line;
  if (line->length == 0) return;
  if (stream == OUT) (void)answer_read(space, ls_bytes_text(line), &master->best);
  (void)fprintf(stream == OUT ? stdout : stderr, "master %" PRIu64 ": %s\n", master->number,
                ls_bytes_text(line));
  (void)fflush(stdout);
  ls_bytes_clear(line);
}

/* Reads what is there; false: there is no more for now, or for ever. */
static bool read_stream(struct master *master, size_t number, const struct space *space) {
  struct stream *stream = &master->streams[number];
  char block[4096];
  ssize_t length = stream->file >= 0 ? read(stream->file, block, sizeof block) : -1;
  if (length == 0) {
    (void)close(stream->file);
    stream->file = -1;
  }
  for (ssize_t i = 0; i < length; i++) {
    if (block[i] == '\n') {
      say_line(master, number, space);
    } else {
      ls_bytes_append_char(&stream->line, block[i]);
    }
  }
  return length > 0;
}

/* A worker that is about to end may hold the other end still: what was said is there all the same.
 */
static void finish_streams(struct master *master, const struct space *space) {
  for (size_t i = 0; i < STREAMS; i++) {
    while (read_stream(master, i, space)) continue;
    say_line(master, i, space);
    if (master->streams[i].file >= 0) (void)close(master->streams[i].file);
    master->streams[i].file = -1;
    ls_bytes_close(&master->streams[i].line);
  }
}

/* ---- processes ---- */

/* In the child. It dies with the one who started it, and hears of Ctrl-C from that one alone. */
static _Noreturn void become_master(const struct masters *all, char **words, const int *ends,
                                    pid_t starter) {
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool is_ready = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == starter &&
                  setpgid(0, 0) == 0 && input >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
                  dup2(ends[OUT], STDOUT_FILENO) >= 0 && dup2(ends[ERR], STDERR_FILENO) >= 0 &&
                  sigprocmask(SIG_SETMASK, &all->before, NULL) == 0;
  if (is_ready) (void)execv(all->program, words);
  if (is_ready) (void)execv(self, words);
  _exit(EXIT_INFRASTRUCTURE);
}

static enum ls_status start_master(struct masters *all, struct master *master, char **words,
                                   struct ls_error *err) {
  int pipes[STREAMS][2] = {{-1, -1}, {-1, -1}};
  pid_t starter = getpid();
  if (pipe2(pipes[OUT], O_CLOEXEC) == 0 && pipe2(pipes[ERR], O_CLOEXEC) == 0) {
    master->pid = fork();
    if (master->pid == 0) {
      become_master(all, words, (int[]){pipes[OUT][1], pipes[ERR][1]}, starter);
    }
  } else {
    master->pid = -1;
  }
  int reason = errno;
  for (size_t i = 0; i < STREAMS; i++) {
    if (pipes[i][1] >= 0) (void)close(pipes[i][1]);
    master->streams[i].file = pipes[i][0];
    if (pipes[i][0] >= 0) (void)fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
  }
  if (master->pid > 0) return LS_OK;
  master->pid = 0;
  return ls_fail(err, LS_EIO, "motif: master %" PRIu64 " cannot be started: %s", master->number,
                 strerror(reason));
}

static enum ls_status start_all(struct masters *all, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < all->line.masters && status == LS_OK; i++) {
    struct master *master = &all->items[i];
    char **words = masters_line_make(&all->line, all->line.words[0], i + 1);
    *master = (struct master){.number = i + 1};
    all->count = i + 1;
    status = words != NULL ? start_master(all, master, words, err)
                           : ls_fail(err, LS_ENOMEM, "motif: out of memory for a command line");
    masters_line_free(words);
  }
  return status;
}

static void signal_all(const struct masters *all, int number) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->items[i].pid > 0) (void)kill(all->items[i].pid, number);
  }
}

/* How many go on. */
static size_t reap(struct masters *all) {
  size_t alive = 0;
  for (size_t i = 0; i < all->count; i++) {
    struct master *master = &all->items[i];
    if (master->pid > 0 && waitpid(master->pid, &master->status, WNOHANG) == master->pid) {
      master->pid = 0;
      finish_streams(master, &all->motif->space);
    }
    alive += master->pid > 0;
  }
  return alive;
}

/* Signals and lines until all have ended; what is meant for us is passed on. */
static enum ls_status attend(struct masters *all, struct ls_error *err) {
  size_t files = 1 + STREAMS * all->count;
  struct pollfd *polled = calloc(files, sizeof *polled);
  if (polled == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu files", files);
  while (reap(all) > 0) {
    struct signalfd_siginfo signal;
    polled[0] = (struct pollfd){.fd = all->file, .events = POLLIN};
    for (size_t i = 1; i < files; i++) {
      const struct master *master = &all->items[(i - 1) / STREAMS];
      polled[i] = (struct pollfd){.fd = master->streams[(i - 1) % STREAMS].file, .events = POLLIN};
    }
    (void)poll(polled, (nfds_t)files, -1);
    for (size_t i = 1; i < files; i++) {
      struct master *master = &all->items[(i - 1) / STREAMS];
      if (polled[i].revents != 0) {
        (void)read_stream(master, (i - 1) % STREAMS, &all->motif->space);
      }
    }
    while (read(all->file, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo != SIGCHLD) signal_all(all, (int)signal.ssi_signo);
    }
  }
  free(polled);
  return LS_OK;
}

static enum ls_status open_signals(struct masters *all, struct ls_error *err) {
  static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
  sigemptyset(&all->signals);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action;
    bool is_ignored = numbers[i] != SIGCHLD && sigaction(numbers[i], NULL, &action) == 0 &&
                      action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&all->signals, numbers[i]);
  }
  /* Who ignores its children hears nothing of their ends. */
  (void)signal(SIGCHLD, SIG_DFL);
  (void)sigprocmask(SIG_BLOCK, &all->signals, &all->before);
  all->file = signalfd(-1, &all->signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (all->file >= 0) return LS_OK;
  return ls_fail(err, LS_EIO, "motif: no descriptor for signals: %s", strerror(errno));
}

/* ---- what they come to ---- */

/* The exit status that the end of one master means for all: the worst counts. */
static int judge(const struct masters *all, const struct master *master) {
  bool has_exited = WIFEXITED(master->status);
  int status = has_exited ? WEXITSTATUS(master->status) : EXIT_INFRASTRUCTURE;
  bool is_empty = all->motif->space.vectors < all->line.masters; /* shares without a vector */
  if (has_exited && status == 0 && !master->best.is_known && !is_empty) {
    (void)fprintf(stderr, "%s: master %" PRIu64 " of %" PRIu64 " ended without an answer\n",
                  all->name, master->number, all->line.masters);
    return EXIT_FAILED;
  }
  if (status != 0) {
    (void)fprintf(stderr, "%s: master %" PRIu64 " of %" PRIu64 " ended %s %d\n", all->name,
                  master->number, all->line.masters, has_exited ? "with exit status" : "by signal",
                  has_exited ? status : WTERMSIG(master->status));
  }
  return status;
}

static int worse(int one, int other) {
  static const int order[] = {EXIT_INTERRUPTED, EXIT_INFRASTRUCTURE, EXIT_USAGE, EXIT_FAILED};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (one == order[i] || other == order[i]) return order[i];
  }
  return one != 0 ? one : other;
}

static int conclude(struct masters *all) {
  struct best best = {0};
  struct ls_bytes text = {0};
  int result = 0;
  for (size_t i = 0; i < all->count; i++) {
    best_merge(&best, &all->items[i].best);
    result = worse(result, judge(all, &all->items[i]));
  }
  if (result == 0) {
    motif_describe(all->motif, &text);
    motif_show(all->motif, &best, &text);
    ls_bytes_printf(&text, "the best of %" PRIu64 " masters\n", all->line.masters);
  }
  if (text.failed) result = EXIT_INFRASTRUCTURE;
  (void)fputs(text.failed ? "" : ls_bytes_text(&text), stdout);
  if (result != 0) (void)fprintf(stderr, "%s: there is no answer for all shares\n", all->name);
  ls_bytes_close(&text);
  return result;
}

/* What was not started, or is no longer attended to, must not go on. */
static void close_all(struct masters *all) {
  signal_all(all, SIGKILL);
  for (size_t i = 0; i < all->count; i++) {
    struct master *master = &all->items[i];
    if (master->pid > 0) (void)waitpid(master->pid, NULL, 0);
    finish_streams(master, &all->motif->space);
  }
  free(all->items);
  masters_line_close(&all->line);
  if (all->motif != NULL) motif_close(all->motif);
  if (all->file >= 0) (void)close(all->file);
}

static enum ls_status open_search(struct masters *all, struct ls_error *err) {
  void *motif = NULL;
  enum ls_status status = motif_open((int)all->line.words_count, all->line.words, &motif, err);
  all->motif = motif;
  if (status != LS_OK) return status;
  all->items = calloc(all->line.masters, sizeof *all->items);
  if (all->items != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "motif: out of memory for %" PRIu64 " masters", all->line.masters);
}

int masters_run(int argc, char **argv) {
  struct masters all = {.name = argv[0], .file = -1};
  (void)!readlink(self, all.program, sizeof all.program - 1);
  struct ls_error err = {0};
  int result = EXIT_USAGE;
  enum ls_status status = masters_line_read(&all.line, argc, argv, &err);
  if (status == LS_OK) status = check_transport(&all.line, &err);
  bool is_silent = status != LS_OK && is_follower(all.line.transport);
  if (status == LS_OK) status = open_search(&all, &err);
  if (status == LS_OK) status = open_signals(&all, &err);
  if (status == LS_OK) status = start_all(&all, &err);
  if (status == LS_OK) status = attend(&all, &err);
  if (status == LS_OK) {
    result = conclude(&all);
  } else if (is_silent) {
    result = 0;
  } else {
    (void)fprintf(stderr, "%s: %s\n", all.name, err.text);
    if (status != LS_EINVAL) result = EXIT_INFRASTRUCTURE;
  }
  close_all(&all);
  return result;
}
