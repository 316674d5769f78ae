#include "runtime/files/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length of the part that begins here, or 0: it may be none of a name. */
static size_t measure_part(const char *part) {
  size_t length = strcspn(part, "/");
  bool is_dots = (length == 1 && part[0] == '.') || (length == 2 && strncmp(part, "..", 2) == 0);
  return is_dots || length > NAME_MAX ? 0 : length;
}

static int enter(int folder, const char *part, bool makes) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int inner = openat(folder, part, flags);
  if (inner >= 0 || errno != ENOENT || !makes) return inner;
  if (mkdirat(folder, part, 0700) != 0 && errno != EEXIST) return -1;
  return openat(folder, part, flags);
}

enum ls_status ls_inside_open(int folder, const char *name, bool makes, struct ls_inside *place,
                              struct ls_error *err) {
  int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  const char *part = name;
  while (at >= 0) {
    char text[NAME_MAX + 1];
    size_t length = measure_part(part);
    if (length == 0) {
      (void)close(at);
      return ls_fail(err, LS_EINVAL, "'%s' leads out of the sandbox, or is no name of a file",
                     name);
    }
    if (part[length] == '\0') {
      *place = (struct ls_inside){at, part};
      return LS_OK;
    }
    memcpy(text, part, length);
    text[length] = '\0';
    int inner = enter(at, text, makes), reason = errno;
    (void)close(at);
    errno = reason;
    at = inner;
    part += length + 1;
  }
  bool is_link = errno == ELOOP || errno == ENOTDIR;
  return ls_fail(err, LS_EIO, "'%s': %s", name,
                 is_link ? "a folder in it is a link, or a file" : strerror(errno));
}
