/* slurm_queue.h: what a pool of Slurm jobs wants, has and decides; no clock, no process.
 *
 * A job is a whole: so many nodes, so many workers each, which come and go together.  Each job that
 * is in Slurm's queue or runs has a place here, and each place has the slots of its workers.  What
 * sbatch and squeue said goes in, with the time; how many jobs to submit, which ones to cancel and
 * what to tell the master come out.  Invariants: never more places taken than the limit; never more
 * jobs pending than the backlog; a worker that was granted is lost once.
 *
 *   free -> sent (sbatch runs) -> asked (pending) -> granted (it runs) <-> suspended -> free
 */
#ifndef LS_RUNTIME_POOL_SLURM_SLURM_QUEUE_H
#define LS_RUNTIME_POOL_SLURM_SLURM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"
#include "base/bytes.h"
#include "base/status.h"
#include "protocol/slurm_text.h"
#include "runtime/pool/pool.h"

enum { LS_SLURM_GRANTS = 9, LS_SLURM_WHY_BYTES = 256, LS_SLURM_FAILURES_MAX = 3 };

struct ls_slurm_limits {
  size_t job_workers, job_nodes; /* of a job */
  size_t jobs, backlog;          /* at once; of them pending */
  double job_s;                  /* a job's time limit; 0: not known */
  double node_s;                 /* seconds of nodes in all, where job_s is known; 0: no limit */
  double grant_s;                /* g, before it is measured */
  double silence_s;              /* Q: a worker that was granted comes within 3g + Q */
  uint32_t first_slot;
  bool takes_over; /* jobs of an earlier session may be there: nothing is submitted before squeue
                      has said which */
};

enum ls_slurm_stage {
  LS_SLURM_FREE,
  LS_SLURM_SENT,
  LS_SLURM_ASKED,
  LS_SLURM_GRANTED,
  LS_SLURM_AWAY /* suspended */
};

/* Of the workers of a job. */
enum ls_slurm_worker { LS_SLURM_UNSEEN, LS_SLURM_JOINED, LS_SLURM_GONE };

struct ls_slurm_job {
  enum ls_slurm_stage stage;
  uint64_t id, task; /* of the array, and in it; a SENT job has no id yet */
  double asked_s, granted_s, away_s;
  double left_s; /* when the last worker that is gone went */
  double used_s; /* its seconds, when squeue was heard last */
  size_t joined, gone;
  bool has_worked;   /* a unit was done */
  bool is_released;  /* the master let a worker go: it is no failure that nothing was done */
  bool is_listed;    /* squeue knows it, in the answer that is read */
  bool is_condemned; /* to be cancelled, and then: */
  bool is_cancelled; /* scancel has been told */
  char reason[LS_SLURM_REASON_BYTES], start[LS_SLURM_START_BYTES]; /* of the wait */
  char words[LS_SLURM_WHY_BYTES];                                  /* of the last news of it */
};

struct ls_slurm_queue {
  struct ls_slurm_limits limits;
  struct ls_slurm_job *jobs; /* limits.jobs places */
  unsigned char *workers;    /* enum ls_slurm_worker, by slot */
  struct ls_pool_news *news;
  size_t news_count, news_next, news_capacity;
  size_t wanted;   /* workers requested, and neither granted nor refused */
  bool is_sending; /* sbatch runs */
  bool is_blind;   /* there may be jobs that are not known here: nothing is submitted before an
                      answer of squeue that was asked for after: */
  double blind_s;
  /* Limits that sbatch told by refusing: so many jobs, SIZE_MAX: none was told. */
  size_t cap;
  struct ls_backoff refusals, mishaps; /* of sbatch; of jobs */
  double again_s;                      /* nothing is submitted before */
  double grants[LS_SLURM_GRANTS];
  size_t grants_count;
  double spent_node_s;              /* by jobs that have ended */
  unsigned failures;                /* in a row, without a unit done between */
  uint64_t failed_id;               /* the array of the last one */
  uint64_t fallen_id, fallen_task;  /* the job that failed last; 0: it was told, or none has */
  bool is_stopped;                  /* for good */
  double list_s;                    /* when the squeue that is read was started */
  bool must_list;                   /* something happened that squeue can explain */
  bool has_failed;                  /* memory: no further news */
  char submitted[96];               /* the last submission, in words */
  char refused[LS_SLURM_WHY_BYTES]; /* sbatch's or our own words; "": it takes all */
  char stopped[LS_SLURM_WHY_BYTES];
};

/* LS_ENOMEM. */
LS_CHECKED enum ls_status ls_slurm_queue_open(struct ls_slurm_queue *queue,
                                              const struct ls_slurm_limits *limits,
                                              struct ls_error *err);
void ls_slurm_queue_close(struct ls_slurm_queue *queue);

/* ---- the master ---- */

void ls_slurm_queue_request(struct ls_slurm_queue *queue, size_t workers);
/* The slot of a worker that says "slurm:JOB_TASK/NODE.WORKER", which has joined by that; 0: none of
 * ours. NODE counts from 0, WORKER from 1, which needs not be said. */
uint32_t ls_slurm_queue_join(struct ls_slurm_queue *queue, const char *place, size_t length,
                             double now_s);
/* A worker has done a unit. */
void ls_slurm_queue_work(struct ls_slurm_queue *queue, uint32_t slot);
/* A worker is gone: it left, was lost or, `is_released`, is not wanted any more. */
void ls_slurm_queue_leave(struct ls_slurm_queue *queue, uint32_t slot, bool is_released,
                          double now_s);
/* The next news; false: there are none. */
bool ls_slurm_queue_tell(struct ls_slurm_queue *queue, struct ls_pool_news *news);

/* ---- sbatch ---- */

/* How many jobs to submit now, as one array: 0: none. One answer of the three must follow. */
size_t ls_slurm_queue_submit(struct ls_slurm_queue *queue, double now_s);
void ls_slurm_queue_submitted(struct ls_slurm_queue *queue, uint64_t id, double now_s);
/* It did not take them; `is_wrong`: it never will. */
void ls_slurm_queue_refused(struct ls_slurm_queue *queue, const char *words, bool is_wrong,
                            double now_s);
/* Nobody knows: it was ended, or spoke in riddles. squeue will tell. */
void ls_slurm_queue_puzzled(struct ls_slurm_queue *queue, const char *words, double now_s);

/* ---- squeue ---- */

/* One answer of squeue, which was started at `asked_s`, line by line. An answer that was no answer
 * is not begun. */
void ls_slurm_queue_list(struct ls_slurm_queue *queue, double asked_s);
void ls_slurm_queue_line(struct ls_slurm_queue *queue, const struct ls_slurm_line *line,
                         double now_s);
void ls_slurm_queue_listed(struct ls_slurm_queue *queue, double now_s);

/* ---- scancel ---- */

/* A job that is to be cancelled, from place `*next` on, which moves behind it; NULL: no other. */
struct ls_slurm_job *ls_slurm_queue_condemned(struct ls_slurm_queue *queue, size_t *next);
/* Jobs that Slurm has, or may have. */
size_t ls_slurm_queue_count(const struct ls_slurm_queue *queue);

/* ---- facts ---- */

/* When something may be decided without any news; HUGE_VAL: never. */
double ls_slurm_queue_until_s(const struct ls_slurm_queue *queue);
double ls_slurm_queue_grant_s(const struct ls_slurm_queue *queue);
struct ls_slurm_counts {
  size_t pending, granted, suspended; /* workers of such jobs */
  double pending_s, suspended_s;      /* since when, the first of them */
  const char *reason, *start;         /* of a pending one; "" */
};
struct ls_slurm_counts ls_slurm_queue_counts(const struct ls_slurm_queue *queue);
/* Who is suspended, who waits and why. `now_s` NAN: without the times that pass. */
void ls_slurm_queue_describe(const struct ls_slurm_queue *queue, double now_s,
                             struct ls_bytes *out);
/* Why not more jobs are asked for, in words; nothing where all are. `now_s` as above. */
void ls_slurm_queue_explain(const struct ls_slurm_queue *queue, double now_s, struct ls_bytes *out);
bool ls_slurm_queue_is_sound(const struct ls_slurm_queue *queue);

#endif
