/* pool_slurm_private.h: the state of a pool of Slurm jobs: pool_slurm.c lives with it,
 * pool_slurm_files.c has its files, pool_slurm_end.c ends it, pool_slurm_ask.c asks once.
 */
#ifndef LS_RUNTIME_POOL_SLURM_POOL_SLURM_PRIVATE_H
#define LS_RUNTIME_POOL_SLURM_POOL_SLURM_PRIVATE_H

#include <limits.h>

#include "protocol/slurm_job.h"
#include "runtime/os/errand.h"
#include "runtime/pool/slurm/pool_slurm.h"
#include "runtime/pool/slurm/slurm_queue.h"

enum { LS_SLURM_NAME_BYTES = 64, LS_SLURM_PATH_BYTES = PATH_MAX + 64 };

struct ls_slurm_files {
  char folder[PATH_MAX]; /* ""; none was made */
  char key[LS_SLURM_PATH_BYTES], script[LS_SLURM_PATH_BYTES];
  bool has_own_key, keeps_logs;
};

/* What a pool of jobs does, behind a pointer: a question to the pool may teach it something. */
struct ls_slurm_life {
  struct ls_slurm_queue queue;
  const struct ls_slurm_setup *setup;
  struct ls_slurm_files files;
  struct ls_errand sbatch, squeue, scancel;
  int watch;                                /* of the three */
  char name[LS_SLURM_NAME_BYTES], user[24]; /* of the jobs; whose they are, by number */
  double due_s;                             /* poll has something to do then; 0: now */
  double looked_s, interval_s;              /* the last squeue ended; the next one begins */
  bool is_old;                              /* the last squeue failed */
  bool has_asked;                           /* Slurm may have jobs of this run */
  char why[2 * LS_SLURM_WHY_BYTES];
};

/* pool_slurm_files.c */
LS_CHECKED enum ls_status ls_slurm_files_open(struct ls_slurm_life *life,
                                              const struct ls_pool_setup *setup,
                                              struct ls_error *err);
/* Removes what is not to be kept. */
void ls_slurm_files_close(struct ls_slurm_files *files);
/* For sbatch: where a job's output goes. */
void ls_slurm_files_name_log(const struct ls_slurm_files *files, struct ls_bytes *out);
/* The last lines of a job's log, which is kept from now on; "" when there is none. */
void ls_slurm_files_tail(struct ls_slurm_files *files, uint64_t id, uint64_t task,
                         struct ls_bytes *out);
/* The script of a job. */
void ls_slurm_files_script(const struct ls_slurm_setup *setup, const char *key,
                           struct ls_bytes *out);

/* pool_slurm.c */
/* sbatch's words for so many jobs; the caller closes them. */
void ls_slurm_life_write(const struct ls_slurm_life *life, size_t jobs,
                         struct ls_slurm_words *words);
/* Starts squeue, which tells of every job of the name. LS_EIO, LS_EBUSY, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_slurm_life_look(struct ls_slurm_life *life, struct ls_error *err);
/* The lines that squeue said; the caller frees them. False: some are none, or there is no memory.
 */
bool ls_slurm_life_read(const struct ls_slurm_life *life, struct ls_slurm_line **lines,
                        size_t *count);
LS_CHECKED enum ls_status ls_slurm_life_start(struct ls_slurm_life *life, struct ls_errand *errand,
                                              const struct ls_slurm_words *words,
                                              struct ls_error *err);

/* pool_slurm_end.c */
/* Every job of the name is cancelled, and gone, or named to the user. */
void ls_slurm_life_cancel_all(struct ls_slurm_life *life);

#endif
