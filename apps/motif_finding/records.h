/* records.h: the records of a text in FASTA, as codes of letters one after the other. */
#ifndef MOTIF_RECORDS_H
#define MOTIF_RECORDS_H

#include <stddef.h>

#include <loadstar.h>

/* A code: the end of a record, or a letter that is none of A, C, G, T or may be several ones. */
enum { NO_LETTER = 4 };

struct record {
  char *name;          /* the first word behind '>'; owned */
  size_t first, count; /* of its codes */
};

struct records {
  struct ls_bytes codes; /* 0 to 3 for A, C, G, T; a NO_LETTER stands before each record */
  struct record *items;
  size_t count;
};

/* LS_EINVAL: the text is no FASTA; LS_ENOMEM. The caller closes them, also after a failure. */
LS_CHECKED enum ls_status records_read(struct records *records, const struct ls_text *fasta,
                                       struct ls_error *err);
void records_close(struct records *records);
/* The record that the code at `place` is of. */
const struct record *records_find(const struct records *records, size_t place);
/* The letter of a code: N of NO_LETTER. */
char records_letter(unsigned char code);

#endif
