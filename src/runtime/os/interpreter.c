#include "runtime/os/interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256, PARTS_MOST = 64 };

/* The first word of a script's first line. */
static bool read_script(int file, char name[NAME_BYTES]) {
  char line[NAME_BYTES] = "";
  ssize_t got = pread(file, line, sizeof line - 1, 0);
  if (got < 3 || line[0] != '#' || line[1] != '!') return false;
  const char *begin = line + 2 + strspn(line + 2, " \t");
  size_t length = strcspn(begin, " \t\n");
  memcpy(name, begin, length);
  name[length] = '\0';
  /* A longer one than fits is not ours to judge. */
  return begin[length] != '\0';
}

/* The loader that a binary of this machine's kind names. */
static bool read_binary(int file, char name[NAME_BYTES]) {
  ElfW(Ehdr) head;
  bool is_binary = pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                   memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                   head.e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
                   head.e_phentsize == sizeof(ElfW(Phdr));
  for (unsigned i = 0; is_binary && i < head.e_phnum && i < PARTS_MOST; ++i) {
    ElfW(Phdr) part;
    off_t at = (off_t)(head.e_phoff + i * sizeof part);
    if (pread(file, &part, sizeof part, at) != (ssize_t)sizeof part) return false;
    if (part.p_type != PT_INTERP) continue;
    if (part.p_filesz == 0 || part.p_filesz > NAME_BYTES) return false;
    ssize_t got = pread(file, name, part.p_filesz, (off_t)part.p_offset);
    return got == (ssize_t)part.p_filesz && name[got - 1] == '\0';
  }
  return false;
}

/* Without what a terminal would take for more than a letter. */
static void show(const char *name, char shown[4 * NAME_BYTES]) {
  size_t length = 0;
  for (; *name != '\0'; ++name) {
    unsigned char c = (unsigned char)*name;
    bool is_plain = c >= 0x20 && c != 0x7f;
    if (c == '\r')
      length += (size_t)snprintf(shown + length, 5, "\\r");
    else
      length += (size_t)snprintf(shown + length, 5, is_plain ? "%c" : "\\x%02x", c);
  }
  shown[length] = '\0';
}

bool ls_interpreter_is_missing(const char *path, char *words, size_t words_bytes) {
  char name[NAME_BYTES], shown[4 * NAME_BYTES];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return false;
  bool is_script = read_script(file, name);
  bool is_named = is_script || read_binary(file, name);
  close(file);
  /* What a relative name means depends on where the program starts. */
  if (!is_named || name[0] != '/' || access(name, X_OK) == 0) return false;
  const char *reason = strerror(errno);
  size_t length = strlen(name);
  bool is_of_windows = is_script && name[length - 1] == '\r';
  show(name, shown);
  (void)snprintf(words, words_bytes, "its %s '%.300s' cannot be run: %s%s",
                 is_script ? "interpreter" : "loader", shown, reason,
                 is_of_windows ? " (its lines end as those of Windows do, in \\r)" : "");
  return true;
}
