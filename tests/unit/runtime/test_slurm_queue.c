/* What is asked of Slurm, how much, and when: budgets, refusals, and a Slurm in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "runtime/pool/slurm/slurm_queue.h"

static struct ls_slurm_limits make_limits(void) {
  return (struct ls_slurm_limits){.job_workers = 4,
                                  .job_nodes = 1,
                                  .jobs = 16,
                                  .backlog = 3,
                                  .job_s = 3600,
                                  .grant_s = 10,
                                  .silence_s = 4,
                                  .first_slot = 1};
}

static void open_queue(struct ls_slurm_queue *queue, struct ls_slurm_limits limits) {
  struct ls_error err = {0};
  if (ls_slurm_queue_open(queue, &limits, &err) != LS_OK) fail_msg("%s", err.text);
}

static const char *explain(const struct ls_slurm_queue *queue, double now_s) {
  static char text[600];
  struct ls_bytes words = {0};
  ls_slurm_queue_explain(queue, now_s, &words);
  (void)snprintf(text, sizeof text, "%s", ls_bytes_text(&words));
  ls_bytes_close(&words);
  return text;
}

static void set_state(struct ls_slurm_queue *queue, uint64_t id, uint64_t task, const char *state,
                      double now_s) {
  char text[80];
  struct ls_slurm_line line;
  (void)snprintf(text, sizeof text, "%u_%u %s 0:10 N/A None", (unsigned)id, (unsigned)task, state);
  assert_true(ls_slurm_line_read(text, strlen(text), &line));
  ls_slurm_queue_line(queue, &line, now_s);
}

static struct ls_pool_news hear_last(struct ls_slurm_queue *queue) {
  struct ls_pool_news news = {.kind = LS_POOL_NEWS_COUNT}, next;
  while (ls_slurm_queue_tell(queue, &next))
    if (next.kind < LS_POOL_PENDING) news = next;
  return news;
}

static void jobs_are_whole_and_within_the_backlog(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, make_limits());
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 0);
  ls_slurm_queue_request(&queue, 5);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  /* One sbatch at a time. */
  ls_slurm_queue_request(&queue, 20);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 0);
  ls_slurm_queue_submitted(&queue, 1, 0);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 1);
  ls_slurm_queue_submitted(&queue, 2, 0);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 0);
  assert_string_equal(explain(&queue, 0), "13 not asked for (backlog=3)");
  /* Nothing can be done by itself: a master that asked when would be awake for ever. */
  assert_true(isinf(ls_slurm_queue_until_s(&queue)));
  set_state(&queue, 1, 1, "RUNNING", 1);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 1);
  ls_slurm_queue_close(&queue);
}

static void no_more_nodes_than_wished_are_taken(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  struct ls_slurm_limits limits = make_limits();
  limits.jobs = 2;
  open_queue(&queue, limits);
  ls_slurm_queue_request(&queue, 100);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  ls_slurm_queue_submitted(&queue, 1, 0);
  set_state(&queue, 1, 1, "RUNNING", 1);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 0);
  assert_string_equal(explain(&queue, 1), "92 not asked for (nodes=2)");
  set_state(&queue, 1, 1, "PREEMPTED", 2);
  assert_int_equal(ls_slurm_queue_submit(&queue, 2), 1);
  ls_slurm_queue_close(&queue);
}

/* Two hours of nodes, jobs of one: what an ended job did not use is there for another one. */
static void hours_are_kept(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  struct ls_slurm_limits limits = make_limits();
  limits.node_s = 7250;
  open_queue(&queue, limits);
  ls_slurm_queue_request(&queue, 100);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  ls_slurm_queue_submitted(&queue, 1, 0);
  set_state(&queue, 1, 1, "RUNNING", 1);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 0);
  assert_non_null(strstr(explain(&queue, 1), "hours=2.01"));
  for (int i = 0; i < 5; i++) {
    set_state(&queue, 1 + (uint64_t)i, 1, "RUNNING", 2 + i);
    set_state(&queue, 1 + (uint64_t)i, 1, "PREEMPTED", 2 + i);
    assert_int_equal(ls_slurm_queue_submit(&queue, 2 + i), 1); /* ten seconds each */
    ls_slurm_queue_submitted(&queue, 2 + (uint64_t)i, 2 + i);
  }
  set_state(&queue, 6, 1, "RUNNING", 8);
  set_state(&queue, 6, 1, "PREEMPTED", 8);
  assert_int_equal(ls_slurm_queue_submit(&queue, 8), 0);
  set_state(&queue, 1, 2, "RUNNING", 9);
  set_state(&queue, 1, 2, "PREEMPTED", 9);
  (void)hear_last(&queue);
  assert_int_equal(ls_slurm_queue_submit(&queue, 9), 1);
  ls_slurm_queue_submitted(&queue, 7, 9);
  struct ls_slurm_line line;
  static const char text[] = "7_1 TIMEOUT 1:00:00 N/A TimeLimit";
  assert_true(ls_slurm_line_read(text, sizeof text - 1, &line));
  ls_slurm_queue_line(&queue, &line, 10);
  ls_slurm_queue_line(&queue, &line, 10);
  double again_s = ls_slurm_queue_until_s(&queue);
  (void)hear_last(&queue);
  assert_int_equal(ls_slurm_queue_submit(&queue, again_s), 0);
  struct ls_pool_news news = hear_last(&queue);
  assert_int_equal(news.kind, LS_POOL_REFUSED);
  assert_true(news.is_final && !news.is_wrong);
  assert_string_equal(explain(&queue, 20), "no more are asked for: the hours of nodes are used up");
  ls_slurm_queue_close(&queue);
}

/* squeue finds the first three jobs of the test below, and nothing else. */
static void look_around(struct ls_slurm_queue *queue, double now_s) {
  ls_slurm_queue_list(queue, now_s);
  for (uint64_t task = 1; task <= 3; task++) set_state(queue, 1, task, "RUNNING", now_s);
  ls_slurm_queue_listed(queue, now_s);
}

static void a_refusal_for_now_becomes_a_cap(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, make_limits());
  ls_slurm_queue_request(&queue, 100);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 3);
  ls_slurm_queue_submitted(&queue, 1, 0);
  for (uint64_t task = 1; task <= 3; task++) {
    char place[32];
    (void)snprintf(place, sizeof place, "slurm:1_%u/0", (unsigned)task);
    assert_true(ls_slurm_queue_join(&queue, place, strlen(place), 10) > 0);
  }
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 3);
  ls_slurm_queue_refused(&queue, "QOSMaxSubmitJobPerUserLimit", false, 1);
  assert_int_equal(ls_slurm_queue_count(&queue), 3);
  assert_int_equal(ls_slurm_queue_submit(&queue, 2), 0);
  assert_string_equal(explain(&queue, 2),
                      "88 not asked for (refused at 3: "
                      "QOSMaxSubmitJobPerUserLimit, next try in 9 s; squeue has not answered yet)");
  look_around(&queue, 2);
  assert_string_equal(explain(&queue, 2),
                      "88 not asked for (refused at 3: "
                      "QOSMaxSubmitJobPerUserLimit, next try in 9 s)");
  /* One more, later each time: after 10, 20, 40 s. */
  double now_s = 1;
  for (double wait_s = 10; wait_s < 80; wait_s *= 2) {
    double until_s = ls_slurm_queue_until_s(&queue);
    assert_true(fabs(until_s - now_s - wait_s) < 1e-9);
    now_s = until_s;
    assert_int_equal(ls_slurm_queue_submit(&queue, now_s), 1);
    if (wait_s < 40) ls_slurm_queue_refused(&queue, "again", false, now_s);
    if (wait_s < 40) look_around(&queue, now_s);
  }
  ls_slurm_queue_submitted(&queue, 2, now_s);
  /* One more after each success, and the next refusal is a first one. */
  assert_int_equal(ls_slurm_queue_submit(&queue, now_s), 1);
  ls_slurm_queue_refused(&queue, "again", false, now_s);
  ls_slurm_queue_list(&queue, now_s);
  for (uint64_t task = 1; task <= 3; task++) set_state(&queue, 1, task, "RUNNING", now_s);
  set_state(&queue, 2, 1, "PENDING", now_s);
  ls_slurm_queue_listed(&queue, now_s);
  assert_true(fabs(ls_slurm_queue_until_s(&queue) - now_s - 10) < 1e-9);
  ls_slurm_queue_close(&queue);
}

static void a_wrong_wish_ends_the_pool(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, make_limits());
  ls_slurm_queue_request(&queue, 8);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  ls_slurm_queue_refused(&queue, "Invalid partition name specified", true, 0);
  struct ls_pool_news news = hear_last(&queue);
  assert_int_equal(news.kind, LS_POOL_REFUSED);
  assert_true(news.is_final && news.is_wrong);
  assert_int_equal(news.count, 8);
  assert_string_equal(news.words, "Invalid partition name specified");
  ls_slurm_queue_request(&queue, 3);
  news = hear_last(&queue);
  assert_true(news.is_final && news.count == 3);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1000), 0);
  assert_true(isinf(ls_slurm_queue_until_s(&queue)));
  ls_slurm_queue_close(&queue);
}

/* Its jobs may be there: squeue says so before anything is submitted again. */
static void nothing_is_submitted_after_a_riddle_before_squeue_has_spoken(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, make_limits());
  ls_slurm_queue_request(&queue, 8);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  ls_slurm_queue_puzzled(&queue, "it hung", 30);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1000), 0);
  ls_slurm_queue_list(&queue, 20); /* asked too early */
  ls_slurm_queue_listed(&queue, 31);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1000), 0);
  ls_slurm_queue_list(&queue, 31);
  set_state(&queue, 9, 1, "PENDING", 32);
  ls_slurm_queue_listed(&queue, 32);
  assert_int_equal(ls_slurm_queue_count(&queue), 1);
  assert_int_equal(ls_slurm_queue_submit(&queue, 39), 0);
  assert_int_equal(ls_slurm_queue_submit(&queue, 41), 1);
  ls_slurm_queue_close(&queue);
}

/* What befalls an array is one misfortune, however many jobs it has. */
static void an_array_that_fails_has_failed_once(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, make_limits());
  ls_slurm_queue_request(&queue, 12);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 3);
  ls_slurm_queue_submitted(&queue, 1, 0);
  for (uint64_t task = 1; task <= 3; task++) set_state(&queue, 1, task, "FAILED", 1);
  assert_int_equal(queue.failures, 1);
  ls_slurm_queue_close(&queue);
}

static void three_failures_in_a_row_end_the_pool(void **state) {
  (void)state;
  for (int has_worked = 0; has_worked < 2; has_worked++) {
    struct ls_slurm_queue queue;
    double now_s = 0;
    open_queue(&queue, make_limits());
    ls_slurm_queue_request(&queue, 4);
    for (uint64_t id = 1; id <= 4 && !queue.is_stopped; id++) {
      now_s = fmax(now_s, ls_slurm_queue_until_s(&queue));
      assert_int_equal(ls_slurm_queue_submit(&queue, now_s), 1);
      ls_slurm_queue_submitted(&queue, id, now_s);
      set_state(&queue, id, 1, "RUNNING", now_s);
      if (has_worked && id == 2) ls_slurm_queue_work(&queue, 1);
      set_state(&queue, id, 1, "FAILED", now_s);
      ls_slurm_queue_request(&queue, 4);
    }
    assert_int_equal(queue.is_stopped, !has_worked);
    if (!has_worked)
      assert_string_equal(explain(&queue, now_s),
                          "no more are asked for: 3 failures in a row without a task done "
                          "between: job 3_1: FAILED");
    ls_slurm_queue_close(&queue);
  }
}

/* ---- a Slurm in virtual time ---- */

enum { WORLD_JOBS = 4096 };

struct world_job {
  uint64_t id, task;
  const char *state; /* NULL: forgotten */
  double begins_s, ends_s;
};

struct world {
  struct world_job jobs[WORLD_JOBS];
  size_t count, most; /* most: that it takes */
  struct ls_random random;
  bool is_calm; /* nothing happens but that jobs run */
};

static bool is_live(const struct world_job *job) {
  return job->state != NULL &&
         (strcmp(job->state, "PENDING") == 0 || strcmp(job->state, "RUNNING") == 0 ||
          strcmp(job->state, "SUSPENDED") == 0);
}

static size_t count_live(const struct world *world) {
  size_t count = 0;
  for (size_t i = 0; i < world->count; i++) count += is_live(&world->jobs[i]);
  return count;
}

static void take_jobs(struct world *world, uint64_t id, size_t k, double now_s) {
  for (size_t task = 1; task <= k && world->count < WORLD_JOBS; task++)
    world->jobs[world->count++] =
        (struct world_job){id, task, "PENDING", now_s + 20 * ls_random_real(&world->random), 0};
}

static void live(struct world *world, double now_s) {
  static const char *const ends[] = {"PREEMPTED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "COMPLETED"};
  for (size_t i = 0; i < world->count; i++) {
    struct world_job *job = &world->jobs[i];
    if (!is_live(job)) continue;
    bool is_struck = !world->is_calm && ls_random_below(&world->random, 40) == 0;
    if (strcmp(job->state, "PENDING") == 0) {
      if (now_s >= job->begins_s) job->state = "RUNNING";
    } else if (strcmp(job->state, "SUSPENDED") == 0) {
      if (world->is_calm || ls_random_below(&world->random, 4) == 0) job->state = "RUNNING";
    } else if (is_struck) {
      uint64_t how = ls_random_below(&world->random, 7);
      job->state = how < 5 ? ends[how] : how == 5 ? "SUSPENDED" : "PENDING";
      job->begins_s = now_s + 5;
    }
  }
}

static void answer_sbatch(struct world *world, struct ls_slurm_queue *queue, size_t k, uint64_t id,
                          double now_s) {
  bool is_full = count_live(world) + k > world->most;
  uint64_t how = world->is_calm ? 9 : ls_random_below(&world->random, 10);
  if (is_full) {
    ls_slurm_queue_refused(queue, "submit limit", false, now_s);
  } else if (how <= 1) {
    if (how == 0)
      take_jobs(world, id, k, now_s); /* it is killed behind the submission, or before */
    ls_slurm_queue_puzzled(queue, "it hung", now_s);
  } else {
    take_jobs(world, id, k, now_s);
    ls_slurm_queue_submitted(queue, id, now_s);
  }
}

static void answer_squeue(const struct world *world, struct ls_slurm_queue *queue, double now_s) {
  ls_slurm_queue_list(queue, now_s);
  for (size_t i = 0; i < world->count; i++) {
    const struct world_job *job = &world->jobs[i];
    if (job->state != NULL) set_state(queue, job->id, job->task, job->state, now_s);
  }
  ls_slurm_queue_listed(queue, now_s);
}

static void send_workers(const struct world *world, struct ls_slurm_queue *queue, double now_s) {
  for (size_t i = 0; i < world->count; i++) {
    const struct world_job *job = &world->jobs[i];
    if (job->state == NULL || strcmp(job->state, "RUNNING") != 0) continue;
    char place[64];
    (void)snprintf(place, sizeof place, "slurm:%u_%u/0.1", (unsigned)job->id, (unsigned)job->task);
    uint32_t slot = ls_slurm_queue_join(queue, place, strlen(place), now_s);
    if (slot > 0) ls_slurm_queue_work(queue, slot);
  }
}

/* The master: it asks again for whom it lost. */
static size_t hear_all(struct ls_slurm_queue *queue, bool *is_granted, size_t *there) {
  struct ls_pool_news news;
  size_t lost = 0;
  while (ls_slurm_queue_tell(queue, &news)) {
    assert_int_not_equal(news.kind, LS_POOL_REFUSED);
    if (news.kind == LS_POOL_GRANTED || news.kind == LS_POOL_LOST) {
      assert_int_equal(is_granted[news.slot], news.kind == LS_POOL_LOST);
      is_granted[news.slot] = news.kind == LS_POOL_GRANTED;
      *there += news.kind == LS_POOL_GRANTED ? 1 : (size_t)-1;
      lost += news.kind == LS_POOL_LOST;
    }
  }
  return lost;
}

/* Whatever a Slurm does, everybody who is wanted comes in the end, and never are there more jobs
 * than may be, but for those that nobody could know of. */
static void all_who_are_wanted_come_in_the_end(void **state) {
  (void)state;
  static struct world world;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct ls_slurm_queue queue;
    struct ls_slurm_limits limits = make_limits();
    bool is_granted[80] = {false};
    size_t there = 0;
    double now_s = 0, squeue_s = 0;
    world = (struct world){.most = 9};
    ls_random_init(&world.random, seed, "slurm");
    limits.jobs = 8;
    open_queue(&queue, limits);
    ls_slurm_queue_request(&queue, 32);
    for (uint64_t id = 1; now_s < 3000; id++) {
      now_s += 1;
      world.is_calm = now_s > 1500;
      live(&world, now_s);
      size_t k = ls_slurm_queue_submit(&queue, now_s);
      if (k > 0 && !queue.is_stopped) answer_sbatch(&world, &queue, k, id, now_s);
      if (ls_random_below(&world.random, 3) == 0) send_workers(&world, &queue, now_s);
      if (queue.must_list || now_s >= squeue_s + 15) {
        answer_squeue(&world, &queue, now_s);
        squeue_s = now_s;
      }
      if (queue.is_stopped) break; /* three riddles in a row */
      ls_slurm_queue_request(&queue, hear_all(&queue, is_granted, &there));
      assert_true(ls_slurm_queue_is_sound(&queue));
      assert_true(ls_slurm_queue_count(&queue) <= limits.jobs);
    }
    if (!queue.is_stopped && there != 32)
      fail_msg("seed %u: %zu of 32 workers, %zu jobs, wanted %zu: %s", (unsigned)seed, there,
               ls_slurm_queue_count(&queue), queue.wanted, explain(&queue, now_s));
    ls_slurm_queue_close(&queue);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_are_whole_and_within_the_backlog),
      cmocka_unit_test(no_more_nodes_than_wished_are_taken),
      cmocka_unit_test(hours_are_kept),
      cmocka_unit_test(a_refusal_for_now_becomes_a_cap),
      cmocka_unit_test(a_wrong_wish_ends_the_pool),
      cmocka_unit_test(nothing_is_submitted_after_a_riddle_before_squeue_has_spoken),
      cmocka_unit_test(an_array_that_fails_has_failed_once),
      cmocka_unit_test(three_failures_in_a_row_end_the_pool),
      cmocka_unit_test(all_who_are_wanted_come_in_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
