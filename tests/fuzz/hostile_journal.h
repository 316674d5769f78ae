/* hostile_journal.h: a sound journal with every kind of record, and what an enemy makes of it.
 *
 * The input of a target is a list of edits, one a line: TABLE COLUMN ROW KIND VALUE, without
 * spaces.  Table and column are letters from a, row is a digit, each taken modulo what there is.
 * The kinds: i a whole number, r a real one, t a text, x a blob in hexadecimal digits, n NULL, d
 * the row is deleted, c it is there twice, v the table is a view of endless rows, g inserting into
 * it triggers that all ends are deleted (VALUE is ignored).  A line "!OFFSET HEX" overwrites bytes
 * of the file instead.  An edit of a checkpoint adds one of iteration VALUE.  Tables: a job, b
 * identity, c words, d inputs, e sessions, f workers, g advices, h iterations, i checkpoints, j
 * heard, k ended, l reasons, m sent, n outputs, o accounts.
 */
#ifndef LS_TESTS_HOSTILE_JOURNAL_H
#define LS_TESTS_HOSTILE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/journal/journal.h"

enum { HOSTILE_UNITS = 8, HOSTILE_ITERATIONS = 3 };

/* Of the sound journal: HOSTILE_UNITS units in each of HOSTILE_ITERATIONS iterations. */
extern const struct ls_journal_job hostile_job;

/* Writes the journal with these edits; its path, in a folder that goes with the process. */
const char *hostile_journal_write(const uint8_t *data, size_t size);

#endif
