/* list.h: all replications, one line each; read several times by replication.c. */
LS_REPLICATION(none)
