/* scene_text.h: what can be told of a scene from its words, without rendering it. Pure.
 *
 * It knows comments, strings and words of povray's language, and no more.
 */
#ifndef RAYTRACE_SCENE_TEXT_H
#define RAYTRACE_SCENE_TEXT_H

#include <loadstar.h>

/* Refuses a text with words by which strips would not have the pixels of the whole frame; appends
 * the names of the files that it includes, each with a zero byte behind it.  A name that the scene
 * computes is passed over.  LS_EINVAL names file and line. */
LS_CHECKED enum ls_status scene_scan(const struct ls_text *text, struct ls_bytes *includes,
                                     struct ls_error *err);

#endif
