/* slurm_wish.h: what a user wants of Slurm: "partition=main,time=1:00:00,nodes=16,workers=4".
 */
#ifndef LS_PROTOCOL_SLURM_WISH_H
#define LS_PROTOCOL_SLURM_WISH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/labels.h"
#include "base/status.h"

enum { LS_SLURM_TEXT_BYTES = 128, LS_SLURM_NODES_MAX = 65536, LS_SLURM_WORKERS_MAX = 4096 };

/* Texts are "" where nothing was said, numbers 0. */
struct ls_slurm_wish {
  char partition[LS_SLURM_TEXT_BYTES], account[LS_SLURM_TEXT_BYTES], qos[LS_SLURM_TEXT_BYTES];
  char constraint[LS_SLURM_TEXT_BYTES], memory[LS_SLURM_TEXT_BYTES]; /* of a node */
  double time_s;                /* of a job at most; 0: as the partition has it */
  uint64_t nodes;               /* at most at once; a multiple of those of a job. 1 if not said */
  uint64_t nodes_per_job;       /* 1 if not said */
  uint64_t workers, cpus;       /* of a node */
  uint64_t backlog;             /* jobs that may be pending at once; 2 if not said */
  double hours;                 /* of nodes, in all; needs time_s */
  double notice_s;              /* a job is told so long before its end */
  char labels[LS_LABELS_BYTES]; /* of its workers */
  bool requeues;
};

/* LS_EINVAL names option, key, value and what was expected. */
LS_CHECKED enum ls_status ls_slurm_wish_read(const char *text, struct ls_slurm_wish *wish,
                                             struct ls_error *err);

#endif
