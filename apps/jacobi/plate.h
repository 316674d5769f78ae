/* plate.h: a plate in which heat spreads, as a grid of temperatures.
 *
 * An 8-bit grey picture (PGM, P5) says what it is like: its white points are heated and its black
 * ones cooled, so they keep their temperature, as does the rim; all others begin as warm as they
 * are bright.  One sweep gives every free point the mean of its four neighbours (Jacobi's method
 * for the equation of heat at rest).  The mean is always added up in one order, so a part of the
 * plate that is computed by itself is the same to the last bit.
 */
#ifndef JACOBI_PLATE_H
#define JACOBI_PLATE_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

struct plate {
  int file; /* of the picture; -1: closed */
  size_t width, height;
  size_t pixels_at; /* where they begin in the file */
};

/* Rows first .. first + count - 1 of a plate. */
struct rows {
  size_t first, count;
};

/* A part of a plate: `count` rows with all that is needed to sweep them. */
struct sheet {
  const struct plate *plate;
  struct rows rows;
  const unsigned char *pixels;  /* of these rows */
  double *temperatures, *other; /* of these rows; `other` is room for as many */
};

enum ls_status plate_open(struct plate *plate, const char *path, struct ls_error *err);
void plate_close(struct plate *plate);
/* Appends the pixels of some rows, as the file has them. */
enum ls_status plate_read(const struct plate *plate, struct rows rows, struct ls_bytes *pixels,
                          struct ls_error *err);
/* A number that changes with the picture. */
enum ls_status plate_digest(const struct plate *plate, uint64_t *digest, struct ls_error *err);
/* The temperatures that the pixels say. */
void sheet_begin(struct sheet *sheet);
/* Sweeps so often. Rows near the ends of the sheet that are not ends of the plate lose their
 * meaning, one more with each sweep.  Returns the largest change that the last sweep made in
 * `inner`. */
double sheet_sweep(struct sheet *sheet, uint64_t sweeps, struct rows inner);
/* Writes the temperatures of a whole plate as a picture; to a name of its own first. */
enum ls_status plate_write(const struct plate *plate, const double *temperatures, const char *path,
                           struct ls_error *err);

#endif
