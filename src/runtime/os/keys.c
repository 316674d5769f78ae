#include "runtime/os/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { PRIVATE_MODE = 0600, OTHERS = 0077 };

/* ---- made ---- */

enum ls_status ls_keys_make(struct ls_key_file *keys, struct ls_error *err) {
  unsigned char chance[(LS_KEY_RUN_BYTES - 1) / 2];
  *keys = (struct ls_key_file){.is_master = true};
  if (zmq_curve_keypair(keys->server.public_key, keys->server.secret_key) != 0 ||
      zmq_curve_keypair(keys->client.public_key, keys->client.secret_key) != 0) {
    return ls_fail(err, LS_EIO, "cannot make keys: %s", zmq_strerror(zmq_errno()));
  }
  if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance)
    return ls_fail(err, LS_EIO, "no random bytes for the run's number: %s", strerror(errno));
  for (size_t i = 0; i < sizeof chance; i++)
    (void)snprintf(keys->run + 2 * i, 3, "%02x", chance[i]);
  return LS_OK;
}

/* ---- written ---- */

static enum ls_status write_all(int file, const struct ls_bytes *text, const char *path,
                                struct ls_error *err) {
  for (size_t at = 0; at < text->length;) {
    ssize_t written = write(file, text->data + at, text->length - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ls_fail(err, LS_EIO, "cannot write %s: %s", path, strerror(errno));
    at += (size_t)written;
  }
  if (fsync(file) != 0 && errno != EINVAL)
    return ls_fail(err, LS_EIO, "cannot write %s: %s", path, strerror(errno));
  return LS_OK;
}

/* A file that this call makes, beside the one it is to become. */
static enum ls_status write_beside(const char *path, const char *beside,
                                   const struct ls_bytes *text, struct ls_error *err) {
  int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PRIVATE_MODE);
  if (file < 0) return ls_fail(err, LS_EIO, "cannot make %s: %s", beside, strerror(errno));
  enum ls_status status = write_all(file, text, path, err);
  if (close(file) != 0 && status == LS_OK)
    status = ls_fail(err, LS_EIO, "cannot write %s: %s", path, strerror(errno));
  if (status == LS_OK && rename(beside, path) != 0)
    status = ls_fail(err, LS_EIO, "cannot rename %s to %s: %s", beside, path, strerror(errno));
  if (status != LS_OK) (void)unlink(beside);
  return status;
}

/* Nothing that is no key file is replaced by one. */
static enum ls_status check_place(const char *path, bool is_master, struct ls_error *err) {
  struct stat facts;
  struct ls_key_file there;
  struct ls_error why = {0};
  if (lstat(path, &facts) != 0 && errno == ENOENT) return LS_OK;
  enum ls_status status = ls_keys_read(path, is_master, &there, &why);
  explicit_bzero(&there, sizeof there);
  if (status == LS_OK) return LS_OK;
  return ls_fail(err, status, "%s is there and is not replaced: %s", path, why.text);
}

enum ls_status ls_keys_write(const struct ls_key_file *keys, const char *path,
                             struct ls_error *err) {
  struct ls_bytes text = {0}, beside = {0};
  enum ls_status status = check_place(path, keys->is_master, err);
  if (status == LS_OK) {
    ls_key_file_write(keys, &text);
    ls_bytes_printf(&beside, "%s.%ld", path, (long)getpid());
    status = text.failed || beside.failed ? ls_fail(err, LS_ENOMEM, "out of memory for %s", path)
                                          : write_beside(path, ls_bytes_text(&beside), &text, err);
  }
  if (text.data != NULL) explicit_bzero(text.data, text.length);
  ls_bytes_close(&text);
  ls_bytes_close(&beside);
  return status;
}

/* ---- read ---- */

/* A link could be turned to another file between the check and the reading; so could a name. */
static enum ls_status open_private(const char *path, int *file, struct ls_error *err) {
  struct stat facts;
  *file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0 && errno == ELOOP)
    return ls_fail(err, LS_EINVAL, "key file %s is a link, expected a plain file", path);
  if (*file < 0)
    return ls_fail(err, LS_EINVAL, "cannot read the key file %s: %s", path, strerror(errno));
  if (fstat(*file, &facts) != 0)
    return ls_fail(err, LS_EIO, "cannot look at the key file %s: %s", path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) return ls_fail(err, LS_EINVAL, "key file %s is no plain file", path);
  if (facts.st_uid != geteuid())
    return ls_fail(err, LS_EINVAL, "key file %s is of user %ld, expected one of yours (%ld)", path,
                   (long)facts.st_uid, (long)geteuid());
  if ((facts.st_mode & OTHERS) != 0)
    return ls_fail(err, LS_EINVAL,
                   "key file %s has mode %04o, so others may use it, expected 0600 (chmod 600)",
                   path, (unsigned)(facts.st_mode & 07777));
  return LS_OK;
}

struct text {
  char data[LS_KEY_FILE_BYTES_MAX];
  size_t length;
};

/* To the end of the file, or of its first line. LS_EINVAL: there is more than there is room for. */
static enum ls_status read_text(int file, bool is_line, const char *name, struct text *text,
                                struct ls_error *err) {
  for (text->length = 0;;) {
    /* What stands behind the line is for somebody else. */
    size_t room = sizeof text->data - text->length;
    ssize_t got = read(file, text->data + text->length, is_line ? 1 : room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EIO, "cannot read %s: %s", name, strerror(errno));
    text->length += (size_t)got;
    if (got == 0 || (is_line && text->data[text->length - 1] == '\n')) return LS_OK;
    if (text->length == sizeof text->data)
      return ls_fail(err, LS_EINVAL, "%s has %zu bytes and more, expected the keys of a run", name,
                     text->length);
  }
}

enum ls_status ls_keys_read(const char *path, bool is_master, struct ls_key_file *keys,
                            struct ls_error *err) {
  struct text text;
  bool is_input = strcmp(path, "-") == 0;
  const char *name = is_input ? "standard input" : path;
  int file = STDIN_FILENO;
  *keys = (struct ls_key_file){.is_master = is_master};
  enum ls_status status = is_input ? LS_OK : open_private(path, &file, err);
  if (status == LS_OK) status = read_text(file, is_input, name, &text, err);
  if (status == LS_OK)
    status = ls_key_file_read((struct ls_text){text.data, text.length, name}, is_master, keys, err);
  explicit_bzero(&text, sizeof text);
  if (!is_input && file >= 0) (void)close(file);
  return status;
}

/* ---- used ---- */

struct ls_curve ls_keys_of_master(const struct ls_key_file *keys) {
  return (struct ls_curve){.server_public = keys->server.public_key,
                           .server_secret = keys->server.secret_key,
                           .client_public = keys->client.public_key};
}

struct ls_curve ls_keys_of_worker(const struct ls_key_file *keys) {
  return (struct ls_curve){.server_public = keys->server.public_key,
                           .client_public = keys->client.public_key,
                           .client_secret = keys->client.secret_key};
}
