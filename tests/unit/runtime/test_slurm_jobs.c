/* Jobs as squeue tells of them: what the master hears, and what counts as a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "runtime/pool/slurm/slurm_queue.h"

static const struct ls_slurm_limits usual = {.job_workers = 2,
                                             .job_nodes = 1,
                                             .jobs = 4,
                                             .backlog = 4,
                                             .job_s = 3600,
                                             .grant_s = 10,
                                             .silence_s = 4,
                                             .first_slot = 5};

static void open_queue(struct ls_slurm_queue *queue, const struct ls_slurm_limits *limits) {
  struct ls_error err = {0};
  if (ls_slurm_queue_open(queue, limits, &err) != LS_OK) fail_msg("%s", err.text);
}

/* A whole answer of squeue, with its lines one by one. */
static void list(struct ls_slurm_queue *queue, double now_s, const char *const *lines) {
  ls_slurm_queue_list(queue, now_s);
  for (; *lines != NULL; ++lines) {
    struct ls_slurm_line line;
    assert_true(ls_slurm_line_read(*lines, strlen(*lines), &line));
    ls_slurm_queue_line(queue, &line, now_s);
  }
  ls_slurm_queue_listed(queue, now_s);
  assert_true(ls_slurm_queue_is_sound(queue));
}

#define LIST(queue, now_s, ...) list(queue, now_s, (const char *const[]){__VA_ARGS__, NULL})

/* The news as "granted 5, lost 6 reclaimed". */
static const char *hear(struct ls_slurm_queue *queue) {
  static const char *const kinds[] = {"granted", "refused", "lost", "suspended", "resumed"};
  static char text[512];
  struct ls_pool_news news;
  text[0] = '\0';
  while (ls_slurm_queue_tell(queue, &news)) {
    if (news.kind >= LS_POOL_PENDING) continue;
    size_t length = strlen(text);
    (void)snprintf(text + length, sizeof text - length, "%s%s", length > 0 ? ", " : "",
                   kinds[news.kind]);
    length = strlen(text);
    if (news.kind == LS_POOL_REFUSED)
      (void)snprintf(text + length, sizeof text - length, " %zu%s%s", news.count,
                     news.is_final ? " for good" : "", news.is_wrong ? ", wrong" : "");
    else if (news.kind == LS_POOL_LOST)
      (void)snprintf(text + length, sizeof text - length, " %u %s%s", news.slot,
                     ls_loss_name(news.cause), news.is_presumed ? " presumably" : "");
    else
      (void)snprintf(text + length, sizeof text - length, " %u", news.slot);
  }
  return text;
}

static uint32_t join(struct ls_slurm_queue *queue, const char *place, double now_s) {
  return ls_slurm_queue_join(queue, place, strlen(place), now_s);
}

/* Two jobs of two workers each, 7_1 and 7_2, submitted at 0 s. */
static void open_two(struct ls_slurm_queue *queue) {
  open_queue(queue, &usual);
  ls_slurm_queue_request(queue, 4);
  assert_int_equal(ls_slurm_queue_submit(queue, 0), 2);
  ls_slurm_queue_submitted(queue, 7, 0);
}

static void a_job_that_runs_grants_all_its_workers(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  LIST(&queue, 1, "7_1 PENDING 0:00 2026-11-23T14:05:00 Priority", "7_2 PENDING 0:00 N/A None");
  assert_string_equal(hear(&queue), "");
  struct ls_slurm_counts counts = ls_slurm_queue_counts(&queue);
  assert_int_equal(counts.pending, 4);
  assert_string_equal(counts.reason, "Priority");
  assert_string_equal(counts.start, "2026-11-23T14:05:00");
  LIST(&queue, 2, "7_1 RUNNING 0:01 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_string_equal(hear(&queue), "granted 5, granted 6");
  assert_int_equal(queue.wanted, 2);
  assert_int_equal(join(&queue, "slurm:7_1/0.2", 2.5), 6);
  assert_int_equal(join(&queue, "slurm:7_1/0.1", 2.5), 5);
  assert_string_equal(hear(&queue), "");
  ls_slurm_queue_close(&queue);
}

/* squeue is asked now and then only; a worker that is there knows better. */
static void a_worker_that_joins_grants_its_job(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  assert_int_equal(join(&queue, "slurm:7_2/0.1", 3), 7);
  assert_string_equal(hear(&queue), "granted 7, granted 8");
  LIST(&queue, 4, "7_1 PENDING 0:00 N/A None", "7_2 RUNNING 0:01 N/A None");
  assert_string_equal(hear(&queue), "");
  assert_true(ls_slurm_queue_grant_s(&queue) <= 3);
  ls_slurm_queue_close(&queue);
}

/* Its worker is faster than the answer of sbatch. */
static void a_job_is_known_by_its_task_while_sbatch_runs(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, &usual);
  ls_slurm_queue_request(&queue, 4);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  assert_int_equal(join(&queue, "slurm:7_2/0", 0.5), 7);
  LIST(&queue, 0.6, "7_1 RUNNING 0:01 N/A None", "7_2 RUNNING 0:01 N/A None");
  ls_slurm_queue_submitted(&queue, 7, 1);
  assert_int_equal(ls_slurm_queue_count(&queue), 2);
  LIST(&queue, 2, "7_1 RUNNING 0:01 N/A None", "7_2 RUNNING 0:01 N/A None");
  assert_string_equal(hear(&queue), "granted 7, granted 8, granted 5, granted 6");
  ls_slurm_queue_close(&queue);
}

static void strange_places_are_none_of_ours(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",           "ssh:n1",      "slurm:",        "slurm:7_1",     "slurm:7/0.1",
      "slurm:7_1/", "slurm:7_1/1", "slurm:7_1/0.3", "slurm:7_1/0.0", "slurm:7_1/0.1x",
      "slurm:x_1/0"};
  struct ls_slurm_queue queue;
  open_two(&queue);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (join(&queue, bad[i], 1) != 0) fail_msg("taken: %s", bad[i]);
  assert_string_equal(hear(&queue), "");
  ls_slurm_queue_close(&queue);
}

/* What Slurm says of an end, what the master hears, and whether the job failed. */
static void ends_are_told_apart(void **state) {
  (void)state;
  static const struct {
    const char *line, *news;
    bool is_failure;
  } rows[] = {
      {"7_1 PREEMPTED 0:09 N/A None", "lost 5 reclaimed, lost 6 reclaimed", false},
      {"7_1 CANCELLED 0:09 N/A None", "lost 5 reclaimed, lost 6 reclaimed", false},
      {"7_1 TIMEOUT 0:09 N/A TimeLimit", "lost 5 reclaimed, lost 6 reclaimed", false},
      {"7_1 DEADLINE 0:09 N/A None", "lost 5 reclaimed, lost 6 reclaimed", false},
      {"7_1 NODE_FAIL 0:09 N/A None", "lost 5 silent presumably, lost 6 reclaimed presumably",
       false},
      {"7_1 FAILED 0:09 N/A NonZeroExitCode", "lost 5 crashed, lost 6 reclaimed", true},
      {"7_1 OUT_OF_MEMORY 0:09 N/A None", "lost 5 crashed, lost 6 reclaimed", true},
      {"7_1 BOOT_FAIL 0:00 N/A None", "lost 5 crashed, lost 6 reclaimed", true},
      {"7_1 COMPLETED 0:09 N/A None", "lost 5 left, lost 6 reclaimed", false},
      {"7_1 COMPLETING 0:09 N/A None", "", false},
      {"7_1 PENDING 0:00 N/A BeginTime", "lost 5 reclaimed, lost 6 reclaimed", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int has_worked = 0; has_worked < 2; has_worked++) {
      struct ls_slurm_queue queue;
      open_two(&queue);
      assert_int_equal(join(&queue, "slurm:7_1/0.1", 3), 5);
      (void)hear(&queue);
      if (has_worked) ls_slurm_queue_work(&queue, 5);
      LIST(&queue, 10, rows[i].line, "7_2 PENDING 0:00 N/A None");
      assert_string_equal(hear(&queue), rows[i].news);
      assert_int_equal(queue.failures, rows[i].is_failure && !has_worked);
      ls_slurm_queue_close(&queue);
    }
  }
}

/* Its program was not found, say, and the script said nothing of that. */
static void a_job_that_ends_before_anybody_came_has_failed(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  LIST(&queue, 10, "7_1 COMPLETED 0:01 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_int_equal(queue.failures, 1);
  ls_slurm_queue_close(&queue);
}

/* It is asked for again without a word of the master, who still wants it, but not at once. */
static void a_pending_job_that_somebody_cancels_is_asked_for_again(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  LIST(&queue, 1, "7 CANCELLED 0:00 N/A None");
  assert_string_equal(hear(&queue), "");
  assert_int_equal(ls_slurm_queue_count(&queue), 0);
  assert_int_equal(queue.failures, 0);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 0);
  double again_s = ls_slurm_queue_until_s(&queue);
  assert_true(again_s > 1 && again_s <= 21);
  assert_int_equal(ls_slurm_queue_submit(&queue, again_s), 2);
  ls_slurm_queue_close(&queue);
}

static void a_suspended_job_comes_back(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  (void)join(&queue, "slurm:7_1/0.1", 3);
  (void)hear(&queue);
  LIST(&queue, 4, "7_1 SUSPENDED 0:01 N/A None", "7_2 PENDING 0:00 N/A None");
  LIST(&queue, 5, "7_1 SUSPENDED 0:01 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_string_equal(hear(&queue), "suspended 5, suspended 6");
  assert_int_equal(ls_slurm_queue_counts(&queue).suspended, 2);
  LIST(&queue, 6, "7_1 RUNNING 0:01 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_string_equal(hear(&queue), "resumed 5, resumed 6");
  ls_slurm_queue_close(&queue);
}

static void a_job_that_slurm_forgets_is_over(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_two(&queue);
  (void)join(&queue, "slurm:7_1/0.1", 3);
  (void)hear(&queue);
  LIST(&queue, 4, "7_2 PENDING 0:00 N/A None");
  assert_string_equal(hear(&queue), "lost 5 reclaimed presumably, lost 6 reclaimed presumably");
  ls_slurm_queue_close(&queue);
}

/* The answer was on its way when the job was submitted. */
static void what_squeue_could_not_know_is_not_missed(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  open_queue(&queue, &usual);
  ls_slurm_queue_request(&queue, 2);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 1);
  ls_slurm_queue_submitted(&queue, 7, 2);
  ls_slurm_queue_list(&queue, 1.5);
  ls_slurm_queue_listed(&queue, 3);
  assert_int_equal(ls_slurm_queue_count(&queue), 1);
  ls_slurm_queue_list(&queue, 4);
  ls_slurm_queue_listed(&queue, 4);
  assert_int_equal(ls_slurm_queue_count(&queue), 0);
  ls_slurm_queue_close(&queue);
}

static void a_job_that_cannot_be_launched_is_cancelled_once(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  size_t next = 0;
  open_two(&queue);
  LIST(&queue, 1, "7_1 PENDING 0:00 N/A launch failed requeued held", "7_2 RUNNING 0:01 N/A None");
  LIST(&queue, 2, "7_1 PENDING 0:00 N/A launch failed requeued held", "7_2 RUNNING 0:01 N/A None");
  assert_int_equal(queue.failures, 1);
  struct ls_slurm_job *job = ls_slurm_queue_condemned(&queue, &next);
  assert_non_null(job);
  assert_int_equal(job->task, 1);
  job->is_cancelled = true;
  next = 0;
  assert_null(ls_slurm_queue_condemned(&queue, &next));
  ls_slurm_queue_close(&queue);
}

static void a_job_without_workers_is_cancelled(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  size_t next = 0;
  open_two(&queue);
  LIST(&queue, 1, "7_1 RUNNING 0:01 N/A None", "7_2 RUNNING 0:01 N/A None");
  assert_int_equal(join(&queue, "slurm:7_2/0.1", 2), 7);
  double limit_s = 1 + 3 * ls_slurm_queue_grant_s(&queue) + 4;
  LIST(&queue, limit_s - 0.1, "7_1 RUNNING 0:30 N/A None", "7_2 RUNNING 0:30 N/A None");
  assert_null(ls_slurm_queue_condemned(&queue, &next));
  next = 0;
  LIST(&queue, limit_s + 0.1, "7_1 RUNNING 0:30 N/A None", "7_2 RUNNING 0:30 N/A None");
  assert_int_equal(ls_slurm_queue_condemned(&queue, &next)->task, 1);
  assert_null(ls_slurm_queue_condemned(&queue, &next));
  assert_int_equal(queue.failures, 1);
  ls_slurm_queue_close(&queue);
}

/* Whole jobs: it ends when its last worker is gone, and is helped when it does not. */
static void a_job_whose_workers_are_gone_may_end_by_itself(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  size_t next = 0;
  open_two(&queue);
  (void)join(&queue, "slurm:7_1/0.1", 2);
  (void)join(&queue, "slurm:7_1/0.2", 2);
  ls_slurm_queue_leave(&queue, 5, true, 3);
  LIST(&queue, 20, "7_1 RUNNING 0:30 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_null(ls_slurm_queue_condemned(&queue, &next));
  ls_slurm_queue_leave(&queue, 6, true, 20);
  next = 0;
  LIST(&queue, 21, "7_1 RUNNING 0:30 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_null(ls_slurm_queue_condemned(&queue, &next));
  next = 0;
  LIST(&queue, 30, "7_1 RUNNING 0:30 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_int_equal(ls_slurm_queue_condemned(&queue, &next)->task, 1);
  LIST(&queue, 31, "7_1 COMPLETED 0:30 N/A None", "7_2 PENDING 0:00 N/A None");
  assert_int_equal(queue.failures, 0);
  ls_slurm_queue_close(&queue);
}

/* An earlier session of the run submitted them: they are taken over, and none is submitted twice.
 */
static void jobs_of_an_earlier_session_are_taken_over(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  struct ls_slurm_limits limits = usual;
  limits.takes_over = true;
  open_queue(&queue, &limits);
  ls_slurm_queue_request(&queue, 8);
  assert_true(queue.must_list);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 0);
  assert_int_equal(join(&queue, "slurm:3_2/0.1", 0.1), 5);
  LIST(&queue, 1, "3_1 PENDING 0:00 N/A None", "3_2 RUNNING 5:00 N/A None",
       "2_1 COMPLETED 5:00 N/A None");
  assert_string_equal(hear(&queue), "granted 5, granted 6");
  assert_int_equal(ls_slurm_queue_count(&queue), 2);
  assert_int_equal(ls_slurm_queue_submit(&queue, 1), 2);
  ls_slurm_queue_close(&queue);
}

/* Any answers of squeue, joins and losses: the counts agree, and who was granted is lost once. */
static void any_news_keep_the_counts_sound(void **state) {
  (void)state;
  static const char *const words[] = {"PENDING",   "RUNNING",   "SUSPENDED",   "COMPLETING",
                                      "PREEMPTED", "CANCELLED", "NODE_FAIL",   "FAILED",
                                      "COMPLETED", "TIMEOUT",   "REQUEUE_HOLD"};
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    struct ls_random random;
    struct ls_slurm_queue queue;
    bool is_granted[32] = {false};
    ls_random_init(&random, seed, "jobs");
    open_queue(&queue, &usual);
    double now_s = 0;
    for (uint64_t id = 1, step = 0; step < 60; step++) {
      now_s += ls_random_real(&random) * 5;
      ls_slurm_queue_request(&queue, ls_random_below(&random, 4));
      if (ls_slurm_queue_submit(&queue, now_s) > 0) ls_slurm_queue_submitted(&queue, id++, now_s);
      ls_slurm_queue_list(&queue, now_s);
      for (size_t i = 0; i < 12; i++) {
        struct ls_slurm_line line;
        char text[80];
        (void)snprintf(text, sizeof text, "%u_%u %s 0:01 N/A None",
                       (unsigned)(1 + ls_random_below(&random, id)),
                       (unsigned)(1 + ls_random_below(&random, 4)),
                       words[ls_random_below(&random, sizeof words / sizeof *words)]);
        assert_true(ls_slurm_line_read(text, strlen(text), &line));
        ls_slurm_queue_line(&queue, &line, now_s);
      }
      if (ls_random_below(&random, 2) > 0) ls_slurm_queue_listed(&queue, now_s);
      uint32_t slot = 5 + (uint32_t)ls_random_below(&random, 8);
      if (ls_random_below(&random, 3) == 0) ls_slurm_queue_work(&queue, slot);
      if (ls_random_below(&random, 3) == 0) ls_slurm_queue_leave(&queue, slot, false, now_s);
      struct ls_pool_news news;
      while (ls_slurm_queue_tell(&queue, &news)) {
        if (news.kind == LS_POOL_REFUSED || news.kind >= LS_POOL_PENDING) continue;
        assert_true(news.slot >= 5 && news.slot < 13);
        assert_int_equal(is_granted[news.slot], news.kind != LS_POOL_GRANTED);
        is_granted[news.slot] = news.kind != LS_POOL_LOST;
      }
      struct ls_slurm_counts counts = ls_slurm_queue_counts(&queue);
      size_t granted = 0;
      for (size_t i = 0; i < 32; i++) granted += is_granted[i];
      assert_int_equal(granted, counts.granted + counts.suspended);
      assert_true(ls_slurm_queue_is_sound(&queue));
    }
    ls_slurm_queue_close(&queue);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_that_runs_grants_all_its_workers),
      cmocka_unit_test(a_worker_that_joins_grants_its_job),
      cmocka_unit_test(a_job_is_known_by_its_task_while_sbatch_runs),
      cmocka_unit_test(strange_places_are_none_of_ours),
      cmocka_unit_test(ends_are_told_apart),
      cmocka_unit_test(a_job_that_ends_before_anybody_came_has_failed),
      cmocka_unit_test(a_pending_job_that_somebody_cancels_is_asked_for_again),
      cmocka_unit_test(a_suspended_job_comes_back),
      cmocka_unit_test(a_job_that_slurm_forgets_is_over),
      cmocka_unit_test(what_squeue_could_not_know_is_not_missed),
      cmocka_unit_test(a_job_that_cannot_be_launched_is_cancelled_once),
      cmocka_unit_test(a_job_without_workers_is_cancelled),
      cmocka_unit_test(a_job_whose_workers_are_gone_may_end_by_itself),
      cmocka_unit_test(jobs_of_an_earlier_session_are_taken_over),
      cmocka_unit_test(any_news_keep_the_counts_sound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
