/* piper.c: an application whose master has a child of its own, and whose workers die.
 *
 * piper run [OPTIONS] -- FOLDER: each merged unit is told to a child (popen) that notes it in
 * FOLDER; the first two units kill the worker that they run on, once.  Says "all heard" at the end,
 * when the child has lived until then and noted every unit.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <loadstar.h>

enum { UNITS = 20 };

struct state {
  char folder[200];
  FILE *child; /* of the master */
};

static enum ls_status open_piper(int argc, char **argv, void **out, struct ls_error *err) {
  if (argc != 2) return ls_fail(err, LS_EINVAL, "expected one word, a folder");
  struct state *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "out of memory");
  (void)snprintf(state->folder, sizeof state->folder, "%s", argv[1]);
  *out = state;
  return LS_OK;
}

static enum ls_status count_units(void *context, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct state *state = context;
  char command[256];
  *units = iteration == 0 ? UNITS : 0;
  if (iteration > 0) return LS_OK;
  (void)snprintf(command, sizeof command, "cat > %s/heard", state->folder);
  state->child = popen(command, "w");
  return state->child != NULL ? LS_OK : ls_fail(err, LS_EIO, "no child");
}

static enum ls_status merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct state *state = context;
  for (uint64_t i = 0; i < result->units.count; ++i) {
    if (fputs("unit\n", state->child) < 0) return ls_fail(err, LS_EIO, "the child is gone");
  }
  return fflush(state->child) == 0 ? LS_OK : ls_fail(err, LS_EIO, "the child is gone");
}

static enum ls_status compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct state *state = context;
  (void)output, (void)err;
  for (uint64_t unit = work->units.first; unit < work->units.first + work->units.count; ++unit) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/killed-%d", state->folder, (int)unit);
    int file = unit < 2 ? open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
    /* The process that computes is the worker's child. */
    if (file >= 0) (void)kill(getppid(), SIGKILL);
  }
  return LS_OK;
}

static void close_piper(void *context) {
  struct state *state = context;
  if (state->child != NULL) {
    char path[256], line[16];
    int status = pclose(state->child), units = 0;
    (void)snprintf(path, sizeof path, "%s/heard", state->folder);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) ++units;
    if (file != NULL) (void)fclose(file);
    if (status == 0 && units == UNITS) (void)printf("all heard\n");
    (void)fflush(stdout);
  }
  free(state);
}

static const struct ls_app app = {.name = "piper",
                                  .summary = "tells a child what was done",
                                  .usage = "FOLDER",
                                  .open = open_piper,
                                  .close = close_piper,
                                  .units = count_units,
                                  .merge = merge,
                                  .compute = compute};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &app);
}
