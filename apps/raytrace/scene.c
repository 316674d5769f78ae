#include "scene.h"

#include <string.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "../common/input_file.h"
#include "scene_text.h"

struct walk {
  const char *scene;
  const struct render_options *options;
  struct ls_bytes names; /* of the files found so far, each with a zero byte behind it */
  size_t at;             /* the next one to be read */
  uint64_t digest;
};

static bool is_known(const struct walk *walk, const char *path) {
  for (size_t at = 0; at < walk->names.length; at += strlen(walk->names.data + at) + 1) {
    if (strcmp(walk->names.data + at, path) == 0) return true;
  }
  return false;
}

/* Relative names, also those of folders, begin in the folder of the scene. */
static void join(const struct walk *walk, const char *folder, const char *name,
                 struct ls_bytes *path) {
  const char *slash = strrchr(walk->scene, '/');
  const char *first = name[0] == '/' ? name : folder;
  ls_bytes_clear(path);
  if (first[0] != '/' && slash != NULL) {
    ls_bytes_append(path, walk->scene, (size_t)(slash - walk->scene) + 1);
  }
  if (name[0] != '/' && folder[0] != '\0') ls_bytes_printf(path, "%s/", folder);
  ls_bytes_append_text(path, name);
}

/* Adds the file of a folder, if it is there. */
static bool find_in(struct walk *walk, const char *folder, const char *name,
                    struct ls_bytes *path) {
  join(walk, folder, name, path);
  if (path->failed || access(path->data, F_OK) != 0) return false;
  if (!is_known(walk, path->data)) ls_bytes_append(&walk->names, path->data, path->length + 1);
  return true;
}

static void find_include(struct walk *walk, const char *name) {
  struct ls_bytes path = {0};
  bool is_found = find_in(walk, "", name, &path);
  for (size_t i = 0; i < walk->options->count && !is_found; i++) {
    const char *folder = render_options_folder(walk->options->items[i]);
    is_found = folder != NULL && find_in(walk, folder, name, &path);
  }
  ls_bytes_close(&path);
}

static enum ls_status read_next(struct walk *walk, struct ls_error *err) {
  struct ls_bytes bytes = {0}, includes = {0}, path = {0};
  ls_bytes_append_text(&path, walk->names.data + walk->at);
  walk->at += path.length + 1;
  enum ls_status status =
      path.failed ? ls_fail(err, LS_ENOMEM, "raytrace: out of memory for the name of a file")
                  : input_file_read("raytrace", path.data, false, &bytes, err);
  if (status == LS_OK) {
    struct ls_text text = {bytes.data, bytes.length, path.data};
    status = scene_scan(&text, &includes, err);
  }
  if (status == LS_OK) {
    walk->digest = checksum_add(walk->digest ^ bytes.length, bytes.data, bytes.length);
    for (size_t at = 0; at < includes.length; at += strlen(includes.data + at) + 1) {
      find_include(walk, includes.data + at);
    }
  }
  ls_bytes_close(&bytes);
  ls_bytes_close(&includes);
  ls_bytes_close(&path);
  return status;
}

enum ls_status scene_digest(const char *path, const struct render_options *options,
                            uint64_t *digest, struct ls_error *err) {
  struct walk walk = {.scene = path, .options = options, .digest = CHECKSUM_START};
  enum ls_status status = LS_OK;
  ls_bytes_append(&walk.names, path, strlen(path) + 1);
  while (status == LS_OK && !walk.names.failed && walk.at < walk.names.length) {
    status = read_next(&walk, err);
  }
  if (status == LS_OK && walk.names.failed) {
    status = ls_fail(err, LS_ENOMEM, "raytrace: %s: out of memory", path);
  }
  if (status == LS_OK) *digest = walk.digest;
  ls_bytes_close(&walk.names);
  return status;
}
