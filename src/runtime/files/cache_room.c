/* cache_room.c: which files go when others need their room. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/files/cache_private.h"
#include "runtime/os/tree.h"

/* A file that nobody has linked. */
struct idle {
  char *name;
  uint64_t bytes;
  struct timespec used;
};

struct stock {
  uint64_t bytes; /* of all files */
  struct idle *idle;
  size_t count, capacity;
};

static DIR *open_list(int folder) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
  if (list == NULL && copy >= 0) (void)close(copy);
  return list;
}

/* Without memory a file stays. */
static void note_idle(struct stock *stock, const char *name, const struct stat *facts) {
  if (ls_array_reserve((void **)&stock->idle, &stock->capacity, stock->count + 1,
                       sizeof *stock->idle) != LS_OK)
    return;
  char *copy = strdup(name);
  if (copy == NULL) return;
  stock->idle[stock->count++] = (struct idle){copy, (uint64_t)facts->st_size, facts->st_atim};
}

static void take_stock(int files, struct stock *stock) {
  DIR *list = open_list(files);
  const struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    struct stat facts;
    if (fstatat(files, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(facts.st_mode)) continue;
    stock->bytes += (uint64_t)facts.st_size;
    if (facts.st_nlink == 1) note_idle(stock, entry->d_name, &facts);
  }
  if (list != NULL) (void)closedir(list);
}

static void close_stock(struct stock *stock) {
  for (size_t i = 0; i < stock->count; ++i) free(stock->idle[i].name);
  free(stock->idle);
}

uint64_t ls_cache_count_bytes(int files) {
  struct stock stock = {0};
  take_stock(files, &stock);
  close_stock(&stock);
  return stock.bytes;
}

static int compare_use(const void *left, const void *right) {
  const struct timespec *a = &((const struct idle *)left)->used;
  const struct timespec *b = &((const struct idle *)right)->used;
  if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
  return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* A worker that lives has locked its links. */
static void remove_dead_pins(const struct ls_cache *cache) {
  int folder = cache->scratch->folder;
  DIR *list = open_list(folder);
  const struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    if (strncmp(entry->d_name, LS_CACHE_PINS, sizeof LS_CACHE_PINS - 1) != 0) continue;
    int pins = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (pins >= 0 && flock(pins, LOCK_EX | LOCK_NB) == 0) ls_tree_remove(folder, entry->d_name);
    if (pins >= 0) (void)close(pins);
  }
  if (list != NULL) (void)closedir(list);
}

enum ls_status ls_cache_make_room(struct ls_cache *cache, uint64_t bytes, struct ls_error *err) {
  struct stock stock = {0};
  remove_dead_pins(cache);
  take_stock(cache->files, &stock);
  if (stock.count > 0) qsort(stock.idle, stock.count, sizeof *stock.idle, compare_use);
  uint64_t left = stock.bytes;
  for (size_t i = 0; i < stock.count && left + bytes > cache->bytes_max; ++i) {
    if (unlinkat(cache->files, stock.idle[i].name, 0) == 0) left -= stock.idle[i].bytes;
  }
  close_stock(&stock);
  if (left + bytes <= cache->bytes_max) return LS_OK;
  return ls_fail(err, LS_EBUSY, "%llu bytes do not fit with %llu in use, at most %llu",
                 (unsigned long long)bytes, (unsigned long long)left,
                 (unsigned long long)cache->bytes_max);
}
