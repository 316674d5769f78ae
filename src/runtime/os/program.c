#include "runtime/os/program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/digest.h"

enum { BLOCK_BYTES = 1 << 16 };

void ls_program_describe_file(const char *path, char text[LS_PROGRAM_BYTES]) {
  unsigned char block[BLOCK_BYTES];
  uint64_t digest = LS_DIGEST_START;
  ssize_t length = -1;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  (void)snprintf(text, LS_PROGRAM_BYTES, "%s", LS_VERSION);
  if (file < 0) return;
  while ((length = read(file, block, sizeof block)) > 0)
    digest = ls_digest_add(digest, block, (size_t)length);
  (void)close(file);
  if (length == 0) (void)snprintf(text, LS_PROGRAM_BYTES, "%s %016" PRIx64, LS_VERSION, digest);
}

void ls_program_describe(char text[LS_PROGRAM_BYTES]) {
  ls_program_describe_file("/proc/self/exe", text);
}
