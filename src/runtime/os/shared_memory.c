#include "runtime/os/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRAIN_BYTES = 1 << 16, BYTES_MAX = 1 << 30 };

enum ls_status ls_shared_memory_open(struct ls_shared_memory *memory, struct ls_error *err) {
  int file = memfd_create("loadstar", MFD_CLOEXEC);
  if (file < 0) {
    return ls_fail(err, LS_EIO, "cannot make memory that is shared with a child: %s",
                   strerror(errno));
  }
  *memory = (struct ls_shared_memory){.file = file};
  return LS_OK;
}

static bool map(struct ls_shared_memory *memory, size_t bytes) {
  void *data = memory->data == NULL
                   ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, 0)
                   : mremap(memory->data, memory->capacity, bytes, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) return false;
  memory->data = data;
  memory->capacity = bytes;
  return true;
}

/* 0: not known. */
static size_t measure(const struct ls_shared_memory *memory) {
  struct stat facts;
  return fstat(memory->file, &facts) == 0 && facts.st_size > 0 ? (size_t)facts.st_size : 0;
}

/* A quarter more than is asked for, so that sizes that creep up are few. The memory is taken now: a
 * page that cannot be had later would be a signal. */
bool ls_shared_memory_grow(struct ls_shared_memory *memory, size_t bytes) {
  if (bytes <= memory->capacity) return true;
  if (bytes > BYTES_MAX) return false;
  size_t wanted = (bytes + bytes / 4 + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
  size_t there = measure(memory);
  if (there < bytes) {
    int failure;
    do {
      failure = posix_fallocate(memory->file, 0, (off_t)wanted);
    } while (failure == EINTR);
    if (failure != 0) return false;
    there = wanted;
  }
  return map(memory, there);
}

bool ls_shared_memory_follow(struct ls_shared_memory *memory, size_t bytes) {
  if (bytes <= memory->capacity) return true;
  size_t there = measure(memory);
  return there >= bytes && map(memory, there);
}

void ls_shared_memory_close(struct ls_shared_memory *memory) {
  if (memory->data != NULL) (void)munmap(memory->data, memory->capacity);
  if (memory->file >= 0) (void)close(memory->file);
  *memory = (struct ls_shared_memory){.file = -1};
}
