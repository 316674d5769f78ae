/* run_shell.h: which shell the user works in: asked once, where the command line is read. */
#ifndef LS_CLI_RUN_SHELL_H
#define LS_CLI_RUN_SHELL_H

#include <stddef.h>

/* The program for command lines: `wanted` (--shell=PROGRAM; NULL: not said), else that of
 * shell_words.h by the environment and the program that started us. */
void ls_run_shell_find(const char *wanted, char *program, size_t program_bytes);

#endif
