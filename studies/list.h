/* list.h: the studies, in the order in which `loadstar study` lists them; no include guard, since
 * study.c reads it twice. */
LS_STUDY(umr_table_2)
LS_STUDY(umr_table_3)
LS_STUDY(umr_figure_4)
LS_STUDY(umr_figure_5)
LS_STUDY(umr_figure_6)
LS_STUDY(umr_figure_7)
LS_STUDY(umr_figure_8)
LS_STUDY(umr_figure_9)
LS_STUDY(umr_figure_10)
LS_STUDY(umr_figure_11)
LS_STUDY(umr_figure_12)
LS_STUDY(umr_no_latency)
