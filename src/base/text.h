/* text.h: a text to be read, and where it is from. */
#ifndef LS_BASE_TEXT_H
#define LS_BASE_TEXT_H

#include <stddef.h>

/* Borrowed; no zero needs to end it. */
struct ls_text {
  const char *data;
  size_t length;
  const char *source; /* the name of the file, for messages */
};

#endif
