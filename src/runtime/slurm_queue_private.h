/* slurm_queue_private.h: what the two files of the queue share: slurm_queue.c decides what to
 * submit, slurm_jobs.c follows the jobs. */
#ifndef LS_RUNTIME_SLURM_QUEUE_PRIVATE_H
#define LS_RUNTIME_SLURM_QUEUE_PRIVATE_H

#include "runtime/slurm_queue.h"

/* slurm_queue.c */
/* Places in that stage. */
size_t ls_slurm_queue_in(const struct ls_slurm_queue *queue, enum ls_slurm_stage stage);
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
