#include "runtime/pool/slurm/slurm_queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/pool/slurm/slurm_queue_private.h"

static const double LATEST_S = 3600; /* a limit is tried again after so long, where jobs have no
                                        time limit */

static void copy_words(char to[LS_SLURM_WHY_BYTES], const char *words) {
  (void)snprintf(to, LS_SLURM_WHY_BYTES, "%s", words);
}

enum ls_status ls_slurm_queue_open(struct ls_slurm_queue *queue,
                                   const struct ls_slurm_limits *limits, struct ls_error *err) {
  size_t slots = limits->jobs * limits->job_workers;
  double most_s = limits->job_s > 0 ? limits->job_s : LATEST_S;
  *queue = (struct ls_slurm_queue){.limits = *limits,
                                   .jobs = calloc(limits->jobs + 1, sizeof *queue->jobs),
                                   .workers = calloc(slots + 1, sizeof *queue->workers),
                                   .cap = SIZE_MAX,
                                   .refusals = {.most_s = most_s},
                                   .mishaps = {.most_s = most_s},
                                   .is_blind = limits->takes_over,
                                   .must_list = limits->takes_over};
  if (queue->jobs != NULL && queue->workers != NULL) return LS_OK;
  ls_slurm_queue_close(queue);
  return ls_fail(err, LS_ENOMEM, "out of memory for %zu jobs", limits->jobs);
}

void ls_slurm_queue_close(struct ls_slurm_queue *queue) {
  free(queue->jobs);
  free(queue->workers);
  free(queue->news);
  *queue = (struct ls_slurm_queue){.wanted = 0};
}

/* ---- places ---- */

size_t ls_slurm_queue_in(const struct ls_slurm_queue *queue, enum ls_slurm_stage stage) {
  size_t count = 0;
  for (size_t i = 0; i < queue->limits.jobs; i++) count += queue->jobs[i].stage == stage;
  return count;
}

size_t ls_slurm_queue_count(const struct ls_slurm_queue *queue) {
  return queue->limits.jobs - ls_slurm_queue_in(queue, LS_SLURM_FREE);
}

struct ls_slurm_job *ls_slurm_queue_free_place(struct ls_slurm_queue *queue) {
  for (size_t i = 0; i < queue->limits.jobs; i++)
    if (queue->jobs[i].stage == LS_SLURM_FREE) return &queue->jobs[i];
  return NULL;
}

void ls_slurm_queue_take(struct ls_slurm_job *job, enum ls_slurm_stage stage, uint64_t id,
                         uint64_t task) {
  char words[LS_SLURM_WHY_BYTES];
  memcpy(words, job->words, sizeof words);
  *job = (struct ls_slurm_job){.stage = stage, .id = id, .task = task};
  memcpy(job->words, words, sizeof words);
}

/* ---- news ---- */

void ls_slurm_queue_post(struct ls_slurm_queue *queue, const struct ls_pool_news *news) {
  if (queue->has_failed || ls_array_reserve((void **)&queue->news, &queue->news_capacity,
                                            queue->news_count + 1, sizeof *queue->news) != LS_OK) {
    queue->has_failed = true;
    return;
  }
  queue->news[queue->news_count++] = *news;
}

bool ls_slurm_queue_tell(struct ls_slurm_queue *queue, struct ls_pool_news *news) {
  if (queue->news_next == queue->news_count) {
    queue->news_next = queue->news_count = 0;
    return false;
  }
  *news = queue->news[queue->news_next++];
  return true;
}

/* ---- what is wanted ---- */

static void stop(struct ls_slurm_queue *queue, bool is_wrong) {
  queue->is_stopped = true;
  ls_slurm_queue_post(queue, &(struct ls_pool_news){.kind = LS_POOL_REFUSED,
                                                    .count = queue->wanted,
                                                    .is_final = true,
                                                    .is_wrong = is_wrong,
                                                    .words = queue->stopped});
  queue->wanted = 0;
}

void ls_slurm_queue_request(struct ls_slurm_queue *queue, size_t workers) {
  queue->wanted += workers;
  if (queue->is_stopped && workers > 0) stop(queue, false);
}

double ls_slurm_queue_grant_s(const struct ls_slurm_queue *queue) {
  double sorted[LS_SLURM_GRANTS];
  size_t count =
      queue->grants_count < LS_SLURM_GRANTS ? queue->grants_count : (size_t)LS_SLURM_GRANTS;
  if (count == 0) return queue->limits.grant_s;
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && sorted[at - 1] > queue->grants[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = queue->grants[i];
  }
  return fmax(sorted[count / 2], 0.1);
}

static void put_off(struct ls_slurm_queue *queue, struct ls_backoff *backoff, double now_s) {
  backoff->first_s = ls_slurm_queue_grant_s(queue);
  queue->again_s = fmax(queue->again_s, ls_backoff_fail(backoff, now_s));
}

void ls_slurm_queue_delay(struct ls_slurm_queue *queue, const char *words, double now_s) {
  copy_words(queue->refused, words);
  put_off(queue, &queue->mishaps, now_s);
}

void ls_slurm_queue_fail(struct ls_slurm_queue *queue, uint64_t id, const char *words,
                         double now_s) {
  /* What befell several jobs of an array befell it once. */
  if (id != 0 && id == queue->failed_id) return;
  queue->failed_id = id;
  ls_slurm_queue_delay(queue, words, now_s);
  if (++queue->failures < LS_SLURM_FAILURES_MAX || queue->is_stopped) return;
  (void)snprintf(queue->stopped, sizeof queue->stopped,
                 "%u failures in a row without a task done between: %.180s", queue->failures,
                 words);
  stop(queue, false);
}

/* ---- sbatch ---- */

/* Jobs that the budget of hours still allows, if each takes all its time. */
size_t ls_slurm_queue_count_affordable(const struct ls_slurm_queue *queue) {
  const struct ls_slurm_limits *limits = &queue->limits;
  if (!(limits->node_s > 0) || !(limits->job_s > 0)) return SIZE_MAX;
  double cost = limits->job_s * (double)limits->job_nodes;
  double left = limits->node_s - queue->spent_node_s - cost * (double)ls_slurm_queue_count(queue);
  return left >= cost ? (size_t)fmin(floor(left / cost), 1e6) : 0;
}

/* Who was refused may have one more than were there then, each time that he asks again. */
static size_t count_allowed(const struct ls_slurm_queue *queue) {
  size_t there = ls_slurm_queue_count(queue);
  return queue->cap > there ? queue->cap - there : 1;
}

static size_t lesser(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t ls_slurm_queue_count_pending(const struct ls_slurm_queue *queue) {
  return ls_slurm_queue_in(queue, LS_SLURM_SENT) + ls_slurm_queue_in(queue, LS_SLURM_ASKED);
}

/* Workers that no job in the queue will bring. */
size_t ls_slurm_queue_count_unasked(const struct ls_slurm_queue *queue) {
  size_t coming = ls_slurm_queue_count_pending(queue) * queue->limits.job_workers;
  return queue->wanted > coming ? queue->wanted - coming : 0;
}

/* Jobs that may be submitted, whenever that is. */
static size_t count_submittable(const struct ls_slurm_queue *queue) {
  const struct ls_slurm_limits *limits = &queue->limits;
  size_t unasked = ls_slurm_queue_count_unasked(queue);
  size_t pending = ls_slurm_queue_count_pending(queue);
  bool may = !queue->is_sending && !queue->is_stopped && !queue->is_blind;
  if (!may || unasked == 0) return 0;
  size_t k = (unasked + limits->job_workers - 1) / limits->job_workers;
  k = lesser(k, ls_slurm_queue_in(queue, LS_SLURM_FREE));
  k = lesser(k, limits->backlog > pending ? limits->backlog - pending : 0);
  return lesser(k, lesser(ls_slurm_queue_count_affordable(queue), count_allowed(queue)));
}

/* No job can be paid for any more, and none is left to give anything back. */
static bool is_spent(const struct ls_slurm_queue *queue) {
  return !queue->is_stopped && ls_slurm_queue_count_unasked(queue) > 0 &&
         ls_slurm_queue_count_affordable(queue) == 0 && ls_slurm_queue_count(queue) == 0;
}

size_t ls_slurm_queue_submit(struct ls_slurm_queue *queue, double now_s) {
  if (is_spent(queue)) {
    copy_words(queue->stopped, "the hours of nodes are used up");
    stop(queue, false);
  }
  size_t k = now_s >= queue->again_s ? count_submittable(queue) : 0;
  for (size_t task = 1; task <= k; task++) {
    struct ls_slurm_job *job = ls_slurm_queue_free_place(queue);
    ls_slurm_queue_take(job, LS_SLURM_SENT, 0, task);
    job->asked_s = now_s;
  }
  queue->is_sending = k > 0;
  return k;
}

void ls_slurm_queue_submitted(struct ls_slurm_queue *queue, uint64_t id, double now_s) {
  size_t count = 0;
  for (size_t i = 0; i < queue->limits.jobs; i++) {
    struct ls_slurm_job *job = &queue->jobs[i];
    if (job->stage != LS_SLURM_SENT) continue;
    job->stage = LS_SLURM_ASKED;
    job->id = id;
    count++;
    job->asked_s = now_s;
  }
  queue->is_sending = false;
  queue->must_list = true;
  (void)snprintf(queue->submitted, sizeof queue->submitted, "job %llu: %zu of %zu workers",
                 (unsigned long long)id, count, queue->limits.job_workers);
  ls_slurm_queue_post(queue, &(struct ls_pool_news){.kind = LS_POOL_PENDING,
                                                    .count = count * queue->limits.job_workers,
                                                    .words = queue->submitted});
  ls_backoff_succeed(&queue->refusals);
  size_t there = ls_slurm_queue_count(queue);
  if (queue->cap <= there) queue->cap = there + 1;
  queue->refused[0] = '\0';
}

static void take_back(struct ls_slurm_queue *queue) {
  for (size_t i = 0; i < queue->limits.jobs; i++)
    if (queue->jobs[i].stage == LS_SLURM_SENT) queue->jobs[i].stage = LS_SLURM_FREE;
  queue->is_sending = false;
}

/* What did not answer in time may have been done all the same. */
static void doubt(struct ls_slurm_queue *queue, double now_s) {
  queue->is_blind = queue->must_list = true;
  queue->blind_s = now_s;
}

void ls_slurm_queue_refused(struct ls_slurm_queue *queue, const char *words, bool is_wrong,
                            double now_s) {
  take_back(queue);
  copy_words(queue->refused, words);
  if (is_wrong) {
    copy_words(queue->stopped, words);
    stop(queue, true);
    return;
  }
  queue->cap = ls_slurm_queue_count(queue);
  ls_slurm_queue_post(queue, &(struct ls_pool_news){.kind = LS_POOL_DENIED,
                                                    .count = ls_slurm_queue_count_unasked(queue),
                                                    .words = queue->refused});
  put_off(queue, &queue->refusals, now_s);
  doubt(queue, now_s);
}

void ls_slurm_queue_puzzled(struct ls_slurm_queue *queue, const char *words, double now_s) {
  take_back(queue);
  doubt(queue, now_s);
  ls_slurm_queue_fail(queue, 0, words, now_s);
}

/* ---- facts ---- */

double ls_slurm_queue_until_s(const struct ls_slurm_queue *queue) {
  return count_submittable(queue) > 0 ? queue->again_s : HUGE_VAL;
}

bool ls_slurm_queue_is_sound(const struct ls_slurm_queue *queue) {
  const struct ls_slurm_limits *limits = &queue->limits;
  size_t sent = ls_slurm_queue_in(queue, LS_SLURM_SENT);
  for (size_t i = 0; i < limits->jobs; i++) {
    const struct ls_slurm_job *job = &queue->jobs[i];
    if (job->stage > LS_SLURM_AWAY || job->gone > limits->job_workers) return false;
    if (job->stage >= LS_SLURM_ASKED && job->id == 0) return false;
  }
  return (sent == 0 || queue->is_sending) && (queue->wanted == 0 || !queue->is_stopped);
}
