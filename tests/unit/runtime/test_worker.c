/* test_worker.c: joining, beating, leaving, and being left alone. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "runtime/transport/transport_wait.h"
#include "worker_fixture.h"

static char *no_words[] = {NULL};
static const char cookie[] = "this is a cookie";

static void worker_introduces_itself(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  start_process(&master);
  const struct ls_message *hello = hear(&master, LS_MESSAGE_HELLO);
  assert_int_equal(hello->version, LS_PROTOCOL_VERSION);
  assert_int_equal(hello->process_id, master.pid);
  assert_int_equal(hello->name.length, 6);
  assert_memory_equal(hello->name.data, "tester", 6);
  assert_int_equal(hello->text.length, 6);
  assert_memory_equal(hello->text.data, "1.0 ab", 6);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_REFUSED, .text = {"no", 2}});
  assert_int_equal(finish(&master), LS_EINVAL);
}

static void speed_outside_its_limits_is_refused(void **state) {
  (void)state;
  static const double speeds[] = {0, -1, 1.5, (double)NAN};
  for (size_t i = 0; i < 4; ++i) {
    struct ls_worker_options options = {.speed = speeds[i], .lifeline = -1, .is_thread = true};
    struct ls_error err;
    assert_int_equal(ls_worker_run(&options, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "speed"));
  }
}

static void released_worker_ends_well(void **state) {
  (void)state;
  struct master thread = make_master(&fixture_app), process = make_master(NULL);
  start_thread(&thread);
  welcome(&thread, make_settings(no_words));
  (void)hear(&thread, LS_MESSAGE_REQUEST);
  assert_int_equal(release(&thread), LS_OK);
  start_process(&process);
  welcome(&process, make_settings(no_words));
  (void)hear(&process, LS_MESSAGE_REQUEST);
  assert_int_equal(release(&process), LS_OK);
}

/* Frames come in between the worker's looks at them, as they do now and then. */
static atomic_bool is_blind;
static atomic_int blind_waits;

static bool wait_blindly(struct ls_endpoint *endpoint, const int *files, size_t count, bool *ready,
                         double seconds) {
  const struct ls_wait_files waited = {.files = files, .ready = ready, .count = count};
  bool has = ls_transport_wait(&ls_transport_zmq, endpoint, &waited, fmin(seconds, 1e-3));
  if (!atomic_load(&is_blind)) return has;
  atomic_fetch_add(&blind_waits, 1);
  return false;
}

/* A master that ends says so and closes: what it said counts, not that it is gone. */
static void what_arrived_before_the_end_of_the_line_counts(void **state) {
  (void)state;
  struct ls_transport transport = ls_transport_zmq;
  struct master master = make_master(&fixture_app);
  transport.wait = wait_blindly;
  master.options.transport = &transport;
  start_thread(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  welcome_as(&master, make_settings(no_words), 3, cookie);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  atomic_store(&is_blind, true);
  double until_s = ls_clock_s() + 60;
  while (atomic_load(&blind_waits) < 2 && ls_clock_s() < until_s) sched_yield();
  say_kind(&master, LS_MESSAGE_RELEASE);
  ls_transport_zmq.close(master.endpoint, 0);
  master.endpoint = NULL;
  enum ls_status status = finish(&master);
  atomic_store(&is_blind, false);
  assert_int_equal(status, LS_OK);
}

static void idle_worker_beats(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.heartbeat_s = 0.01;
  start_process(&master);
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  for (int i = 0; i < 5; ++i) (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  /* Also while a command runs. */
  send_script(&master, 1, "exec sleep 1000");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  for (int i = 0; i < 5; ++i) (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  assert_int_equal(release(&master), LS_OK);
}

/* Makes the worker's command hold a pipe, whose end then tells that nothing of it is left. */
static int run_tell_tale(struct master *master) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  start_process(master);
  (void)close(ends[1]);
  return ends[0];
}

static void await_silence(int tell_tale) {
  char byte;
  assert_int_equal(read(tell_tale, &byte, 1), 0);
  (void)close(tell_tale);
}

/* The pipe is inherited by the worker and by all that it starts, daemons included. */
static const char stubborn_script[] =
    "setsid sleep 1000 & (trap '' TERM; sleep 1000) & trap '' TERM; wait; sleep 1000";

/* The next message of this kind; a worker that found us silent meanwhile is welcomed anew. */
static void hear_at_last(struct master *master, struct ls_settings settings,
                         enum ls_message_kind kind) {
  while (hear_any(master)->kind != kind)
    if (master->message.kind == LS_MESSAGE_HELLO) welcome_as(master, settings, 3, cookie);
}

/* It connects anew first, again and again, for longer than a busy machine sleeps. */
static void worker_whose_master_stays_away_leaves_no_orphan(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.silence_s = 0.3;
  settings.start_up_s = 5;
  master.has_no_lifeline = true;
  int tell_tale = run_tell_tale(&master);
  hear_at_last(&master, settings, LS_MESSAGE_REQUEST);
  send_script(&master, 1, stubborn_script);
  hear_at_last(&master, settings, LS_MESSAGE_REQUEST);
  (void)hear(&master, LS_MESSAGE_HELLO);
  (void)hear(&master, LS_MESSAGE_HELLO);
  assert_int_equal(finish(&master), LS_EIO);
  await_silence(tell_tale);
}

/* Whether the run has ended it cannot know; but whether results of its own may be missing. */
static void a_master_that_stays_away_is_given_up_in_words(void **state) {
  static const char *const words[] = {"all results of this worker had arrived",
                                      "1 results of this worker are not known to have arrived"};
  (void)state;
  for (uint64_t units = 0; units < 2; ++units) {
    struct master master = make_master(&fixture_app);
    struct ls_settings settings = make_settings(no_words);
    settings.silence_s = 0.5;
    settings.start_up_s = 0.05;
    start_thread(&master);
    hear_at_last(&master, settings, LS_MESSAGE_REQUEST);
    if (units > 0) send_chunk(&master, 1, (struct ls_range){5, 1}, NULL);
    if (units > 0) hear_at_last(&master, settings, LS_MESSAGE_RESULT);
    ls_transport_zmq.close(master.endpoint, 0);
    master.endpoint = NULL;
    assert_int_equal(pthread_join(master.thread, NULL), 0);
    assert_int_equal(master.status, LS_EIO);
    assert_non_null(strstr(master.err.text, "whether its run has ended is not known here"));
    assert_non_null(strstr(master.err.text, words[units]));
    ls_decoder_close(&master.decoder);
    free(master.frame);
  }
}

/* A slow reader of the output or Ctrl-Z stops the master: the reader's pace costs time only. */
static void worker_with_a_lifeline_waits_for_a_silent_master(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.silence_s = 0.02;
  settings.heartbeat_s = 0.01;
  start_process(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  welcome_as(&master, settings, 3, cookie);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "sleep 0.5; echo done");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_DONE);
  assert_int_equal(release(&master), LS_OK);
}

static void worker_whose_lifeline_ends_leaves_no_orphan(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  int tell_tale = run_tell_tale(&master);
  welcome(&master, make_settings(no_words));
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, stubborn_script);
  /* Asked again: the script runs. */
  (void)hear(&master, LS_MESSAGE_REQUEST);
  (void)close(master.lifeline);
  master.lifeline = -1;
  assert_int_equal(finish(&master), LS_EIO);
  await_silence(tell_tale);
}

static void assert_held(const struct ls_message *hello, size_t index, uint64_t chunk) {
  assert_true(index < hello->held_count);
  assert_int_equal(hello->held[index].chunk, chunk);
  assert_int_equal(hello->held[index].units.first, chunk);
  assert_int_equal(hello->held[index].units.count, 1);
}

/* What it cannot know to be durable is sent again, and what runs goes on. */
static void worker_comes_back_after_a_cut_with_all_that_it_has(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[128];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(script, sizeof script, "until rmdir %s/end; do sleep 0.01; done 2> /dev/null",
                 folder);
  settings.heartbeat_s = 0.1;
  start_process(&master);
  assert_int_equal(hear(&master, LS_MESSAGE_HELLO)->cookie.length, 0);
  welcome_as(&master, settings, 3, cookie);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "echo durable");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 2, "echo kept");
  while (hear_any(&master)->kind != LS_MESSAGE_RESULT) continue;
  while (hear_any(&master)->kind != LS_MESSAGE_RESULT) continue;
  say(&master, (struct ls_message){.kind = LS_MESSAGE_PULSE, .durable = 1});
  send_script(&master, 3, script);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 4, "echo waits");
  /* A beat later it has read all that. */
  (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  cut_line(&master);
  const struct ls_message *hello = hear(&master, LS_MESSAGE_HELLO);
  assert_int_equal(hello->worker, 3);
  assert_memory_equal(hello->cookie.data, cookie, LS_COOKIE_BYTES);
  assert_int_equal(hello->results, 1);
  assert_int_equal(hello->held_count, 3);
  for (size_t i = 0; i < 3; ++i) assert_held(hello, i, i + 2);
  welcome_as(&master, settings, 3, cookie);
  const struct ls_message *result = hear(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->chunk, 2);
  assert_memory_equal(result->output.data, "kept\n", 5);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_PULSE, .durable = 1});
  (void)snprintf(script, sizeof script, "%s/end", folder);
  assert_int_equal(mkdir(script, 0700), 0);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->chunk, 3);
  assert_int_equal(rmdir(folder), 0);
  while (hear_any(&master)->kind != LS_MESSAGE_RESULT) continue;
  assert_int_equal(master.message.chunk, 4);
  assert_int_equal(release(&master), LS_OK);
}

/* The master has given it up: it has another number, and what it runs goes on until it is told to
 * stop. */
static void worker_that_was_given_up_keeps_what_it_runs(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[128];
  assert_non_null(mkdtemp(folder));
  settings.heartbeat_s = 0.1;
  settings.benchmark = 1000;
  start_process(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  welcome_as(&master, settings, 3, cookie);
  double speed = hear(&master, LS_MESSAGE_BENCHMARK)->speed;
  assert_true(speed > 0);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  (void)snprintf(script, sizeof script, "until rmdir %s/end; do sleep 0.01; done 2> /dev/null",
                 folder);
  send_script(&master, 1, script);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 2, "echo waits");
  (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  cut_line(&master);
  const struct ls_message *hello = hear(&master, LS_MESSAGE_HELLO);
  assert_int_equal(hello->held_count, 2);
  for (size_t i = 0; i < 2; ++i) assert_held(hello, i, i + 1);
  welcome_as(&master, settings, 5, "another cookie !");
  /* To this master it is a new one. */
  assert_true(fabs(hear(&master, LS_MESSAGE_BENCHMARK)->speed - speed) <= 0);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CANCEL, .chunk = 2});
  (void)snprintf(script, sizeof script, "%s/end", folder);
  assert_int_equal(mkdir(script, 0700), 0);
  /* In which order the two come depends on who is faster. */
  for (int i = 0; i < 2; ++i) {
    while (hear_any(&master)->kind != LS_MESSAGE_RESULT) continue;
    bool is_running = master.message.chunk == 1;
    assert_int_equal(master.message.outcome, is_running ? LS_OUTCOME_DONE : LS_OUTCOME_CANCELLED);
  }
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(release(&master), LS_OK);
}

/* Another process of the master: what it had finished is delivered, all else is dropped. */
static void worker_of_a_master_that_was_restarted_delivers_and_begins_anew(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.heartbeat_s = 0.1;
  int tell_tale = run_tell_tale(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  welcome_as(&master, settings, 3, cookie);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "echo finished");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->chunk, 1);
  send_script(&master, 2, stubborn_script);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  (void)hear(&master, LS_MESSAGE_HEARTBEAT);
  cut_line(&master);
  assert_int_equal(hear(&master, LS_MESSAGE_HELLO)->results, 1);
  ++master.era;
  welcome_as(&master, settings, 5, "another cookie !");
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->chunk, 1);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 2, "echo new");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  const struct ls_message *result = hear(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->chunk, 2);
  assert_int_equal(result->outcome, LS_OUTCOME_DONE);
  assert_int_equal(release(&master), LS_OK);
  await_silence(tell_tale);
}

static void worker_does_not_come_back_to_another_run(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  start_process(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  welcome_as(&master, make_settings(no_words), 3, cookie);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  cut_line(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_WELCOME,
                                   .version = LS_PROTOCOL_VERSION,
                                   .cookie = {cookie, LS_COOKIE_BYTES},
                                   .run = {"quite different!", LS_COOKIE_BYTES},
                                   .text = {"{}", 2}});
  assert_int_equal(finish(&master), LS_EIO);
}

static void released_worker_stops_what_runs(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  int tell_tale = run_tell_tale(&master);
  welcome(&master, make_settings(no_words));
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "trap '' TERM; sleep 1000 & wait");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  assert_int_equal(release(&master), LS_OK);
  await_silence(tell_tale);
}

static void lifeline_also_ends_a_worker_that_waits_for_its_welcome(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  start_process(&master);
  (void)hear(&master, LS_MESSAGE_HELLO);
  (void)close(master.lifeline);
  master.lifeline = -1;
  assert_int_equal(finish(&master), LS_EIO);
}

static void pulses_keep_a_worker_that_would_give_up(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.silence_s = 2;
  settings.heartbeat_s = 0.05;
  start_process(&master);
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  /* 60 beats last at least 3 s: longer than the silence that is allowed. */
  for (int i = 0; i < 60; ++i) {
    (void)hear(&master, LS_MESSAGE_HEARTBEAT);
    say_kind(&master, LS_MESSAGE_PULSE);
  }
  assert_int_equal(release(&master), LS_OK);
}

static _Atomic int interrupts;

/* It finishes what runs, says so, and gives the rest back by leaving. */
static void interrupted_worker_leaves_in_order(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[128];
  assert_non_null(mkdtemp(folder));
  interrupts = 0;
  master.options.interrupts = &interrupts;
  settings.heartbeat_s = 0.05;
  start_thread(&master);
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  (void)snprintf(script, sizeof script, "until rmdir %s; do sleep 0.01; done 2> /dev/null", folder);
  char blocker[64];
  (void)snprintf(blocker, sizeof blocker, "%s/blocker", folder);
  FILE *file = fopen(blocker, "w");
  assert_non_null(file);
  (void)fclose(file);
  send_script(&master, 1, script);
  /* It asks again when the first one runs. */
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 2, "echo never");
  interrupts = 1;
  (void)hear(&master, LS_MESSAGE_LEAVING);
  assert_int_equal(unlink(blocker), 0);
  const struct ls_message *result = hear(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->chunk, 1);
  assert_int_equal(result->outcome, LS_OUTCOME_DONE);
  (void)hear(&master, LS_MESSAGE_BYE);
  assert_int_equal(finish(&master), LS_OK);
}

/* Its master would come back within the hour; who told it to go does not wait so long. */
static void who_is_told_to_go_does_not_wait_for_a_master_that_is_away(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  struct ls_settings settings = make_settings(no_words);
  interrupts = 0;
  master.options.interrupts = &interrupts;
  settings.silence_s = 0.5;
  settings.start_up_s = 3600;
  start_thread(&master);
  hear_at_last(&master, settings, LS_MESSAGE_REQUEST);
  send_chunk(&master, 1, (struct ls_range){5, 1}, NULL);
  hear_at_last(&master, settings, LS_MESSAGE_RESULT);
  ls_transport_zmq.close(master.endpoint, 0);
  master.endpoint = NULL;
  interrupts = 1;
  assert_int_equal(pthread_join(master.thread, NULL), 0);
  assert_int_equal(master.status, LS_EIO);
  assert_non_null(strstr(master.err.text, "told to go"));
  assert_non_null(strstr(master.err.text, "1 results of this worker are not known"));
  ls_decoder_close(&master.decoder);
  free(master.frame);
}

/* "Told to go is no failure": the command heard the signal, too. */
static void command_that_was_told_to_go_with_its_worker_did_not_fail(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[160];
  interrupts = 0;
  master.options.interrupts = &interrupts;
  start_thread(&master);
  struct ls_settings settings = make_settings(no_words);
  settings.heartbeat_s = 0.05;
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "kill -TERM $$");
  (void)hear(&master, LS_MESSAGE_REQUEST);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_FAILED);
  assert_non_null(mkdtemp(folder));
  (void)snprintf(script, sizeof script,
                 "until rmdir %s/end; do sleep 0.01; done 2> /dev/null; kill -TERM $$", folder);
  send_script(&master, 2, script);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  interrupts = 1;
  (void)hear(&master, LS_MESSAGE_LEAVING);
  (void)snprintf(script, sizeof script, "%s/end", folder);
  assert_int_equal(mkdir(script, 0700), 0);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_CANCELLED);
  (void)hear(&master, LS_MESSAGE_BYE);
  assert_int_equal(finish(&master), LS_OK);
  assert_int_equal(rmdir(folder), 0);
}

static void interrupt_ends_the_wait_for_a_welcome(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  interrupts = 1;
  master.options.interrupts = &interrupts;
  start_thread(&master);
  assert_int_equal(finish(&master), LS_EINTERRUPTED);
}

static void nonsense_from_the_master_ends_the_worker(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    struct master master = make_master(&fixture_app);
    start_thread(&master);
    welcome(&master, make_settings(no_words));
    (void)hear(&master, LS_MESSAGE_REQUEST);
    if (i == 0) {
      say_kind(&master, LS_MESSAGE_BYE);
    } else {
      assert_int_equal(ls_transport_zmq.send(master.endpoint,
                                             &(struct ls_frame){master.peer, "\xc1", 1}, 0, NULL),
                       LS_OK);
    }
    assert_int_equal(finish(&master), LS_ECORRUPT);
    assert_non_null(strstr(master.err.text, master.address));
  }
}

/* A worker in a process of its own: suspensions, returns. */
static _Atomic int *start_with_signals(struct master *master) {
  _Atomic int *signals =
      mmap(NULL, 2 * sizeof *signals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(signals, MAP_FAILED);
  master->options.suspensions = &signals[0];
  master->options.returns = &signals[1];
  start_process(master);
  return signals;
}

/* For the first, second, ... time. Told twice before it stands still, by its starter and by Slurm,
 * it stands still once. */
static void stop_and_go_on(struct master *master, _Atomic int *signals, int time) {
  int stopped = 0;
  signals[0] = 2 * time - 1;
  (void)hear(master, LS_MESSAGE_SUSPENDED);
  signals[0] = 2 * time;
  assert_int_equal(waitpid(master->pid, &stopped, WUNTRACED), master->pid);
  assert_true(WIFSTOPPED(stopped));
  signals[1] = time;
  assert_int_equal(kill(master->pid, SIGCONT), 0);
  (void)hear(master, LS_MESSAGE_RESUMED);
}

/* It says so, stops with all that it runs, and says that it is back once it is let go on. */
static void stopped_worker_says_so_and_that_it_is_back(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  _Atomic int *signals = start_with_signals(&master);
  struct ls_settings settings = make_settings(no_words);
  settings.heartbeat_s = 0.01; /* it looks about so often */
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  for (int time = 1; time <= 2; ++time) stop_and_go_on(&master, signals, time);
  assert_int_equal(release(&master), LS_OK);
  assert_int_equal(munmap((void *)signals, 2 * sizeof *signals), 0);
}

/* Its machine may have become another one meanwhile. Beside a unit it would show half of it. */
static void worker_that_is_back_tells_its_speed_unless_a_unit_runs(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[128];
  _Atomic int *signals = start_with_signals(&master);
  struct ls_settings settings = make_settings(no_words);
  settings.heartbeat_s = 0.01;
  settings.benchmark = 1000;
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_BENCHMARK);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  stop_and_go_on(&master, signals, 1);
  const struct ls_message *told = hear(&master, LS_MESSAGE_BENCHMARK);
  assert_true(told->speed > 0 && isfinite(told->speed));
  assert_non_null(mkdtemp(folder));
  (void)snprintf(script, sizeof script, "until rmdir %s/end; do sleep 0.01; done 2> /dev/null",
                 folder);
  send_script(&master, 1, script);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  stop_and_go_on(&master, signals, 2);
  (void)snprintf(script, sizeof script, "%s/end", folder);
  assert_int_equal(mkdir(script, 0700), 0);
  assert_int_equal(hear(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_DONE);
  assert_int_equal(release(&master), LS_OK);
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(munmap((void *)signals, 2 * sizeof *signals), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_worker_says_so_and_that_it_is_back),
      cmocka_unit_test(worker_that_is_back_tells_its_speed_unless_a_unit_runs),
      cmocka_unit_test(worker_introduces_itself),
      cmocka_unit_test(speed_outside_its_limits_is_refused),
      cmocka_unit_test(released_worker_ends_well),
      cmocka_unit_test(what_arrived_before_the_end_of_the_line_counts),
      cmocka_unit_test(idle_worker_beats),
      cmocka_unit_test(worker_whose_master_stays_away_leaves_no_orphan),
      cmocka_unit_test(worker_with_a_lifeline_waits_for_a_silent_master),
      cmocka_unit_test(worker_whose_lifeline_ends_leaves_no_orphan),
      cmocka_unit_test(worker_comes_back_after_a_cut_with_all_that_it_has),
      cmocka_unit_test(worker_that_was_given_up_keeps_what_it_runs),
      cmocka_unit_test(worker_of_a_master_that_was_restarted_delivers_and_begins_anew),
      cmocka_unit_test(worker_does_not_come_back_to_another_run),
      cmocka_unit_test(released_worker_stops_what_runs),
      cmocka_unit_test(lifeline_also_ends_a_worker_that_waits_for_its_welcome),
      cmocka_unit_test(pulses_keep_a_worker_that_would_give_up),
      cmocka_unit_test(a_master_that_stays_away_is_given_up_in_words),
      cmocka_unit_test(interrupted_worker_leaves_in_order),
      cmocka_unit_test(command_that_was_told_to_go_with_its_worker_did_not_fail),
      cmocka_unit_test(who_is_told_to_go_does_not_wait_for_a_master_that_is_away),
      cmocka_unit_test(interrupt_ends_the_wait_for_a_welcome),
      cmocka_unit_test(nonsense_from_the_master_ends_the_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
