/* list.h: all planners, one line each; read several times by planner.c. */
LS_PLANNER(one_round)
LS_PLANNER(mi)
LS_PLANNER(umr)
LS_PLANNER(umr_best)
LS_PLANNER(xmi)
LS_PLANNER(one_round_parallel)
LS_PLANNER(lp)
LS_PLANNER(best)
