/* povray.c: one run of povray.  What it writes goes to files that have no name, so that nobody need
 * read while it runs. */
#include "povray.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  PICTURE,
  MESSAGES,
  OUTPUTS,
  ARGUMENTS_MAX = RENDER_OPTIONS_MAX + 24,
  EXIT_SILENT = 126,
  EXIT_NO_START = 127
};

/* ---- the program ---- */

static bool is_program(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

enum ls_status povray_find(const char *program, char **path, struct ls_error *err) {
  const char *folders = getenv("PATH");
  struct ls_bytes name = {0};
  *path = NULL;
  if (strchr(program, '/') != NULL) folders = NULL;
  if (folders == NULL && is_program(program)) *path = realpath(program, NULL);
  while (folders != NULL && *path == NULL) {
    size_t length = strcspn(folders, ":");
    ls_bytes_clear(&name);
    if (length == 0) ls_bytes_append_char(&name, '.');
    ls_bytes_append(&name, folders, length);
    ls_bytes_printf(&name, "/%s", program);
    if (!name.failed && is_program(name.data)) *path = realpath(name.data, NULL);
    folders = folders[length] == ':' ? folders + length + 1 : NULL;
  }
  ls_bytes_close(&name);
  if (*path != NULL) return LS_OK;
  return ls_fail(err, LS_EIO,
                 "%s: no such program; Debian's package povray has one, --povray names "
                 "another",
                 program);
}

/* ---- its command line ---- */

struct arguments {
  struct ls_bytes text; /* each with a zero byte behind it */
  size_t count;
};

__attribute__((format(printf, 2, 3))) static void add(struct arguments *arguments,
                                                      const char *format, ...) {
  char one[8192];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(one, sizeof one, format, list);
  va_end(list);
  arguments->text.failed = arguments->text.failed || length < 0 || length >= (int)sizeof one;
  if (!arguments->text.failed) ls_bytes_append(&arguments->text, one, (size_t)length + 1);
  arguments->count++;
}

static const char *find_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Names stand in quotes: povray divides its command line once more.  All messages are off but those
 * of errors; with -GA these would lose their file and line. */
static void write_arguments(const struct povray_job *job, struct arguments *arguments) {
  add(arguments, "%s", job->program);
  for (size_t i = 0; i < job->options->count; i++) {
    const char *option = job->options->items[i], *folder = render_options_folder(option);
    if (folder != NULL) {
      add(arguments, "+L\"%s\"", folder);
    } else {
      add(arguments, "%s", option);
    }
  }
  add(arguments, "+I\"%s\"", find_base(job->scene));
  add(arguments, "+W%zu", job->size.width);
  add(arguments, "+H%zu", job->size.height);
  if (job->rows.count < job->size.height) {
    add(arguments, "+SR%zu", job->rows.first + 1);
    add(arguments, "+ER%zu", job->rows.first + job->rows.count);
  }
  add(arguments, "+K%.15f", job->clock);
  static const char *const fixed[] = {"+O-", "+FP", "-D",  "-V",  "-P",   "-GD",
                                      "-GR", "-GS", "-GW", "+GF", "+WT1", "-C"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) add(arguments, "%s", fixed[i]);
}

/* ---- its life ---- */

struct launch {
  const char *path, *folder;
  char *const *argv;
  const int *files;
  pid_t parent;
};

/* Between fork and exec. A group of its own: Ctrl-C is the worker's to hear. */
static _Noreturn void become(const struct launch *launch) {
  sigset_t none;
  struct sigaction usual = {.sa_handler = SIG_DFL};
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch->parent) _exit(EXIT_NO_START);
  (void)setpgid(0, 0);
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < SIGRTMIN; number++) (void)sigaction(number, &usual, NULL);
  int empty = open("/dev/null", O_RDONLY);
  bool is_well = empty >= 0 && dup2(empty, STDIN_FILENO) >= 0 &&
                 dup2(launch->files[PICTURE], STDOUT_FILENO) >= 0 &&
                 dup2(launch->files[MESSAGES], STDERR_FILENO) >= 0 && chdir(launch->folder) == 0;
  if (is_well) (void)execv(launch->path, launch->argv);
  const char *why = strerrordesc_np(errno);
  _exit(write(launch->files[MESSAGES], why, strlen(why)) > 0 ? EXIT_NO_START : EXIT_SILENT);
}

static enum ls_status run(const struct launch *launch, int *state, struct ls_error *err) {
  pid_t pid = fork();
  if (pid == 0) become(launch);
  if (pid < 0) return ls_fail(err, LS_EIO, "no process for povray: %s", strerror(errno));
  while (waitpid(pid, state, 0) < 0) {
    if (errno == EINTR) continue;
    return ls_fail(err, LS_EIO, "povray cannot be waited for: %s", strerror(errno));
  }
  return LS_OK;
}

static enum ls_status launch_povray(const struct povray_job *job, const int files[OUTPUTS],
                                    int *state, struct ls_error *err) {
  struct arguments arguments = {0};
  char *argv[ARGUMENTS_MAX + 1] = {NULL}, *path = NULL;
  write_arguments(job, &arguments);
  struct ls_bytes folder = {0};
  ls_bytes_append(&folder, job->scene, (size_t)(find_base(job->scene) - job->scene));
  ls_bytes_append_text(&folder, ".");
  enum ls_status status = povray_find(job->program, &path, err);
  if (status == LS_OK && (arguments.text.failed || folder.failed)) {
    status = ls_fail(err, LS_EINVAL, "%s: too long a command line for povray", job->scene);
  }
  if (status == LS_OK) {
    char *at = arguments.text.data;
    for (size_t i = 0; i < arguments.count; i++, at += strlen(at) + 1) argv[i] = at;
    struct launch launch = {path, folder.data, argv, files, getpid()};
    status = run(&launch, state, err);
  }
  ls_bytes_close(&arguments.text);
  ls_bytes_close(&folder);
  free(path);
  return status;
}

/* ---- what it leaves ---- */

/* So many bytes of a file from there on, or those that there are. */
static void read_some(int file, size_t at, size_t length, struct ls_bytes *bytes) {
  char block[65536];
  while (length > 0) {
    ssize_t got = pread(file, block, length < sizeof block ? length : sizeof block, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    ls_bytes_append(bytes, block, (size_t)got);
    at += (size_t)got;
    length -= (size_t)got;
  }
}

static enum ls_status explain_end(int messages, int state, struct ls_error *err) {
  enum { MESSAGES_MAX = 1 << 20 };
  struct ls_bytes bytes = {0}, reason = {0};
  struct stat facts;
  size_t length = fstat(messages, &facts) == 0 ? (size_t)facts.st_size : 0;
  size_t wanted = length < MESSAGES_MAX ? length : MESSAGES_MAX;
  read_some(messages, length - wanted, wanted, &bytes);
  povray_write_reason((struct ls_text){ls_bytes_text(&bytes), bytes.length, "povray"}, &reason);
  enum ls_status status =
      WIFSIGNALED(state) ? ls_fail(err, LS_EIO, "povray was ended by signal %d", WTERMSIG(state))
                         : ls_fail(err, LS_EIO, "povray ends with exit status %d: %s",
                                   WEXITSTATUS(state), ls_bytes_text(&reason));
  ls_bytes_close(&bytes);
  ls_bytes_close(&reason);
  return status;
}

/* A picture of some rows has its full height. */
static enum ls_status cut_rows(const struct povray_job *job, int picture, struct ls_bytes *pixels,
                               struct ls_error *err) {
  struct ls_bytes head = {0};
  size_t at = 0, row = job->size.width * PIXEL_BYTES, before = pixels->length;
  read_some(picture, 0, POVRAY_HEADER_MAX, &head);
  struct ls_text text = {ls_bytes_text(&head), head.length, "povray's picture"};
  enum ls_status status = povray_find_pixels(&text, job->size, &at, err);
  ls_bytes_close(&head);
  if (status != LS_OK) return status;
  read_some(picture, at + job->rows.first * row, job->rows.count * row, pixels);
  if (pixels->failed) return ls_fail(err, LS_ENOMEM, "out of memory for pixels");
  if (pixels->length - before == job->rows.count * row) return LS_OK;
  return ls_fail(err, LS_EIO, "povray's picture ends within rows %zu to %zu", job->rows.first,
                 job->rows.first + job->rows.count - 1);
}

enum ls_status povray_render(const struct povray_job *job, struct ls_bytes *pixels,
                             struct ls_error *err) {
  int files[OUTPUTS] = {memfd_create("picture", MFD_CLOEXEC),
                        memfd_create("messages", MFD_CLOEXEC)};
  int state = 0;
  enum ls_status status = LS_OK;
  if (files[PICTURE] < 0 || files[MESSAGES] < 0) {
    status = ls_fail(err, LS_EIO, "no file for a picture: %s", strerror(errno));
  }
  if (status == LS_OK) status = launch_povray(job, files, &state, err);
  if (status == LS_OK && state != 0) status = explain_end(files[MESSAGES], state, err);
  if (status == LS_OK) status = cut_rows(job, files[PICTURE], pixels, err);
  for (size_t i = 0; i < OUTPUTS; i++) {
    if (files[i] >= 0) (void)close(files[i]);
  }
  return status;
}
