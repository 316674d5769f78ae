/* interpreter.h: what a program needs to be started that is not itself: the interpreter that a
 * script's first line names, or the loader of a binary.
 *
 * Where it is not there the system says "No such file" of the program, which is there.
 */
#ifndef LS_RUNTIME_OS_INTERPRETER_H
#define LS_RUNTIME_OS_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

/* Does the program name one that cannot be run? Says so in words, for behind the program's name. */
bool ls_interpreter_is_missing(const char *path, char *words, size_t words_bytes);

#endif
