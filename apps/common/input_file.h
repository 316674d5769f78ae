/* input_file.h: a file that an application reads, and must not write to.
 *
 * What several applications share; messages begin with the name of the application.
 */
#ifndef COMMON_INPUT_FILE_H
#define COMMON_INPUT_FILE_H

#include <stdbool.h>

#include <loadstar.h>

/* Do both paths name one file, by whatever links?  One that is not there yet is known by its folder
 * and its name. */
bool input_file_is(const char *path, const char *other);

#endif
