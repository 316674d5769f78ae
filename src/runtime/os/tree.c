#include "runtime/os/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders below this depth are moved to the top, and removed from there. */
enum { DEPTH_MAX = 32, NAME_BYTES = 48 };

struct removal {
  int top;
  unsigned long moved; /* folders that came to the top from below */
};

static void empty(struct removal *removal, int folder, const char *const *kept, unsigned depth);

/* The mode may forbid its owner to look, and only a folder that is none any more is a link. */
static int open_folder(int parent, const char *name) {
  char path[NAME_BYTES];
  int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  (void)chmod(path, 0700);
  int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  (void)close(place);
  return folder;
}

static void move_up(struct removal *removal, int folder, const char *name) {
  char above[NAME_BYTES];
  (void)snprintf(above, sizeof above, "loadstar-deep-%lu", removal->moved + 1);
  if (renameat(folder, name, removal->top, above) == 0) ++removal->moved;
}

static void remove_one(struct removal *removal, int folder, const char *name, unsigned depth) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return;
  if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return;
  int inner = open_folder(folder, name);
  if (inner < 0) return;
  if (depth >= DEPTH_MAX) {
    move_up(removal, folder, name);
  } else {
    empty(removal, inner, NULL, depth + 1);
  }
  (void)close(inner);
  (void)unlinkat(folder, name, AT_REMOVEDIR);
}

static bool is_to_go(const char *name, const char *const *kept) {
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
  for (; kept != NULL && *kept != NULL; ++kept) {
    if (strcmp(name, *kept) == 0) return false;
  }
  return true;
}

static void empty(struct removal *removal, int folder, const char *const *kept, unsigned depth) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
  if (list == NULL) {
    if (copy >= 0) (void)close(copy);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(list)) != NULL) {
    if (is_to_go(entry->d_name, kept)) remove_one(removal, folder, entry->d_name, depth);
  }
  (void)closedir(list);
}

void ls_tree_empty(int folder, const char *const *kept) {
  struct removal removal = {.top = folder};
  unsigned long before;
  do {
    before = removal.moved;
    empty(&removal, folder, kept, 0);
  } while (removal.moved > before);
}

void ls_tree_remove(int folder, const char *name) {
  if (unlinkat(folder, name, 0) == 0) return;
  int inner = open_folder(folder, name);
  if (inner >= 0) {
    ls_tree_empty(inner, NULL);
    (void)close(inner);
  }
  (void)unlinkat(folder, name, AT_REMOVEDIR);
}
