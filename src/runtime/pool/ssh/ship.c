/* ship.c: packs the program that runs. */
#include "runtime/pool/ssh/ship.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

enum { BLOCK_BYTES = 1 << 16 };

struct packing {
  struct ls_ship ship;
  struct ls_content content;
  struct ls_bytes script;
  enum ls_status status;
  struct ls_error *err;
};

/* A shell and a loader make nothing else of it. */
static bool is_plain(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; ++i) {
    unsigned char letter = (unsigned char)name[i];
    if (letter >= 0x80 || (!isalnum(letter) && strchr("._+-", letter) == NULL)) return false;
  }
  return length > 0 && length < LS_SHIP_NAME_BYTES && name[0] != '-' && name[0] != '.';
}

static bool add_bytes(struct packing *packing, const void *data, size_t length) {
  const char *at = data;
  ls_content_add(&packing->content, data, length);
  packing->ship.bytes += length;
  while (length > 0) {
    ssize_t written = write(packing->ship.file, at, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    length -= (size_t)written;
  }
  return true;
}

static bool add_content(struct packing *packing, int file) {
  static const int stop = 0;
  char block[BLOCK_BYTES];
  ssize_t length;
  while ((length = read(file, block, sizeof block)) != stop) {
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 || !add_bytes(packing, block, (size_t)length)) return false;
  }
  return true;
}

/* The file, under this name in a folder "" or "lib/". */
static void add_file(struct packing *packing, const char *path, const char *folder,
                     const char *name) {
  uint64_t first = packing->ship.bytes;
  if (packing->status != LS_OK) return;
  if (!is_plain(name)) {
    packing->status = ls_fail(packing->err, LS_EIO,
                              "cannot send the program: '%s' is a name of "
                              "other than letters, digits and . _ + -",
                              path);
    return;
  }
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || !add_content(packing, file))
    packing->status =
        ls_fail(packing->err, LS_EIO, "cannot send the program: %s: %s", path, strerror(errno));
  if (file >= 0) (void)close(file);
  ls_bytes_printf(&packing->script, "tail -c +%" PRIu64 " pack | head -c %" PRIu64 " >%s%s\n",
                  first + 1, packing->ship.bytes - first, folder, name);
}

static const char *find_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* All that is mapped here: the loader stands where the kernel put it, and what the kernel itself
 * maps has no path. */
static int add_object(struct dl_phdr_info *info, size_t info_bytes, void *context) {
  struct packing *packing = context;
  const char *path = info->dlpi_name, *name = find_base(path);
  (void)info_bytes;
  if (path[0] != '/') return 0;
  bool is_loader = info->dlpi_addr == getauxval(AT_BASE);
  add_file(packing, path, is_loader ? "" : "lib/", name);
  if (is_loader && is_plain(name))
    (void)snprintf(packing->ship.loader, sizeof packing->ship.loader, "%s", name);
  return 0;
}

static void add_program(struct packing *packing, const char *path) {
  struct ls_ship *ship = &packing->ship;
  const char *name = is_plain(find_base(path)) ? find_base(path) : "program";
  bool is_taken = strcmp(name, ship->loader) == 0 || strcmp(name, "lib") == 0 ||
                  strcmp(name, "pack") == 0 || strcmp(name, "unpack") == 0;
  (void)snprintf(ship->program, sizeof ship->program, "%s", is_taken ? "program" : name);
  add_file(packing, path, "", ship->program);
}

static void add_script(struct packing *packing) {
  struct ls_ship *ship = &packing->ship;
  ls_bytes_printf(&packing->script, "chmod 700 %s %s\nrm pack\n", ship->program, ship->loader);
  ship->script_bytes = packing->script.length;
  if (packing->status != LS_OK) return;
  if (packing->script.failed) {
    packing->status = ls_fail(packing->err, LS_ENOMEM, "out of memory for the program");
  } else if (!add_bytes(packing, packing->script.data, packing->script.length)) {
    packing->status = ls_fail(packing->err, LS_EIO, "cannot send the program: %s", strerror(errno));
  }
}

enum ls_status ls_ship_make(struct ls_ship *ship, const char *path, struct ls_error *err) {
  struct packing packing = {.ship = {.file = memfd_create("loadstar-ship", MFD_CLOEXEC)},
                            .err = err};
  unsigned char name[LS_CONTENT_BYTES];
  struct utsname machine;
  if (packing.ship.file < 0 || uname(&machine) != 0)
    packing.status = ls_fail(err, LS_EIO, "cannot send the program: %s", strerror(errno));
  ls_content_begin(&packing.content);
  ls_bytes_append_text(&packing.script, "set -e\nmkdir lib\n");
  (void)dl_iterate_phdr(add_object, &packing);
  add_program(&packing, path);
  add_script(&packing);
  ls_bytes_close(&packing.script);
  ls_content_end(&packing.content, name);
  ls_content_write(name, packing.ship.digest);
  if (packing.status == LS_OK) {
    memcpy(packing.ship.machine, machine.machine, sizeof packing.ship.machine);
    *ship = packing.ship;
  } else if (packing.ship.file >= 0) {
    (void)close(packing.ship.file);
  }
  return packing.status;
}

void ls_ship_close(struct ls_ship *ship) {
  if (ship->file >= 0) (void)close(ship->file);
  *ship = (struct ls_ship){.file = -1};
}
