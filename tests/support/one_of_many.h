/* one_of_many.h: makes a test file a part of the one program of its folder.
 *
 * To link a program for each file would take longer than to compile it.  The build includes this
 * header before everything else; what the file calls main runs when one_of_many.c is given its
 * name.  A test that needs arguments, or whose calls the linker wraps, stays a program of its own.
 */
#ifndef LS_ONE_OF_MANY_H
#define LS_ONE_OF_MANY_H

struct ls_test_part {
  const char *file;          /* Its path. */
  int (*run)(void);          /* Its main. */
  struct ls_test_part *next; /* Of the parts that have been added before. */
};

/* The part stays the caller's, and stays where it is. */
void ls_test_part_add(struct ls_test_part *part);

#ifndef LS_ONE_OF_MANY_RUNNER
static int main_of_this_file(void);

__attribute__((constructor)) static void add_this_file(void) {
  static struct ls_test_part part = {__BASE_FILE__, main_of_this_file, 0};
  ls_test_part_add(&part);
}

#define main main_of_this_file
#endif

#endif
