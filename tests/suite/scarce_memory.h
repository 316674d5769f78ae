/* scarce_memory.h: every function, with every one of its allocations failing.
 *
 * The linker directs malloc, calloc, realloc, strdup, strndup and free here (see meson.build),
 * jansson and expat are told to use the same; what Clp and Cbc take for themselves is not seen.  A
 * trial calls the function under test; it is made with the first allocation failing, then with the
 * second one, until no failure comes any more: once with one failure only (does anything go on that
 * should not?), once with all allocations failing from there on (does cleaning up need memory?).
 *
 * Each time a failure must come out as LS_ENOMEM in words, with the outputs as they were and
 * nothing left behind; a trial that claims success is wrong, since it lacks something.
 */
#ifndef LS_TESTS_SCARCE_MEMORY_H
#define LS_TESTS_SCARCE_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <expat.h>
#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/status.h"

struct memory {
  long left;       /* allocations until one fails; < 0: none will */
  bool is_lasting; /* all allocations fail from there on */
  bool has_failed;
  long live; /* blocks */
};

static struct memory memory = {.left = -1};

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
char *__real_strdup(const char *text);
XML_Parser __real_XML_ParserCreate(const char *encoding);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
char *__wrap_strndup(const char *text, size_t length) {
  size_t bytes = strnlen(text, length);
  char *copy = __wrap_malloc(bytes + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

XML_Parser __wrap_XML_ParserCreate(const char *encoding);

static bool must_fail(void) {
  bool is_next = memory.left == 0;
  if (is_next) memory.has_failed = true;
  if (memory.left > 0 || (is_next && !memory.is_lasting)) memory.left--;
  return is_next;
}

static void *count_block(void *block) {
  memory.live += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) {
  return must_fail() ? NULL : count_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : count_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
  if (must_fail()) return NULL;
  void *moved = __real_realloc(block, size);
  memory.live += block == NULL && moved != NULL;
  return moved;
}

void __wrap_free(void *block) {
  memory.live -= block != NULL;
  __real_free(block);
}

char *__wrap_strdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = __wrap_malloc(bytes);
  return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

XML_Parser __wrap_XML_ParserCreate(const char *encoding) {
  static const XML_Memory_Handling_Suite suite = {__wrap_malloc, __wrap_realloc, __wrap_free};
  return XML_ParserCreate_MM(encoding, &suite, NULL);
}

/* The part under test is over: a trial may look at what came out. */
static inline void memory_is_plenty(void) {
  memory.left = -1;
}

/* Fills an output with a pattern before the call ... */
static inline void scarce_mark(void *output, size_t bytes) {
  memset(output, 0xa5, bytes);
}

/* ... which must still be there behind one that failed. */
static inline void scarce_require_untouched(const char *name, const void *output, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (((const unsigned char *)output)[i] != 0xa5)
      fail_msg("%s: byte %zu of an output is written though memory failed", name, i);
}

/* A builder that is sticky says by its flag that memory failed. */
static inline enum ls_status scarce_bytes(const struct ls_bytes *bytes, struct ls_error *err) {
  return bytes->failed ? ls_fail(err, LS_ENOMEM, "no memory for the text") : LS_OK;
}

/* Calls the function under test, then memory_is_plenty, and gives back all that it got.  Its status
 * is that of the function. */
typedef enum ls_status (*scarce_trial_fn)(const void *context, struct ls_error *err);

struct scarce_trial {
  const char *name;
  scarce_trial_fn play;
  const void *context;
};

/* Plays the trial with allocation number `n` failing; whether it came to that. */
static inline bool scarce_play(const struct scarce_trial *trial, long n, bool is_lasting) {
  struct ls_error err = {.text = ""};
  long live = memory.live;
  memory.left = n;
  memory.is_lasting = is_lasting;
  memory.has_failed = false;
  enum ls_status status = trial->play(trial->context, &err);
  memory.left = -1;
  const char *kind = is_lasting ? "from there on" : "alone";
  if (memory.live != live)
    fail_msg("%s: %ld blocks are left behind when allocation %ld fails %s", trial->name,
             memory.live - live, n, kind);
  if (status != (memory.has_failed ? LS_ENOMEM : LS_OK))
    fail_msg("%s: %s (%s) when allocation %ld fails %s", trial->name, ls_status_name(status),
             err.text, memory.has_failed ? n : -1, kind);
  if (memory.has_failed && err.text[0] == '\0')
    fail_msg("%s: no words when allocation %ld fails %s", trial->name, n, kind);
  return memory.has_failed;
}

/* Every allocation of the trial fails once; returns how many there are. */
static inline long scarce_play_all(const struct scarce_trial *trial) {
  long count = 0;
  while (scarce_play(trial, count, false)) count++;
  for (long n = 0; n < count; n++) assert_true(scarce_play(trial, n, true));
  assert_false(scarce_play(trial, count, true));
  return count;
}

/* As scarce_play_all, of a function that takes memory at all. */
static inline void scarce_require(const char *name, scarce_trial_fn play, const void *context) {
  struct scarce_trial trial = {name, play, context};
  if (scarce_play_all(&trial) == 0) fail_msg("%s: takes no memory", name);
}

/* Of a function that takes none. */
static inline void scarce_require_none(const char *name, scarce_trial_fn play,
                                       const void *context) {
  struct scarce_trial trial = {name, play, context};
  long count = scarce_play_all(&trial);
  if (count > 0) fail_msg("%s: takes memory %ld times", name, count);
}

/* To be called first of all in main.  What is freed stays with the program: a trial takes its large
 * blocks thousands of times, and most of the time would pass in the kernel, which clears them. */
static inline void scarce_open(void) {
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}

#endif
