/* slurm_job.h: what sbatch is given: its words, and the script of a job.
 *
 * The workers are a step of the job: Slurm tells a step that it is to go some seconds before it
 * kills it, and the batch script only when it does.  Every job of an array runs the same script.
 */
#ifndef LS_PROTOCOL_SLURM_JOB_H
#define LS_PROTOCOL_SLURM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/slurm_wish.h"

/* Borrowed texts. */
struct ls_slurm_script {
  const char *program, *key; /* absolute paths: of the program, and of the run's key file */
  double wait_s;             /* a job that starts after its master's death looks for it so long */
  uint64_t workers;          /* of a node */
};

/* The script, for a plain shell. */
void ls_slurm_script_write(const struct ls_slurm_script *script, struct ls_bytes *out);

/* A list of words: "word\0word\0". */
struct ls_slurm_words {
  struct ls_bytes text;
  size_t count;
};

/* What a job is called, and where its output goes. */
struct ls_slurm_submission {
  const struct ls_slurm_wish *wish;
  uint64_t workers, jobs;          /* of a node; in the array */
  const char *name, *log, *script; /* log: with %A and %a */
  const char *more;                /* further words for sbatch, between blanks; NULL: none */
  bool is_test;                    /* --test-only */
};

/* "sbatch" and all its words. */
void ls_slurm_submission_write(const struct ls_slurm_submission *submission,
                               struct ls_slurm_words *out);
/* Adds a word, made as by printf. */
void ls_slurm_words_add(struct ls_slurm_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Points to each word, and to NULL behind them; the caller frees the list, which borrows from the
 * words. NULL: memory. */
char **ls_slurm_words_list(const struct ls_slurm_words *words);
void ls_slurm_words_close(struct ls_slurm_words *words);

/* --slurm-extra: it must not take from the pool what it decides. LS_EINVAL. */
LS_CHECKED enum ls_status ls_slurm_extra_check(const char *more, struct ls_error *err);

#endif
