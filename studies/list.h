/* list.h: the studies, in the order in which `loadstar study` lists them; no include guard, since
 * study.c reads it twice. */
LS_STUDY(umr_table_2)
LS_STUDY(umr_table_3)
