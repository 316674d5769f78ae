/* ship.h: this program, with all that it is linked with, in one file: for machines that lack it.
 *
 * The pack holds the loader, the libraries and the program one behind the other, and at its end a
 * script that cuts them out again.  On a machine with the same processor the program is then
 * started by its own loader, whatever libraries are there.  The name of the content of the pack
 * (content.h) is that of its folder there, and says whether it arrived.
 */
#ifndef LS_RUNTIME_POOL_SSH_SHIP_H
#define LS_RUNTIME_POOL_SSH_SHIP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "base/status.h"
#include "runtime/os/content.h"

enum { LS_SHIP_NAME_BYTES = 64 };

struct ls_ship {
  int file;       /* the pack, which has no name; -1: it is not made yet */
  uint64_t bytes; /* of it, and of the script at its end */
  uint64_t script_bytes;
  char digest[LS_CONTENT_DIGITS + 1];
  char loader[LS_SHIP_NAME_BYTES]; /* beside the program, with libraries in `lib`; "": it needs none
                                    */
  char program[LS_SHIP_NAME_BYTES];
  char machine[sizeof((struct utsname *)0)->machine]; /* "x86_64" */
};

/* Packs the program in the file `path`, which is the one that runs. LS_EIO. */
LS_CHECKED enum ls_status ls_ship_make(struct ls_ship *ship, const char *path,
                                       struct ls_error *err);
void ls_ship_close(struct ls_ship *ship);

#endif
