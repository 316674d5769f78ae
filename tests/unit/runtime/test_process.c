#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/limits.h"
#include "runtime/os/process.h"

/* A shell script with both outputs in one pipe. */
struct script {
  struct ls_process process;
  int output; /* the end that is read */
};

static struct ls_process_request make_request(char *const *argv, int output) {
  return (struct ls_process_request){
      .argv = argv, .output = output, .error_output = output, .dies_with_us = true};
}

static struct script start_script(const char *text, struct ls_process_request request) {
  char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(text), NULL};
  int ends[2];
  struct script script;
  struct ls_error err = {0};
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  request.argv = argv;
  request.output = request.error_output = ends[1];
  request.dies_with_us = true;
  if (ls_process_start(&request, &script.process, NULL, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(close(ends[1]), 0);
  script.output = ends[0];
  free(argv[2]);
  return script;
}

/* Reads until every writer is gone: then all that held the pipe has ended. */
static void read_all(int file, char *text, size_t size) {
  size_t length = 0;
  ssize_t got;
  while ((got = read(file, text + length, size - 1 - length)) > 0) length += (size_t)got;
  text[length] = '\0';
  assert_int_equal(close(file), 0);
}

static struct ls_process_end finish_script(struct script *script, char *text, size_t size) {
  struct ls_process_end end;
  read_all(script->output, text, size);
  assert_true(ls_process_ended(&script->process, true, &end));
  return end;
}

static struct ls_process_end run_script(const char *text, struct ls_process_request request,
                                        char *output, size_t size) {
  struct script script = start_script(text, request);
  return finish_script(&script, output, size);
}

static void exit_status_and_signal_come_back(void **state) {
  (void)state;
  char text[64];
  struct ls_process_request plain = {0};
  struct ls_process_end end = run_script("exit 0", plain, text, sizeof text);
  assert_int_equal(end.exit_code, 0);
  assert_int_equal(end.signal, 0);
  end = run_script("exit 42", plain, text, sizeof text);
  assert_int_equal(end.exit_code, 42);
  end = run_script("kill -9 $$", plain, text, sizeof text);
  assert_int_equal(end.exit_code, 0);
  assert_int_equal(end.signal, SIGKILL);
}

/* A shell that reads 40 MB into a variable, and a child of it that computes. */
static void what_a_process_used_comes_back(void **state) {
  (void)state;
  char text[64];
  struct ls_process_request plain = {0};
  struct ls_process_end end = run_script(
      "a=$(head -c 40000000 /dev/zero | tr '\\0' x); i=0; "
      "while [ $i -lt 20000 ]; do i=$((i + 1)); done",
      plain, text, sizeof text);
  assert_true(ls_usage_is_known(&end.usage));
  assert_true(end.usage.peak_bytes >= 40000000 && end.usage.peak_bytes < 1ull << 40);
  assert_true(end.usage.user_s > 0 && end.usage.system_s > 0);
}

static void pidfd_becomes_readable_at_the_end(void **state) {
  (void)state;
  char text[16];
  struct ls_process_end end;
  struct script script =
      start_script("read never < /dev/null; exit 3", (struct ls_process_request){0});
  if (script.process.pidfd < 0) skip();
  struct pollfd look = {.fd = script.process.pidfd, .events = POLLIN};
  assert_int_equal(poll(&look, 1, 60000), 1);
  assert_true(ls_process_ended(&script.process, false, &end));
  assert_int_equal(end.exit_code, 3);
  assert_int_equal(script.process.pidfd, -1);
  read_all(script.output, text, sizeof text);
}

static void running_process_has_not_ended(void **state) {
  (void)state;
  char text[16];
  struct ls_process_end end;
  struct script script = start_script("exec sleep 1000", (struct ls_process_request){0});
  assert_false(ls_process_ended(&script.process, false, &end));
  ls_process_signal(&script.process, SIGTERM);
  end = finish_script(&script, text, sizeof text);
  assert_int_equal(end.signal, SIGTERM);
}

static void standard_input_is_empty_and_outputs_arrive(void **state) {
  (void)state;
  char text[64];
  (void)run_script("cat; echo out; echo err >&2", (struct ls_process_request){0}, text,
                   sizeof text);
  assert_string_equal(text, "out\nerr\n");
}

static void standard_input_may_be_given(void **state) {
  (void)state;
  char text[64];
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(write(ends[1], "in\n", 3), 3);
  (void)close(ends[1]);
  (void)run_script("cat", (struct ls_process_request){.input = ends[0]}, text, sizeof text);
  assert_string_equal(text, "in\n");
  (void)close(ends[0]);
}

/* A limit on processes binds nobody who is root. Exit status 0: refused as it should be. */
static void start_without_room(void) {
  const struct rlimit none = {0, 0};
  char *argv[] = {(char[]){"true"}, NULL};
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  struct ls_process process = {.pid = 77};
  struct ls_error err = {0};
  int exec_errno = 99;
  if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(2);
  if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
  if (ls_process_start(&request, &process, &exec_errno, &err) != LS_EBUSY) _exit(4);
  bool is_told = strstr(err.text, "'true'") != NULL && strstr(err.text, "ulimit -u") != NULL;
  _exit(exec_errno == 0 && process.pid == 77 && is_told ? 0 : 5);
}

static void a_machine_without_room_is_busy(void **state) {
  int how = 0;
  (void)state;
  pid_t pid = fork();
  if (pid == 0) start_without_room();
  assert_true(pid > 0 && waitpid(pid, &how, 0) == pid);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), 0);
}

static void absent_program_is_named_with_its_errno(void **state) {
  (void)state;
  char *argv[] = {(char[]){"no such program"}, NULL};
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  struct ls_process process = {.pid = 77};
  struct ls_error err;
  int exec_errno = 0;
  assert_int_equal(ls_process_start(&request, &process, &exec_errno, &err), LS_EIO);
  assert_int_equal(exec_errno, ENOENT);
  assert_non_null(strstr(err.text, "'no such program'"));
  assert_int_equal(process.pid, 77);
  /* Nothing is left to be reaped. */
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void folder_is_not_a_program(void **state) {
  (void)state;
  char *argv[] = {(char[]){"/tmp"}, NULL};
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  struct ls_process process;
  int exec_errno = 0;
  assert_int_equal(ls_process_start(&request, &process, &exec_errno, NULL), LS_EIO);
  assert_int_equal(exec_errno, EACCES);
}

static void directory_is_entered_or_named(void **state) {
  (void)state;
  char text[64];
  (void)run_script("pwd", (struct ls_process_request){.directory = "/"}, text, sizeof text);
  assert_string_equal(text, "/\n");
  char *argv[] = {(char[]){"true"}, NULL};
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  request.directory = "/no such folder";
  struct ls_process process;
  struct ls_error err;
  int exec_errno = 99;
  assert_int_equal(ls_process_start(&request, &process, &exec_errno, &err), LS_EIO);
  assert_int_equal(exec_errno, 0);
  assert_non_null(strstr(err.text, "/no such folder"));
}

/* Signals that the starter ignores or blocks must not reach the program. */
static void signals_start_with_their_defaults(void **state) {
  (void)state;
  char text[256];
  sigset_t blocked, before;
  (void)sigemptyset(&blocked);
  (void)sigaddset(&blocked, SIGUSR2);
  (void)signal(SIGUSR1, SIG_IGN);
  (void)sigprocmask(SIG_BLOCK, &blocked, &before);
  (void)run_script("exec grep -E 'Sig(Blk|Ign)' /proc/self/status", (struct ls_process_request){0},
                   text, sizeof text);
  sigset_t after;
  (void)sigprocmask(SIG_SETMASK, &before, &after);
  unsigned long long blocked_there, ignored_there;
  assert_int_equal(sscanf(text, "SigBlk: %llx SigIgn: %llx", &blocked_there, &ignored_there), 2);
  assert_int_equal(blocked_there, 0);
  /* The C library keeps signals 32 and 33 for itself and lets no program set them: when the starter
   * of this test ignores one of them, so does every program. */
  assert_int_equal(ignored_there & ~(3ULL << 31), 0);
  /* And the starter's own stay as they were. */
  assert_true(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  assert_true(sigismember(&after, SIGUSR2));
}

static void only_kept_files_stay_open(void **state) {
  (void)state;
  char text[64], question[128];
  int kept = open("/dev/null", O_RDONLY | O_CLOEXEC),
      other = open("/dev/null", O_RDONLY | O_CLOEXEC);
  (void)snprintf(question, sizeof question,
                 "test -e /proc/self/fd/%d && echo kept; test -e /proc/self/fd/%d || echo gone",
                 kept, other);
  (void)run_script(question, (struct ls_process_request){.keep = &kept, .keep_count = 1}, text,
                   sizeof text);
  assert_string_equal(text, "kept\ngone\n");
  /* In the starter it is still close-on-exec. */
  assert_true(fcntl(kept, F_GETFD) & FD_CLOEXEC);
  (void)close(kept);
  (void)close(other);
}

/* A source that stands where a target goes must not be overwritten first. */
static void low_descriptors_are_not_mixed_up(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  pid_t tester = fork();
  if (tester == 0) {
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"echo out; echo err >&2"}, NULL};
    struct ls_process process;
    struct ls_process_end end;
    /* Standard error goes where 0 leads, standard output where 2 leads. */
    (void)dup2(open("/dev/null", O_WRONLY), 0);
    (void)dup2(ends[1], 2);
    struct ls_process_request request = {.argv = argv, .output = 2, .error_output = 0};
    bool is_well = ls_process_start(&request, &process, NULL, NULL) == LS_OK &&
                   ls_process_ended(&process, true, &end);
    _exit(is_well ? 0 : 1);
  }
  (void)close(ends[1]);
  char text[64];
  read_all(ends[0], text, sizeof text);
  int status = 0;
  assert_int_equal(waitpid(tester, &status, 0), tester);
  assert_int_equal(status, 0);
  assert_string_equal(text, "out\n");
}

static void signal_reaches_the_whole_group(void **state) {
  (void)state;
  char text[64];
  struct script script =
      start_script("sleep 1000 & echo ready; wait", (struct ls_process_request){0});
  char ready[6];
  assert_int_equal(read(script.output, ready, sizeof ready), 6);
  assert_int_equal(getpgid(script.process.pid), script.process.pid);
  ls_process_signal(&script.process, SIGKILL);
  /* The pipe ends only when the sleep has ended, too. */
  struct ls_process_end end = finish_script(&script, text, sizeof text);
  assert_int_equal(end.signal, SIGKILL);
}

static void child_dies_with_its_starter(void **state) {
  (void)state;
  int ends[2];
  char text[16];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  pid_t starter = fork();
  if (starter == 0) {
    char *argv[] = {(char[]){"sleep"}, (char[]){"1000"}, NULL};
    struct ls_process_request request = make_request(argv, ends[1]);
    struct ls_process process;
    enum ls_status status = ls_process_start(&request, &process, NULL, NULL);
    _exit(status == LS_OK ? 0 : 1);
  }
  (void)close(ends[1]);
  int status = 0;
  assert_int_equal(waitpid(starter, &status, 0), starter);
  assert_int_equal(status, 0);
  read_all(ends[0], text, sizeof text);
}

static void orphans_are_adopted_and_ended(void **state) {
  (void)state;
  char text[64];
  ls_process_adopt();
  assert_true(ls_process_adopts());
  assert_false(ls_process_has_orphans(NULL, 0));
  assert_int_equal(ls_process_kill_orphans(NULL, 0), 0);
  /* Two daemons, one with a child of its own, all in sessions of their own. */
  struct script script =
      start_script("setsid sleep 1000 & setsid sh -c 'sleep 1000 & wait' & sleep 0",
                   (struct ls_process_request){0});
  struct ls_process_end end;
  assert_true(ls_process_ended(&script.process, true, &end));
  assert_true(ls_process_has_orphans(NULL, 0));
  assert_true(ls_process_kill_orphans(NULL, 0) >= 2);
  assert_false(ls_process_has_orphans(NULL, 0));
  read_all(script.output, text, sizeof text);
}

static void known_children_are_no_orphans(void **state) {
  (void)state;
  char text[64];
  ls_process_adopt();
  struct script known = start_script("exec sleep 1000", (struct ls_process_request){0});
  pid_t pid = known.process.pid, children[4];
  assert_int_equal(ls_process_children(children, 4), 1);
  assert_int_equal(children[0], pid);
  assert_false(ls_process_has_orphans(&pid, 1));
  struct script other = start_script("sleep 1000 & sleep 0", (struct ls_process_request){0});
  struct ls_process_end end;
  assert_true(ls_process_ended(&other.process, true, &end));
  assert_true(ls_process_has_orphans(&pid, 1));
  assert_int_equal(ls_process_kill_orphans(&pid, 1), 1);
  assert_false(ls_process_has_orphans(&pid, 1));
  assert_false(ls_process_ended(&known.process, false, &end));
  ls_process_signal(&known.process, SIGKILL);
  (void)finish_script(&known, text, sizeof text);
  read_all(other.output, text, sizeof text);
}

/* Orphans that ended by themselves are reaped on the way. */
static void dead_orphans_do_not_count(void **state) {
  (void)state;
  char text[64];
  ls_process_adopt();
  struct script script = start_script("true & exec true", (struct ls_process_request){0});
  (void)finish_script(&script, text, sizeof text);
  siginfo_t info;
  (void)waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
  assert_false(ls_process_has_orphans(NULL, 0));
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A waitpid elsewhere must not make us wait for ever. */
static void reaped_elsewhere_still_counts_as_ended(void **state) {
  (void)state;
  char text[64];
  struct script script = start_script("exit 0", (struct ls_process_request){0});
  assert_int_equal(waitpid(script.process.pid, NULL, 0), script.process.pid);
  struct ls_process_end end = finish_script(&script, text, sizeof text);
  assert_int_equal(end.exit_code, 255);
}

/* Runs `check` in a child with this PATH: the environment is everybody's. */
static void with_path(const char *path, void (*check)(void)) {
  pid_t child = fork();
  if (child == 0) {
    if (path == NULL)
      (void)unsetenv("PATH");
    else
      (void)setenv("PATH", path, 1);
    check();
    _exit(0);
  }
  int state;
  assert_int_equal(waitpid(child, &state, 0), child);
  assert_true(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static void find_sh(void) {
  char *path = ls_process_find("sh");
  if (path == NULL || strcmp(path, "/bin/sh") != 0) _exit(1);
  free(path);
  /* A folder is no program, nor is what has a slash, nor what is not there. */
  if (ls_process_find("..") != NULL || ls_process_find("/bin/sh") != NULL) _exit(2);
  if (ls_process_find("") != NULL || ls_process_find("no-such-program") != NULL) _exit(3);
}

static void find_no_sh(void) {
  if (ls_process_find("sh") != NULL) _exit(1);
}

static void program_is_found_where_path_has_it_for_sure(void **state) {
  (void)state;
  with_path("/no/such/folder:/bin:/usr/bin", find_sh);
  with_path("/bin:relative", find_sh);
  /* A relative folder means another place after chdir. */
  with_path(".:/bin", find_no_sh);
  with_path(":/bin", find_no_sh);
  with_path("", find_no_sh);
  with_path(NULL, find_no_sh);
}

static void program_that_moved_is_looked_up_again(void **state) {
  (void)state;
  struct ls_process_request request = {.program = "/no/such/folder/sh"};
  struct script script = start_script("echo moved", request);
  char text[64];
  struct ls_process_end end = finish_script(&script, text, sizeof text);
  assert_int_equal(end.exit_code, 0);
  assert_string_equal(text, "moved\n");
}

/* ---- failures that only a kernel in need has: see --wrap in meson.build ---- */

static int dup2_calls_left = -1; /* -1: none fails */
static bool are_pidfds_refused;

int __real_dup2(int file, int number);
int __wrap_dup2(int file, int number);
int __wrap_dup2(int file, int number) {
  if (dup2_calls_left == 0) {
    errno = EBUSY;
    return -1;
  }
  if (dup2_calls_left > 0) --dup2_calls_left;
  return __real_dup2(file, number);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  va_end(list);
  if (number == SYS_pidfd_open && are_pidfds_refused) {
    errno = EMFILE;
    return -1;
  }
  return __real_syscall(number, a, b, c);
}

/* A program must not run with another one's output. */
static void program_without_its_descriptors_does_not_run(void **state) {
  (void)state;
  char *argv[] = {(char[]){"true"}, NULL};
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  for (int i = 0; i < 2; ++i) {
    struct ls_process process = {.pid = 77};
    struct ls_error err;
    int exec_errno = 99;
    dup2_calls_left = i;
    enum ls_status status = ls_process_start(&request, &process, &exec_errno, &err);
    dup2_calls_left = -1;
    assert_int_equal(status, LS_EIO);
    assert_non_null(strstr(err.text, "'true': cannot arrange its descriptors: "));
    assert_non_null(strstr(err.text, strerror(EBUSY)));
    assert_int_equal(exec_errno, 0);
    assert_int_equal(process.pid, 77);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  }
}

static void process_without_a_pidfd_is_asked(void **state) {
  (void)state;
  char text[16];
  are_pidfds_refused = true;
  struct script script = start_script("exit 4", (struct ls_process_request){0});
  are_pidfds_refused = false;
  assert_int_equal(script.process.pidfd, -1);
  assert_int_equal(finish_script(&script, text, sizeof text).exit_code, 4);
}

/* What we need many descriptors for is no business of the programs that we run. */
static void programs_get_the_limit_of_the_start(void **state) {
  (void)state;
  char text[64];
  struct rlimit before, now;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  now = before;
  now.rlim_cur = 100;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
  ls_limits_raise();
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
  assert_true(now.rlim_cur > 100 || now.rlim_max == 100);
  (void)run_script("ulimit -S -n", (struct ls_process_request){0}, text, sizeof text);
  assert_string_equal(text, "100\n");
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* An orphan is adopted by any thread of ours, and children of all threads are ours. */
static void *start_in_thread(void *place) {
  char *argv[] = {(char[]){"sleep"}, (char[]){"1000"}, NULL};
  /* dies_with_us means this thread. */
  struct ls_process_request request = make_request(argv, STDERR_FILENO);
  request.dies_with_us = false;
  if (ls_process_start(&request, place, NULL, NULL) != LS_OK) return NULL;
  /* The thread stays until the end is told. */
  struct ls_process_end end;
  (void)ls_process_ended(place, true, &end);
  return place;
}

static void children_of_all_threads_are_counted(void **state) {
  (void)state;
  struct ls_process process = {.pid = 0};
  pthread_t thread;
  assert_false(ls_process_has_threads());
  assert_int_equal(ls_process_parent(getpid()), getppid());
  assert_int_equal(ls_process_parent(0), 0);
  assert_int_equal(pthread_create(&thread, NULL, start_in_thread, &process), 0);
  assert_true(ls_process_has_threads());
  pid_t children[2] = {0, 0};
  size_t count;
  while ((count = ls_process_children(children, 2)) == 0) continue;
  assert_int_equal(count, 1);
  /* Between fork and exec it is there, too, and not yet in its own group. */
  while (kill(-children[0], SIGKILL) != 0) continue;
  void *result = NULL;
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_ptr_equal(result, &process);
  assert_int_equal(process.pid, children[0]);
}

static void await_change(pid_t pid, int change) {
  siginfo_t info;
  /* The dead one stays until it is reaped. */
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, change | (change == WEXITED ? WNOWAIT : 0)), 0);
}

static void who_stands_still_or_is_dead_is_not_active(void **state) {
  (void)state;
  assert_false(ls_process_has_active_child(getpid()));
  pid_t child = fork();
  if (child == 0)
    for (;;) (void)pause();
  assert_true(child > 0);
  assert_true(ls_process_has_active_child(getpid()));
  /* It has none itself. */
  assert_false(ls_process_has_active_child(child));
  assert_int_equal(kill(child, SIGSTOP), 0);
  await_change(child, WSTOPPED);
  assert_false(ls_process_has_active_child(getpid()));
  assert_int_equal(kill(child, SIGCONT), 0);
  await_change(child, WCONTINUED);
  assert_true(ls_process_has_active_child(getpid()));
  assert_int_equal(kill(child, SIGKILL), 0);
  await_change(child, WEXITED);
  assert_false(ls_process_has_active_child(getpid()));
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_false(ls_process_has_active_child(getpid()));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(program_is_found_where_path_has_it_for_sure),
      cmocka_unit_test(program_that_moved_is_looked_up_again),
      cmocka_unit_test(exit_status_and_signal_come_back),
      cmocka_unit_test(what_a_process_used_comes_back),
      cmocka_unit_test(pidfd_becomes_readable_at_the_end),
      cmocka_unit_test(running_process_has_not_ended),
      cmocka_unit_test(standard_input_is_empty_and_outputs_arrive),
      cmocka_unit_test(standard_input_may_be_given),
      cmocka_unit_test(absent_program_is_named_with_its_errno),
      cmocka_unit_test(a_machine_without_room_is_busy),
      cmocka_unit_test(folder_is_not_a_program),
      cmocka_unit_test(directory_is_entered_or_named),
      cmocka_unit_test(signals_start_with_their_defaults),
      cmocka_unit_test(only_kept_files_stay_open),
      cmocka_unit_test(low_descriptors_are_not_mixed_up),
      cmocka_unit_test(signal_reaches_the_whole_group),
      cmocka_unit_test(child_dies_with_its_starter),
      cmocka_unit_test(orphans_are_adopted_and_ended),
      cmocka_unit_test(known_children_are_no_orphans),
      cmocka_unit_test(dead_orphans_do_not_count),
      cmocka_unit_test(reaped_elsewhere_still_counts_as_ended),
      cmocka_unit_test(program_without_its_descriptors_does_not_run),
      cmocka_unit_test(process_without_a_pidfd_is_asked),
      cmocka_unit_test(children_of_all_threads_are_counted),
      cmocka_unit_test(programs_get_the_limit_of_the_start),
      cmocka_unit_test(who_stands_still_or_is_dead_is_not_active),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
