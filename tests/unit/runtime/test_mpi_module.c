/* Arguments: the folder of loadstar-foreign.so and loadstar-empty.so. That modules of MPI are found
 * and work is the transports' suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/transport/mpi_module.h"

static const char *modules;

static void expect_refusal(const char *name, const char *first, const char *second) {
  const struct ls_mpi_module *module = NULL;
  struct ls_error err = {0};
  assert_int_equal(ls_mpi_module_load(name, &module, &err), LS_EINVAL);
  assert_null(module);
  if (strstr(err.text, first) == NULL || strstr(err.text, second) == NULL)
    fail_msg("expected %s and %s: %s", first, second, err.text);
}

static void another_abi_number_is_refused_with_both(void **state) {
  (void)state;
  char number[16], expected[32];
  snprintf(number, sizeof number, "number %d", LS_MPI_MODULE_ABI + 41);
  snprintf(expected, sizeof expected, "expected %d", LS_MPI_MODULE_ABI);
  expect_refusal("foreign", number, expected);
}

static void a_module_is_sought_in_all_folders_that_are_named(void **state) {
  (void)state;
  char folders[4096];
  snprintf(folders, sizeof folders, "/nowhere::%s", modules);
  assert_int_equal(setenv("LOADSTAR_MODULES", folders, 1), 0);
  expect_refusal("foreign", modules, "ABI number");
  assert_int_equal(setenv("LOADSTAR_MODULES", "/nowhere", 1), 0);
  expect_refusal("absent", "LOADSTAR_MODULES", "install the package loadstar-absent");
  assert_int_equal(setenv("LOADSTAR_MODULES", modules, 1), 0);
}

static void a_name_with_a_slash_is_a_file(void **state) {
  (void)state;
  char path[4096];
  snprintf(path, sizeof path, "%s/loadstar-foreign.so", modules);
  expect_refusal(path, path, "ABI number");
  expect_refusal("/nowhere/module.so", "/nowhere/module.so", "cannot be loaded");
}

static void a_library_that_is_no_module_is_refused(void **state) {
  (void)state;
  expect_refusal("empty", "loadstar-empty.so", "is no MPI module of Loadstar");
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  modules = argv[1];
  if (setenv("LOADSTAR_MODULES", modules, 1) != 0) return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_abi_number_is_refused_with_both),
      cmocka_unit_test(a_module_is_sought_in_all_folders_that_are_named),
      cmocka_unit_test(a_name_with_a_slash_is_a_file),
      cmocka_unit_test(a_library_that_is_no_module_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
