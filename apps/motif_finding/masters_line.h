/* masters_line.h: one command line for several masters, and what each of them is started with.
 *
 * The workers are shared out, and so are their speeds; each master has files of its own, NAME.1,
 * NAME.2, ..., for what is written: journal, drawing, summary, platform (--calibrate) and key.  All
 * other options are the same for all.
 */
#ifndef MOTIF_MASTERS_LINE_H
#define MOTIF_MASTERS_LINE_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "words.h"

struct masters_line {
  uint64_t masters;
  uint64_t workers; /* of all masters */
  char **speeds;    /* `speeds_count` texts, repeated over the workers */
  size_t speeds_count;
  const char *journal, *drawing, *summary, *platform, *key; /* NULL: none */
  const char *transport;                                    /* NULL: not given */
  const char **options;                                     /* the others, as given */
  size_t options_count;
  char **words; /* of the application, its name first, without --masters; NULL-terminated */
  size_t words_count;
};

/* `argv`: NAME run OPTION... -- WORD... */
enum ls_status masters_line_read(struct masters_line *line, int argc, char **argv,
                                 struct ls_error *err);
void masters_line_close(struct masters_line *line);
/* The command line of master `number`, from 1 on; NULL: out of memory. The caller frees it by
 * masters_line_free. */
char **masters_line_make(const struct masters_line *line, const char *program, uint64_t number);
void masters_line_free(char **words);

#endif
