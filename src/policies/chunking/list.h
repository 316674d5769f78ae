/* list.h: all chunking policies, one line each; read several times by chunking.c. */
LS_CHUNKING(ss)
LS_CHUNKING(sc)
LS_CHUNKING(fsc)
LS_CHUNKING(gss)
LS_CHUNKING(tss)
LS_CHUNKING(fac2)
LS_CHUNKING(wf2)
LS_CHUNKING(follow_plan)
