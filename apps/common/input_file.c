#include "input_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool are_one(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *find_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool find_folder(const char *path, struct stat *facts) {
  size_t length = (size_t)(find_name(path) - path);
  char *folder = length > 0 ? strndup(path, length) : strdup(".");
  bool is_there = folder != NULL && stat(folder, facts) == 0;
  free(folder);
  return is_there;
}

bool input_file_is(const char *path, const char *other) {
  struct stat first, second;
  if (strcmp(path, other) == 0) return true;
  bool is_there = stat(path, &first) == 0, is_other_there = stat(other, &second) == 0;
  if (is_there && is_other_there) return are_one(&first, &second);
  return is_there == is_other_there && strcmp(find_name(path), find_name(other)) == 0 &&
         find_folder(path, &first) && find_folder(other, &second) && are_one(&first, &second);
}
