/* slurm_words.c: a queue of jobs in numbers and words, for people. */
#include <math.h>
#include <stdio.h>

#include "protocol/slurm_time.h"
#include "runtime/pool/slurm/slurm_queue_private.h"

static void count_job(const struct ls_slurm_queue *queue, const struct ls_slurm_job *job,
                      struct ls_slurm_counts *counts) {
  size_t workers = queue->limits.job_workers;
  switch (job->stage) {
    case LS_SLURM_FREE:
      break;
    case LS_SLURM_SENT:
    case LS_SLURM_ASKED:
      counts->pending += workers;
      counts->pending_s = fmin(counts->pending_s, job->asked_s);
      if (job->reason[0] != '\0') counts->reason = job->reason;
      if (job->start[0] != '\0') counts->start = job->start;
      break;
    case LS_SLURM_GRANTED:
      counts->granted += workers;
      break;
    case LS_SLURM_AWAY:
      counts->suspended += workers;
      counts->suspended_s = fmin(counts->suspended_s, job->away_s);
      break;
  }
}

struct ls_slurm_counts ls_slurm_queue_counts(const struct ls_slurm_queue *queue) {
  struct ls_slurm_counts counts = {
      .pending_s = HUGE_VAL, .suspended_s = HUGE_VAL, .reason = "", .start = ""};
  for (size_t i = 0; i < queue->limits.jobs; i++) count_job(queue, &queue->jobs[i], &counts);
  return counts;
}

/* "0:40 ago" as "since 0:40". */
static void add_since(double since_s, double now_s, struct ls_bytes *out) {
  if (isnan(now_s)) return;
  ls_bytes_append_text(out, " since ");
  ls_slurm_time_write(fmax(0, now_s - since_s), out);
}

void ls_slurm_queue_describe(const struct ls_slurm_queue *queue, double now_s,
                             struct ls_bytes *out) {
  struct ls_slurm_counts counts = ls_slurm_queue_counts(queue);
  if (counts.suspended > 0) {
    ls_bytes_printf(out, "%zu suspended", counts.suspended);
    add_since(counts.suspended_s, now_s, out);
  }
  if (counts.pending == 0) return;
  ls_bytes_printf(out, "%s%zu pending", counts.suspended > 0 ? ", " : "", counts.pending);
  add_since(counts.pending_s, now_s, out);
  if (counts.reason[0] != '\0') ls_bytes_printf(out, " (%s", counts.reason);
  bool is_expected = counts.reason[0] != '\0' && counts.start[0] != '\0' && !isnan(now_s);
  if (is_expected) ls_bytes_printf(out, "; expected %s", counts.start);
  if (counts.reason[0] != '\0') ls_bytes_append_char(out, ')');
}

static void add_reason(struct ls_bytes *out, bool *is_first, const char *words) {
  ls_bytes_append_text(out, *is_first ? " (" : "; ");
  ls_bytes_append_text(out, words);
  *is_first = false;
}

void ls_slurm_queue_explain(const struct ls_slurm_queue *queue, double now_s,
                            struct ls_bytes *out) {
  const struct ls_slurm_limits *limits = &queue->limits;
  size_t unasked = ls_slurm_queue_count_unasked(queue);
  bool is_first = true;
  if (queue->is_stopped) {
    ls_bytes_printf(out, "no more are asked for: %s", queue->stopped);
    return;
  }
  if (unasked == 0) return;
  char text[2 * LS_SLURM_WHY_BYTES];
  ls_bytes_printf(out, "%zu not asked for", unasked);
  if (ls_slurm_queue_in(queue, LS_SLURM_FREE) == 0) {
    (void)snprintf(text, sizeof text, "nodes=%zu", limits->jobs * limits->job_nodes);
    add_reason(out, &is_first, text);
  }
  if (ls_slurm_queue_count_pending(queue) >= limits->backlog) {
    (void)snprintf(text, sizeof text, "backlog=%zu", limits->backlog);
    add_reason(out, &is_first, text);
  }
  if (ls_slurm_queue_count_affordable(queue) == 0) {
    (void)snprintf(text, sizeof text, "hours=%.6g", limits->node_s / 3600);
    add_reason(out, &is_first, text);
  }
  if (queue->refused[0] != '\0') {
    (void)snprintf(text, sizeof text, "refused at %zu: %s", ls_slurm_queue_count(queue),
                   queue->refused);
    if (queue->failures > 0) (void)snprintf(text, sizeof text, "%s", queue->refused);
    add_reason(out, &is_first, text);
    (void)snprintf(text, sizeof text, ", next try in %.0f s", ceil(queue->again_s - now_s));
    if (queue->again_s > now_s) ls_bytes_append_text(out, text);
  }
  if (queue->is_blind) add_reason(out, &is_first, "squeue has not answered yet");
  if (!is_first) ls_bytes_append_char(out, ')');
}
