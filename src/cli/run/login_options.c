#include "cli/run/login_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/run_options.h"

/* Away from those of the other tables. */
enum { KEY_SSHLOGINFILE = 2048, KEY_ONALL, KEY_NONALL, KEY_WORKDIR, KEY_END };

const struct argp_option ls_login_options_table[] = {
    {"workdir", KEY_WORKDIR, "DIR", 0,
     "Run tasks in DIR, which is made where it is missing; relative to the login folder on hosts "
     "of "
     "ssh (. is this folder, ... a fresh one for each task)",
     16},
    {0}};

const struct argp_option ls_login_dialect_table[] = {
    {"sshlogin", 'S', "LIST", 0, NULL, 5},
    {"sshloginfile", KEY_SSHLOGINFILE, "FILE", 0, NULL, 5},
    {"onall", KEY_ONALL, NULL, 0, NULL, 5},
    {"nonall", KEY_NONALL, NULL, 0, NULL, 5},
    {0}};

bool ls_login_options_has(int key) {
  return key == 'S' || (key >= KEY_SSHLOGINFILE && key < KEY_END);
}

static enum ls_status add(struct ls_login_options *options, bool is_file, const char *text,
                          struct ls_error *err) {
  const char *name = is_file ? "--sshloginfile" : "--sshlogin";
  if (text[0] == '\0')
    return ls_fail(err, LS_EINVAL, "%s is empty, expected %s", name, is_file ? "a file" : "hosts");
  if (options->count == LS_LOGINS_MAX)
    return ls_fail(err, LS_EINVAL, "%s '%s': at most %d of them can be given", name, text,
                   LS_LOGINS_MAX);
  bool is_special = strcmp(text, "..") == 0 || strcmp(text, ".") == 0 || strcmp(text, "-") == 0;
  options->items[options->count++] = (struct ls_login_option){text, is_file || is_special};
  return LS_OK;
}

static enum ls_status read_workdir(struct ls_login_options *options, const char *text,
                                   struct ls_error *err) {
  if (text[0] == '\0') return ls_fail(err, LS_EINVAL, "--workdir is empty, expected a folder");
  if (strchr(text, '{') != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--workdir is '%s', expected one folder for all tasks, without replacement "
                   "strings (... is a fresh one for each task)",
                   text);
  options->has_own_rooms = strcmp(text, "...") == 0;
  options->workdir = strcmp(text, ".") != 0 && !options->has_own_rooms ? text : NULL;
  return LS_OK;
}

enum ls_status ls_login_options_read(struct ls_login_options *options, int key, const char *text,
                                     struct ls_error *err) {
  switch (key) {
    case 'S':
      return add(options, false, text, err);
    case KEY_SSHLOGINFILE:
      return add(options, true, text, err);
    case KEY_WORKDIR:
      return read_workdir(options, text, err);
    case KEY_NONALL:
      options->has_no_inputs = true;
      options->is_on_all = true;
      return LS_OK;
    default:
      options->is_on_all = true;
      return LS_OK;
  }
}

bool ls_login_options_take_input(const struct ls_login_options *options) {
  for (size_t i = 0; i < options->count; i++)
    if (options->items[i].is_file && strcmp(options->items[i].text, "-") == 0) return true;
  return false;
}

/* What would say otherwise who works, or on which machine a task runs. */
static enum ls_status check_exclusions(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_login_options *logins = &options->logins;
  const char *mine = !logins->is_on_all      ? "--sshlogin"
                     : logins->has_no_inputs ? "--nonall"
                                             : "--onall";
  const struct {
    const char *name;
    bool is_given, is_for_all; /* the latter excludes --onall only */
  } others[] = {{"--ssh", options->ssh != NULL, false},
                {"--speeds", options->speeds_count > 0, false},
                {"--load-pattern", options->has_load_pattern, false},
                {"--listen", options->listen != NULL, true},
                {"--slurm", options->has_slurm, true},
                {"--policy", options->policy != NULL, true},
                {"--plan", options->plan != NULL, true},
                {"--platform", options->platform != NULL, true},
                {"--sizing", options->sizing != NULL, true},
                {"--replication", options->replication != NULL, true},
                {"--order", strcmp(options->order, "fifo") != 0, true},
                {"--link", options->inputs.is_linked, true},
                {"--arg-file", logins->has_no_inputs && options->files_count > 0, true}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].is_given && (logins->is_on_all || !others[i].is_for_all))
      return ls_fail(err, LS_EINVAL, "%s and %s exclude each other", mine, others[i].name);
  return LS_OK;
}

enum ls_status ls_login_options_check(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_login_options *logins = &options->logins;
  const struct ls_file_options *files = &options->files_of_tasks;
  if (logins->workdir != NULL && ls_file_options_sandboxing(files) != LS_SANDBOX_NONE)
    return ls_fail(err, LS_EINVAL,
                   "--workdir %s and a sandbox exclude each other: tasks with --sandbox, --trc or "
                   "staged files run in folders of their own",
                   logins->workdir);
  if (logins->count == 0 && !logins->is_on_all) return LS_OK;
  if (logins->count == 0)
    return ls_fail(err, LS_EINVAL, "%s needs --sshlogin LIST or --sshloginfile FILE",
                   logins->has_no_inputs ? "--nonall" : "--onall");
  return check_exclusions(options, err);
}

/* Why nobody can enter the folder, or make it, of errno; 0: nothing speaks against it. `path` is
 * cut to the part that is there. */
static int find_fault(char *path) {
  struct stat facts;
  int rights = X_OK;
  while (stat(path, &facts) != 0) {
    int reason = errno;
    bool is_link = lstat(path, &facts) == 0;
    if (reason != ENOENT || is_link || strcmp(path, ".") == 0) return reason;
    char *slash = strrchr(path, '/');
    if (slash == NULL) strcpy(path, ".");
    if (slash != NULL) slash[slash == path] = '\0';
    rights = W_OK | X_OK;
  }
  if (!S_ISDIR(facts.st_mode)) return ENOTDIR;
  return access(path, rights) == 0 ? 0 : errno;
}

enum ls_status ls_login_options_check_workdir(const struct ls_login_options *options,
                                              struct ls_error *err) {
  if (options->workdir == NULL) return LS_OK;
  char *path = strdup(options->workdir);
  if (path == NULL) return ls_fail(err, LS_ENOMEM, "out of memory");
  int fault = find_fault(path);
  free(path);
  if (fault == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--workdir %s: %s", options->workdir, strerror(fault));
}
