/* list.h: all planners, one line each; read several times by planner.c. */
