/* Folders of shipped programs go with who runs from them, and those of the dead with the next one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/pool/ssh/shipped.h"

struct scene {
  char parent[40];
};

/* In that folder. */
static void run(const char *line, const char *parent) {
  char command[400];
  (void)snprintf(command, sizeof command, "cd %s && %s", parent, line);
  assert_int_equal(system(command), 0);
}

static bool is_there(const struct scene *scene, const char *name) {
  char path[120];
  (void)snprintf(path, sizeof path, "%s/%s", scene->parent, name);
  return access(path, F_OK) == 0;
}

static struct scene open_scene(void) {
  struct scene scene;
  strcpy(scene.parent, "/tmp/loadstar-shipped-XXXXXX");
  assert_non_null(mkdtemp(scene.parent));
  run("for name in loadstar-ship-aaaaaa loadstar-ship-bbbbbb loadstar-ship-cccccc "
      "loadstar-ship-long-er other; do mkdir -p $name/bin/x/lib; >$name/bin/x/lib/y; done; "
      "touch -d '2 hours ago' loadstar-ship-[ab]* loadstar-ship-l* other",
      scene.parent);
  return scene;
}

static void those_of_the_dead_are_removed(void **state) {
  char path[120];
  (void)state;
  struct scene scene = open_scene();
  (void)snprintf(path, sizeof path, "%s/loadstar-ship-aaaaaa", scene.parent);
  int held = ls_shipped_hold(path);
  assert_true(held >= 0);
  assert_true(is_there(&scene, "loadstar-ship-aaaaaa"));
  assert_false(is_there(&scene, "loadstar-ship-bbbbbb"));
  /* One that is young may be on its way; the others are none. */
  assert_true(is_there(&scene, "loadstar-ship-cccccc"));
  assert_true(is_there(&scene, "loadstar-ship-long-er") && is_there(&scene, "other"));
  /* Another process finds that ours is held. */
  (void)snprintf(path, sizeof path, "%s/loadstar-ship-cccccc", scene.parent);
  int other = ls_shipped_hold(path);
  assert_true(other >= 0 && is_there(&scene, "loadstar-ship-aaaaaa"));
  (void)close(other);
  (void)close(held);
  ls_shipped_remove(path);
  assert_false(is_there(&scene, "loadstar-ship-cccccc"));
  run("rm -rf $PWD", scene.parent);
}

static void what_is_no_such_folder_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "loadstar-ship-aaaaaa",
                                      "/tmp",
                                      "/tmp/",
                                      "/tmp/loadstar-ship-",
                                      "/tmp/loadstar-ship-aaaaaaa",
                                      "/tmp/loadstar-ship-aaa-aa",
                                      "/tmp/loadstar-ship-aaaaaa/"};
  struct ls_error err = {0};
  assert_int_equal(ls_shipped_check("/tmp/loadstar-ship-aB3aaa", NULL), LS_OK);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_int_equal(ls_shipped_check(texts[i], &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "expected /.../loadstar-ship- and 6 letters"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_of_the_dead_are_removed),
      cmocka_unit_test(what_is_no_such_folder_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
