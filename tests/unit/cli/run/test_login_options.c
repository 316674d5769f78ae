#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/login_options.h"
#include "cli/run/run_options.h"
#include "option_key.h"

static enum ls_status give(struct ls_login_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_login_options_has(key));
  return ls_login_options_read(options, key, text, err);
}

static void logins_and_files_keep_their_order(void **state) {
  (void)state;
  struct ls_login_options options = {0};
  assert_int_equal(give(&options, "sshlogin", "a,b", NULL), LS_OK);
  assert_int_equal(give(&options, "sshloginfile", "hosts", NULL), LS_OK);
  assert_int_equal(give(&options, "sshlogin", "..", NULL), LS_OK);
  assert_int_equal(options.count, 3);
  assert_string_equal(options.items[0].text, "a,b");
  assert_true(!options.items[0].is_file && options.items[1].is_file && options.items[2].is_file);
  assert_false(ls_login_options_take_input(&options));
  assert_int_equal(give(&options, "sshlogin", "-", NULL), LS_OK);
  assert_true(ls_login_options_take_input(&options));
  assert_false(ls_login_options_has('j'));
}

static void too_many_are_refused(void **state) {
  (void)state;
  struct ls_login_options options = {0};
  struct ls_error err = {0};
  for (size_t i = 0; i < LS_LOGINS_MAX; i++)
    assert_int_equal(give(&options, "sshlogin", "a", NULL), LS_OK);
  assert_int_equal(give(&options, "sshlogin", "b", &err), LS_EINVAL);
  assert_string_equal(err.text, "--sshlogin 'b': at most 128 of them can be given");
  assert_int_equal(give(&options, "sshloginfile", "", &err), LS_EINVAL);
  assert_string_equal(err.text, "--sshloginfile is empty, expected a file");
}

static void work_folders_are_one_or_fresh_ones(void **state) {
  (void)state;
  struct ls_login_options options = {0};
  struct ls_error err = {0};
  assert_int_equal(give(&options, "workdir", ".", NULL), LS_OK);
  assert_true(options.workdir == NULL && !options.has_own_rooms);
  assert_int_equal(give(&options, "workdir", "a/b", NULL), LS_OK);
  assert_string_equal(options.workdir, "a/b");
  assert_int_equal(give(&options, "workdir", "...", NULL), LS_OK);
  assert_true(options.workdir == NULL && options.has_own_rooms);
  assert_int_equal(give(&options, "workdir", "{//}", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--workdir is '{//}', expected one folder for all tasks"));
}

static struct ls_run_options options_of(const char *login) {
  struct ls_run_options options = {.order = "fifo"};
  if (login != NULL) assert_int_equal(give(&options.logins, "sshlogin", login, NULL), LS_OK);
  return options;
}

static void what_contradicts_is_refused(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_run_options options = options_of("a");
  assert_int_equal(ls_login_options_check(&options, NULL), LS_OK);
  options.policy = "gss";
  assert_int_equal(ls_login_options_check(&options, NULL), LS_OK);
  assert_int_equal(give(&options.logins, "onall", NULL, NULL), LS_OK);
  assert_int_equal(ls_login_options_check(&options, &err), LS_EINVAL);
  assert_string_equal(err.text, "--onall and --policy exclude each other");
  options = options_of("a");
  options.ssh = "b";
  assert_int_equal(ls_login_options_check(&options, &err), LS_EINVAL);
  assert_string_equal(err.text, "--sshlogin and --ssh exclude each other");
  options = options_of(NULL);
  assert_int_equal(ls_login_options_check(&options, NULL), LS_OK);
  assert_int_equal(give(&options.logins, "nonall", NULL, NULL), LS_OK);
  assert_int_equal(ls_login_options_check(&options, &err), LS_EINVAL);
  assert_string_equal(err.text, "--nonall needs --sshlogin LIST or --sshloginfile FILE");
  options = options_of(NULL);
  options.files_of_tasks.is_sandboxed = true;
  assert_int_equal(give(&options.logins, "workdir", "x", NULL), LS_OK);
  assert_int_equal(ls_login_options_check(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--workdir x and a sandbox exclude each other"));
}

/* Before a worker has tried it, again and again. */
static void a_folder_that_no_local_worker_could_enter_is_refused(void **state) {
  static const struct {
    const char *path, *fault; /* NULL: none */
  } cases[] = {{"/tmp", NULL},
               {"new", NULL},
               {"/tmp/loadstar-new/deep/", NULL},
               {"/dev/null", "Not a directory"},
               {"/dev/null/sub/deep", "Not a directory"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_login_options options = {.workdir = cases[i].path};
    struct ls_error err = {0};
    enum ls_status status = ls_login_options_check_workdir(&options, &err);
    assert_int_equal(status, cases[i].fault == NULL ? LS_OK : LS_EINVAL);
    if (cases[i].fault == NULL) continue;
    char text[96];
    (void)snprintf(text, sizeof text, "--workdir %s: %s", cases[i].path, cases[i].fault);
    assert_string_equal(err.text, text);
  }
  /* A link to nothing can neither be entered nor made. */
  char folder[] = "/tmp/loadstar-test-XXXXXX", link[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(link, sizeof link, "%s/link", folder);
  assert_int_equal(symlink("nowhere", link), 0);
  struct ls_login_options options = {.workdir = link};
  assert_int_equal(ls_login_options_check_workdir(&options, NULL), LS_EINVAL);
  assert_int_equal(unlink(link) | rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logins_and_files_keep_their_order),
      cmocka_unit_test(too_many_are_refused),
      cmocka_unit_test(work_folders_are_one_or_fresh_ones),
      cmocka_unit_test(what_contradicts_is_refused),
      cmocka_unit_test(a_folder_that_no_local_worker_could_enter_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
