/* check_list.h: all kinds of records, one line each; read several times by check.c. */
LS_CHECK_KIND(plan)
LS_CHECK_KIND(replay)
LS_CHECK_KIND(largest_remainder)
LS_CHECK_KIND(batches)
LS_CHECK_KIND(monitor)
