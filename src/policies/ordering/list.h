/* list.h: all orders, one line each; read several times by ordering.c. */
LS_ORDERING(fifo)
LS_ORDERING(random)
