#include "runtime/pool/ssh/ssh_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/digest.h"
#include "runtime/pool/ssh/shipped.h"

/* ssh binds a socket under its name and 17 letters more, and renames it. */
enum { SOCKET_MORE = 17, NAME_MORE = 8, LINE_MAX_BYTES = 4608 };

/* Nobody is there to answer a question; the user's own forwarding and sharing is none of ours. What
 * does not answer for ten seconds is broken. */
static const char *const settings[] = {
    "BatchMode=yes",           "ConnectTimeout=15",        "ServerAliveInterval=5",
    "ServerAliveCountMax=2",   "ExitOnForwardFailure=yes", "StreamLocalBindMask=0177",
    "ClearAllForwardings=yes", "ForwardAgent=no",          "ForwardX11=no",
    "PermitLocalCommand=no",   "RemoteCommand=none",       "ControlMaster=yes",
    "ControlPersist=no"};

/* ---- checks ---- */

enum ls_status ls_ssh_words_check(const char *command, struct ls_error *err) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-";
  const char *text = command != NULL ? command + strspn(command, " \t") : "ssh";
  size_t length = strspn(text, plain);
  char name[256];
  /* What a shell would make of more than a name only it knows. */
  if (length == 0 || length >= sizeof name || (text[length] != ' ' && text[length] != '\0'))
    return LS_OK;
  memcpy(name, text, length);
  name[length] = '\0';
  char *found = ls_process_find(name);
  bool is_there = found != NULL || (strchr(name, '/') != NULL && access(name, X_OK) == 0);
  free(found);
  if (is_there) return LS_OK;
  return ls_fail(err, LS_ENOWORKERS, "there is no program '%s' to reach the hosts of --ssh%s", name,
                 command != NULL ? " (--ssh-command)" : "");
}

enum ls_status ls_ssh_words_check_folder(const char *folder, struct ls_error *err) {
  size_t most = sizeof((struct sockaddr_un *)0)->sun_path - 1 - SOCKET_MORE - NAME_MORE;
  if (strlen(folder) <= most) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "the folder %s (TMPDIR) has %zu letters, at most %zu leave room for the name of a "
                 "socket of ssh",
                 folder, strlen(folder), most);
}

/* ---- words ---- */

__attribute__((format(printf, 2, 3))) static void add(struct ls_ssh_words *words,
                                                      const char *format, ...) {
  char text[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  /* One word is never used. */
  if (words->count + 1 >= LS_SSH_WORDS_MAX) return;
  char *copy = NULL;
  if (length >= 0 && length < (int)sizeof text)
    copy = ls_arena_take(&words->arena, (size_t)length + 1);
  if (copy != NULL) memcpy(copy, text, (size_t)length + 1);
  words->items[words->count++] = copy;
}

static void begin(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts) {
  const char *command = hosts->setup.command;
  *words = (struct ls_ssh_words){0};
  add(words, "/bin/sh");
  add(words, "-c");
  add(words, "exec %s \"$@\"", command != NULL ? command : "ssh");
  add(words, "loadstar-ssh");
}

static enum ls_status finish(const struct ls_ssh_words *words, struct ls_error *err) {
  bool is_whole = words->count + 1 < LS_SSH_WORDS_MAX;
  for (size_t i = 0; i < words->count; ++i) is_whole = is_whole && words->items[i] != NULL;
  return is_whole ? LS_OK : ls_fail(err, LS_ENOMEM, "out of memory for the words of ssh");
}

void ls_ssh_words_sharing(const struct ls_ssh_hosts *hosts, const struct ls_ssh_host *host,
                          char *path, size_t path_bytes) {
  (void)snprintf(path, path_bytes, "%s/s%u", hosts->folder.path, host->number);
}

static void add_sharing(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts,
                        const struct ls_ssh_host *host) {
  char path[sizeof hosts->folder.path + NAME_MORE];
  ls_ssh_words_sharing(hosts, host, path, sizeof path);
  add(words, "-o");
  add(words, "ControlPath=%s", path);
}

/* Six letters for the folder on the host: another session of the run finds it. */
static void name_folder(const char *run, uint32_t number, char letters[LS_TEMPORARY_LETTERS + 1]) {
  static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint64_t digest = ls_digest_add(LS_DIGEST_START, run, strlen(run));
  digest = ls_digest_add(digest, &number, sizeof number);
  for (int i = 0; i < LS_TEMPORARY_LETTERS; ++i) {
    letters[i] = alphabet[digest % (sizeof alphabet - 1)];
    digest /= sizeof alphabet - 1;
  }
  letters[LS_TEMPORARY_LETTERS] = '\0';
}

/* In single quotes, for the user's shell there: sh, fish and csh read it alike, since what one of
 * them takes for more than a letter stands outside. */
static void quote(const char *text, char *out, size_t out_bytes) {
  size_t length = 0;
  out[length++] = '\'';
  for (; *text != '\0' && length + 6 < out_bytes; ++text) {
    if (strchr("'\\!", *text) != NULL) {
      memcpy(out + length, (const char[]){'\'', '\\', *text, '\''}, 4);
      length += 4;
    } else {
      out[length++] = *text;
    }
  }
  out[length++] = '\'';
  out[length] = '\0';
}

/* Where a shipped program lies on the host, as the shell there finds it: in the words of /bin/sh
 * -c, which stand in single quotes. */
static void write_folder(const struct ls_ssh_hosts *hosts, const struct ls_ssh_host *host,
                         char *out, size_t out_bytes) {
  char letters[LS_TEMPORARY_LETTERS + 1];
  name_folder(hosts->setup.run, host->number, letters);
  if (hosts->setup.keeps_cache) {
    (void)snprintf(out, out_bytes, "d=${XDG_CACHE_HOME:-$HOME/.cache}/loadstar");
  } else {
    (void)snprintf(out, out_bytes, "d=${TMPDIR:-/tmp}/" LS_SHIPPED_PREFIX "%s", letters);
  }
}

/* Reads the pack from its standard input, and leaves the program in a folder that has the name of
 * its content; whoever finds it there reads nothing.  What is on its way has a name of its own, so
 * nobody ever starts a part of it. */
static const char ship_script[] =
    "umask 077; fail() { echo \"$1\" >&2; exit 1; }; m=$(uname -m); "
    "[ \"$m\" = %s ] || fail \"the program is not there, and cannot be sent: its processor is $m, "
    "ours is %s\"; "
    "%s; mkdir -p \"$d\"; "
    "[ -d \"$d\" ] && [ ! -L \"$d\" ] && [ -O \"$d\" ] || fail \"$d is no folder of this user\"; "
    "b=$d/bin/%s; [ -x \"$b/%s\" ] && exit 0; "
    "t=$d/part.$$; trap \"rm -rf \\\"$t\\\"\" 0; "
    "mkdir \"$t\" && head -c %" PRIu64
    " >\"$t/pack\" || fail \"no room for the program in $d\"; "
    "s=$(b2sum -l 256 <\"$t/pack\") || fail \"the program cannot be verified without b2sum\"; "
    "[ \"${s%%%% *}\" = %s ] || fail \"the program did not arrive whole\"; "
    "tail -c %" PRIu64
    " \"$t/pack\" >\"$t/unpack\" && (cd \"$t\" && sh ./unpack) || "
    "fail \"no room for the program in $d\"; "
    "mkdir -p \"$d/bin\"; [ -e \"$b\" ] || mv \"$t\" \"$b\"; [ -x \"$b/%s\" ]";

enum ls_status ls_ssh_words_ship(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts,
                                 const struct ls_ssh_host *host, struct ls_error *err) {
  const struct ls_ship *ship = &hosts->ship;
  const char *command = hosts->setup.command;
  char folder[LINE_MAX_BYTES / 4], script[LINE_MAX_BYTES - 128];
  write_folder(hosts, host, folder, sizeof folder);
  (void)snprintf(script, sizeof script, ship_script, ship->machine, ship->machine, folder,
                 ship->digest, ship->program, ship->bytes, ship->digest, ship->script_bytes,
                 ship->program);
  *words = (struct ls_ssh_words){0};
  add(words, "/bin/sh");
  add(words, "-c");
  /* Each transfer reads it from its beginning. */
  add(words, "exec %s \"$@\" </proc/%ld/fd/%d", command != NULL ? command : "ssh", (long)getpid(),
      ship->file);
  add(words, "loadstar-ssh");
  add(words, "-T");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    add(words, "-o");
    add(words, "%s", settings[i]);
  }
  add(words, "-o");
  add(words, "ControlPath=none");
  add(words, "%s", host->facts->target);
  add(words, "exec /bin/sh -c '%s'", script);
  return finish(words, err);
}

/* Starts the shipped program by its own loader; like a missing one if it has gone. */
static void add_shipped(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts,
                        const struct ls_ssh_host *host, const char *letters) {
  const struct ls_ship *ship = &hosts->ship;
  char folder[LINE_MAX_BYTES / 4], loader[LS_SHIP_NAME_BYTES + 40] = "";
  write_folder(hosts, host, folder, sizeof folder);
  if (ship->loader[0] != '\0')
    (void)snprintf(loader, sizeof loader, "\"$b/%s\" --library-path \"$b/lib\" ", ship->loader);
  add(words,
      "exec /bin/sh -c '%s; b=$d/bin/%s; [ -x \"$b/%s\" ] || exit 127; exec %s\"$b/%s\" worker "
      "--agent %s --key - --shipped %s'",
      folder, ship->digest, ship->program, loader, ship->program, letters,
      hosts->setup.keeps_cache ? "-" : "\"$d\"");
}

enum ls_status ls_ssh_words_login(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts,
                                  const struct ls_ssh_host *host, struct ls_error *err) {
  char letters[LS_TEMPORARY_LETTERS + 1], program[LINE_MAX_BYTES - 128];
  begin(words, hosts);
  add(words, "-T");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    add(words, "-o");
    add(words, "%s", settings[i]);
  }
  add_sharing(words, hosts, host);
  add(words, "%s", host->facts->target);
  name_folder(hosts->setup.run, host->number, letters);
  quote(hosts->setup.program, program, sizeof program);
  if (host->is_shipped) {
    add_shipped(words, hosts, host, letters);
  } else {
    add(words, "exec %s worker --agent %s --key -", program, letters);
  }
  return finish(words, err);
}

void ls_ssh_words_socket(const struct ls_ssh_host *host, char *path, size_t path_bytes) {
  (void)snprintf(path, path_bytes, "%s/socket.%ld-%u", host->folder, (long)getpid(), host->tunnels);
}

enum ls_status ls_ssh_words_forward(struct ls_ssh_words *words, const struct ls_ssh_hosts *hosts,
                                    const struct ls_ssh_host *host, struct ls_error *err) {
  char socket[LS_AGENT_WORDS_MAX + 1];
  ls_ssh_words_socket(host, socket, sizeof socket);
  begin(words, hosts);
  add(words, "-o");
  add(words, "BatchMode=yes");
  add_sharing(words, hosts, host);
  add(words, "-O");
  add(words, "forward");
  add(words, "-R");
  add(words, "%s:%s", socket, hosts->target);
  add(words, "%s", host->facts->target);
  return finish(words, err);
}

void ls_ssh_words_close(struct ls_ssh_words *words) {
  ls_arena_close(&words->arena);
  *words = (struct ls_ssh_words){0};
}
