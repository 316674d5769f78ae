#include "runtime/os/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/interpreter.h"
#include "runtime/os/limits.h"
#include "runtime/os/line_limits.h"

enum { ORPHAN_ROUNDS_MAX = 1000, CHILDREN_STEP = 64 };

/* The step at which a child failed before its program ran. */
enum step { STEP_NONE, STEP_GROUP, STEP_DEATH, STEP_FILES, STEP_DIRECTORY, STEP_EXEC };

/* The message of the child, which shares our memory until exec, to us. */
struct launch {
  const struct ls_process_request *request;
  pid_t parent;
  volatile int step;
  volatile int error;
};

static bool stop_launch(struct launch *launch, enum step step) {
  launch->error = errno;
  launch->step = (int)step;
  return false;
}

/* Ignored signals would stay ignored across exec, and a handler of ours must not run in the memory
 * that we share; so every signal gets its default before the mask is lifted. */
void ls_process_reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int i = 1; i < NSIG; ++i) (void)sigaction(i, &action, NULL);
  sigset_t none;
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors below 3 that are still needed move up first, so that no dup2 overwrites a source. */
static bool arrange_files(const struct ls_process_request *request) {
  int input = request->input, output = request->output, error_output = request->error_output;
  if (input > 0 && input < 3) input = fcntl(input, F_DUPFD_CLOEXEC, 3);
  if (output < 3) output = fcntl(output, F_DUPFD_CLOEXEC, 3);
  if (error_output < 3) error_output = fcntl(error_output, F_DUPFD_CLOEXEC, 3);
  if (input < 0 || output < 0 || error_output < 0) return false;
  if (dup2(output, 1) < 0 || dup2(error_output, 2) < 0) return false;
  if (input > 0) {
    if (dup2(input, 0) < 0) return false;
  } else {
    (void)close(0);
    if (open("/dev/null", O_RDONLY) != 0) return false;
  }
  for (size_t i = 0; i < request->keep_count; ++i) {
    if (fcntl(request->keep[i], F_SETFD, 0) < 0) return false;
  }
  return true;
}

/* Runs in the child between vfork and exec: async-signal-safe calls only. Returns on failure. */
static bool become_program(struct launch *launch) {
  const struct ls_process_request *request = launch->request;
  if (setpgid(0, 0) != 0) return stop_launch(launch, STEP_GROUP);
  if (request->dies_with_us) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return stop_launch(launch, STEP_DEATH);
    /* A parent that died before prctl sends no signal any more. */
    if (getppid() != launch->parent) _exit(1);
  }
  if (!arrange_files(request)) return stop_launch(launch, STEP_FILES);
  if (request->directory != NULL && chdir(request->directory) != 0) {
    return stop_launch(launch, STEP_DIRECTORY);
  }
  ls_process_reset_signals();
  ls_limits_restore();
  /* Who may not be nicer runs as before. */
  if (request->niceness != 0 && nice(request->niceness) == -1) errno = 0;
  /* A program that has moved since it was found, or is a script without an interpreter's line, is
   * the business of execvp. */
  char *const *environment = request->environment != NULL ? request->environment : environ;
  if (request->program != NULL) (void)execve(request->program, request->argv, environment);
  (void)execvpe(request->argv[0], request->argv, environment);
  return stop_launch(launch, STEP_EXEC);
}

/* The caller's frame stays untouched by the child, which returns from nothing but this function's
 * callees: what vfork demands. */
static __attribute__((noinline)) pid_t launch_child(struct launch *launch) {
  pid_t pid = vfork();
  if (pid == 0) {
    (void)become_program(launch);
    _exit(127);
  }
  return pid;
}

/* What of a command line the system does not take: one word, or all of it with the environment. */
static enum ls_status explain_length(const struct ls_process_request *request,
                                     struct ls_error *err) {
  char *const *environment = request->environment != NULL ? request->environment : environ;
  const struct ls_line_limits limits = ls_line_limits_find(0, environment);
  size_t all = 0;
  for (char *const *word = request->argv; *word != NULL; ++word) {
    size_t bytes = strlen(*word) + 1;
    all += bytes + sizeof *word;
    if (bytes > limits.word_bytes)
      return ls_fail(err, LS_EIO,
                     "cannot run '%.60s': the word '%.60s...' has %zu bytes, expected at most %llu",
                     request->argv[0], *word, bytes - 1, (unsigned long long)limits.word_bytes - 1);
  }
  return ls_fail(
      err, LS_EIO,
      "cannot run '%.60s': its words take %zu bytes, 8 of each for where it is, expected at "
      "most %llu with this environment",
      request->argv[0], all, (unsigned long long)limits.bytes);
}

/* The program as it would be started; false: it is none that is known. */
static bool find_path(const struct ls_process_request *request, char *path, size_t path_bytes) {
  const char *name = strchr(request->argv[0], '/') != NULL ? request->argv[0] : request->program;
  if (name == NULL) return false;
  bool is_inside = name[0] != '/' && request->directory != NULL;
  int length = snprintf(path, path_bytes, "%s%s%s", is_inside ? request->directory : "",
                        is_inside ? "/" : "", name);
  return length > 0 && (size_t)length < path_bytes;
}

static enum ls_status explain_program(const struct launch *launch, struct ls_error *err) {
  const struct ls_process_request *request = launch->request;
  char path[PATH_MAX], words[LS_ERROR_TEXT_BYTES];
  if (launch->error == E2BIG) return explain_length(request, err);
  bool is_missing =
      find_path(request, path, sizeof path) && ls_interpreter_is_missing(path, words, sizeof words);
  return ls_fail(err, LS_EIO, "cannot run '%.200s': %s", request->argv[0],
                 is_missing ? words : strerror(launch->error));
}

static enum ls_status explain(const struct launch *launch, struct ls_error *err) {
  const struct ls_process_request *request = launch->request;
  const char *reason = strerror(launch->error);
  switch ((enum step)launch->step) {
    case STEP_DIRECTORY:
      return ls_fail(err, LS_EIO, "cannot run '%s': cannot enter directory '%s': %s",
                     request->argv[0], request->directory, reason);
    case STEP_FILES:
      return ls_fail(err, LS_EIO, "cannot run '%s': cannot arrange its descriptors: %s",
                     request->argv[0], reason);
    default:
      return explain_program(launch, err);
  }
}

char *ls_process_find(const char *name) {
  const char *folder = getenv("PATH");
  if (name[0] == '\0' || strchr(name, '/') != NULL || folder == NULL) return NULL;
  /* What a relative folder means depends on where the program will start. */
  while (folder[0] == '/') {
    size_t length = strcspn(folder, ":");
    char *path = NULL;
    if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0) return NULL;
    struct stat facts;
    if (access(path, X_OK) == 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) return path;
    free(path);
    folder += length;
    if (folder[0] == ':') ++folder;
  }
  return NULL;
}

enum ls_status ls_process_start(const struct ls_process_request *request,
                                struct ls_process *process, int *exec_errno, struct ls_error *err) {
  struct launch launch = {.request = request, .parent = getpid()};
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = launch_child(&launch);
  int error = errno;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (exec_errno != NULL) *exec_errno = 0;
  if (pid < 0) {
    bool has_no_room = error == EAGAIN || error == ENOMEM;
    return ls_fail(err, has_no_room ? LS_EBUSY : LS_EIO, "cannot start a process for '%s': %s",
                   request->argv[0], ls_limits_words(error));
  }
  if (launch.step != STEP_NONE) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    if (exec_errno != NULL && launch.step == STEP_EXEC) *exec_errno = launch.error;
    return explain(&launch, err);
  }
  /* Without pidfds (old kernels, no descriptor left) the caller asks by time. */
  *process = (struct ls_process){.pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
  return LS_OK;
}

static double measure(const struct timeval *time) {
  return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

bool ls_process_ended(struct ls_process *process, bool wait, struct ls_process_end *end) {
  int state = 0;
  struct rusage usage = {0};
  pid_t pid;
  do {
    pid = wait4(process->pid, &state, wait ? 0 : WNOHANG, &usage);
  } while (pid < 0 && errno == EINTR);
  if (pid == 0) return false;
  *end = (struct ls_process_end){.usage = {.user_s = measure(&usage.ru_utime),
                                           .system_s = measure(&usage.ru_stime),
                                           .peak_bytes = 1024 * (uint64_t)usage.ru_maxrss}};
  if (pid < 0) {
    /* Somebody else has reaped it: that it ended is sure, how it did is not. */
    end->exit_code = 255;
  } else if (WIFSIGNALED(state)) {
    end->signal = WTERMSIG(state);
  } else {
    end->exit_code = WEXITSTATUS(state);
  }
  if (process->pidfd >= 0) (void)close(process->pidfd);
  process->pidfd = -1;
  return true;
}

/* The kernel keeps that a child was continued until its parent has asked for it. */
bool ls_process_has_stood(pid_t child) {
  siginfo_t info = {.si_pid = 0};
  int all = WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT;
  if (waitid(P_PID, (id_t)child, &info, all) != 0) return true; /* somebody else has reaped it */
  if (info.si_pid == 0) return false;
  if (info.si_code == CLD_CONTINUED) (void)waitid(P_PID, (id_t)child, &info, WCONTINUED | WNOHANG);
  return true;
}

int ls_process_stopped_by(const struct ls_process *process) {
  siginfo_t info = {.si_pid = 0};
  int look = WSTOPPED | WNOHANG | WNOWAIT;
  if (waitid(P_PID, (id_t)process->pid, &info, look) != 0 || info.si_pid == 0) return 0;
  return info.si_code == CLD_STOPPED ? info.si_status : 0;
}

void ls_process_signal(const struct ls_process *process, int signal_number) {
  (void)kill(-process->pid, signal_number);
}

/* What has ended, and is adopted, still belongs to its group until it is reaped. */
bool ls_process_has_group(const struct ls_process *process) {
  while (waitpid(-process->pid, NULL, WNOHANG) > 0) continue;
  return kill(-process->pid, 0) == 0;
}

void ls_process_adopt(void) {
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  /* With SIGCHLD ignored (inherited) the kernel would reap our children before we ask how they
   * ended. */
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
    (void)signal(SIGCHLD, SIG_DFL);
  }
}

bool ls_process_adopts(void) {
  int is_reaper = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) == 0 && is_reaper != 0;
}

/* The parent of a process, and its state as the kernel has it, from /proc; 0: it is gone. */
static pid_t read_parent(int folder, const char *name, char *state) {
  char path[280], text[512];
  (void)snprintf(path, sizeof path, "%s/stat", name);
  int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  (void)close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  /* The name of the program stands in parentheses, and may hold some itself. */
  const char *after = strrchr(text, ')');
  int parent = 0;
  if (after == NULL || sscanf(after, ") %c %d", state, &parent) != 2) return 0;
  return (pid_t)parent;
}

struct children {
  pid_t *items;
  size_t count, capacity; /* count: of all, also of those without room */
};

static void add_child(struct children *children, pid_t pid) {
  if (children->count < children->capacity) children->items[children->count] = pid;
  ++children->count;
}

/* The kernel's own list of the children of one thread; false: this kernel keeps none. */
static bool read_list(int folder, const char *thread, struct children *children) {
  char path[280], block[4096];
  (void)snprintf(path, sizeof path, "%s/children", thread);
  int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  pid_t pid = 0;
  ssize_t length;
  while ((length = read(file, block, sizeof block)) > 0) {
    for (ssize_t i = 0; i < length; ++i) {
      if (isdigit((unsigned char)block[i])) {
        pid = 10 * pid + (block[i] - '0');
      } else if (pid != 0) {
        add_child(children, pid);
        pid = 0;
      }
    }
  }
  (void)close(file);
  return true;
}

/* Whose parent are we? Without the lists, all processes are asked. */
static void search_children(struct children *children) {
  DIR *folder = opendir("/proc");
  if (folder == NULL) return;
  const struct dirent *entry;
  char state;
  while ((entry = readdir(folder)) != NULL) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (read_parent(dirfd(folder), entry->d_name, &state) != getpid()) continue;
    add_child(children, (pid_t)strtol(entry->d_name, NULL, 10));
  }
  (void)closedir(folder);
}

size_t ls_process_children(pid_t *items, size_t capacity) {
  struct children children = {.items = items, .capacity = capacity};
  siginfo_t info;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD) return 0;
  /* An orphan is adopted by any of our threads. */
  DIR *threads = opendir("/proc/self/task");
  bool has_lists = threads != NULL;
  const struct dirent *entry;
  while (has_lists && (entry = readdir(threads)) != NULL) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    /* A thread that has just ended has handed its children on. */
    has_lists = read_list(dirfd(threads), entry->d_name, &children) ||
                faccessat(dirfd(threads), entry->d_name, F_OK, 0) != 0;
  }
  if (threads != NULL) (void)closedir(threads);
  if (!has_lists) {
    children.count = 0;
    search_children(&children);
  }
  return children.count;
}

bool ls_process_has_active_child(pid_t pid) {
  static const char inactive[] = "TtZX"; /* stopped, or dead */
  DIR *folder = opendir("/proc");
  bool has_one = false;
  if (folder == NULL) return false;
  const struct dirent *entry;
  char state;
  while (!has_one && (entry = readdir(folder)) != NULL) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (read_parent(dirfd(folder), entry->d_name, &state) != pid) continue;
    has_one = strchr(inactive, state) == NULL;
  }
  (void)closedir(folder);
  return has_one;
}

pid_t ls_process_parent(pid_t pid) {
  char path[32], text[256];
  (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0) (void)close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  /* The name, in brackets, may have any character. */
  const char *rest = strrchr(text, ')');
  int parent = 0;
  return rest != NULL && sscanf(rest, ") %*c %d", &parent) == 1 ? (pid_t)parent : 0;
}

bool ls_process_has_threads(void) {
  size_t count = 0;
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return true;
  const struct dirent *entry;
  while ((entry = readdir(threads)) != NULL) count += isdigit((unsigned char)entry->d_name[0]) != 0;
  (void)closedir(threads);
  return count != 1;
}

static bool is_known(pid_t pid, const pid_t *known, size_t known_count) {
  for (size_t i = 0; i < known_count; ++i) {
    if (known[i] == pid) return true;
  }
  return false;
}

/* Killing an orphan hands its own children to us, so rounds follow until one finds nothing. */
size_t ls_process_kill_orphans(const pid_t *known, size_t known_count) {
  size_t killed = 0;
  for (int round = 0; round < ORPHAN_ROUNDS_MAX; ++round) {
    /* Room for all known and some others: a round that sees only a part is followed by another. */
    size_t capacity = known_count + CHILDREN_STEP;
    pid_t *children = calloc(capacity, sizeof *children);
    if (children == NULL) return killed;
    size_t found = 0, count = ls_process_children(children, capacity);
    if (count > capacity) count = capacity;
    for (size_t i = 0; i < count; ++i) {
      if (is_known(children[i], known, known_count)) continue;
      (void)kill(children[i], SIGKILL);
      ++found;
    }
    for (size_t i = 0; i < count; ++i) {
      if (is_known(children[i], known, known_count)) continue;
      while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR) continue;
    }
    free(children);
    if (found == 0) break;
    killed += found;
  }
  return killed;
}

bool ls_process_has_orphans(const pid_t *known, size_t known_count) {
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    /* Only children of this thread: a worker that is a thread must not reap its neighbours'. */
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WNOTHREAD) != 0) {
      return errno != ECHILD;
    }
    if (info.si_pid == 0 && known_count == 0) return true;
    if (info.si_pid == 0 || is_known(info.si_pid, known, known_count)) break;
    (void)waitpid(info.si_pid, NULL, WNOHANG);
  }
  size_t capacity = known_count + 1;
  pid_t *children = calloc(capacity, sizeof *children);
  if (children == NULL) return true;
  size_t count = ls_process_children(children, capacity);
  bool has = count > known_count;
  for (size_t i = 0; i < count && i < capacity && !has; ++i) {
    has = !is_known(children[i], known, known_count);
  }
  free(children);
  return has;
}
