#include "runtime/files/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime/files/cache_private.h"
#include "runtime/files/inside.h"
#include "runtime/os/tree.h"

enum { COPY_BYTES = 1 << 17, NAME_BYTES = LS_CONTENT_DIGITS + 8, SHARE = 10 };

/* The time of change that a whole file gets: writing into it gives it another one. */
static const time_t mark_s = 1000000000;

static const char turn_name[] = "turn";

static void write_name(const unsigned char content[LS_CONTENT_BYTES], const char *suffix,
                       char name[NAME_BYTES]) {
  ls_content_write(content, name);
  (void)strcpy(name + LS_CONTENT_DIGITS, suffix);
}

/* ---- opening ---- */

static uint64_t choose_limit(int folder) {
  struct statvfs facts;
  if (fstatvfs(folder, &facts) != 0) return 0;
  return ((uint64_t)facts.f_bavail * facts.f_frsize + ls_cache_count_bytes(folder)) / SHARE;
}

static int make_folder(int parent, const char *name) {
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) return -1;
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

enum ls_status ls_cache_open(struct ls_cache *cache, const struct ls_scratch *scratch,
                             uint64_t bytes_max, struct ls_error *err) {
  struct ls_cache made = {.scratch = scratch, .pins = -1, .bytes_max = bytes_max};
  made.files = make_folder(scratch->folder, LS_CACHE_FILES);
  /* Another process, or thread, of this machine may have the number. */
  for (unsigned k = 0; made.files >= 0 && made.pins < 0 && k < 10000; ++k) {
    (void)snprintf(made.pins_name, sizeof made.pins_name, LS_CACHE_PINS "%ld.%u", (long)getpid(),
                   k);
    if (mkdirat(scratch->folder, made.pins_name, 0700) == 0)
      made.pins = make_folder(scratch->folder, made.pins_name);
    else if (errno != EEXIST)
      break;
  }
  if (made.pins >= 0 && flock(made.pins, LOCK_EX | LOCK_NB) == 0) {
    if (bytes_max == 0) made.bytes_max = choose_limit(made.files);
    *cache = made;
    return LS_OK;
  }
  enum ls_status status =
      ls_fail(err, LS_EIO, "cannot make a cache in '%s': %s", scratch->path, strerror(errno));
  if (made.files >= 0) (void)close(made.files);
  if (made.pins >= 0) (void)close(made.pins);
  return status;
}

void ls_cache_close(struct ls_cache *cache) {
  if (cache->files < 0) return;
  ls_tree_remove(cache->scratch->folder, cache->pins_name);
  (void)close(cache->pins);
  (void)close(cache->files);
  *cache = (struct ls_cache){.files = -1, .pins = -1};
}

int ls_cache_take_turn(const struct ls_cache *cache) {
  int file =
      openat(cache->scratch->folder, turn_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) (void)close(file);
  return -1;
}

/* ---- what is there ---- */

static bool is_whole(int folder, const char *name, uint64_t bytes) {
  struct stat facts;
  return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode) &&
         (uint64_t)facts.st_size == bytes && facts.st_mtim.tv_sec == mark_s;
}

bool ls_cache_pin(struct ls_cache *cache, const unsigned char content[LS_CONTENT_BYTES],
                  uint64_t bytes) {
  static const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
  char name[NAME_BYTES];
  write_name(content, "", name);
  if (!is_whole(cache->files, name, bytes)) return false;
  /* Where nothing can be linked, nothing is pinned, and may have to be brought again. */
  (void)!linkat(cache->files, name, cache->pins, name, 0);
  (void)utimensat(cache->files, name, now, AT_SYMLINK_NOFOLLOW);
  return is_whole(cache->files, name, bytes);
}

void ls_cache_unpin(struct ls_cache *cache, const unsigned char content[LS_CONTENT_BYTES]) {
  char name[NAME_BYTES];
  write_name(content, "", name);
  (void)unlinkat(cache->pins, name, 0);
}

/* ---- arrivals ---- */

enum ls_status ls_cache_begin(struct ls_cache *cache, struct ls_cache_arrival *arrival,
                              const unsigned char content[LS_CONTENT_BYTES], uint64_t bytes,
                              struct ls_error *err) {
  char name[NAME_BYTES];
  write_name(content, LS_CACHE_PART, name);
  (void)unlinkat(cache->files, name, 0);
  int file = openat(cache->files, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return ls_fail(err, LS_EIO, "cannot make a file in the cache '%s': %s", cache->scratch->path,
                   strerror(errno));
  *arrival = (struct ls_cache_arrival){.file = file, .bytes = bytes};
  memcpy(arrival->name, content, LS_CONTENT_BYTES);
  ls_content_begin(&arrival->content);
  return LS_OK;
}

static bool write_whole(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    length -= (size_t)written;
  }
  return true;
}

enum ls_status ls_cache_add(struct ls_cache_arrival *arrival, const void *data, size_t length,
                            struct ls_error *err) {
  if (length > arrival->bytes - arrival->received)
    return ls_fail(err, LS_ECORRUPT, "a file has more than its %llu bytes",
                   (unsigned long long)arrival->bytes);
  if (!write_whole(arrival->file, data, length))
    return ls_fail(err, LS_EIO, "cannot write into the cache: %s", strerror(errno));
  ls_content_add(&arrival->content, data, length);
  arrival->received += length;
  return LS_OK;
}

/* From now on nobody writes into it; the time tells if somebody does. */
static bool seal(int file, mode_t mode) {
  const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = mark_s}};
  return fchmod(file, mode) == 0 && futimens(file, times) == 0;
}

void ls_cache_abandon(struct ls_cache *cache, struct ls_cache_arrival *arrival) {
  char part[NAME_BYTES];
  if (arrival->file < 0) return;
  write_name(arrival->name, LS_CACHE_PART, part);
  (void)unlinkat(cache->files, part, 0);
  (void)close(arrival->file);
  *arrival = (struct ls_cache_arrival){.file = -1};
}

enum ls_status ls_cache_end(struct ls_cache *cache, struct ls_cache_arrival *arrival,
                            struct ls_error *err) {
  unsigned char got[LS_CONTENT_BYTES];
  char part[NAME_BYTES], name[NAME_BYTES];
  write_name(arrival->name, LS_CACHE_PART, part);
  write_name(arrival->name, "", name);
  ls_content_end(&arrival->content, got);
  enum ls_status status = LS_OK;
  if (memcmp(got, arrival->name, LS_CONTENT_BYTES) != 0) {
    status = ls_fail(err, LS_ECORRUPT, "what arrived has another content than was sent");
  } else if (!seal(arrival->file, 0444) || renameat(cache->files, part, cache->files, name) != 0) {
    status = ls_fail(err, LS_EIO, "cannot keep a file in the cache: %s", strerror(errno));
  }
  ls_cache_abandon(cache, arrival);
  return status;
}

/* ---- into sandboxes ---- */

static bool copy_bytes(int from, int to) {
  char block[COPY_BYTES];
  for (;;) {
    ssize_t length = read(from, block, sizeof block);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return length == 0;
    if (!write_whole(to, block, (size_t)length)) return false;
  }
}

static bool copy_file(int folder, const char *name, int to_folder, const char *to_name,
                      mode_t mode) {
  int from = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  int to = from < 0 ? -1
                    : openat(to_folder, to_name,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool is_copied = to >= 0 && copy_bytes(from, to) && seal(to, mode);
  int reason = errno;
  if (to >= 0) (void)close(to);
  if (to >= 0 && !is_copied) (void)unlinkat(to_folder, to_name, 0);
  if (from >= 0) (void)close(from);
  errno = reason;
  return is_copied;
}

/* A file has one mode: the same content as a program is another one. */
static bool make_executable(int files, const char *plain, const char *name, uint64_t bytes) {
  char part[NAME_BYTES + 32];
  if (is_whole(files, name, bytes)) return true;
  (void)snprintf(part, sizeof part, "%s.%ld" LS_CACHE_PART, name, (long)getpid());
  (void)unlinkat(files, part, 0);
  return copy_file(files, plain, files, part, 0555) && renameat(files, part, files, name) == 0;
}

enum ls_status ls_cache_link(const struct ls_cache *cache, const struct ls_staged_input *input,
                             int sandbox, struct ls_error *err) {
  char plain[NAME_BYTES], name[NAME_BYTES];
  struct ls_inside place;
  enum ls_status status = ls_inside_open(sandbox, input->name, true, &place, err);
  if (status != LS_OK) return status;
  write_name(input->content, "", plain);
  write_name(input->content, input->is_executable ? ".x" : "", name);
  bool is_there = is_whole(cache->files, plain, input->bytes);
  if (!is_there) errno = ENOENT;
  if (is_there && input->is_executable)
    is_there = make_executable(cache->files, plain, name, input->bytes);
  bool is_linked = is_there && linkat(cache->files, name, place.parent, place.last, 0) == 0;
  /* A file system may know no links, or no more of them. */
  if (is_there && !is_linked && (errno == EPERM || errno == EMLINK || errno == ENOTSUP))
    is_linked =
        copy_file(cache->files, name, place.parent, place.last, input->is_executable ? 0555 : 0444);
  if (!is_linked)
    status = ls_fail(err, LS_EIO, "input '%s' cannot be put into the sandbox: %s", input->name,
                     strerror(errno));
  (void)close(place.parent);
  return status;
}
