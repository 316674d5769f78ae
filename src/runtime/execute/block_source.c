#include "runtime/execute/block_source.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t SECOND_NS = 1000000000;

enum ls_status ls_block_source_look(int file, const char *path, struct ls_block_source *source,
                                    struct ls_error *err) {
  struct stat facts;
  if (fstat(file, &facts) != 0) return ls_fail(err, LS_EIO, "%s: %s", path, strerror(errno));
  if (!S_ISREG(facts.st_mode))
    return ls_fail(err, LS_EINVAL, "%s: is a %s, expected a regular file", path,
                   S_ISDIR(facts.st_mode)    ? "folder"
                   : S_ISFIFO(facts.st_mode) ? "pipe"
                                             : "device or socket");
  char byte;
  if (facts.st_size == 0 && pread(file, &byte, 1, 0) > 0)
    return ls_fail(err, LS_EINVAL,
                   "%s: has text, and a size of 0 (as files of the kernel do): give it to --pipe",
                   path);
  *source = (struct ls_block_source){
      .bytes = (uint64_t)facts.st_size,
      .modified_ns = (uint64_t)facts.st_mtim.tv_sec * SECOND_NS + (uint64_t)facts.st_mtim.tv_nsec,
      .inode = (uint64_t)facts.st_ino};
  return LS_OK;
}

enum ls_status ls_block_source_check(int file, const char *path,
                                     const struct ls_block_source *source, struct ls_error *err) {
  struct ls_block_source now;
  enum ls_status status = ls_block_source_look(file, path, &now, err);
  bool is_same = status == LS_OK && now.bytes == source->bytes &&
                 now.modified_ns == source->modified_ns && now.inode == source->inode;
  if (status != LS_OK || is_same) return status;
  struct ls_bytes was = {0}, is = {0};
  ls_block_source_describe(source, &was);
  ls_block_source_describe(&now, &is);
  status = ls_fail(err, LS_EINVAL, "%s: has changed while it is read: it was %s; it is %s", path,
                   ls_bytes_text(&was), ls_bytes_text(&is));
  ls_bytes_close(&was);
  ls_bytes_close(&is);
  return status;
}

void ls_block_source_describe(const struct ls_block_source *source, struct ls_bytes *out) {
  ls_bytes_printf(out, "%" PRIu64 " bytes, changed at %" PRIu64 ".%09" PRIu64 ", inode %" PRIu64,
                  source->bytes, source->modified_ns / SECOND_NS, source->modified_ns % SECOND_NS,
                  source->inode);
}
