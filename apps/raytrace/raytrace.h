/* raytrace.h: an animation rendered by povray, as an application of many iterations.
 *
 * An iteration is a frame, a unit a strip of it, some rows.  A worker lets povray render the rows
 * of its strip; the master puts the strips together and writes the frame when it is whole.  povray
 * is a program of its own, and reads the scene at the worker, from where it lies.
 *
 * raytrace.c opens and closes, raytrace_words.c reads the words, raytrace_master.c and
 * raytrace_worker.c are the two sides, frames.c has the files of frames; povray.c runs povray.
 */
#ifndef RAYTRACE_APPLICATION_H
#define RAYTRACE_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "povray.h"

struct raytrace_words {
  const char *scene, *output, *povray; /* of the words, which stay */
  struct picture_size size;
  uint64_t frames, strips;
  struct render_options options;
  bool is_checked;
};

struct raytrace {
  struct raytrace_words words;
  uint64_t digest; /* of the scene: the master's, and broadcast */

  /* At the master. */
  uint32_t frame;         /* that is being rendered */
  bool has_failed;        /* a strip of it has */
  bool is_synced;         /* files are on the disk before they count */
  struct ls_bytes pixels; /* of the frame, 3 bytes each */
};

/* raytrace_words.c */
LS_CHECKED enum ls_status raytrace_words_read(struct raytrace_words *words, int argc, char **argv,
                                              struct ls_error *err);

/* raytrace.c */

/* At most one for each row. */
uint64_t raytrace_strips(const struct raytrace_words *words);
struct rows raytrace_rows(const struct raytrace_words *words, struct ls_range strips);
/* From 0, of the first frame, to 1, of the last one. */
double raytrace_clock(const struct raytrace_words *words, uint32_t frame);

/* frames.c */

/* PREFIX-000.ppm, with as many digits as the last frame needs. */
void frame_name(const struct raytrace_words *words, uint32_t frame, struct ls_bytes *name);
/* Whether frames can be put there: better known before the work.  LS_EINVAL. */
LS_CHECKED enum ls_status frames_check_place(const struct raytrace_words *words,
                                             struct ls_error *err);
/* Puts the pixels into the file, which is there whole or not at all.  LS_EIO. */
LS_CHECKED enum ls_status frame_write(const struct raytrace *state, struct ls_error *err);
/* Renders each frame at once and compares its pixels with those of its file.  LS_ECORRUPT. */
LS_CHECKED enum ls_status frames_check(const struct raytrace_words *words, struct ls_error *err);

/* The functions of the application: raytrace_master.c. */
void raytrace_sync(void *context);
enum ls_status raytrace_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status raytrace_units(void *context, uint32_t iteration, uint64_t *units,
                              struct ls_error *err);
enum ls_status raytrace_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                  struct ls_error *err);
enum ls_status raytrace_merge(void *context, const struct ls_unit_result *result,
                              struct ls_error *err);
enum ls_status raytrace_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status raytrace_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err);
/* raytrace_worker.c */
enum ls_status raytrace_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err);
enum ls_status raytrace_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err);

#endif
