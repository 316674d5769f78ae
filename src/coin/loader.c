/* loader.c: Clp and Cbc, each function a way into the library that has it.
 *
 * They are loaded once, and stay.  What they need comes with them, and is seen by them alone.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "coin/coin.h"

enum library { CLP, CBC, LIBRARIES };

/* Of Clp 1 and Cbc 2, whose functions coin.h declares. */
static const char *const libraries[LIBRARIES] = {
    [CLP] = "libClp.so.1", [CBC] = "libCbcSolver.so.3"};

static struct {
#define COIN_MODEL(library, type, name)                        type (*name)(void);
#define COIN_VALUE(library, type, name, parameters, arguments) type(*name) parameters;
#define COIN_VOID(library, name, parameters, arguments)        void(*name) parameters;
#include "coin/functions.h"
#undef COIN_MODEL
#undef COIN_VALUE
#undef COIN_VOID
} loaded;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static void *open_library(enum library library) {
  void *handle = dlopen(libraries[library], RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) (void)snprintf(failure, sizeof failure, "%s", dlerror());
  return handle;
}

/* `place`: of a pointer to a function, which POSIX has the size of one to data. */
static void find(void *handle, const char *name, void *place) {
  if (failure[0] != '\0') return;
  void *symbol = dlsym(handle, name);
  if (symbol == NULL) (void)snprintf(failure, sizeof failure, "%s", dlerror());
  memcpy(place, &symbol, sizeof symbol);
}

static void load(void) {
  void *handles[LIBRARIES];
  if (!LS_SOLVER) {
    (void)snprintf(failure, sizeof failure, "this build is without them (-Dsolver=disabled)");
    return;
  }
  for (int i = 0; i < LIBRARIES; i++) {
    handles[i] = open_library((enum library)i);
    if (handles[i] == NULL) return;
  }
#define COIN_MODEL(library, type, name) find(handles[library], #name, &loaded.name);
#define COIN_VALUE(library, type, name, parameters, arguments) \
  find(handles[library], #name, &loaded.name);
#define COIN_VOID(library, name, parameters, arguments) find(handles[library], #name, &loaded.name);
#include "coin/functions.h"
#undef COIN_MODEL
#undef COIN_VALUE
#undef COIN_VOID
}

const char *ls_coin_failure(void) {
  return failure[0] != '\0' ? failure : NULL;
}

/* Models are made before anything is done with them. */
static int is_loaded(void) {
  (void)pthread_once(&once, load);
  return failure[0] == '\0';
}

#define COIN_MODEL(library, type, name)        \
  type ls_##name(void) {                       \
    return is_loaded() ? loaded.name() : NULL; \
  }
#define COIN_VALUE(library, type, name, parameters, arguments) \
  type ls_##name parameters {                                  \
    return loaded.name arguments;                              \
  }
#define COIN_VOID(library, name, parameters, arguments) \
  void ls_##name parameters {                           \
    loaded.name arguments;                              \
  }
#include "coin/functions.h"
