/* list.h: all replications, one line each; read several times by replication.c. */
LS_REPLICATION(none)
LS_REPLICATION(single)
LS_REPLICATION(complete)
LS_REPLICATION(gain)
LS_REPLICATION(late)
LS_REPLICATION(fork)
LS_REPLICATION(clone)
LS_REPLICATION(auto)
