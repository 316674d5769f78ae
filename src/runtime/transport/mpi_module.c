#include "runtime/transport/mpi_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum ls_status open_module(const char *path, const struct ls_mpi_module **out,
                                  struct ls_error *err) {
  /* A module's MPI stays apart from whatever else the program has loaded. */
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return ls_fail(err, LS_EINVAL, "the MPI module %s cannot be loaded: %s", path, dlerror());
  const struct ls_mpi_module *module = dlsym(handle, LS_MPI_MODULE_SYMBOL);
  if (module == NULL)
    return ls_fail(err, LS_EINVAL, "%s is no MPI module of Loadstar: it has no %s", path,
                   LS_MPI_MODULE_SYMBOL);
  if (module->abi != LS_MPI_MODULE_ABI)
    return ls_fail(err, LS_EINVAL,
                   "the MPI module %s has the ABI number %u, expected %d: it is of another version",
                   path, module->abi, LS_MPI_MODULE_ABI);
  *out = module;
  return LS_OK;
}

/* Is it in this folder? Then `path` names it. */
static bool is_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
  if (length == 0) return false;
  int written = snprintf(path, PATH_MAX, "%.*s/loadstar-%s.so", (int)length, folder, name);
  return written > 0 && written < PATH_MAX && access(path, R_OK) == 0;
}

static bool is_in_any(const char *folders, const char *name, char path[PATH_MAX]) {
  for (const char *rest = folders; rest != NULL && *rest != '\0';) {
    size_t length = strcspn(rest, ":");
    if (is_in(rest, length, name, path)) return true;
    rest += length + (rest[length] == ':');
  }
  return false;
}

/* The applications of a build tree stand in a folder below the one of its program. */
static bool is_beside(const char *name, char path[PATH_MAX]) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  for (int above = 0; above < 2; ++above) {
    char *slash = strrchr(program, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    if (is_in(program, strlen(program), name, path)) return true;
  }
  return false;
}

enum ls_status ls_mpi_module_load(const char *name, const struct ls_mpi_module **out,
                                  struct ls_error *err) {
  char path[PATH_MAX];
  if (strchr(name, '/') != NULL) return open_module(name, out, err);
  bool is_found = is_in_any(getenv("LOADSTAR_MODULES"), name, path) || is_beside(name, path) ||
                  is_in(LS_MODULES_FOLDER, strlen(LS_MODULES_FOLDER), name, path);
  if (is_found) return open_module(path, out, err);
  return ls_fail(err, LS_EINVAL,
                 "the module loadstar-%s.so is neither in LOADSTAR_MODULES nor next to the program "
                 "nor in %s: install the package loadstar-%s",
                 name, LS_MODULES_FOLDER, name);
}
