/* test_keeper_process.c: what the keeper's process is, and how it ends without its master. */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "../../support/keeper_fixture.h"
#include "runtime/os/temporary.h"

static int prepared; /* before the keeper is forked: what it forks finds it done */

static void prepare_forks(void) {
  ++prepared;
}

/* What a worker is and has, as exit status: 0 when all is right. */
static int look_around(void *context, const struct ls_keeper_worker *worker) {
  const int *files = context;
  char name[16] = "", byte;
  sigset_t blocked;
  if (strcmp(worker->address, "ipc:///nowhere") != 0) return 1;
  if (strcmp(worker->name, "local-4") != 0 || worker->speed != 1) return 2;
  if (read(STDIN_FILENO, &byte, 1) != 0) return 3;
  struct stat output, error_output;
  if (fstat(1, &output) != 0 || fstat(2, &error_output) != 0) return 4;
  if (output.st_ino != error_output.st_ino) return 5;
  /* As over an exec: what is close-on-exec is closed, and what is not stays. */
  if (fcntl(files[0], F_GETFD) >= 0 || fcntl(files[1], F_GETFD) < 0) return 6;
  if (getpgrp() != getpid() || prctl(PR_GET_NAME, name) != 0) return 7;
  if (strcmp(name, "loadstar-worker") != 0) return 8;
  if (sigprocmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGTERM) != 0) return 9;
  if (fcntl(worker->lifeline, F_GETFD) != FD_CLOEXEC) return 10;
  if (signal(SIGINT, SIG_DFL) != SIG_DFL) return 11;
  if (prepared != 1) return 12;
  /* The keeper's line and signals are not ours: there is our lifeline and nothing else. */
  for (int file = 3; file < 64; ++file) {
    if (file != worker->lifeline && file != files[1] && fcntl(file, F_GETFD) >= 0) return file;
  }
  return 0;
}

static void worker_is_a_process_like_any_other(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(fcntl(ends[1], F_SETFD, 0), 0);
  void (*before)(int) = signal(SIGINT, SIG_IGN);
  /* Files that the test was started with are nobody's business here. */
  for (int file = 3; file < 64; ++file) {
    if (file != ends[0] && file != ends[1]) (void)fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  struct ls_keeper_setup setup = {.serve = look_around, .prepare = prepare_forks, .context = ends};
  struct ls_keeper *keeper = NULL;
  assert_int_equal(ls_keeper_start(&setup, &keeper, NULL), LS_OK);
  order_words(keeper, LS_KEEPER_ADDRESS, "ipc:///nowhere");
  for (int i = 0; i < 2; ++i) {
    (void)start(keeper, 4);
    assert_int_equal(await_end(keeper).exit_code, 0);
  }
  assert_int_equal(prepared, 1);
  ls_keeper_destroy(keeper);
  (void)signal(SIGINT, before);
  (void)close(ends[0]);
  (void)close(ends[1]);
}

_Noreturn static int rest(void *context, const struct ls_keeper_worker *worker) {
  (void)worker;
  if (fork() == 0) {
    (void)
        setsid(); /* what a worker leaves; it tells nothing, lest it be taken for another worker */
  } else {
    (void)!write(*(int *)context, "x", 1);
  }
  for (;;) (void)pause();
}

/* A folder with a socket, as a run has one. */
static void make_folder(struct ls_temporary_folder *folder) {
  struct ls_error err;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (ls_temporary_folder_open(folder, &err) != LS_OK) fail_msg("%s", err.text);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%s/master", folder->path);
  assert_int_equal(bind(file, (struct sockaddr *)&name, sizeof name), 0);
  (void)close(file);
}

static bool is_there(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0;
}

/* A master that starts two workers, says so by a byte each, and waits to be killed. */
static pid_t start_master(int tell_tale, int back, bool has_child) {
  pid_t master = fork();
  if (master != 0) return master;
  struct ls_temporary_folder folder, other;
  make_folder(&folder);
  make_folder(&other);
  struct ls_keeper *keeper = keep(rest, &tell_tale);
  (void)close(tell_tale);
  order_words(keeper, LS_KEEPER_FOLDER, other.path);
  order_words(keeper, LS_KEEPER_FOLDER, folder.path);
  (void)start(keeper, 1);
  (void)start(keeper, 2);
  /* A child that outlives the master holds all that the master held, the line, too. */
  pid_t child = has_child ? fork() : 1;
  if (child == 0) {
    (void)close(back);
    for (;;) (void)pause();
  }
  (void)!write(back, &child, sizeof child);
  (void)!write(back, folder.path, sizeof folder.path);
  for (;;) (void)pause();
}

static void check_killed_master(bool has_child) {
  int ends[2], back[2];
  pid_t child = 0;
  char path[sizeof((struct ls_temporary_folder *)0)->path];
  open_tell_tale(ends);
  assert_int_equal(pipe2(back, O_CLOEXEC), 0);
  pid_t master = start_master(ends[1], back[1], has_child);
  (void)close(ends[1]);
  await_byte(ends[0]);
  await_byte(ends[0]);
  assert_int_equal(read(back[0], &child, sizeof child), sizeof child);
  assert_int_equal(read(back[0], path, sizeof path), sizeof path);
  assert_true(is_there(path));
  assert_int_equal(kill(master, SIGKILL), 0);
  assert_int_equal(waitpid(master, NULL, 0), master);
  await_silence(ends[0]);
  if (has_child) {
    assert_int_equal(kill(child, SIGKILL), 0);
  }
  (void)close(back[0]);
  (void)close(back[1]);
  /* The keeper's last deed, for which nobody is told: the end of its workers comes before. */
  for (int i = 0; i < 6000 && is_there(path); ++i) (void)usleep(10000);
  assert_false(is_there(path));
}

static void nothing_survives_a_killed_master(void **state) {
  (void)state;
  check_killed_master(false);
}

static void a_child_of_the_master_that_lives_on_does_not_hide_its_death(void **state) {
  (void)state;
  check_killed_master(true);
}

/* R: it runs; S: it sleeps until something happens. */
static char state_of(pid_t pid) {
  char name[32], is = '?';
  (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &is), 1);
  (void)fclose(file);
  return is;
}

/* One that looks again and again never sleeps, however long it is looked at. */
static void await_sleep(pid_t pid) {
  for (int i = 0; i < 6000 && state_of(pid) != 'S'; ++i) (void)usleep(10000);
  assert_int_equal(state_of(pid), 'S');
}

/* A keeper may live for weeks: it takes no time from the workers, neither before it has any, nor
 * with one that runs, nor when one has ended, nor while the last one may end by itself. */
static void a_keeper_sleeps_until_there_is_something_to_do(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest, &ends[1]);
  (void)close(ends[1]);
  pid_t process = ls_keeper_process(keeper);
  await_sleep(process);
  pid_t first = start(keeper, 1);
  pid_t second = start(keeper, 2);
  await_sleep(process);
  assert_int_equal(kill(first, SIGKILL), 0);
  assert_int_equal(await_end(keeper).pid, first);
  await_sleep(process);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_CLOSE, .number = PATIENCE_MS});
  pid_t third = start(keeper, 3);
  await_sleep(process);
  assert_int_equal(kill(second, SIGKILL), 0);
  assert_int_equal(kill(third, SIGKILL), 0);
  ls_keeper_destroy(keeper);
  await_silence(ends[0]);
}

static void make_file(const char *folder, const char *name) {
  char path[80];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(close(open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0600)), 0);
}

/* Nobody else can: the next run does not know their names. */
static void files_of_the_workers_of_a_killed_master_are_removed(void **state) {
  (void)state;
  static const char *const names[] = {"blocks.1.1", "blocks.7.2", "blocks.7.3", "blocksy.1.1"};
  char folder[] = "/tmp/loadstar-keeper-XXXXXX", path[80];
  int ends[2];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  for (size_t i = 0; i < 4; ++i) make_file(folder, names[i]);
  open_tell_tale(ends);
  pid_t master = fork();
  if (master == 0) {
    struct ls_keeper *keeper = keep(rest, &ends[1]);
    order_words(keeper, LS_KEEPER_FILES, "blocks");
    (void)start(keeper, 1);
    (void)start(keeper, 2);
    for (;;) (void)pause();
  }
  assert_int_equal(unsetenv("TMPDIR"), 0);
  (void)close(ends[1]);
  await_byte(ends[0]);
  await_byte(ends[0]);
  assert_int_equal(kill(master, SIGKILL), 0);
  assert_int_equal(waitpid(master, NULL, 0), master);
  await_silence(ends[0]);
  for (size_t i = 0; i < 4; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    for (int j = 0; i < 2 && j < 6000 && is_there(path); ++j) (void)usleep(10000);
    /* The third is of a worker that came from elsewhere, and may be at work. */
    assert_int_equal(is_there(path), i >= 2);
    if (i >= 2) assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

/* What another run has left is removed beside the folder of this one. */
static void folders_of_dead_masters_are_swept(void **state) {
  (void)state;
  struct ls_temporary_folder dead, living, ours;
  make_folder(&dead);
  make_folder(&living);
  make_folder(&ours);
  (void)close(dead.lock);
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest, &ends[1]);
  (void)close(ends[1]);
  order_words(keeper, LS_KEEPER_FOLDER, ours.path);
  (void)start(keeper, 1);
  ls_keeper_destroy(keeper);
  await_silence(ends[0]);
  assert_false(is_there(dead.path));
  assert_true(is_there(living.path));
  assert_true(is_there(ours.path)); /* its master lives */
  ls_temporary_folder_close(&living);
  ls_temporary_folder_close(&ours);
  assert_false(is_there(living.path) || is_there(ours.path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_is_a_process_like_any_other),
      cmocka_unit_test(a_keeper_sleeps_until_there_is_something_to_do),
      cmocka_unit_test(nothing_survives_a_killed_master),
      cmocka_unit_test(a_child_of_the_master_that_lives_on_does_not_hide_its_death),
      cmocka_unit_test(files_of_the_workers_of_a_killed_master_are_removed),
      cmocka_unit_test(folders_of_dead_masters_are_swept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
