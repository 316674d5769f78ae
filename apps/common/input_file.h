/* input_file.h: a file that an application reads.
 *
 * What several applications share; messages begin with the name of the application.
 */
#ifndef COMMON_INPUT_FILE_H
#define COMMON_INPUT_FILE_H

#include <stdbool.h>

#include <loadstar.h>

/* Opens a file in which one can read anywhere and again.  LS_EINVAL: that is impossible, also
 * because it is a folder, a pipe or a device. */
LS_CHECKED enum ls_status input_file_open(const char *application, const char *path, int *file,
                                          struct ls_error *err);
/* Appends all of a file.  A pipe has an end as well, but only for one reader: others must not take
 * one.  LS_EINVAL as above; LS_ENOMEM. */
LS_CHECKED enum ls_status input_file_read(const char *application, const char *path,
                                          bool may_be_pipe, struct ls_bytes *bytes,
                                          struct ls_error *err);

#endif
