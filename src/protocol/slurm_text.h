/* slurm_text.h: what Slurm's commands print: squeue's lines, sbatch's answers.
 *
 * The commands' output comes from another program and may be anything: what is not understood is
 * said to be so, and never taken for something else.
 */
#ifndef LS_PROTOCOL_SLURM_TEXT_H
#define LS_PROTOCOL_SLURM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What squeue is asked for, one job a line; the reason, which may have blanks, stands last. */
#define LS_SLURM_SQUEUE_FORMAT "%i %T %M %S %r"

enum { LS_SLURM_REASON_BYTES = 96, LS_SLURM_START_BYTES = 24, LS_SLURM_STATE_BYTES = 24 };

/* The states of a job as far as they differ for a pool. */
enum ls_slurm_state {
  LS_SLURM_PENDING,
  LS_SLURM_HELD, /* by Slurm itself, after a failed launch */
  LS_SLURM_RUNNING,
  LS_SLURM_SUSPENDED,
  LS_SLURM_ENDING,    /* its end is known, and its nodes are not free yet */
  LS_SLURM_TAKEN,     /* ended: preempted, its time is over, cancelled by somebody */
  LS_SLURM_NODE_FAIL, /* ended for Slurm; what runs may go on */
  LS_SLURM_FAILED,    /* ended by itself, or could not begin */
  LS_SLURM_COMPLETED,
  LS_SLURM_STATE_COUNT
};

/* No task number: the tasks of an array that have not begun, as one. */
#define LS_SLURM_TASKS_LEFT UINT64_MAX

struct ls_slurm_line {
  uint64_t job, task; /* "12_3"; "12" and "12_[3-7]" are LS_SLURM_TASKS_LEFT */
  enum ls_slurm_state state;
  char word[LS_SLURM_STATE_BYTES]; /* of the state, as Slurm says it */
  double used_s;
  char start[LS_SLURM_START_BYTES];   /* expected, or real: "2026-11-23T14:05:00"; "": not known */
  char reason[LS_SLURM_REASON_BYTES]; /* "": none */
};

/* One line of squeue with that format, without its end; false: it is none. */
bool ls_slurm_line_read(const char *text, size_t length, struct ls_slurm_line *line);
/* Has a job in this state ended? */
bool ls_slurm_state_is_final(enum ls_slurm_state state);
/* "123" or "123;cluster", and nothing else but blanks: what sbatch --parsable says. */
bool ls_slurm_reply_read(const char *text, size_t length, uint64_t *job);
/* "12_3", as LS_SLURM_TASKS_LEFT never is. */
bool ls_slurm_task_read(const char *text, size_t length, uint64_t *job, uint64_t *task);

/* Why sbatch did not take a job. */
enum ls_slurm_refusal {
  LS_SLURM_NOT_NOW, /* it may take it later: limits, a controller that is busy or away */
  LS_SLURM_NEVER,   /* the request is wrong */
  LS_SLURM_UNCLEAR  /* it does not say */
};
enum ls_slurm_refusal ls_slurm_refusal_of(const char *words);
/* The last line that says something, without "sbatch: error: " and its like. */
void ls_slurm_last_words(const char *text, size_t length, char *words, size_t words_bytes);

#endif
