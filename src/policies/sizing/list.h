/* list.h: all sizings, one line each; read several times by sizing.c. */
LS_SIZING(fixed)
