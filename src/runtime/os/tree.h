/* tree.h: removes all that a folder holds, whatever a task has left there.
 *
 * No link is followed, and nothing outside the folder is touched.  The depth of the folders below
 * bounds neither descriptors nor stack.
 */
#ifndef LS_RUNTIME_OS_TREE_H
#define LS_RUNTIME_OS_TREE_H

/* Empties the folder behind a descriptor, but for the entries of these names (NULL-terminated;
 * NULL: none). What cannot be removed stays. */
void ls_tree_empty(int folder, const char *const *kept);
/* Removes the entry `name` of a folder, with all below it. */
void ls_tree_remove(int folder, const char *name);

#endif
