#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_fixture.h"
#include "runtime/execute/block_source.h"
#include "runtime/os/process.h"

static void outputs_and_outcome_of_a_command_come_back(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_execution end = run_text(executor, "echo out; echo err >&2");
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), "out\n");
  assert_string_equal(ls_bytes_text(end.error_output), "err\n");
  assert_int_equal(end.output_file, -1);
  assert_true(end.compute_s > 0);
  assert_true(ls_usage_is_known(&end.usage) && end.usage.peak_bytes > 0);
  end = run_text(executor, "exit 7");
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.exit_code, 7);
  assert_int_equal(end.output->length, 0);
  end = run_text(executor, "kill -SEGV $$");
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.signal, SIGSEGV);
  kind->destroy(executor);
}

/* The k-th unit of a range is the k-th command of its input, in whatever order they are asked. */
static void each_unit_runs_its_own_command(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  char text[32];
  enum { COUNT = 12 };
  struct ls_range packed = {100, COUNT};
  for (int i = 0; i < COUNT; ++i) {
    (void)snprintf(text, sizeof text, "printf %d", i);
    add_script(&input, text);
  }
  for (int i = 0; i < COUNT; ++i) {
    struct ls_execution end = run_unit(executor, 100 + (uint64_t)i, packed, &input);
    assert_int_equal(atoi(ls_bytes_text(end.output)), i);
    assert_int_equal(end.units.first, 100 + (uint64_t)i);
  }
  static const uint64_t jumps[] = {5, 3, 4, 11, 0, 1};
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; ++i) {
    struct ls_execution end = run_unit(executor, 100 + jumps[i], packed, &input);
    assert_int_equal(atoi(ls_bytes_text(end.output)), jumps[i]);
  }
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* The storage of an input is used again for the next chunk: its address says nothing. */
static void new_input_at_the_same_address_is_read_anew(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  for (uint64_t unit = 0; unit < 5; ++unit) {
    char text[32];
    ls_bytes_clear(&input);
    (void)snprintf(text, sizeof text, "printf %d", (int)unit);
    add_script(&input, text);
    struct ls_execution end = run_unit(executor, unit, (struct ls_range){unit, 1}, &input);
    assert_int_equal(atoi(ls_bytes_text(end.output)), (int)unit);
  }
  ls_bytes_close(&input);
  kind->destroy(executor);
}

static void unstartable_command_fails_with_the_reason(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  static const struct {
    const char *program;
    int exit_code;
  } cases[] = {{"no such program", 127}, {"/etc/passwd", 126}, {"/etc/passwd/x", 127}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    struct ls_bytes input = {0};
    ls_command_encode(&cases[i].program, 1, NULL, &input);
    struct ls_execution end = run_unit(executor, 0, (struct ls_range){0, 1}, &input);
    assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
    assert_int_equal(end.exit_code, cases[i].exit_code);
    assert_non_null(strstr(ls_bytes_text(end.error_output), cases[i].program));
    ls_bytes_close(&input);
  }
  assert_int_equal(run_text(executor, "true").outcome, LS_OUTCOME_DONE);
  kind->destroy(executor);
}

static void damaged_input_is_refused(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_error err;
  struct ls_range units = {3, 1};
  assert_int_equal(start_work(kind, executor, make_work(units, units, "\x92\xa1", 2), &err),
                   LS_ECORRUPT);
  assert_non_null(strstr(err.text, "unit 4"));
  assert_int_equal(run_text(executor, "true").outcome, LS_OUTCOME_DONE);
  kind->destroy(executor);
}

/* Just under, at and over the limit; every byte is what was printed. */
static void large_output_stays_in_its_file(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  static const int sizes[] = {999, 1000, 1001, 300000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char text[96];
    (void)snprintf(text, sizeof text, "head -c %d /dev/zero | tr '\\0' x; printf e >&2", sizes[i]);
    struct ls_execution end = run_text(executor, text);
    assert_int_equal(end.error_output->length, 1);
    assert_int_equal(end.error_file, -1);
    if (sizes[i] <= 1000) {
      assert_int_equal(end.output->length, sizes[i]);
      assert_int_equal(end.output_file, -1);
      continue;
    }
    assert_int_equal(end.output->length, 0);
    assert_int_equal(end.output_bytes, sizes[i]);
    char *data = malloc((size_t)sizes[i] + 1);
    assert_int_equal(pread(end.output_file, data, (size_t)sizes[i] + 1, 0), sizes[i]);
    assert_int_equal(strspn(data, "x") >= (size_t)sizes[i], 1);
    free(data);
    (void)close(end.output_file); /* ours */
  }
  assert_int_equal(run_text(executor, "true").output->length, 0);
  kind->destroy(executor);
}

static void assert_letters(const struct ls_bytes *text, char letter, size_t count) {
  assert_int_equal(text->length, count);
  for (size_t i = 0; i < count; ++i) assert_int_equal(text->data[i], letter);
}

/* An output is read in blocks of 4096 bytes: around one, and of many. */
static void outputs_in_memory_are_whole_at_every_size(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.inline_max = 100000});
  static const unsigned sizes[] = {4095, 4096, 4097, 8192, 99999, 100000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char text[160];
    (void)snprintf(text, sizeof text,
                   "head -c %u /dev/zero | tr '\\0' o; head -c %u /dev/zero | tr '\\0' e >&2",
                   sizes[i], sizes[i]);
    struct ls_execution end = run_text(executor, text);
    assert_int_equal(end.outcome, LS_OUTCOME_DONE);
    assert_int_equal(end.output_file, -1);
    assert_int_equal(end.error_file, -1);
    assert_letters(end.output, 'o', sizes[i]);
    assert_letters(end.error_output, 'e', sizes[i]);
  }
  kind->destroy(executor);
}

/* A daemon of one task prints while the next one runs: the files must not be shared. */
static void outputs_of_a_survivor_do_not_mix_with_the_next_task(void **state) {
  (void)state;
  ls_process_adopt();
  struct ls_executor *executor = make_plain();
  char folder[] = "/tmp/loadstar-test-XXXXXX", text[400];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(text, sizeof text,
                 "mkfifo %s/go %s/done; setsid sh -c 'read x < %s/go; echo late; echo > %s/done' & "
                 "echo first",
                 folder, folder, folder, folder);
  struct ls_execution end = run_text(executor, text);
  assert_string_equal(ls_bytes_text(end.output), "first\n");
  (void)snprintf(text, sizeof text, "echo > %s/go; read x < %s/done; echo second", folder, folder);
  end = run_text(executor, text);
  assert_string_equal(ls_bytes_text(end.output), "second\n");
  (void)snprintf(text, sizeof text, "rm -r %s", folder);
  assert_int_equal(run_text(executor, text).outcome, LS_OUTCOME_DONE);
  kind->destroy(executor);
  (void)ls_process_kill_orphans(NULL, 0);
}

static void background_processes_of_a_normal_task_survive(void **state) {
  (void)state;
  ls_process_adopt();
  struct ls_executor *executor = make_plain();
  struct ls_execution end = run_text(executor, "sleep 1000 & echo $!");
  pid_t survivor = (pid_t)atoi(ls_bytes_text(end.output));
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(kill(survivor, 0), 0);
  kind->destroy(executor);
  assert_int_equal(ls_process_kill_orphans(NULL, 0), 1);
}

/* Also one that ignores SIGTERM, and its children. */
/* The command answers the first signal by saying so. */
static void commands_are_ended_as_the_setup_says(void **state) {
  (void)state;
  struct ls_ending ending;
  assert_int_equal(ls_ending_read("INT,60000,KILL", &ending, NULL), LS_OK);
  struct ls_executor *executor = make_executor(
      kind, (struct ls_executor_setup){.timeout_s = 0.2, .inline_max = 1000, .ending = &ending});
  struct ls_execution end =
      run_text(executor, "trap 'echo asked; exit' INT; while :; do sleep 0.01; done");
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  assert_string_equal(ls_bytes_text(end.output), "asked\n");
  kind->destroy(executor);
}

/* A limit that comes while a command runs counts from its start. */
static void a_limit_holds_for_what_runs(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  struct ls_range units = {9, 9};
  add_script(&input, "echo x; sleep 1000");
  assert_null(kind->written(executor, &units));
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  assert_non_null(kind->written(executor, &units));
  assert_true(units.first == 0 && units.count == 1);
  kind->limit(executor, 0.2);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* Runs it behind a shell until it has written something: then it hears what is sent. */
static struct ls_executor *begin_behind_shell(const char *program, const struct ls_ending *ending) {
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.inline_max = 1000, .ending = ending});
  struct ls_bytes input = {0};
  struct ls_range units;
  struct ls_execution end;
  char text[300];
  (void)snprintf(text, sizeof text, "sh -c '%s'; true", program);
  add_script(&input, text);
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  ls_bytes_close(&input);
  while (ls_capture_length(&kind->written(executor, &units)[0]) == 0) {
    assert_false(kind->finished(executor, &end));
    (void)poll(NULL, 0, 1);
  }
  return executor;
}

/* A shell dies of TERM at once, what it runs says so a while later. */
static void what_a_shell_runs_has_its_grace_too(void **state) {
  (void)state;
  ls_process_adopt();
  static const char saves[] =
      "trap \"sleep 0.2; echo saved; exit\" TERM; echo ready; while :; do sleep 0.01; done";
  static const char waits[] =
      "trap \"\" TERM; trap \"echo saved; exit\" INT; echo ready; while :; do sleep 0.01; done";
  struct ls_ending ending;
  for (int i = 0; i < 3; i++) {
    const char *signals = i < 2 ? "TERM,60000,KILL" : "TERM,50,INT,60000,KILL";
    assert_int_equal(ls_ending_read(signals, &ending, NULL), LS_OK);
    struct ls_executor *executor = begin_behind_shell(i < 2 ? saves : waits, &ending);
    if (i == 0)
      kind->cancel(executor);
    else
      kind->limit(executor, 1e-3);
    struct ls_execution end = await_end(kind, executor);
    assert_int_equal(end.outcome, i == 0 ? LS_OUTCOME_CANCELLED : LS_OUTCOME_TIMED_OUT);
    assert_int_equal(end.signal, SIGTERM);
    assert_string_equal(ls_bytes_text(end.output), "ready\nsaved\n");
    kind->destroy(executor);
  }
}

static void the_last_signal_reaches_all_of_it(void **state) {
  (void)state;
  ls_process_adopt();
  struct ls_ending ending;
  int how = 0;
  assert_int_equal(ls_ending_read("TERM,50,KILL", &ending, NULL), LS_OK);
  struct ls_executor *executor =
      begin_behind_shell("trap \"\" TERM; echo $$; while :; do sleep 1000; done", &ending);
  kind->cancel(executor);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  pid_t stubborn = (pid_t)atoi(ls_bytes_text(end.output));
  kind->destroy(executor);
  assert_int_equal(waitpid(stubborn, &how, 0), stubborn);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  (void)ls_process_kill_orphans(NULL, 0);
}

static void timeout_ends_the_whole_group(void **state) {
  (void)state;
  ls_process_adopt();
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.timeout_s = 0.2, .inline_max = 1000});
  struct ls_execution end = run_text(executor, "echo begun; sleep 1000");
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  assert_int_equal(end.signal, SIGTERM);
  assert_string_equal(ls_bytes_text(end.output), "begun\n");
  end = run_text(executor, "trap '' TERM; while :; do sleep 1000; done");
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  assert_int_equal(end.signal, SIGKILL);
  end = run_text(executor, "(trap '' TERM; sleep 1000) & sleep 1000");
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  kind->destroy(executor);
  /* All were killed; what is left of them are at most processes that are about to be reaped. */
  siginfo_t info;
  while (waitid(P_ALL, 0, &info, WEXITED) == 0) continue;
  assert_false(ls_process_has_orphans(NULL, 0));
}

static void cancelled_command_says_so(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  add_script(&input, "exec sleep 1000");
  struct ls_range range = {0, 1};
  struct ls_execution end;
  start_unit(executor, 0, range, &input);
  assert_false(kind->finished(executor, &end));
  kind->cancel(executor);
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  assert_false(kind->finished(executor, &end));
  /* A stopped process, too. */
  ls_bytes_clear(&input);
  add_script(&input, "kill -STOP $$; sleep 1000");
  start_unit(executor, 0, range, &input);
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* Rest counts as computing: the ratio of the two times is the speed. */
static void slow_worker_rests_in_proportion(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.speed = 0.25, .inline_max = 1000});
  struct ls_execution end = run_text(executor, "sleep 0.02");
  assert_true(end.compute_s >= 4 * 0.02);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  kind->destroy(executor);
}

static void destroying_ends_what_runs(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  add_script(&input, "exec sleep 1000");
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  kind->destroy(executor);
  ls_bytes_close(&input);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  kind->destroy(NULL);
}

static void commands_run_in_the_given_directory(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.directory = "/", .inline_max = 1000});
  assert_string_equal(ls_bytes_text(run_text(executor, "pwd").output), "/\n");
  kind->destroy(executor);
}

/* A large output that no file can be made for is the machine's fault, in words; a small one needs
 * no file. */
static void absent_folder_for_outputs_is_named(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  assert_int_equal(setenv("TMPDIR", "/no such folder", 1), 0);
  struct ls_execution end = run_text(executor, "head -c 5000 /dev/zero; echo end >&2");
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  assert_non_null(strstr(end.unkept, "/no such folder"));
  assert_int_equal(end.output_file, -1);
  assert_true(end.compute_s <= 0);
  end = run_text(executor, "echo small");
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_null(end.unkept);
  assert_string_equal(ls_bytes_text(end.output), "small\n");
  assert_int_equal(unsetenv("TMPDIR"), 0);
  kind->destroy(executor);
}

/* It would write for ever. */
static void task_whose_output_has_no_room_is_ended(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  assert_int_equal(setenv("TMPDIR", "/no such folder", 1), 0);
  assert_int_equal(run_text(executor, "exec yes").outcome, LS_OUTCOME_CANCELLED);
  assert_int_equal(unsetenv("TMPDIR"), 0);
  kind->destroy(executor);
}

/* So many starts find no room for a process. */
static unsigned starts_refused;
static double hours_later, hours_each; /* that pass, with each of them */
double __real_ls_clock_s(void);
double __wrap_ls_clock_s(void);
double __wrap_ls_clock_s(void) {
  return __real_ls_clock_s() + 3600 * hours_later;
}

enum ls_status __real_ls_process_start(const struct ls_process_request *request,
                                       struct ls_process *process, int *exec_errno,
                                       struct ls_error *err);
enum ls_status __wrap_ls_process_start(const struct ls_process_request *request,
                                       struct ls_process *process, int *exec_errno,
                                       struct ls_error *err);
enum ls_status __wrap_ls_process_start(const struct ls_process_request *request,
                                       struct ls_process *process, int *exec_errno,
                                       struct ls_error *err) {
  if (starts_refused == 0) return __real_ls_process_start(request, process, exec_errno, err);
  starts_refused--;
  hours_later += hours_each;
  return ls_fail(err, LS_EBUSY, "no room for '%s'", request->argv[0]);
}

/* A full machine costs time, and no task; one that stays full leaves it to others, soon where it
 * never had room, and a task that is not wanted any more does not wait for room. */
static void a_command_waits_for_room_for_its_process(void **state) {
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.inline_max = 1000, .timeout_s = 15});
  struct ls_bytes input = {0};
  struct ls_execution end;
  (void)state;
  assert_int_equal(run_text(executor, "true").outcome, LS_OUTCOME_DONE);
  /* Ten seconds each: neither work nor against the limit of the unit. */
  starts_refused = 2;
  hours_each = 10.0 / 3600;
  end = run_text(executor, "echo here");
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), "here\n");
  assert_true(end.compute_s < 10);
  hours_each = 0;

  add_script(&input, "echo never");
  starts_refused = UINT_MAX;
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  assert_false(kind->finished(executor, &end));
  hours_later++;
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  assert_string_equal(end.unkept, "no room for 'sh'");

  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  kind->cancel(executor);
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  kind->destroy(executor);

  executor = make_plain();
  hours_each = 2.0 / 3600;
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  assert_string_equal(await_end(kind, executor).unkept, "no room for 'sh'");
  starts_refused = 0;
  hours_each = 0;
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* It would be late, and would have taken long, if it had not stood still. */
static void a_suspended_command_is_none_the_older(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.inline_max = 1000, .timeout_s = 1000});
  struct ls_bytes input = {0};
  add_script(&input, "exec sleep 0.2");
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  kind->suspend(executor);
  (void)poll(NULL, 0, 400);
  struct ls_execution end;
  assert_false(kind->finished(executor, &end));
  kind->resume(executor, 5000);
  assert_true(kind->patience_s(executor) > 1000);
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_true(end.compute_s < -1000);
  ls_bytes_close(&input);
  kind->destroy(executor);
}

static void a_sandbox_is_the_folder_of_its_unit_and_goes_with_it(void **state) {
  (void)state;
  static const struct ls_scratch_setup run = {.run = {9}};
  struct ls_scratch scratch = {.folder = -1};
  char kept[PATH_MAX];
  assert_int_equal(ls_scratch_open(&scratch, &run, NULL), LS_OK);
  struct ls_executor_setup setup = {
      .inline_max = 1000, .rooms = {.sandboxing = LS_SANDBOX_KEPT_FAILED, .scratch = &scratch}};
  struct ls_executor *executor = make_executor(kind, setup);
  struct ls_execution end = run_text(executor, "pwd; ls; touch here");
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(strncmp(ls_bytes_text(end.output), scratch.path, strlen(scratch.path)), 0);
  assert_string_equal(strchr(ls_bytes_text(end.output), '\n'), "\n");
  end = run_text(executor, "echo >&2 told; exit 3");
  (void)snprintf(kept, sizeof kept, "%s/" LS_SCRATCH_KEPT "/1", scratch.path);
  assert_non_null(strstr(ls_bytes_text(end.error_output), kept));
  assert_int_equal(strncmp(ls_bytes_text(end.error_output), "told\n", 5), 0);
  assert_int_equal(rmdir(kept), 0);
  /* One that is destroyed while its unit runs leaves nothing either. */
  struct ls_bytes input = {0};
  add_script(&input, "exec sleep 100");
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  kind->destroy(executor);
  ls_bytes_close(&input);
  char *path = strdup(scratch.path);
  ls_scratch_close(&scratch);
  assert_int_equal(access(path, F_OK), -1);
  free(path);
}

static struct ls_execution run_block(struct ls_executor *executor, const char *text,
                                     const struct ls_block *block) {
  struct ls_bytes input = {0};
  const char *const argv[] = {"sh", "-c", text};
  const struct ls_command_goods goods = {.block = block};
  ls_command_encode(argv, 3, &goods, &input);
  struct ls_execution execution = run_unit(executor, 0, (struct ls_range){0, 1}, &input);
  ls_bytes_close(&input);
  return execution;
}

static void command_reads_its_block(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_block block = {
      .name = "", .path = "", .header = "h\n", .header_length = 2, .data = "a\nb\n", .length = 4};
  struct ls_execution end = run_block(executor, "cat", &block);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), "h\na\nb\n");
  /* Who reads nothing has not failed; the next command has an input of its own, or none. */
  assert_int_equal(run_block(executor, "exec 0<&-", &block).outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(run_text(executor, "cat; echo .").output), ".\n");
  char name[] = "/tmp/ls-executor-block-XXXXXX", script[64];
  assert_true(close(mkstemp(name)) == 0);
  snprintf(script, sizeof script, "cat %s", name);
  block.name = name;
  for (int form = LS_BLOCK_FILE; form < LS_BLOCK_FORMS; form++) {
    block.form = (enum ls_block_form)form;
    end = run_block(executor, script, &block);
    assert_int_equal(end.outcome, LS_OUTCOME_DONE);
    assert_string_equal(ls_bytes_text(end.output), "h\na\nb\n");
    assert_int_equal(access(name, F_OK), -1);
  }
  kind->destroy(executor);
}

/* A command may end well though its file has become another one. */
static void file_that_changes_fails_the_command(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  char path[] = "/tmp/ls-executor-part-XXXXXX", script[80];
  int file = mkstemp(path);
  assert_int_equal(write(file, "a\nb\n", 4), 4);
  struct ls_block block = {.name = "", .path = path, .offset = 2, .length = 2};
  assert_int_equal(ls_block_source_look(file, path, &block.source, NULL), LS_OK);
  struct ls_execution end = run_block(executor, "cat", &block);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), "b\n");
  snprintf(script, sizeof script, "cat; echo own >&2; echo c >>%s", path);
  end = run_block(executor, script, &block);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_memory_equal(ls_bytes_text(end.error_output), "own\nloadstar: /tmp/", 19);
  /* And it does not begin with one that has. */
  end = run_block(executor, "echo begun", &block);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.output->length, 0);
  close(file);
  unlink(path);
  kind->destroy(executor);
}

/* Its file ends before the block does. */
static void command_does_not_begin_with_a_part_of_its_block(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  char path[] = "/tmp/ls-executor-part-XXXXXX", name[64];
  assert_int_equal(close(mkstemp(path)), 0);
  snprintf(name, sizeof name, "%s.1.1", path);
  const struct ls_block block = {
      .form = LS_BLOCK_FILE, .name = name, .path = path, .length = 2, .is_whole = true};
  struct ls_execution end = run_block(executor, "echo begun", &block);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.exit_code, 126);
  assert_int_equal(end.output->length, 0);
  assert_non_null(strstr(ls_bytes_text(end.error_output), "ends at byte 0 now"));
  assert_int_equal(access(name, F_OK), -1);
  unlink(path);
  kind->destroy(executor);
}

/* Nobody opens the pipe, and the command would wait. */
static void fed_command_can_be_cancelled(void **state) {
  (void)state;
  struct ls_executor *executor = make_plain();
  struct ls_bytes input = {0};
  char name[] = "/tmp/ls-executor-fifo-XXXXXX";
  assert_true(close(mkstemp(name)) == 0);
  const char *const argv[] = {"sleep", "1000"};
  const struct ls_block block = {
      .form = LS_BLOCK_FIFO, .name = name, .path = "", .data = "x", .length = 1};
  const struct ls_command_goods goods = {.block = &block};
  ls_command_encode(argv, 2, &goods, &input);
  start_unit(executor, 0, (struct ls_range){0, 1}, &input);
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  assert_int_equal(access(name, F_OK), -1);
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* sh -c SCRIPT sh A0 A1 ...: a bundle of so many units. */
static void add_bundle(struct ls_bytes *input, const char *script, uint64_t units) {
  const struct ls_blob heads[] = {{"sh", 2}, {"-c", 2}, {script, strlen(script)}, {"sh", 2}};
  const struct ls_bundle_piece piece = {.column = 0};
  const struct ls_bundle_group group = {0, 1, true};
  const bool is_of_first = false;
  const struct ls_bundle_shape shape = {.heads = heads,
                                        .heads_count = 4,
                                        .groups = &group,
                                        .groups_count = 1,
                                        .pieces = &piece,
                                        .pieces_count = 1,
                                        .is_of_first = &is_of_first,
                                        .columns_count = 1};
  ls_bundle_encode(&shape, units, input);
  for (uint64_t i = 0; i < units; ++i) {
    char text[32];
    (void)snprintf(text, sizeof text, "A%d", (int)i);
    ls_bundle_encode_text(text, strlen(text), input);
  }
}

static struct ls_executor *make_bundling(struct ls_bundling bundling) {
  return make_executor(kind, (struct ls_executor_setup){.inline_max = 1000, .bundling = bundling});
}

static void start_range(struct ls_executor *executor, struct ls_range units, struct ls_range packed,
                        const struct ls_bytes *input) {
  struct ls_error err = {0};
  if (start_work(kind, executor, make_work(units, packed, input->data, input->length), &err) !=
      LS_OK)
    fail_msg("%s", err.text);
}

/* One process for all the units that it takes; the others are for a start of their own. */
static void several_units_are_one_command(void **state) {
  (void)state;
  struct ls_executor *executor = make_bundling((struct ls_bundling){.units_max = 4});
  struct ls_bytes input = {0};
  struct ls_range packed = {10, 6};
  assert_int_equal(kind->units_max(executor), 4);
  add_bundle(&input, "echo $#: $*", 6);
  start_range(executor, packed, packed, &input);
  assert_int_equal(kind->taken(executor), 4);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(end.units.first, 10);
  assert_int_equal(end.units.count, 4);
  assert_string_equal(ls_bytes_text(end.output), "4: A0 A1 A2 A3\n");
  start_range(executor, (struct ls_range){14, 2}, packed, &input);
  assert_int_equal(kind->taken(executor), 2);
  end = await_end(kind, executor);
  assert_string_equal(ls_bytes_text(end.output), "2: A4 A5\n");
  ls_bytes_close(&input);
  kind->destroy(executor);
}

static void a_line_that_is_too_long_takes_fewer_units_or_fails_by_name(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_bundling((struct ls_bundling){.units_max = 100, .line_bytes_max = 30});
  struct ls_bytes input = {0};
  struct ls_range packed = {0, 6};
  add_bundle(&input, "echo $*", 6); /* 18 bytes, and 3 for each unit */
  start_range(executor, packed, packed, &input);
  uint64_t taken = kind->taken(executor);
  assert_true(taken >= 1 && taken < 6);
  assert_int_equal(await_end(kind, executor).units.count, taken);
  ls_bytes_clear(&input);
  add_bundle(&input, "echo a script that is too long for itself", 6);
  start_range(executor, packed, packed, &input);
  assert_int_equal(kind->taken(executor), 1);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.units.count, 1);
  assert_non_null(strstr(ls_bytes_text(end.error_output), "the input 'A0'"));
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* Each unit ends once: those of runs that were well with their output, the guilty one alone. */
static void a_failed_command_is_halved_to_the_guilty_unit(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_bundling((struct ls_bundling){.units_max = 100, .splits_failed = true});
  struct ls_bytes input = {0};
  struct ls_range packed = {0, 16};
  add_bundle(&input, "echo $*; case \" $* \" in *' A5 '*) exit 3;; esac", 16);
  start_range(executor, packed, packed, &input);
  assert_int_equal(kind->taken(executor), 16);
  uint64_t next = 0;
  int failed = 0;
  while (next < 16) {
    struct ls_execution end = await_end(kind, executor);
    assert_int_equal(end.units.first, next);
    next += end.units.count;
    if (end.outcome == LS_OUTCOME_DONE) {
      char first[16];
      (void)snprintf(first, sizeof first, "A%d ", (int)end.units.first);
      assert_memory_equal(ls_bytes_text(end.output), first, strlen(first) - 1);
      continue;
    }
    ++failed;
    assert_int_equal(end.units.first, 5);
    assert_int_equal(end.units.count, 1);
    assert_int_equal(end.exit_code, 3);
  }
  assert_int_equal(failed, 1);
  assert_true(isinf(kind->patience_s(executor)));
  /* Cancelled between two runs, all that is left has ended. */
  start_range(executor, packed, packed, &input);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.units.first, 0);
  next = end.units.count;
  kind->cancel(executor);
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_CANCELLED);
  assert_int_equal(end.units.first, next);
  assert_int_equal(end.units.count, 16 - next);
  assert_true(isinf(kind->patience_s(executor)));
  ls_bytes_close(&input);
  kind->destroy(executor);
}

/* What somebody else ended says nothing of its units. */
static void signals_of_others_split_nothing(void **state) {
  (void)state;
  struct ls_executor *executor =
      make_bundling((struct ls_bundling){.units_max = 100, .splits_failed = true});
  struct ls_bytes input = {0};
  struct ls_range packed = {0, 8};
  add_bundle(&input, "kill -TERM $$", 8);
  start_range(executor, packed, packed, &input);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.signal, SIGTERM);
  assert_int_equal(end.units.count, 8);
  ls_bytes_close(&input);
  kind->destroy(executor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(command_reads_its_block),
      cmocka_unit_test(file_that_changes_fails_the_command),
      cmocka_unit_test(command_does_not_begin_with_a_part_of_its_block),
      cmocka_unit_test(fed_command_can_be_cancelled),
      cmocka_unit_test(outputs_and_outcome_of_a_command_come_back),
      cmocka_unit_test(each_unit_runs_its_own_command),
      cmocka_unit_test(new_input_at_the_same_address_is_read_anew),
      cmocka_unit_test(unstartable_command_fails_with_the_reason),
      cmocka_unit_test(damaged_input_is_refused),
      cmocka_unit_test(large_output_stays_in_its_file),
      cmocka_unit_test(outputs_in_memory_are_whole_at_every_size),
      cmocka_unit_test(outputs_of_a_survivor_do_not_mix_with_the_next_task),
      cmocka_unit_test(background_processes_of_a_normal_task_survive),
      cmocka_unit_test(commands_are_ended_as_the_setup_says),
      cmocka_unit_test(a_limit_holds_for_what_runs),
      cmocka_unit_test(what_a_shell_runs_has_its_grace_too),
      cmocka_unit_test(the_last_signal_reaches_all_of_it),
      cmocka_unit_test(timeout_ends_the_whole_group),
      cmocka_unit_test(cancelled_command_says_so),
      cmocka_unit_test(slow_worker_rests_in_proportion),
      cmocka_unit_test(destroying_ends_what_runs),
      cmocka_unit_test(commands_run_in_the_given_directory),
      cmocka_unit_test(absent_folder_for_outputs_is_named),
      cmocka_unit_test(task_whose_output_has_no_room_is_ended),
      cmocka_unit_test(a_command_waits_for_room_for_its_process),
      cmocka_unit_test(a_suspended_command_is_none_the_older),
      cmocka_unit_test(several_units_are_one_command),
      cmocka_unit_test(a_line_that_is_too_long_takes_fewer_units_or_fails_by_name),
      cmocka_unit_test(a_failed_command_is_halved_to_the_guilty_unit),
      cmocka_unit_test(signals_of_others_split_nothing),
      cmocka_unit_test(a_sandbox_is_the_folder_of_its_unit_and_goes_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
