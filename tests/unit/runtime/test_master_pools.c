/* test_master_pools.c: a master whose pools do what is written in a script: its workers are
 * threads, granted late, refused, lost, stopped. */
#include <unistd.h>

#include "../../support/scripted_pool.h"
#include "hand_worker.h"
#include "master_fixture.h"

enum { SLOTS_MAX = 3 };

/* A worker of a slot: at most one at a time, some one after another. */
struct member {
  pthread_t thread;
  char name[16];
  bool is_running;
  _Atomic int interrupts;
};

/* One run. */
static struct {
  struct tally tally;
  struct scripted_pool scripts[2];
  struct ls_pool_choice pools[2];
  size_t pools_count;
  struct ls_site site;
  struct member members[SLOTS_MAX + 1]; /* by slot */
  uint32_t absent_from;                 /* whoever is granted this slot, or a higher one, never
                                           comes; 0: all come */
  unsigned looks;                       /* of watch */
  void (*look)(void);                   /* at each of them */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  _Atomic unsigned begun[16];
  bool is_held[16]; /* the first time that the unit runs, it waits */
  bool is_gone[SLOTS_MAX + 1];
} stage;

static enum ls_status compute_held(void *state, const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_error *err) {
  uint64_t unit = work->units.first;
  char name[32];
  (void)snprintf(name, sizeof name, "begun-%llu", (unsigned long long)unit);
  (void)pthread_mutex_lock(&stage.lock);
  bool is_first = ++stage.begun[unit] == 1;
  scripted_pool_pass(name);
  while (is_first && stage.is_held[unit] && !stage.is_gone[work->slot]) {
    (void)pthread_cond_wait(&stage.changed, &stage.lock);
  }
  (void)pthread_mutex_unlock(&stage.lock);
  return compute(state, work, output, err);
}

/* A call computes one unit. */
static const struct ls_app held_app = {.name = "held",
                                       .open = open_app,
                                       .close = close_app,
                                       .units = count_units,
                                       .merge = merge,
                                       .compute = compute_held};

static void let_go(uint64_t unit) {
  (void)pthread_mutex_lock(&stage.lock);
  stage.is_held[unit] = false;
  (void)pthread_cond_broadcast(&stage.changed);
  (void)pthread_mutex_unlock(&stage.lock);
}

static void *live(void *context) {
  struct member *member = context;
  struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                      .address = stage.tally.address,
                                      .name = member->name,
                                      .speed = 1,
                                      .lifeline = -1,
                                      .is_thread = true,
                                      .interrupts = &member->interrupts,
                                      .app = &held_app};
  (void)!ls_worker_run(&options, NULL);
  return NULL;
}

static void join_thread(struct member *member) {
  if (member->is_running) assert_int_equal(pthread_join(member->thread, NULL), 0);
  member->is_running = false;
}

static void start_member(void *context, uint32_t slot) {
  struct member *member = &stage.members[slot];
  (void)context;
  if (stage.absent_from > 0 && slot >= stage.absent_from) return;
  join_thread(member);
  (void)pthread_mutex_lock(&stage.lock);
  stage.is_gone[slot] = false;
  (void)pthread_mutex_unlock(&stage.lock);
  (void)snprintf(member->name, sizeof member->name, "local-%u", slot);
  member->interrupts = 0;
  assert_int_equal(pthread_create(&member->thread, NULL, live, member), 0);
  member->is_running = true;
}

/* A thread cannot be killed: it stops what it does, and what it says is not heard any more. */
static void end_member(void *context, uint32_t slot) {
  (void)context;
  stage.members[slot].interrupts = 2;
  (void)pthread_mutex_lock(&stage.lock);
  stage.is_gone[slot] = true;
  (void)pthread_cond_broadcast(&stage.changed);
  (void)pthread_mutex_unlock(&stage.lock);
}

static void look(void *context, const struct ls_master_progress *progress) {
  (void)context, (void)progress;
  ++stage.looks;
  if (stage.look != NULL) stage.look();
}

/* A run of `units` in pools with these scripts, each with so many slots; the second may be NULL. */
static struct ls_master_options prepare(uint64_t units, const char *first, const char *second,
                                        size_t slots, bool has_file) {
  memset(&stage, 0, sizeof stage);
  scripted_pool_forget();
  (void)pthread_mutex_init(&stage.lock, NULL);
  (void)pthread_cond_init(&stage.changed, NULL);
  stage.tally = (struct tally){.units = units, .iterations = 1};
  const char *texts[2] = {first, second};
  for (size_t i = 0; i < 2 && texts[i] != NULL; ++i) {
    stage.scripts[i] = (struct scripted_pool){
        .text = texts[i], .has_file = has_file, .granted = start_member, .lost = end_member};
    stage.pools[i] =
        (struct ls_pool_choice){&scripted_pool_kind, {.slots = slots, .own = &stage.scripts[i]}};
    ++stage.pools_count;
  }
  struct ls_master_options options = make_options(&stage.tally, &held_app, "ss");
  options.config.workers = slots * stage.pools_count;
  stage.site = *options.site;
  stage.site.pools = stage.pools;
  stage.site.pools_count = stage.pools_count;
  options.site = &stage.site;
  options.watch = look;
  return options;
}

/* The pool is one of this machine. */
static void make_local(void) {
  static struct ls_pool_kind local;
  local = scripted_pool_kind;
  local.has_lifelines = true;
  stage.pools[0].kind = &local;
}

static enum ls_status play(const struct ls_master_options *options, struct ls_master_report *report,
                           struct ls_error *err) {
  enum ls_status status = run(options, &stage.tally, report, err);
  /* Somebody may still compute what was done elsewhere in the meantime. */
  for (uint32_t i = 0; i <= SLOTS_MAX; ++i) end_member(NULL, i);
  for (size_t i = 0; i <= SLOTS_MAX; ++i) join_thread(&stage.members[i]);
  (void)pthread_mutex_destroy(&stage.lock);
  (void)pthread_cond_destroy(&stage.changed);
  return status;
}

static void must_play(const struct ls_master_options *options) {
  struct ls_master_report report;
  struct ls_error err = {0};
  if (play(options, &report, &err) != LS_OK) fail_msg("%s", err.text);
  ls_master_report_close(&report);
}

static void pass_late(void) {
  if (stage.looks == 3) scripted_pool_pass("late");
}

static void run_waits_for_workers_that_are_granted_late(void **state) {
  (void)state;
  for (int has_file = 0; has_file < 2; ++has_file) {
    struct ls_master_options options = prepare(10, "await late\ngrant\n", NULL, 1, has_file != 0);
    stage.look = pass_late;
    must_play(&options);
    expect_once(&stage.tally, 1);
    assert_int_equal(stage.scripts[0].requests, 1);
  }
}

/* A fork that fails, a partition that is closed for now. */
static void refused_worker_is_asked_for_again(void **state) {
  (void)state;
  for (int has_file = 0; has_file < 2; ++has_file) {
    struct ls_master_options options =
        prepare(10, "refuse 1 no room\nrefuse 1 no room\ngrant\n", NULL, 1, has_file != 0);
    must_play(&options);
    expect_once(&stage.tally, 1);
    assert_int_equal(stage.scripts[0].requests, 3);
  }
}

static void nobody_left_and_patience_over_is_the_end_with_its_cause(void **state) {
  (void)state;
  struct ls_master_options options = prepare(10, "refuse! 1 no such partition\n", NULL, 1, true);
  struct ls_master_report report;
  struct ls_error err = {0};
  options.workers_patience_s = 0.5;
  assert_int_equal(play(&options, &report, &err), LS_ENOWORKERS);
  if (strstr(err.text, "no such partition") == NULL) fail_msg("%s", err.text);
  /* A guest may come through the open door as long as patience lasts. */
  double seconds = 0;
  assert_int_equal(sscanf(err.text, "no worker for %lf s", &seconds), 1);
  assert_true(seconds >= 0.5);
  assert_int_equal(stage.scripts[0].requests, 1);
  ls_master_report_close(&report);
}

/* Where nobody else can come, nobody is waited for. */
static void refused_for_good_behind_closed_doors_is_the_end_at_once(void **state) {
  (void)state;
  struct ls_master_options options = prepare(10, "refuse! 1 no such partition\n", NULL, 1, true);
  struct ls_site closed = *options.site;
  struct ls_master_report report;
  struct ls_error err = {0};
  closed.doors[0].is_open = false;
  options.site = &closed;
  options.workers_patience_s = 1e6;
  assert_int_equal(play(&options, &report, &err), LS_ENOWORKERS);
  if (strstr(err.text, "no such partition") == NULL) fail_msg("%s", err.text);
  ls_master_report_close(&report);
}

static void workers_that_never_join_are_a_failure_in_words(void **state) {
  (void)state;
  struct ls_master_options options =
      prepare(10,
              "grant\nlose 1 crashed\ngrant\nlose 1 crashed\ngrant\nlose 1 crashed\n"
              "grant\nlose 1 crashed\ngrant\nlose 1 crashed\ngrant\n",
              NULL, 1, true);
  struct ls_master_report report;
  struct ls_error err = {0};
  stage.absent_from = 1;
  make_local();
  assert_int_equal(play(&options, &report, &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "workers end before they begin"));
  assert_non_null(strstr(err.text, "so it is written"));
  ls_master_report_close(&report);
}

/* Nobody would answer it any more, so its pool need not wait for it. */
static void worker_that_has_not_joined_by_the_end_is_ended_at_once(void **state) {
  (void)state;
  struct ls_master_options options = prepare(10, "grant\ngrant\n", NULL, 2, true);
  stage.absent_from = 2;
  must_play(&options);
  expect_once(&stage.tally, 1);
  assert_int_equal(stage.scripts[0].kills, 1);
}

/* Workers of a run that is done may take their leave; nobody waits for those of one that failed. */
static void pool_is_patient_at_a_good_end_only(void **state) {
  (void)state;
  struct ls_master_options options = prepare(10, "grant\n", NULL, 1, true);
  must_play(&options);
  assert_true(stage.scripts[0].patience_s > 0);
  struct ls_master_report report;
  struct ls_error err = {0};
  options = prepare(10, "refuse! 1 no such partition\n", NULL, 1, true);
  stage.scripts[0].patience_s = -1;
  options.workers_patience_s = 0.5;
  assert_int_equal(play(&options, &report, &err), LS_ENOWORKERS);
  assert_true(fabs(stage.scripts[0].patience_s) < 1e-9);
  ls_master_report_close(&report);
}

/* Only who died by himself is to blame for what ran; all else is done again. */
static void only_a_crash_blames_what_ran(void **state) {
  (void)state;
  static const char *const causes[] = {"crashed", "silent", "reclaimed", "left"};
  for (size_t i = 0; i < 4; ++i) {
    char text[96];
    (void)snprintf(text, sizeof text, "grant\ngrant\nawait begun-0\nlose 1 %s\nagain\n", causes[i]);
    struct ls_master_options options = prepare(10, text, NULL, 2, i % 2 == 0);
    options.config.kills_max = 1;
    stage.is_held[0] = true;
    must_play(&options);
    assert_int_equal(stage.tally.failed[0], i == 0 ? 1 : 0);
    assert_int_equal(stage.tally.merged[0], i == 0 ? 0 : 1);
    for (uint64_t u = 1; u < 10; ++u) assert_int_equal(stage.tally.merged[u], 1);
  }
}

static void pass_with_one_left(void) {
  uint64_t left = 0;
  for (uint64_t u = 0; u < stage.tally.units; ++u) left += stage.tally.merged[u] == 0;
  if (left == 1) scripted_pool_pass("one-left");
}

/* What killed the first is at the second when both are found dead: it had not even begun there. */
static void who_dies_with_another_had_nothing_of_it(void **state) {
  (void)state;
  struct ls_master_options options = prepare(10,
                                             "grant\nawait begun-0\ngrant\nawait one-left\n"
                                             "lose 1 crashed\nlose 2 crashed\nagain\n",
                                             NULL, 2, true);
  options.config.kills_max = 2;
  stage.is_held[0] = true;
  stage.look = pass_with_one_left;
  must_play(&options);
  assert_int_equal(stage.tally.failed[0], 0);
  expect_once(&stage.tally, 1);
}

static void let_unit_1_go_later(void) {
  if (stage.scripts[0].requests >= 2 && stage.looks > 5) let_go(1);
}

/* One replacement that cannot start ends neither the run nor what a healthy worker does. */
static void refused_replacement_hurts_nobody(void **state) {
  (void)state;
  struct ls_master_options options = prepare(
      10, "grant\ngrant\nawait begun-0\nawait begun-1\nlose 1 crashed\nrefuse 1 fork: no room\n",
      NULL, 2, true);
  stage.is_held[0] = stage.is_held[1] = true;
  stage.look = let_unit_1_go_later;
  must_play(&options);
  expect_once(&stage.tally, 1);
  assert_int_equal(stage.begun[1], 1);
}

static void go_on_late(void) {
  if (stage.tally.units - stage.tally.settled > 1) return;
  scripted_pool_pass("late");
  let_go(0);
}

/* What waited at the stopped worker is done elsewhere, and nobody takes its place. */
static void stopped_worker_is_not_replaced_and_its_queue_goes_elsewhere(void **state) {
  (void)state;
  struct ls_master_options options = prepare(
      10, "grant\ngrant\nawait begun-0\nsuspend 1\nawait late\nresume 1\nagain\n", NULL, 2, true);
  stage.is_held[0] = true;
  stage.look = go_on_late;
  must_play(&options);
  expect_once(&stage.tally, 1);
  assert_int_equal(stage.scripts[0].requests, 1);
  assert_int_equal(stage.scripts[0].kills, 0);
}

static char warning[256];

static void keep_warning(void *context, const char *text) {
  (void)context;
  (void)snprintf(warning, sizeof warning, "%s", text);
}

static void join_as_first(struct hand_worker *worker) {
  static struct hand_run hand;
  struct ls_message hello = make_hello();
  memcpy(hand.tally.address, stage.tally.address, sizeof hand.tally.address);
  hello.name = (struct ls_blob){"local-1", 7};
  hello.process_id = (uint64_t)getpid();
  connect_worker(worker, &hand);
  say(worker, &hello);
  expect_welcome(worker);
}

/* A worker of a slot that has a unit, and says nonsense. */
static void *babble(void *context) {
  struct hand_worker worker;
  (void)context;
  join_as_first(&worker);
  (void)fetch_chunk(&worker);
  say_bytes(&worker, "\xc1nonsense", 9);
  (void)hear_kind(&worker, LS_MESSAGE_RELEASE);
  cut_worker(&worker);
  return NULL;
}

static void start_babbler_first(void *context, uint32_t slot) {
  struct member *member = &stage.members[slot];
  if (stage.scripts[0].kills > 0) {
    start_member(context, slot);
    return;
  }
  assert_int_equal(pthread_create(&member->thread, NULL, babble, member), 0);
  member->is_running = true;
}

static void lose_who_was_killed(void) {
  if (stage.scripts[0].kills > 0) scripted_pool_pass("killed");
}

/* Nobody else can have its slot before its process has ended. */
static void worker_that_says_nonsense_is_ended_and_replaced(void **state) {
  (void)state;
  struct ls_master_options options =
      prepare(10, "grant\nawait killed\nlose 1 crashed\nagain\n", NULL, 1, true);
  stage.scripts[0].granted = start_babbler_first;
  stage.look = lose_who_was_killed;
  options.warn = keep_warning;
  must_play(&options);
  expect_once(&stage.tally, 1);
  assert_int_equal(stage.scripts[0].kills, 1);
  assert_int_equal(stage.scripts[0].requests, 2);
  const char expected[] = "worker 0 (local-1) is sent away: not a ";
  if (strncmp(warning, expected, sizeof expected - 1) != 0) fail_msg("%s", warning);
}

static int goings;

/* As one that cannot enter the folder of the run. */
static void *join_and_go(void *context) {
  struct hand_worker worker;
  (void)context;
  join_as_first(&worker);
  cut_worker(&worker);
  char name[16];
  (void)snprintf(name, sizeof name, "gone-%d", ++goings);
  scripted_pool_pass(name);
  return NULL;
}

static void start_one_that_goes(void *context, uint32_t slot) {
  struct member *member = &stage.members[slot];
  (void)context;
  join_thread(member);
  assert_int_equal(pthread_create(&member->thread, NULL, join_and_go, member), 0);
  member->is_running = true;
}

static void workers_that_join_and_go_are_a_failure_in_words(void **state) {
  (void)state;
  goings = 0;
  struct ls_master_options options =
      prepare(10,
              "grant\nawait gone-1\nlose 1 crashed\ngrant\nawait gone-2\nlose 1 crashed\n"
              "grant\nawait gone-3\nlose 1 crashed\ngrant\nawait gone-4\nlose 1 crashed\n"
              "grant\nawait gone-5\nlose 1 crashed\ngrant\n",
              NULL, 1, true);
  struct ls_master_report report;
  struct ls_error err = {0};
  stage.scripts[0].granted = start_one_that_goes;
  make_local();
  assert_int_equal(play(&options, &report, &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "workers end before they begin: a worker, in slot 1"));
  ls_master_report_close(&report);
}

static void let_unit_0_go_when_both_are_there(void) {
  pass_late();
  if (stage.members[1].is_running && stage.begun[1] > 0) let_go(0);
}

static void pools_add_up(void **state) {
  (void)state;
  struct ls_master_options options = prepare(12, "await late\nagain\n", "again\n", 1, true);
  struct ls_master_report report;
  struct ls_error err = {0};
  /* Whoever comes first stays until the other one has come, too. */
  stage.is_held[0] = true;
  stage.look = let_unit_0_go_when_both_are_there;
  if (play(&options, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&stage.tally, 1);
  assert_int_equal(report.workers_count, 2);
  unsigned seen = 0;
  for (size_t i = 0; i < 2; ++i) seen |= 1u << report.workers[i].slot;
  assert_int_equal(seen, 6);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(run_waits_for_workers_that_are_granted_late),
      cmocka_unit_test(refused_worker_is_asked_for_again),
      cmocka_unit_test(nobody_left_and_patience_over_is_the_end_with_its_cause),
      cmocka_unit_test(refused_for_good_behind_closed_doors_is_the_end_at_once),
      cmocka_unit_test(workers_that_never_join_are_a_failure_in_words),
      cmocka_unit_test(worker_that_has_not_joined_by_the_end_is_ended_at_once),
      cmocka_unit_test(pool_is_patient_at_a_good_end_only),
      cmocka_unit_test(only_a_crash_blames_what_ran),
      cmocka_unit_test(who_dies_with_another_had_nothing_of_it),
      cmocka_unit_test(refused_replacement_hurts_nobody),
      cmocka_unit_test(stopped_worker_is_not_replaced_and_its_queue_goes_elsewhere),
      cmocka_unit_test(worker_that_says_nonsense_is_ended_and_replaced),
      cmocka_unit_test(workers_that_join_and_go_are_a_failure_in_words),
      cmocka_unit_test(pools_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
