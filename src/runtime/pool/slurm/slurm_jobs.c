/* slurm_jobs.c: the jobs of a queue, as squeue and their workers tell of them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/pool/slurm/slurm_queue_private.h"

/* So long a job may take to end by itself when all its workers are gone. */
static const double LINGER_S = 5;

static size_t find_index(const struct ls_slurm_queue *queue, const struct ls_slurm_job *job) {
  return (size_t)(job - queue->jobs);
}

static uint32_t find_slot(const struct ls_slurm_queue *queue, const struct ls_slurm_job *job) {
  return queue->limits.first_slot + (uint32_t)(find_index(queue, job) * queue->limits.job_workers);
}

static unsigned char *find_workers(const struct ls_slurm_queue *queue,
                                   const struct ls_slurm_job *job) {
  return queue->workers + find_index(queue, job) * queue->limits.job_workers;
}

static struct ls_slurm_job *find_job(struct ls_slurm_queue *queue, uint64_t id, uint64_t task) {
  for (size_t i = 0; i < queue->limits.jobs; i++) {
    struct ls_slurm_job *job = &queue->jobs[i];
    if (job->stage != LS_SLURM_FREE && job->id == id && job->task == task) return job;
  }
  return NULL;
}

/* The job of the sbatch that runs, whose number is not known yet. */
static struct ls_slurm_job *find_sent(struct ls_slurm_queue *queue, uint64_t task) {
  for (size_t i = 0; i < queue->limits.jobs; i++) {
    struct ls_slurm_job *job = &queue->jobs[i];
    if (job->stage == LS_SLURM_SENT && job->task == task) return job;
  }
  return NULL;
}

static struct ls_slurm_job *adopt(struct ls_slurm_queue *queue, uint64_t id, uint64_t task,
                                  double now_s) {
  struct ls_slurm_job *job = ls_slurm_queue_free_place(queue);
  if (job == NULL) return NULL;
  ls_slurm_queue_take(job, LS_SLURM_ASKED, id, task);
  job->asked_s = now_s;
  return job;
}

/* ---- what becomes of it ---- */

static void post_all(struct ls_slurm_queue *queue, const struct ls_slurm_job *job,
                     enum ls_pool_news_kind kind) {
  uint32_t first = find_slot(queue, job);
  for (size_t i = 0; i < queue->limits.job_workers; i++) {
    ls_slurm_queue_post(queue, &(struct ls_pool_news){
                                   .kind = kind, .slot = first + (uint32_t)i, .words = job->words});
  }
}

static void start(struct ls_slurm_queue *queue, struct ls_slurm_job *job, double now_s) {
  size_t workers = queue->limits.job_workers;
  job->stage = LS_SLURM_GRANTED;
  job->granted_s = now_s;
  job->joined = job->gone = 0;
  memset(find_workers(queue, job), LS_SLURM_UNSEEN, workers);
  queue->wanted -= workers < queue->wanted ? workers : queue->wanted;
  (void)snprintf(job->words, sizeof job->words, "job %llu_%llu runs", (unsigned long long)job->id,
                 (unsigned long long)job->task);
  post_all(queue, job, LS_POOL_GRANTED);
}

/* Who never joined is nobody's fault, or is counted as a failure of the job. */
static void lose_workers(struct ls_slurm_queue *queue, const struct ls_slurm_job *job,
                         enum ls_loss cause, bool is_presumed) {
  const unsigned char *workers = find_workers(queue, job);
  uint32_t first = find_slot(queue, job);
  if (job->stage != LS_SLURM_GRANTED && job->stage != LS_SLURM_AWAY) return;
  for (size_t i = 0; i < queue->limits.job_workers; i++) {
    bool has_joined = workers[i] != LS_SLURM_UNSEEN;
    ls_slurm_queue_post(queue,
                        &(struct ls_pool_news){.kind = LS_POOL_LOST,
                                               .slot = first + (uint32_t)i,
                                               .cause = has_joined ? cause : LS_LOSS_RECLAIMED,
                                               .is_presumed = is_presumed,
                                               .words = job->words});
  }
}

static void say(struct ls_slurm_job *job, const struct ls_slurm_line *line) {
  (void)snprintf(job->words, sizeof job->words, "job %llu_%llu: %s%s%s",
                 (unsigned long long)job->id, (unsigned long long)job->task, line->word,
                 line->reason[0] != '\0' ? ", " : "", line->reason);
}

static void end(struct ls_slurm_queue *queue, struct ls_slurm_job *job, enum ls_loss cause,
                bool is_presumed) {
  lose_workers(queue, job, cause, is_presumed);
  queue->spent_node_s += job->used_s * (double)queue->limits.job_nodes;
  job->stage = LS_SLURM_FREE;
}

/* It came to nothing; somebody may look at its log. */
static void fail(struct ls_slurm_queue *queue, const struct ls_slurm_job *job, double now_s) {
  if (job->id != queue->failed_id) {
    queue->fallen_id = job->id;
    queue->fallen_task = job->task;
  }
  ls_slurm_queue_fail(queue, job->id, job->words, now_s);
}

static void condemn(struct ls_slurm_job *job) {
  job->is_condemned = true;
}

/* ---- squeue ---- */

/* It ended by itself: that is a failure, unless it was of use, or not wanted; or its workers came
 * and left in order, as those do who are told to go. */
static void on_ended(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                     const struct ls_slurm_line *line, double now_s) {
  bool is_good = line->state == LS_SLURM_COMPLETED;
  bool has_left = is_good && job->joined > 0;
  bool is_failure = !job->has_worked && !job->is_condemned && !job->is_released && !has_left;
  say(job, line);
  end(queue, job, is_good ? LS_LOSS_LEFT : LS_LOSS_CRASHED, false);
  if (is_failure) fail(queue, job, now_s);
}

static void on_taken(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                     const struct ls_slurm_line *line, double now_s) {
  bool was_waiting = job->stage == LS_SLURM_ASKED && !job->is_condemned;
  bool is_node = line->state == LS_SLURM_NODE_FAIL;
  say(job, line);
  /* Slurm has lost a node: that says little of what runs there. */
  end(queue, job, is_node ? LS_LOSS_SILENT : LS_LOSS_RECLAIMED, is_node);
  if (was_waiting) ls_slurm_queue_delay(queue, job->words, now_s);
}

static void on_pending(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                       const struct ls_slurm_line *line, double now_s) {
  if (job->stage == LS_SLURM_GRANTED || job->stage == LS_SLURM_AWAY) {
    (void)snprintf(job->words, sizeof job->words, "job %llu_%llu: requeued",
                   (unsigned long long)job->id, (unsigned long long)job->task);
    lose_workers(queue, job, LS_LOSS_RECLAIMED, false);
    queue->spent_node_s += job->used_s * (double)queue->limits.job_nodes;
    ls_slurm_queue_take(job, LS_SLURM_ASKED, job->id, job->task);
    job->asked_s = now_s;
    job->is_listed = true;
  }
  memcpy(job->reason, line->reason, sizeof job->reason);
  memcpy(job->start, line->start, sizeof job->start);
}

static void on_held(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                    const struct ls_slurm_line *line, double now_s) {
  on_pending(queue, job, line, now_s);
  if (job->is_condemned) return;
  say(job, line);
  condemn(job);
  fail(queue, job, now_s);
}

static void on_running(struct ls_slurm_queue *queue, struct ls_slurm_job *job, double now_s) {
  if (job->stage == LS_SLURM_ASKED) start(queue, job, now_s);
  if (job->stage != LS_SLURM_AWAY) return;
  job->stage = LS_SLURM_GRANTED;
  post_all(queue, job, LS_POOL_RESUMED);
}

static void on_suspended(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                         const struct ls_slurm_line *line, double now_s) {
  if (job->stage == LS_SLURM_ASKED) start(queue, job, now_s);
  if (job->stage == LS_SLURM_AWAY) return;
  say(job, line);
  job->stage = LS_SLURM_AWAY;
  job->away_s = now_s;
  post_all(queue, job, LS_POOL_SUSPENDED);
}

static void follow(struct ls_slurm_queue *queue, struct ls_slurm_job *job,
                   const struct ls_slurm_line *line, double now_s) {
  job->is_listed = true;
  job->used_s = fmax(job->used_s, line->used_s);
  switch (line->state) {
    case LS_SLURM_PENDING:
      on_pending(queue, job, line, now_s);
      break;
    case LS_SLURM_HELD:
      on_held(queue, job, line, now_s);
      break;
    case LS_SLURM_RUNNING:
      on_running(queue, job, now_s);
      break;
    case LS_SLURM_SUSPENDED:
      on_suspended(queue, job, line, now_s);
      break;
    case LS_SLURM_TAKEN:
    case LS_SLURM_NODE_FAIL:
      on_taken(queue, job, line, now_s);
      break;
    case LS_SLURM_FAILED:
    case LS_SLURM_COMPLETED:
      on_ended(queue, job, line, now_s);
      break;
    case LS_SLURM_ENDING:
    case LS_SLURM_STATE_COUNT:
      break;
  }
}

void ls_slurm_queue_list(struct ls_slurm_queue *queue, double asked_s) {
  queue->list_s = asked_s;
  queue->must_list = false;
  for (size_t i = 0; i < queue->limits.jobs; i++) queue->jobs[i].is_listed = false;
}

/* What was listed before is of before the last submission. */
static bool is_older(const struct ls_slurm_queue *queue, const struct ls_slurm_job *job) {
  return job->stage >= LS_SLURM_ASKED && job->asked_s < queue->list_s;
}

void ls_slurm_queue_line(struct ls_slurm_queue *queue, const struct ls_slurm_line *line,
                         double now_s) {
  if (line->task == LS_SLURM_TASKS_LEFT) {
    for (size_t i = 0; i < queue->limits.jobs; i++) {
      struct ls_slurm_job *job = &queue->jobs[i];
      bool is_meant = job->stage == LS_SLURM_ASKED && job->id == line->job && !job->is_listed;
      if (is_meant) follow(queue, job, line, now_s);
    }
    return;
  }
  struct ls_slurm_job *job = find_job(queue, line->job, line->task);
  /* One of the sbatch that runs is known when that has answered. */
  if (job == NULL && !queue->is_sending && !ls_slurm_state_is_final(line->state))
    job = adopt(queue, line->job, line->task, now_s);
  if (job != NULL) follow(queue, job, line, now_s);
}

/* Limits that pass: a job whose workers do not come, or are all gone. */
static void judge(struct ls_slurm_queue *queue, struct ls_slurm_job *job, double now_s) {
  double patience_s = 3 * ls_slurm_queue_grant_s(queue) + queue->limits.silence_s;
  if (job->stage != LS_SLURM_GRANTED || job->is_condemned) return;
  if (job->gone == queue->limits.job_workers && now_s >= job->left_s + LINGER_S) condemn(job);
  if (job->joined > 0 || now_s < job->granted_s + patience_s) return;
  condemn(job);
  (void)snprintf(
      job->words, sizeof job->words, "job %llu_%llu: it runs, and no worker came in %.0f s",
      (unsigned long long)job->id, (unsigned long long)job->task, now_s - job->granted_s);
  fail(queue, job, now_s);
}

void ls_slurm_queue_listed(struct ls_slurm_queue *queue, double now_s) {
  if (queue->is_blind && queue->list_s >= queue->blind_s) queue->is_blind = false;
  for (size_t i = 0; i < queue->limits.jobs; i++) {
    struct ls_slurm_job *job = &queue->jobs[i];
    if (!job->is_listed && is_older(queue, job)) {
      (void)snprintf(job->words, sizeof job->words,
                     "job %llu_%llu: Slurm does not know it any more", (unsigned long long)job->id,
                     (unsigned long long)job->task);
      end(queue, job, LS_LOSS_RECLAIMED, true);
    } else {
      judge(queue, job, now_s);
    }
  }
}

/* ---- workers ---- */

/* "slurm:12_3/0.2": the job, and which of its workers, from 0. */
static bool read_place(const struct ls_slurm_queue *queue, const char *place, size_t length,
                       struct ls_slurm_line *at, size_t *worker) {
  static const char scheme[] = "slurm:";
  const size_t scheme_length = sizeof scheme - 1;
  char text[64];
  unsigned node = 0, number = 1;
  int end = 0;
  if (length >= sizeof text || length <= scheme_length) return false;
  memcpy(text, place, length);
  text[length] = '\0';
  const char *slash = strchr(text, '/');
  if (slash == NULL || strncmp(text, scheme, scheme_length) != 0) return false;
  const char *id = text + scheme_length;
  if (!ls_slurm_task_read(id, (size_t)(slash - id), &at->job, &at->task)) return false;
  bool is_read =
      (sscanf(slash, "/%4u.%4u%n", &node, &number, &end) == 2 && slash[end] == '\0') ||
      (number = 1, end = 0, sscanf(slash, "/%4u%n", &node, &end) == 1 && slash[end] == '\0');
  size_t per_node = queue->limits.job_workers / queue->limits.job_nodes;
  if (!is_read || node >= queue->limits.job_nodes || number < 1 || number > per_node) return false;
  *worker = node * per_node + number - 1;
  return true;
}

uint32_t ls_slurm_queue_join(struct ls_slurm_queue *queue, const char *place, size_t length,
                             double now_s) {
  struct ls_slurm_line at;
  size_t worker;
  if (!read_place(queue, place, length, &at, &worker)) return 0;
  struct ls_slurm_job *job = find_job(queue, at.job, at.task);
  if (job == NULL) job = find_sent(queue, at.task);
  if (job == NULL) job = adopt(queue, at.job, at.task, now_s);
  if (job == NULL) return 0;
  job->id = at.job;
  if (job->stage == LS_SLURM_SENT || job->stage == LS_SLURM_ASKED) {
    queue->grants[queue->grants_count++ % LS_SLURM_GRANTS] = now_s - job->asked_s;
    start(queue, job, now_s);
  }
  unsigned char *workers = find_workers(queue, job);
  job->joined += workers[worker] == LS_SLURM_UNSEEN;
  job->gone -= workers[worker] == LS_SLURM_GONE;
  workers[worker] = LS_SLURM_JOINED;
  return find_slot(queue, job) + (uint32_t)worker;
}

/* The job that has the slot; NULL: none. */
static struct ls_slurm_job *find_owner(struct ls_slurm_queue *queue, uint32_t slot) {
  const struct ls_slurm_limits *limits = &queue->limits;
  if (slot < limits->first_slot) return NULL;
  size_t index = (slot - limits->first_slot) / limits->job_workers;
  if (index >= limits->jobs || queue->jobs[index].stage < LS_SLURM_GRANTED) return NULL;
  return &queue->jobs[index];
}

void ls_slurm_queue_work(struct ls_slurm_queue *queue, uint32_t slot) {
  struct ls_slurm_job *job = find_owner(queue, slot);
  if (job == NULL || (job->has_worked && queue->failures == 0)) return;
  job->has_worked = true;
  queue->failures = 0;
  ls_backoff_succeed(&queue->mishaps);
}

void ls_slurm_queue_leave(struct ls_slurm_queue *queue, uint32_t slot, bool is_released,
                          double now_s) {
  struct ls_slurm_job *job = find_owner(queue, slot);
  if (job == NULL) return;
  unsigned char *worker = &queue->workers[slot - queue->limits.first_slot];
  if (is_released) job->is_released = true;
  job->gone += *worker != LS_SLURM_GONE;
  job->joined += *worker == LS_SLURM_UNSEEN;
  *worker = LS_SLURM_GONE;
  job->left_s = now_s;
  queue->must_list = true;
}

/* ---- scancel ---- */

struct ls_slurm_job *ls_slurm_queue_condemned(struct ls_slurm_queue *queue, size_t *next) {
  while (*next < queue->limits.jobs) {
    struct ls_slurm_job *job = &queue->jobs[(*next)++];
    if (job->stage >= LS_SLURM_ASKED && job->is_condemned && !job->is_cancelled) return job;
  }
  return NULL;
}
