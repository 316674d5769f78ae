/* render_options.h: options of povray that pictures may be rendered with. Pure.
 *
 * Taken are those with which a strip has the pixels that the whole frame has; what says which
 * picture, where to and how large, is the application's own.
 */
#ifndef RAYTRACE_RENDER_OPTIONS_H
#define RAYTRACE_RENDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <loadstar.h>

enum { RENDER_OPTIONS_MAX = 64 };

struct render_options {
  const char *items[RENDER_OPTIONS_MAX]; /* borrowed; of two that contradict, the later one holds */
  size_t count;
  bool has_antialiasing, has_jitter; /* as they stand now */
  int method;                        /* of antialiasing */
};

/* Antialiasing whose pixels depend on no others: +A0.2 +AM2 +R3 -J. */
void render_options_init(struct render_options *options);
/* LS_EINVAL: it is not among those that are taken. */
LS_CHECKED enum ls_status render_options_add(struct render_options *options, const char *text,
                                             struct ls_error *err);
/* Of all together. LS_EINVAL: strips would not have the pixels of the frame. */
LS_CHECKED enum ls_status render_options_check(const struct render_options *options,
                                               struct ls_error *err);
/* The folder of an option that names one for includes; NULL: it is none of these. */
const char *render_options_folder(const char *text);

#endif
