/* replay.c: runs a fuzz target without libFuzzer: on its seeds, then on mutations of them.
 *
 * Usage: fuzz_TARGET CORPUS MUTATIONS
 * The mutations come from a fixed seed, so a failure repeats. Each input lies on the heap with its
 * exact size, so that the address sanitizer sees a read of one byte too many.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fuzz.h"

enum { INPUT_MAX = 4096, SEEDS_MAX = 200 };

struct seed {
  char name[300];
  size_t size;
  uint8_t data[INPUT_MAX];
};

static struct seed seeds[SEEDS_MAX];
static size_t seeds_count;

static int compare_names(const void *a, const void *b) {
  return strcmp(((const struct seed *)a)->name, ((const struct seed *)b)->name);
}

static bool read_seed(const char *folder, const char *name) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL || seeds_count == SEEDS_MAX) return false;
  struct seed *seed = &seeds[seeds_count++];
  snprintf(seed->name, sizeof seed->name, "%s", name);
  seed->size = fread(seed->data, 1, sizeof seed->data, file);
  bool is_read = ferror(file) == 0;
  fclose(file);
  return is_read;
}

/* In the order of their names: the order in a folder differs between machines. */
static bool read_seeds(const char *folder) {
  DIR *entries = opendir(folder);
  if (entries == NULL) return false;
  bool is_read = true;
  for (const struct dirent *entry; is_read && (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] != '.') is_read = read_seed(folder, entry->d_name);
  }
  closedir(entries);
  qsort(seeds, seeds_count, sizeof *seeds, compare_names);
  return is_read && seeds_count > 0;
}

static void run_exact(const uint8_t *data, size_t size) {
  uint8_t *exact = malloc(size > 0 ? size : 1);
  if (exact == NULL) abort();
  memcpy(exact, data, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

/* A run of bytes from any seed, put over or into the input. */
static size_t splice(struct ls_random *random, uint8_t *data, size_t size) {
  const struct seed *donor = &seeds[ls_random_below(random, seeds_count)];
  if (donor->size == 0) return size;
  size_t from = ls_random_below(random, donor->size);
  size_t count = 1 + ls_random_below(random, donor->size - from);
  size_t to = ls_random_below(random, size + 1);
  if (ls_random_below(random, 2) == 0) {
    if (count > INPUT_MAX - size) return size;
    memmove(data + to + count, data + to, size - to);
    memcpy(data + to, donor->data + from, count);
    return size + count;
  }
  if (count > INPUT_MAX - to) count = INPUT_MAX - to;
  memcpy(data + to, donor->data + from, count);
  return to + count > size ? to + count : size;
}

static size_t mutate(struct ls_random *random, uint8_t *data, size_t size) {
  static const uint8_t borders[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xdd, 0xc6, '{', '"', '-', '9'};
  size_t at = size > 0 ? ls_random_below(random, size) : 0;
  if (size == 0) return splice(random, data, size);
  switch (ls_random_below(random, 6)) {
    case 0:
      data[at] ^= (uint8_t)(1U << ls_random_below(random, 8));
      return size;
    case 1:
      data[at] = borders[ls_random_below(random, sizeof borders)];
      return size;
    case 2:
      data[at] = (uint8_t)ls_random_u64(random);
      return size;
    case 3: {
      size_t count = 1 + ls_random_below(random, size - at);
      if (count > 8 && ls_random_below(random, 4) > 0) count = 1 + count % 8;
      memmove(data + at, data + at + count, size - at - count);
      return size - count;
    }
    case 4:
      return ls_random_below(random, 4) == 0 ? at : size;
    default:
      return splice(random, data, size);
  }
}

/* A seed that is refused at the first look leads nowhere: only those named bad_... are. */
static bool check_seed(const struct seed *seed) {
  bool is_bad = strncmp(seed->name, "bad_", strlen("bad_")) == 0;
  if (fuzz_accepts != is_bad) return true;
  fprintf(stderr, "seed %s is %s\n", seed->name, fuzz_accepts ? "accepted" : "refused");
  return false;
}

int main(int argc, char **argv) {
  if (argc != 3 || !read_seeds(argv[1])) {
    fprintf(stderr, "usage: %s CORPUS MUTATIONS (the corpus holds 1 to %d files)\n", argv[0],
            SEEDS_MAX);
    return 2;
  }
  for (size_t i = 0; i < seeds_count; i++) {
    run_exact(seeds[i].data, seeds[i].size);
    if (!check_seed(&seeds[i])) return 1;
  }
  struct ls_random random;
  ls_random_init(&random, 20231124, "mutations");
  static uint8_t data[INPUT_MAX];
  unsigned long mutations = strtoul(argv[2], NULL, 10);
  for (unsigned long i = 0; i < mutations; i++) {
    const struct seed *seed = &seeds[ls_random_below(&random, seeds_count)];
    size_t size = seed->size;
    memcpy(data, seed->data, size);
    for (uint64_t more = 1 + ls_random_below(&random, 5); more > 0; more--) {
      size = mutate(&random, data, size);
    }
    run_exact(data, size);
  }
  printf("%zu seeds, %lu mutations\n", seeds_count, mutations);
  return 0;
}
