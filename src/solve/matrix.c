/* matrix.c: rows of a linear program transposed into the columns that Clp and Cbc load. */
#include "solve/matrix_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void ls_matrix_close(struct ls_matrix *matrix) {
  free(matrix->starts);
  free(matrix->rows);
  free(matrix->values);
  free(matrix->objective);
  free(matrix->row_least);
  free(matrix->row_most);
  free(matrix->column_least);
  free(matrix->column_most);
  *matrix = (struct ls_matrix){0};
}

/* One item more than needed, so that nothing is asked for 0 bytes. */
static bool allocate(struct ls_matrix *matrix, const struct ls_linear *program) {
  size_t columns = program->columns_count + 1, rows = program->rows_count + 1;
  size_t entries = program->entries_count + 1;
  matrix->starts = calloc(columns + 1, sizeof *matrix->starts);
  matrix->rows = calloc(entries, sizeof *matrix->rows);
  matrix->values = calloc(entries, sizeof *matrix->values);
  matrix->objective = calloc(columns, sizeof *matrix->objective);
  matrix->row_least = calloc(rows, sizeof *matrix->row_least);
  matrix->row_most = calloc(rows, sizeof *matrix->row_most);
  matrix->column_least = calloc(columns, sizeof *matrix->column_least);
  matrix->column_most = calloc(columns, sizeof *matrix->column_most);
  return matrix->starts != NULL && matrix->rows != NULL && matrix->values != NULL &&
         matrix->objective != NULL && matrix->row_least != NULL && matrix->row_most != NULL &&
         matrix->column_least != NULL && matrix->column_most != NULL;
}

/* Transposes the rows.  Those are taken in order, so entries of one column in one row come to stand
 * beside each other, and are summed. */
static void fill_entries(struct ls_matrix *matrix, const struct ls_linear *program) {
  int *starts = matrix->starts;
  for (size_t i = 0; i < program->entries_count; i++) starts[program->columns[i] + 2]++;
  for (size_t i = 2; i <= program->columns_count; i++) starts[i + 1] += starts[i];
  /* starts[column + 1] is where the next entry goes: in the end, where the next column begins. */
  for (size_t row = 0; row < program->rows_count; row++) {
    for (size_t i = program->row_starts[row]; i < program->row_starts[row + 1]; i++) {
      int place = starts[program->columns[i] + 1]++;
      matrix->rows[place] = (int)row;
      matrix->values[place] = program->values[i];
    }
  }
  int written = 0;
  for (size_t column = 0; column < program->columns_count; column++) {
    int begin = written;
    for (int i = starts[column]; i < starts[column + 1]; i++) {
      if (written > begin && matrix->rows[written - 1] == matrix->rows[i]) {
        matrix->values[written - 1] += matrix->values[i];
      } else {
        matrix->rows[written] = matrix->rows[i];
        matrix->values[written++] = matrix->values[i];
      }
    }
    starts[column] = begin;
  }
  starts[program->columns_count] = written;
}

static void fill_ranges(struct ls_matrix *matrix, const struct ls_linear *program) {
  for (size_t row = 0; row < program->rows_count; row++) {
    double bound = program->bounds[row];
    bool is_open_below = program->relations[row] == LS_AT_MOST;
    bool is_open_above = program->relations[row] == LS_AT_LEAST;
    matrix->row_least[row] = is_open_below ? -DBL_MAX : bound;
    matrix->row_most[row] = is_open_above ? DBL_MAX : bound;
  }
  for (size_t column = 0; column < program->columns_count; column++) {
    double factor = program->objective[column];
    double least = program->column_least[column], most = program->column_most[column];
    matrix->objective[column] = program->is_maximized ? -factor : factor;
    matrix->column_least[column] = isinf(least) ? -DBL_MAX : least;
    matrix->column_most[column] = isinf(most) ? DBL_MAX : most;
  }
}

enum ls_status ls_matrix_open(struct ls_matrix *matrix, const struct ls_linear *program,
                              struct ls_error *err) {
  *matrix = (struct ls_matrix){0};
  if (!allocate(matrix, program))
    return ls_fail(err, LS_ENOMEM, "no memory for a linear program of %zu rows",
                   program->rows_count);
  fill_entries(matrix, program);
  fill_ranges(matrix, program);
  return LS_OK;
}
