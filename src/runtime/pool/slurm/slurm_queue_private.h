/* slurm_queue_private.h: what the files of the queue share: slurm_queue.c decides what to submit,
 * slurm_jobs.c follows the jobs, slurm_words.c tells of both. */
#ifndef LS_RUNTIME_POOL_SLURM_SLURM_QUEUE_PRIVATE_H
#define LS_RUNTIME_POOL_SLURM_SLURM_QUEUE_PRIVATE_H

#include "runtime/pool/slurm/slurm_queue.h"

/* slurm_queue.c */
/* Places in that stage. */
size_t ls_slurm_queue_in(const struct ls_slurm_queue *queue, enum ls_slurm_stage stage);
/* Jobs that the budget of hours still allows, if each takes all its time. */
size_t ls_slurm_queue_count_affordable(const struct ls_slurm_queue *queue);
/* Jobs that are submitted, or being so, and have not begun. */
size_t ls_slurm_queue_count_pending(const struct ls_slurm_queue *queue);
/* Workers that no job in the queue will bring. */
size_t ls_slurm_queue_count_unasked(const struct ls_slurm_queue *queue);
/* A place that is free; NULL: none is. */
struct ls_slurm_job *ls_slurm_queue_free_place(struct ls_slurm_queue *queue);
/* A place is taken by a job; what was told of its last one stays readable. */
void ls_slurm_queue_take(struct ls_slurm_job *job, enum ls_slurm_stage stage, uint64_t id,
                         uint64_t task);
void ls_slurm_queue_post(struct ls_slurm_queue *queue, const struct ls_pool_news *news);
/* A job of the array `id` came to nothing, or sbatch did (0); after three in a row the pool stops.
 */
void ls_slurm_queue_fail(struct ls_slurm_queue *queue, uint64_t id, const char *words,
                         double now_s);
/* It came to nothing through nobody's fault: the next one comes later. */
void ls_slurm_queue_delay(struct ls_slurm_queue *queue, const char *words, double now_s);

#endif
