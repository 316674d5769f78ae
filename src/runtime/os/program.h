/* program.h: which program this is: workers on other machines must run the same one. */
#ifndef LS_RUNTIME_OS_PROGRAM_H
#define LS_RUNTIME_OS_PROGRAM_H

enum { LS_PROGRAM_BYTES = 64 };

/* Its version, and a digest of the file that it was started from: "0.1.0 83f2b0a91c04d7e5"; the
 * version alone where the file cannot be read. */
void ls_program_describe(char text[LS_PROGRAM_BYTES]);
/* The same of the program in that file, of this version. */
void ls_program_describe_file(const char *path, char text[LS_PROGRAM_BYTES]);

#endif
