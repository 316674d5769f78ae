/* povray.h: pictures by povray, a program of its own, which is not linked. */
#ifndef RAYTRACE_POVRAY_H
#define RAYTRACE_POVRAY_H

#include <loadstar.h>

#include "povray_output.h"
#include "render_options.h"

/* Rows first .. first + count - 1 of a frame, the uppermost one is 0. */
struct rows {
  size_t first, count;
};

struct povray_job {
  const char *program; /* a path, or a name that is looked up in PATH */
  const char *scene;   /* povray runs in its folder */
  const struct render_options *options;
  struct picture_size size;
  double clock;
  struct rows rows; /* count >= 1 */
};

/* The path of a program, as execvp would find it: to be freed.  LS_EIO: there is none. */
LS_CHECKED enum ls_status povray_find(const char *program, char **path, struct ls_error *err);
/* Renders these rows and appends their pixels, 3 bytes each.  povray dies with the thread that
 * calls this.  LS_EIO: povray cannot be had, or says no. */
LS_CHECKED enum ls_status povray_render(const struct povray_job *job, struct ls_bytes *pixels,
                                        struct ls_error *err);

#endif
