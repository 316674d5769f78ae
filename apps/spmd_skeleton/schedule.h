/* schedule.h: the schedule that this program was compiled with, as every process knows it.
 *
 * loadstar plan --spmd=header printed it: identical rounds, a last and an auxiliary round.  A
 * *position* is a place in the order of sending; a worker's *number* is that on the platform.
 */
#ifndef SPMD_SKELETON_SCHEDULE_H
#define SPMD_SKELETON_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The processes that work. */
size_t schedule_workers(void);
/* The worker's number on the platform. */
unsigned long long schedule_number(size_t position);
/* All rounds: the identical ones, the last, the auxiliary one (which may be empty). */
uint64_t schedule_rounds(void);
/* What the worker gets in this round; 0: nothing is sent. */
uint64_t schedule_units(uint64_t round, size_t position);
/* The most that any worker gets in one round. */
uint64_t schedule_units_most(void);
/* The units of all rounds. */
uint64_t schedule_load(void);
/* Messages that go out. */
uint64_t schedule_messages(void);
/* As loadstar plan --spmd prints it. */
void schedule_print(FILE *file);

#endif
