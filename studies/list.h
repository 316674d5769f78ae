/* list.h: the studies, in the order in which `loadstar study` lists them; no include guard, since
 * study.c reads it twice. */
