/* raytrace_words.c: the words behind `--`. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "raytrace.h"

enum {
  WORD_SCENE,
  WORD_OUTPUT,
  WORD_SIZE,
  WORD_FRAMES,
  WORD_STRIPS,
  WORD_OPTION,
  WORD_POVRAY,
  WORD_CHECK
};

enum { SIDE_MAX = 65535, FRAMES_MAX = 1000000 };

/* A whole number from 1 on; `*end` is what follows it. */
static bool read_number(const char *text, uint64_t most, char **end, uint64_t *number) {
  if (text[0] < '0' || text[0] > '9') return false;
  errno = 0;
  *number = strtoull(text, end, 10);
  return errno == 0 && *number >= 1 && *number <= most;
}

static enum ls_status read_whole(const char *name, const char *text, uint64_t most, uint64_t *value,
                                 struct ls_error *err) {
  char *end;
  uint64_t number;
  if (!read_number(text, most, &end, &number) || *end != '\0') {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --%s is '%s', expected a whole number from 1 to %" PRIu64, name, text,
                   most);
  }
  *value = number;
  return LS_OK;
}

static enum ls_status read_size(const char *text, struct picture_size *size, struct ls_error *err) {
  char *end;
  uint64_t width, height;
  if (!read_number(text, SIDE_MAX, &end, &width) || *end != 'x' ||
      !read_number(end + 1, SIDE_MAX, &end, &height) || *end != '\0') {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --size is '%s', expected WIDTHxHEIGHT, each from 1 to %d", text,
                   (int)SIDE_MAX);
  }
  *size = (struct picture_size){(size_t)width, (size_t)height};
  return LS_OK;
}

static enum ls_status read_scene(const char *text, const char **scene, struct ls_error *err) {
  *scene = text;
  if (strchr(text, '"') == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "raytrace: --scene is '%s', expected a name without \", which povray cannot take",
                 text);
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct raytrace_words *words = context;
  switch (word) {
    case WORD_SCENE:
      return read_scene(text, &words->scene, err);
    case WORD_OUTPUT:
      words->output = text;
      return LS_OK;
    case WORD_POVRAY:
      words->povray = text;
      return LS_OK;
    case WORD_SIZE:
      return read_size(text, &words->size, err);
    case WORD_FRAMES:
      return read_whole("frames", text, FRAMES_MAX, &words->frames, err);
    case WORD_STRIPS:
      return read_whole("strips", text, SIDE_MAX, &words->strips, err);
    case WORD_OPTION:
      return render_options_add(&words->options, text, err);
    default:
      words->is_checked = true;
      return LS_OK;
  }
}

enum ls_status raytrace_words_read(struct raytrace_words *words, int argc, char **argv,
                                   struct ls_error *err) {
  static const struct option options[] = {{"scene", required_argument, NULL, WORD_SCENE},
                                          {"output", required_argument, NULL, WORD_OUTPUT},
                                          {"size", required_argument, NULL, WORD_SIZE},
                                          {"frames", required_argument, NULL, WORD_FRAMES},
                                          {"strips", required_argument, NULL, WORD_STRIPS},
                                          {"option", required_argument, NULL, WORD_OPTION},
                                          {"povray", required_argument, NULL, WORD_POVRAY},
                                          {"check", no_argument, NULL, WORD_CHECK},
                                          {NULL, 0, NULL, 0}};
  struct ls_app_words given = {
      .application = "raytrace", .options = options, .read = read_word, .context = words};
  *words =
      (struct raytrace_words){.povray = "povray", .size = {640, 480}, .frames = 1, .strips = 10};
  render_options_init(&words->options);
  enum ls_status status = ls_app_words_read(&given, argc, argv, err);
  if (status == LS_OK) status = render_options_check(&words->options, err);
  if (status != LS_OK) return status;
  if (words->scene == NULL) return ls_fail(err, LS_EINVAL, "raytrace: --scene FILE is missing");
  if (words->output == NULL) return ls_fail(err, LS_EINVAL, "raytrace: --output PREFIX is missing");
  return LS_OK;
}
