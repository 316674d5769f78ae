/* list.h: all orders, one line each; read several times by ordering.c. */
LS_ORDERING(fifo)
LS_ORDERING(random)
LS_ORDERING(lptf)
LS_ORDERING(lptf_expectation)
LS_ORDERING(average)
LS_ORDERING(spt)
