#include "cli/console.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

int ls_console_exit(enum ls_status status) {
  switch (status) {
    case LS_OK:
      return LS_EXIT_OK;
    case LS_EINVAL:
    case LS_EMISMATCH:
      return LS_EXIT_USAGE;
    case LS_EINTERRUPTED:
      return LS_EXIT_INTERRUPTED;
    case LS_ECLOSED:
      return LS_EXIT_UNREAD;
    default:
      return LS_EXIT_INFRASTRUCTURE;
  }
}

int ls_console_fail(const char *name, const struct ls_error *err) {
  bool has_words = err->status != LS_OK;
  struct ls_error shown = *err;
  ls_console_tame(shown.text);
  fprintf(stderr, "%s: %s\n", name, has_words ? shown.text : "failed for an unknown reason");
  return has_words ? ls_console_exit(err->status) : LS_EXIT_INFRASTRUCTURE;
}

enum ls_status ls_console_whole(const char *field, const char *text, struct ls_whole_range range,
                                uint64_t *number, struct ls_error *err) {
  char shown[64];
  ls_console_show(text, shown, sizeof shown);
  char *end = NULL;
  errno = 0;
  /* strtoull takes "-1" and " 1": a number starts with a digit here. */
  bool is_number = text[0] >= '0' && text[0] <= '9';
  unsigned long long value = is_number ? strtoull(text, &end, 10) : 0;
  if (!is_number || errno != 0 || *end != '\0' || value < range.least || value > range.most)
    return ls_fail(err, LS_EINVAL, "%s is '%s', expected a whole number from %llu to %llu", field,
                   shown, (unsigned long long)range.least, (unsigned long long)range.most);
  *number = value;
  return LS_OK;
}

enum ls_status ls_console_real(const char *field, const char *text, struct ls_real_range range,
                               double *number, struct ls_error *err) {
  char shown[64];
  ls_console_show(text, shown, sizeof shown);
  char *end = NULL;
  double value = strtod(text, &end);
  bool is_number = end != text && *end == '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL;
  if (!is_number || !isfinite(value) || !(value >= range.least) || !(value <= range.most))
    return range.most >= DBL_MAX
               ? ls_fail(err, LS_EINVAL, "%s is '%s', expected a number >= %g", field, shown,
                         range.least)
               : ls_fail(err, LS_EINVAL, "%s is '%s', expected a number from %g to %g", field,
                         shown, range.least, range.most);
  *number = value;
  return LS_OK;
}

/* A size as habit has it: K M G T are powers of 1024, k m g t of 1000. */
enum ls_status ls_console_size(const char *field, const char *text, uint64_t *bytes,
                               struct ls_error *err) {
  static const char letters[] = "KMGTkmgt";
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  const char *letter = *end != '\0' ? strchr(letters, *end) : NULL;
  bool is_size = text[0] >= '0' && text[0] <= '9' && errno == 0 && number > 0 &&
                 (*end == '\0' || (letter != NULL && end[1] == '\0'));
  uint64_t size = number;
  ptrdiff_t power = letter != NULL ? (letter - letters) % 4 + 1 : 0;
  for (ptrdiff_t i = 0; i < power && is_size; i++)
    is_size = !__builtin_mul_overflow(size, letter - letters < 4 ? 1024U : 1000U, &size);
  if (!is_size || size > UINT64_C(1) << 53)
    return ls_fail(err, LS_EINVAL, "%s is '%s', expected a size such as 500M or 20G", field, text);
  *bytes = size;
  return LS_OK;
}

enum ls_status ls_console_read(const char *path, struct ls_bytes *out, struct ls_error *err) {
  size_t begin = out->length;
  enum ls_status status = ls_console_read_most(path, LS_CONSOLE_BYTES_MOST, out, err);
  size_t mark = status == LS_OK && out->length > begin
                    ? ls_text_mark(out->data + begin, out->length - begin)
                    : 0;
  if (mark > 0) memmove(out->data + begin, out->data + begin + mark, out->length - begin - mark);
  out->length -= mark;
  return status;
}

enum ls_status ls_console_read_most(const char *path, size_t most, struct ls_bytes *out,
                                    struct ls_error *err) {
  bool is_input = strcmp(path, "-") == 0;
  const char *name = is_input ? "standard input" : path;
  char shown[256];
  ls_console_show(name, shown, sizeof shown);
  int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return ls_fail(err, LS_EINVAL, "%s: %s", shown, strerror(errno));
  struct stat facts;
  /* Of an ordinary file the end is known to be there. */
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) most = SIZE_MAX;
  char block[1 << 16];
  ssize_t got = 0;
  size_t length = 0;
  while (!out->failed && length <= most && (got = read(file, block, sizeof block)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    ls_bytes_append(out, block, (size_t)got);
    length += (size_t)got;
  }
  int reason = errno;
  if (!is_input) close(file);
  if (got < 0) return ls_fail(err, LS_EINVAL, "%s: %s", shown, strerror(reason));
  if (out->failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", shown);
  if (length > most)
    return ls_fail(err, LS_EINVAL, "%s: has no end, or more than %zu bytes", shown, most);
  return LS_OK;
}

enum ls_status ls_console_read_json(const char *path, json_t **document, struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read(path, &text, err);
  if (status == LS_OK)
    status =
        ls_json_parse((struct ls_text){ls_bytes_text(&text), text.length, path}, document, err);
  ls_bytes_close(&text);
  return status;
}

bool ls_console_write(int file, const void *data, size_t length) {
  const char *next = data;
  while (length > 0) {
    ssize_t written = write(file, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    next += written;
    length -= (size_t)written;
  }
  return true;
}

/* Why no file of this name can be written, of errno; 0: nothing speaks against it. */
static int find_fault(const char *path, bool may_come, char *folder) {
  struct stat facts;
  if (stat(path, &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
  }
  if (errno != ENOENT || path[0] == '\0') return errno;
  if (folder[strlen(folder) - 1] == '/') return EISDIR;
  /* Of a link to what is not there yet, the folder beyond decides. */
  if (lstat(path, &facts) == 0) return 0;
  char *slash = strrchr(folder, '/');
  if (slash != NULL) slash[1] = '\0';
  if (access(slash != NULL ? folder : ".", W_OK | X_OK) == 0) return 0;
  return may_come && errno == ENOENT && slash != folder ? 0 : errno;
}

enum ls_status ls_console_check_file(const char *path, bool may_come, struct ls_error *err) {
  if (strcmp(path, "-") == 0) return LS_OK;
  char *folder = strdup(path);
  if (folder == NULL) return ls_fail(err, LS_ENOMEM, "out of memory");
  int fault = find_fault(path, may_come, folder);
  free(folder);
  if (fault == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s: cannot be written: %s", path, strerror(fault));
}

enum ls_status ls_console_check_option(const char *option, const char *path, struct ls_error *err) {
  enum ls_status status = path == NULL ? LS_OK : ls_console_check_file(path, false, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s", option);
}

enum ls_status ls_console_write_file(const char *path, const struct ls_bytes *text,
                                     struct ls_error *err) {
  if (text->failed) return ls_fail(err, LS_ENOMEM, "%s: no memory for what it is to hold", path);
  bool is_output = strcmp(path, "-") == 0;
  int file = is_output ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return ls_fail(err, LS_EINVAL, "%s: cannot be written: %s", path, strerror(errno));
  bool is_written = ls_console_write(file, ls_bytes_text(text), text->length);
  int reason = errno;
  if (!is_output && close(file) != 0 && is_written) {
    is_written = false;
    reason = errno;
  }
  if (is_written) return LS_OK;
  return ls_fail(err, LS_EIO, "%s: cannot be written: %s", is_output ? "standard output" : path,
                 strerror(reason));
}

/* The second byte of a control character beyond ASCII, which terminals obey, too. */
static bool is_upper_control(unsigned char before, unsigned char c) {
  return before == 0xc2 && c >= 0x80 && c < 0xa0;
}

void ls_console_tame(char *text) {
  for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
    bool is_upper = is_upper_control(c[0], c[1]);
    bool is_blank = *c == '\n' || *c == '\t';
    if (is_upper) c[1] = '?';
    if (is_upper || (*c < 0x20 && !is_blank) || *c == 0x7f) *c = '?';
  }
}

void ls_console_show(const char *word, char *out, size_t out_bytes) {
  /* Behind a byte of four characters there is room for the points and the zero. */
  const size_t reserved = strlen("\\x00") + sizeof "...";
  size_t used = 0;
  unsigned char before = 0;
  for (; *word != '\0' && used + reserved <= out_bytes; before = (unsigned char)*word++) {
    unsigned char c = (unsigned char)*word, after = (unsigned char)word[1];
    bool is_upper = is_upper_control(c, after) || is_upper_control(before, c);
    if (c < 0x20 || c == 0x7f || is_upper)
      used += (size_t)snprintf(out + used, out_bytes - used, "\\x%02x", c);
    else
      out[used++] = (char)c;
  }
  if (*word != '\0') used += (size_t)snprintf(out + used, out_bytes - used, "...");
  out[used] = '\0';
}

void ls_console_hush(struct ls_console_hush *hush) {
  int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  (void)fflush(NULL);
  hush->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  hush->error_output = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  hush->exit_status = argp_err_exit_status;
  argp_err_exit_status = LS_EXIT_OK;
  if (nothing < 0) return;
  (void)dup2(nothing, STDOUT_FILENO);
  (void)dup2(nothing, STDERR_FILENO);
  (void)close(nothing);
}

void ls_console_speak(const struct ls_console_hush *hush) {
  (void)fflush(NULL);
  if (hush->output >= 0) (void)dup2(hush->output, STDOUT_FILENO);
  if (hush->error_output >= 0) (void)dup2(hush->error_output, STDERR_FILENO);
  if (hush->output >= 0) (void)close(hush->output);
  if (hush->error_output >= 0) (void)close(hush->error_output);
  argp_err_exit_status = hush->exit_status;
}
