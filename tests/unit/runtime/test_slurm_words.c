/* A queue of jobs in words; why not more are asked for: test_slurm_queue.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void set_state(struct ls_slurm_queue *queue, uint64_t id, uint64_t task, const char *state,
                      double now_s) {
  char text[80];
  struct ls_slurm_line line;
  (void)snprintf(text, sizeof text, "%u_%u %s 0:10 N/A None", (unsigned)id, (unsigned)task, state);
  assert_true(ls_slurm_line_read(text, strlen(text), &line));
  ls_slurm_queue_line(queue, &line, now_s);
}

/* What people are told, with the times and without. */
static void the_state_of_all_jobs_is_described(void **state) {
  (void)state;
  struct ls_slurm_queue queue;
  struct ls_bytes words = {0};
  struct ls_pool_news news;
  open_queue(&queue, make_limits());
  ls_slurm_queue_request(&queue, 8);
  assert_int_equal(ls_slurm_queue_submit(&queue, 0), 2);
  ls_slurm_queue_submitted(&queue, 1, 0);
  assert_true(ls_slurm_queue_tell(&queue, &news));
  assert_int_equal(news.kind, LS_POOL_PENDING);
  assert_int_equal(news.count, 8);
  assert_string_equal(news.words, "job 1: 2 of 4 workers");
  set_state(&queue, 1, 1, "SUSPENDED", 10);
  struct ls_slurm_line line;
  static const char text[] = "1_2 PENDING 0:00 2026-11-23T14:05:00 Priority";
  assert_true(ls_slurm_line_read(text, sizeof text - 1, &line));
  ls_slurm_queue_line(&queue, &line, 10);
  ls_slurm_queue_describe(&queue, 50, &words);
  assert_string_equal(ls_bytes_text(&words),
                      "4 suspended since 0:40, 4 pending since 0:50 "
                      "(Priority; expected 2026-11-23T14:05:00)");
  ls_bytes_clear(&words);
  ls_slurm_queue_describe(&queue, (double)NAN, &words);
  assert_string_equal(ls_bytes_text(&words), "4 suspended, 4 pending (Priority)");
  ls_bytes_close(&words);
  ls_slurm_queue_close(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_state_of_all_jobs_is_described)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
