#include "cli/run/stage_name.h"

#include <string.h>

#include "cli/console.h"

static const char *find_begin(const char *path) {
  const char *mark = strstr(path, "/./");
  if (mark != NULL) return mark + 3;
  const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
  return slash != NULL ? slash + 1 : path;
}

static enum ls_status refuse(const char *path, const char *option, const char *why,
                             struct ls_error *err) {
  char shown[200];
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "%s is '%s', %s", option, shown, why);
}

enum ls_status ls_stage_name(const char *path, const char *option, struct ls_bytes *name,
                             struct ls_error *err) {
  const char *part = find_begin(path);
  size_t before = name->length, length = strlen(part);
  if (length == 0 || part[length - 1] == '/')
    return refuse(path, option, "expected the name of a file", err);
  for (; *part != '\0'; part += length + (part[length] == '/')) {
    length = strcspn(part, "/");
    if (length == 0 || (length == 1 && part[0] == '.')) continue;
    if (length == 2 && strncmp(part, "..", 2) == 0)
      return refuse(path, option, "which leads out of the sandbox (a '/./' says where it begins)",
                    err);
    if (name->length > before) ls_bytes_append_char(name, '/');
    ls_bytes_append(name, part, length);
  }
  if (name->failed) return ls_fail(err, LS_ENOMEM, "out of memory for the name of a file");
  return name->length > before ? LS_OK : refuse(path, option, "expected the name of a file", err);
}
