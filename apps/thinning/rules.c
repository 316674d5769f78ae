/* rules.c: what each algorithm deletes: docs/theory/thinning.md, 2 (guo1992, zhang1984, guo1989).
 */
#include "rules.h"

#include <string.h>

/* ---- counting, bit by bit ---- */

/* How many of the words added have a bit: at least one of them, two, three. */
struct count {
  uint64_t one, two, three;
};

static struct count count_words(const uint64_t *words, size_t length) {
  struct count count = {0};
  for (size_t i = 0; i < length; i++) {
    count.three |= count.two & words[i];
    count.two |= count.one & words[i];
    count.one |= words[i];
  }
  return count;
}

static struct count count_black(const struct around *a) {
  return count_words((uint64_t[]){a->n, a->ne, a->e, a->se, a->s, a->sw, a->w, a->nw}, 8);
}

/* A = 1: around the pixel there is one step from white to black. */
static uint64_t has_one_run(const struct around *a) {
  const uint64_t circle[] = {a->n, a->ne, a->e, a->se, a->s, a->sw, a->w, a->nw, a->n};
  uint64_t steps[8];
  for (size_t i = 0; i < 8; i++) steps[i] = ~circle[i] & circle[i + 1];
  struct count count = count_words(steps, 8);
  return count.one & ~count.two;
}

/* ---- Guo and Hall 1992 ---- */

static uint64_t is_edge(const struct around *a) {
  return ~(a->n & a->e & a->s & a->w) & count_black(a).three & has_one_run(a);
}

/* What the neighbours would delete with it: one of the two has to stay. */
static uint64_t is_kept_by_pairs(const struct around *a) {
  uint64_t north = ~a->n & a->s & ~a->ss & (a->ne | a->e | a->se) & (a->nw | a->w | a->sw);
  return north | (~a->e & a->w & ~a->ww);
}

static uint64_t is_kept_by_shape(const struct around *a) {
  uint64_t d1 = ~a->n & a->w & a->sw & a->s & a->se & a->e & ~a->ss;
  uint64_t d2 = ~a->e & a->n & a->nw & a->w & a->sw & a->s & ~a->ww;
  uint64_t white = ~a->n & ~a->ne & ~a->e & ~a->se & ~a->nw;
  return d1 | d2 | (white & a->s & a->sw & a->w & ~a->ww & ~a->ss);
}

static uint64_t is_corner(const struct around *a) {
  uint64_t b1 = ~a->n & ~a->ne & ~a->e & ~a->sw & a->s & a->w;
  uint64_t b2 = ~a->n & ~a->nw & ~a->w & ~a->se & a->s & a->e;
  return b1 | b2;
}

static uint64_t delete_afp1(const struct around *a) {
  return is_edge(a) & ~is_kept_by_pairs(a);
}

static uint64_t delete_afp2(const struct around *a) {
  return is_edge(a) & ~is_kept_by_shape(a);
}

static uint64_t delete_afp3(const struct around *a) {
  return delete_afp2(a) | is_corner(a);
}

/* ---- Zhang and Suen ---- */

static uint64_t delete_zhang_suen(const struct around *a) {
  struct count white =
      count_words((uint64_t[]){~a->n, ~a->ne, ~a->e, ~a->se, ~a->s, ~a->sw, ~a->w, ~a->nw}, 8);
  return count_black(a).two & white.two & has_one_run(a);
}

static uint64_t delete_zhang_suen_first(const struct around *a) {
  return delete_zhang_suen(a) & ~(a->n & a->e & a->s) & ~(a->e & a->s & a->w);
}

static uint64_t delete_zhang_suen_second(const struct around *a) {
  return delete_zhang_suen(a) & ~(a->n & a->e & a->w) & ~(a->n & a->s & a->w);
}

/* ---- Guo and Hall 1989 ---- */

static uint64_t delete_guo_hall(const struct around *a) {
  struct count runs = count_words((uint64_t[]){~a->n & (a->ne | a->e), ~a->e & (a->se | a->s),
                                               ~a->s & (a->sw | a->w), ~a->w & (a->nw | a->n)},
                                  4);
  const uint64_t first[] = {a->nw | a->n, a->ne | a->e, a->se | a->s, a->sw | a->w};
  const uint64_t second[] = {a->n | a->ne, a->e | a->se, a->s | a->sw, a->w | a->nw};
  uint64_t at_least_two = count_words(first, 4).two & count_words(second, 4).two;
  uint64_t all =
      first[0] & first[1] & first[2] & first[3] & second[0] & second[1] & second[2] & second[3];
  return runs.one & ~runs.two & at_least_two & ~all;
}

static uint64_t delete_guo_hall_first(const struct around *a) {
  return delete_guo_hall(a) & ~((a->s | a->sw | ~a->nw) & a->w);
}

static uint64_t delete_guo_hall_second(const struct around *a) {
  return delete_guo_hall(a) & ~((a->n | a->ne | ~a->se) & a->e);
}

/* ---- the list ---- */

const struct algorithm algorithms[] = {
    {"afp3", 1, {delete_afp3}, 1, 2},
    {"afp2", 1, {delete_afp2}, 1, 2},
    {"afp1", 1, {delete_afp1}, 1, 2},
    {"zhang-suen", 2, {delete_zhang_suen_first, delete_zhang_suen_second}, 2, 2},
    {"guo-hall", 2, {delete_guo_hall_first, delete_guo_hall_second}, 2, 2},
    {NULL, 0, {NULL}, 0, 0},
};

const struct algorithm *algorithm_find(const char *name) {
  for (const struct algorithm *algorithm = algorithms; algorithm->name != NULL; algorithm++) {
    if (strcmp(algorithm->name, name) == 0) return algorithm;
  }
  return NULL;
}
