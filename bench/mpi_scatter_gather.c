/* mpi_scatter_gather: the matched filter in plain MPI, without any policy.
 *
 * Usage: mpirun -n PROCESSES mpi_scatter_gather --image FILE --output FILE
 *          [--response sum|rectified|max] [--block N] [--weights W,...] [--speeds S,...]
 *
 * Rank 0 reads the image and scatters bands of rows, with 11 rows of border; every process filters
 * its band, block by block, by the application's own files; rank 0 gathers the responses and
 * writes the picture.  Heights are equal, or go by --weights, the best static division.  --speeds:
 * each process rests after every block, by its processor time, as workers of `run --speeds` do.
 * Nobody waits softly, checks anything or survives a loss.  Rank 0 prints one JSON line: seconds
 * from before reading to after writing, the longest and shortest time that a process computed, and
 * how many collective calls each made in those seconds.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../apps/matched_filter/filter.h"
#include "../apps/matched_filter/image.h"
#include "../apps/matched_filter/picture.h"
#include "processor_time.h"

struct words {
  const char *image, *output, *weights, *speeds;
  enum response response;
  size_t block;
};

/* What rank 0 has read of the image's header, for all. */
struct frame {
  uint64_t width, height, maxval, sample_bytes;
};

/* By rank: the rows of its band, and the same with the border. */
struct bands {
  int processes, rank;
  int *first, *count, *border_first, *border_count;
  int *packed_first; /* where the rows with the border begin in what is scattered */
};

/* Every collective call goes through this, with its result. */
static int collective_calls;
static void count_call(int result) {
  (void)result;
  collective_calls++;
}

static void fail(const char *what, const char *why) {
  (void)fprintf(stderr, "mpi_scatter_gather: %s: %s\n", what, why);
  (void)MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void require(enum ls_status status, const struct ls_error *err) {
  if (status != LS_OK) fail("failed", err->text);
}

static void *allocate(size_t count, size_t size) {
  void *room = calloc(count > 0 ? count : 1, size);
  if (room == NULL) fail("failed", "out of memory");
  return room;
}

/* ---- words ---- */

/* The number at this place of a list; 1 without a list. */
static double read_item(const char *list, int place) {
  if (list == NULL) return 1;
  for (int i = 0; i < place && list != NULL; i++) {
    list = strchr(list, ',');
    if (list != NULL) list++;
  }
  double value = list == NULL ? 0 : strtod(list, NULL);
  if (!(value > 0 && isfinite(value))) fail("--weights and --speeds", "a positive number per rank");
  return value;
}

static enum response read_response(const char *name) {
  static const char *const names[] = {"sum", "rectified", "max"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], name) == 0) return (enum response)i;
  }
  fail("--response", "expected sum, rectified or max");
  return RESPONSE_SUM;
}

static void read_words(int argc, char **argv, struct words *words) {
  static const struct option options[] = {{"image", required_argument, NULL, 'i'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"response", required_argument, NULL, 'r'},
                                          {"block", required_argument, NULL, 'b'},
                                          {"weights", required_argument, NULL, 'w'},
                                          {"speeds", required_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
  *words = (struct words){.block = 64};
  int option;
  while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
    if (option == 'i') words->image = optarg;
    if (option == 'o') words->output = optarg;
    if (option == 'r') words->response = read_response(optarg);
    if (option == 'b') words->block = strtoul(optarg, NULL, 10);
    if (option == 'w') words->weights = optarg;
    if (option == 's') words->speeds = optarg;
    if (option == '?') fail("words", "see the head of bench/mpi_scatter_gather.c");
  }
  if (words->image == NULL || words->output == NULL || words->block == 0) {
    fail("words", "--image FILE and --output FILE, --block from 1 on");
  }
}

/* ---- bands ---- */

static void make_bands(struct bands *bands, const struct words *words, int height) {
  int **const columns[] = {&bands->first, &bands->count, &bands->border_first, &bands->border_count,
                           &bands->packed_first};
  double total = 0, before = 0;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    *columns[i] = allocate((size_t)bands->processes, sizeof(int));
  }
  for (int rank = 0; rank < bands->processes; rank++) total += read_item(words->weights, rank);
  int packed = 0;
  for (int rank = 0; rank < bands->processes; rank++) {
    double weight = read_item(words->weights, rank);
    int first = (int)lround(height * before / total);
    int end = (int)lround(height * (before + weight) / total);
    int border_first = first > BORDER ? first - BORDER : 0;
    int border_end = end + BORDER < height ? end + BORDER : height;
    before += weight;
    bands->first[rank] = first;
    bands->count[rank] = end - first;
    bands->border_first[rank] = border_first;
    bands->border_count[rank] = end > first ? border_end - border_first : 0;
    bands->packed_first[rank] = packed;
    packed += bands->border_count[rank];
  }
}

static void close_bands(struct bands *bands) {
  free(bands->first);
  free(bands->count);
  free(bands->border_first);
  free(bands->border_count);
  free(bands->packed_first);
}

/* MPI wants no byte sent from twice: rows that two bands have in common are copied. */
static unsigned char *pack_bands(const struct bands *bands, const struct ls_bytes *image,
                                 size_t row_bytes) {
  int last = bands->processes - 1;
  size_t rows = (size_t)bands->packed_first[last] + (size_t)bands->border_count[last];
  unsigned char *packed = allocate(rows, row_bytes);
  for (int rank = 0; rank < bands->processes; rank++) {
    memcpy(packed + (size_t)bands->packed_first[rank] * row_bytes,
           image->data + (size_t)bands->border_first[rank] * row_bytes,
           (size_t)bands->border_count[rank] * row_bytes);
  }
  return packed;
}

static MPI_Datatype make_row_type(size_t bytes) {
  MPI_Datatype row;
  (void)MPI_Type_contiguous((int)bytes, MPI_BYTE, &row);
  (void)MPI_Type_commit(&row);
  return row;
}

/* ---- computing ---- */

static void rest(double seconds) {
  double whole = floor(seconds);
  struct timespec left = {(time_t)whole, (long)((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

struct computer {
  struct filter *filter;
  struct patch patch;
  int64_t *values; /* of a block */
  double speed;
};

static size_t find_less(size_t a, size_t b) {
  return a < b ? a : b;
}

/* A block into its place among the responses of the band, whose first row is `band.y`. */
static void filter_block(struct computer *computer, const struct samples *samples,
                         struct area block, struct area band, int64_t *responses) {
  struct ls_error err;
  double begin = read_clock();
  require(patch_fill(&computer->patch, samples, block, EDGE_ZERO, &err), &err);
  filter_run(computer->filter, &computer->patch, computer->values);
  for (size_t y = 0; y < block.height; y++) {
    memcpy(responses + (block.y - band.y + y) * band.width + block.x,
           computer->values + y * block.width, block.width * sizeof *responses);
  }
  if (computer->speed < 1) rest((read_clock() - begin) * (1 / computer->speed - 1));
}

static void filter_band(const struct words *words, const struct frame *frame,
                        const struct bands *bands, const unsigned char *rows, int64_t *responses) {
  int rank = bands->rank;
  struct filter_setup setup = {.response = words->response, .pixel_max = (int32_t)frame->maxval};
  struct computer computer = {.speed = read_item(words->speeds, rank)};
  struct area band = {0, (size_t)bands->first[rank], frame->width, (size_t)bands->count[rank]};
  struct samples samples = {
      rows,
      {0, (size_t)bands->border_first[rank], frame->width, (size_t)bands->border_count[rank]},
      frame->sample_bytes};
  struct ls_error err;
  size_t side_x = find_less(words->block, band.width),
         side_y = find_less(words->block, band.height);
  require(filter_create(&setup, &computer.filter, &err), &err);
  computer.values = allocate(side_x * side_y, sizeof *computer.values);
  for (size_t y = 0; y < band.height; y += side_y) {
    for (size_t x = 0; x < band.width; x += side_x) {
      struct area block = {x, band.y + y, find_less(side_x, band.width - x),
                           find_less(side_y, band.height - y)};
      filter_block(&computer, &samples, block, band, responses);
    }
  }
  filter_destroy(computer.filter);
  patch_close(&computer.patch);
  free(computer.values);
}

/* ---- the two ends at rank 0 ---- */

static void read_image(const struct words *words, struct frame *frame, struct ls_bytes *samples) {
  struct image image;
  struct ls_error err;
  require(image_open(&image, words->image, &err), &err);
  require(image_read(&image, image_area(&image), samples, &err), &err);
  *frame =
      (struct frame){image.pgm.width, image.pgm.height, image.pgm.maxval, image.pgm.sample_bytes};
  image_close(&image);
}

static void write_picture(const struct words *words, const struct frame *frame,
                          const int64_t *responses) {
  struct area area = {0, 0, frame->width, frame->height};
  size_t count = area.width * area.height;
  struct facts facts = facts_find(responses, area);
  char header[PICTURE_HEADER_ROOM];
  size_t length = picture_write_header(area, header);
  unsigned char *pixels = allocate(count, 1);
  picture_scale(responses, count, &facts, pixels);
  FILE *file = fopen(words->output, "wb");
  if (file == NULL) fail(words->output, strerror(errno));
  bool is_written =
      fwrite(header, 1, length, file) == length && fwrite(pixels, 1, count, file) == count;
  if (fclose(file) != 0 || !is_written) fail(words->output, "cannot be written");
  free(pixels);
}

static void run(const struct words *words, struct bands *bands) {
  struct frame frame = {0};
  struct ls_bytes image = {0};
  unsigned char *packed = NULL;
  double begin = MPI_Wtime();
  if (bands->rank == 0) read_image(words, &frame, &image);
  count_call(MPI_Bcast(&frame, sizeof frame, MPI_BYTE, 0, MPI_COMM_WORLD));
  make_bands(bands, words, (int)frame.height);
  size_t row_bytes = frame.width * frame.sample_bytes;
  MPI_Datatype row = make_row_type(row_bytes);
  MPI_Datatype response_row = make_row_type(frame.width * sizeof(int64_t));
  int border_count = bands->border_count[bands->rank], count = bands->count[bands->rank];
  unsigned char *rows = allocate((size_t)border_count, row_bytes);
  int64_t *responses = allocate((size_t)count, frame.width * sizeof *responses);
  int64_t *whole = NULL;
  if (bands->rank == 0) {
    packed = pack_bands(bands, &image, row_bytes);
    whole = allocate(frame.height, frame.width * sizeof *whole);
  }
  count_call(MPI_Scatterv(packed, bands->border_count, bands->packed_first, row, rows, border_count,
                          row, 0, MPI_COMM_WORLD));
  double computed_s = MPI_Wtime(), longest_s = 0, shortest_s = 0;
  filter_band(words, &frame, bands, rows, responses);
  computed_s = MPI_Wtime() - computed_s;
  count_call(MPI_Gatherv(responses, count, response_row, whole, bands->count, bands->first,
                         response_row, 0, MPI_COMM_WORLD));
  if (bands->rank == 0) write_picture(words, &frame, whole);
  double seconds = MPI_Wtime() - begin;
  int calls = collective_calls;
  count_call(MPI_Reduce(&computed_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
  count_call(MPI_Reduce(&computed_s, &shortest_s, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD));
  if (bands->rank == 0) {
    (void)printf(
        "{\"processes\": %d, \"seconds\": %.6f, \"computed_longest_s\": %.6f, "
        "\"computed_shortest_s\": %.6f, \"collective_calls\": %d}\n",
        bands->processes, seconds, longest_s, shortest_s, calls);
  }
  (void)MPI_Type_free(&row);
  (void)MPI_Type_free(&response_row);
  ls_bytes_close(&image);
  free(packed);
  free(rows);
  free(responses);
  free(whole);
}

int main(int argc, char **argv) {
  struct words words;
  struct bands bands = {0};
  (void)MPI_Init(&argc, &argv);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &bands.rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &bands.processes);
  read_words(argc, argv, &words);
  run(&words, &bands);
  close_bands(&bands);
  (void)MPI_Finalize();
  return 0;
}
