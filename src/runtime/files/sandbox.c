#include "runtime/files/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/tree.h"

enum { NAME_BYTES = 64, ATTEMPTS_MAX = 100000 };

const char *ls_sandboxing_name(enum ls_sandboxing how) {
  static const char *const names[] = {"none", "removed", "kept-failed", "kept"};
  return (unsigned)how < LS_SANDBOXING_COUNT ? names[how] : "unknown";
}

enum ls_status ls_sandbox_open(struct ls_sandbox *sandbox, const struct ls_scratch *scratch,
                               struct ls_error *err) {
  struct ls_sandbox made = {.scratch = scratch, .folder = -1};
  if (asprintf(&made.path, "%s/task-XXXXXX", scratch->path) < 0)
    return ls_fail(err, LS_ENOMEM, "out of memory for the name of a sandbox");
  bool is_made = mkdtemp(made.path) != NULL;
  if (is_made) made.folder = open(made.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (made.folder >= 0) {
    *sandbox = made;
    return LS_OK;
  }
  enum ls_status status =
      ls_fail(err, LS_EBUSY, "cannot make a sandbox in '%s': %s", scratch->path, strerror(errno));
  if (is_made) (void)rmdir(made.path);
  free(made.path);
  return status;
}

static const char *find_name(const struct ls_sandbox *sandbox) {
  return strrchr(sandbox->path, '/') + 1;
}

/* An earlier attempt of the task may have its number. */
static bool move_to(const struct ls_sandbox *sandbox, uint64_t number, char name[NAME_BYTES]) {
  int scratch = sandbox->scratch->folder;
  for (int attempt = 1; attempt < ATTEMPTS_MAX; ++attempt) {
    int length = snprintf(name, NAME_BYTES, LS_SCRATCH_KEPT "/%llu", (unsigned long long)number);
    if (attempt > 1) (void)snprintf(name + length, NAME_BYTES - (size_t)length, ".%d", attempt);
    if (renameat2(scratch, find_name(sandbox), scratch, name, RENAME_NOREPLACE) == 0) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

void ls_sandbox_keep(struct ls_sandbox *sandbox, uint64_t number, struct ls_bytes *words) {
  char name[NAME_BYTES], host[HOST_NAME_MAX + 1] = "";
  if (sandbox->folder < 0) return;
  (void)gethostname(host, sizeof host - 1);
  (void)mkdirat(sandbox->scratch->folder, LS_SCRATCH_KEPT, 0700);
  if (!move_to(sandbox, number, name)) {
    ls_bytes_printf(words, "loadstar: the sandbox cannot be kept: %s\n", strerror(errno));
    return;
  }
  ls_bytes_printf(words, "loadstar: the sandbox is kept: %s:%s/%s\n", host, sandbox->scratch->path,
                  name);
  (void)close(sandbox->folder);
  free(sandbox->path);
  *sandbox = (struct ls_sandbox){.folder = -1};
}

void ls_sandbox_close(struct ls_sandbox *sandbox) {
  if (sandbox->folder < 0) return;
  ls_tree_remove(sandbox->scratch->folder, find_name(sandbox));
  (void)close(sandbox->folder);
  free(sandbox->path);
  *sandbox = (struct ls_sandbox){.folder = -1};
}
