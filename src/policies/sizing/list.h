/* list.h: all sizings, one line each; read several times by sizing.c. */
LS_SIZING(fixed)
LS_SIZING(self)
LS_SIZING(table)
LS_SIZING(asp)
