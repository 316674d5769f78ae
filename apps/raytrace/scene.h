/* scene.h: a scene: its file and those that it includes. */
#ifndef RAYTRACE_SCENE_H
#define RAYTRACE_SCENE_H

#include <stdint.h>

#include <loadstar.h>

#include "render_options.h"

/* Reads the file and what it includes, as far as that lies in its folder or in one of +L; others
 * are povray's own.  The digest changes with any of them.  LS_EINVAL: one cannot be read, or strips
 * of it would not have the pixels of the whole frame. */
LS_CHECKED enum ls_status scene_digest(const char *path, const struct render_options *options,
                                       uint64_t *digest, struct ls_error *err);

#endif
