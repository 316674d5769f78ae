#include "runtime/os/cgroup.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A group of this process, and where its files are. */
struct place {
  const char *root;
  char name[PATH_MAX];   /* of the group: /docker/1234 */
  size_t mount_length;   /* of `folder`: where the highest group is that is to be seen */
  char folder[PATH_MAX]; /* of one group */
  bool is_second;        /* version 2: all that can be limited is in one tree */
};

enum { NUMBER_BYTES = 64, LINE_BYTES = 8192 };

/* ---- files of a group ---- */

static FILE *open_file(const char *root, const char *folder, const char *name) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
  return length < (int)sizeof path ? fopen(path, "re") : NULL;
}

static bool read_words(const struct place *place, const char *name, char words[NUMBER_BYTES]) {
  FILE *file = open_file(place->root, place->folder, name);
  if (file == NULL) return false;
  bool is_read = fgets(words, NUMBER_BYTES, file) != NULL;
  (void)fclose(file);
  return is_read;
}

/* false: there is none; "max" and -1 are none. */
static bool read_number(const struct place *place, const char *name, uint64_t *number) {
  char words[NUMBER_BYTES], *end = words;
  if (!read_words(place, name, words) || words[0] < '0' || words[0] > '9') return false;
  *number = strtoull(words, &end, 10);
  return true;
}

static void limit_processors(const struct place *place, struct ls_cgroup *group) {
  uint64_t quota = 0, period = 0;
  char words[NUMBER_BYTES];
  if (place->is_second) {
    unsigned long long first = 0, second = 0;
    if (!read_words(place, "cpu.max", words) || sscanf(words, "%llu %llu", &first, &second) != 2)
      return;
    quota = first;
    period = second;
  } else if (!read_number(place, "cpu.cfs_quota_us", &quota) ||
             !read_number(place, "cpu.cfs_period_us", &period)) {
    return;
  }
  if (quota > 0 && period > 0)
    group->processors = fmin(group->processors, (double)quota / (double)period);
}

/* Of files, in memory only to be read again sooner: to be had without swapping. */
static uint64_t read_cached(const struct place *place) {
  char line[256];
  const char *names[] = {place->is_second ? "inactive_file " : "total_inactive_file ",
                         place->is_second ? "active_file " : "total_active_file "};
  uint64_t bytes = 0;
  FILE *file = open_file(place->root, place->folder, "memory.stat");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    for (int i = 0; i < 2; i++)
      if (strncmp(line, names[i], strlen(names[i])) == 0)
        bytes += strtoull(line + strlen(names[i]), NULL, 10);
  (void)fclose(file);
  return bytes;
}

/* Beyond memory.high a group is slowed down until it has given some back. */
static void limit_memory(const struct place *place, struct ls_cgroup *group) {
  const char *used_name = place->is_second ? "memory.current" : "memory.usage_in_bytes";
  uint64_t most = UINT64_MAX, high = UINT64_MAX, used = 0;
  (void)read_number(place, place->is_second ? "memory.max" : "memory.limit_in_bytes", &most);
  if (place->is_second && read_number(place, "memory.high", &high) && high < most) most = high;
  if (most == UINT64_MAX || !read_number(place, used_name, &used)) return;
  uint64_t cached = read_cached(place);
  used -= cached < used ? cached : used;
  uint64_t left = used < most ? most - used : 0;
  if (left < group->free_bytes) group->free_bytes = left;
}

/* ---- where they are ---- */

/* Is `word` one of those between commas? */
static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at != NULL; at = strchr(at, ',')) {
    at += at[0] == ',';
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

/* HIERARCHY:CONTROLLERS:/NAME; version 2 has no controllers there. */
static bool find_name(struct place *place, const char *controller) {
  char line[LINE_BYTES];
  bool is_found = false;
  FILE *file = open_file(place->root, "/proc/self", "cgroup");
  if (file == NULL) return false;
  while (!is_found && fgets(line, sizeof line, file) != NULL) {
    char *controllers = strchr(line, ':');
    char *name = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (name == NULL) continue;
    *controllers++ = '\0';
    *name++ = '\0';
    name[strcspn(name, "\n")] = '\0';
    bool is_wanted = place->is_second ? strcmp(line, "0") == 0 && controllers[0] == '\0'
                                      : has_word(controllers, controller);
    is_found = is_wanted && snprintf(place->name, PATH_MAX, "%s", name) < PATH_MAX;
  }
  (void)fclose(file);
  return is_found;
}

/* ID PARENT DEVICE TOP MOUNT OPTIONS... - TYPE SOURCE OPTIONS: of a container, TOP may be its group
 * by the name that it has outside, or the name of its group not be below TOP at all: then the mount
 * is its group. */
static bool read_mount(struct place *place, const char *line, const char *controller) {
  char top[PATH_MAX], mount[PATH_MAX], type[32], options[1024];
  const char *rest = strstr(line, " - ");
  _Static_assert(PATH_MAX == 4096, "the widths below");
  if (rest == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s", top, mount) != 2) return false;
  if (sscanf(rest, " - %31s %*s %1023s", type, options) != 2) return false;
  if (strcmp(type, place->is_second ? "cgroup2" : "cgroup") != 0) return false;
  if (!place->is_second && !has_word(options, controller)) return false;
  size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
  bool is_below = strncmp(place->name, top, length) == 0 &&
                  (place->name[length] == '/' || place->name[length] == '\0') &&
                  strstr(place->name, "/..") == NULL;
  const char *below = is_below ? place->name + length : "";
  place->mount_length = strlen(mount);
  int written = snprintf(place->folder, sizeof place->folder, "%s%s", mount,
                         strcmp(below, "/") == 0 ? "" : below);
  return written < (int)sizeof place->folder;
}

static bool find_folder(struct place *place, const char *controller) {
  char line[LINE_BYTES];
  bool is_found = false;
  FILE *file = open_file(place->root, "/proc/self", "mountinfo");
  if (file == NULL) return false;
  while (!is_found && fgets(line, sizeof line, file) != NULL)
    is_found = read_mount(place, line, controller);
  (void)fclose(file);
  return is_found;
}

/* The group and all above it, as far as they are to be seen: what one of them lacks all below it
 * lack. */
static void look_upwards(const char *root, const char *controller, bool is_second,
                         struct ls_cgroup *group) {
  struct place place = {.root = root, .is_second = is_second};
  if (!find_name(&place, controller) || !find_folder(&place, controller)) return;
  for (;;) {
    if (strcmp(controller, "cpu") == 0)
      limit_processors(&place, group);
    else
      limit_memory(&place, group);
    char *slash = strrchr(place.folder, '/');
    if (strlen(place.folder) <= place.mount_length || slash == NULL) return;
    *slash = '\0';
  }
}

struct ls_cgroup ls_cgroup_read(const char *root) {
  struct ls_cgroup group = {.processors = (double)INFINITY, .free_bytes = UINT64_MAX};
  for (int version = 1; version <= 2; version++) {
    look_upwards(root, "cpu", version == 2, &group);
    look_upwards(root, "memory", version == 2, &group);
  }
  return group;
}
