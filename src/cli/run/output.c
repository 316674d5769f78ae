#include "cli/run/output.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/run/output_held.h"

enum { PLACES_LEAST = 1024 };

/* Where the outputs of a unit are. */
enum { PLACE_NONE = 0, PLACE_NOTHING_HELD = 1, PLACE_SHOWN = 2, PLACE_FIRST = 3 };

struct ls_delivery {
  struct ls_delivery_setup setup;
  uint64_t
      *places; /* keep-order: PLACE_..., or PLACE_FIRST + offset in the spool; from `base` on */
  size_t places_count;
  uint64_t base;       /* <= frontier: units below have no place any more */
  uint64_t frontier;   /* the first unit whose turn has not come */
  struct ls_held held; /* the outputs of units in the spool */
  /* Units whose outputs the writer has, in its order; those before `leaving_first` have left. */
  struct leaving *leaving;
  size_t leaving_first, leaving_count, leaving_capacity;
};

struct leaving {
  uint64_t unit;
  uint64_t end; /* the place after its outputs in the writer's stream */
};

enum ls_status ls_delivery_create(const struct ls_delivery_setup *setup, struct ls_delivery **out,
                                  struct ls_error *err) {
  struct ls_delivery *delivery = calloc(1, sizeof *delivery);
  if (delivery == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for outputs");
  delivery->setup = *setup;
  delivery->held = ls_held_make(setup->compresses);
  *out = delivery;
  return LS_OK;
}

void ls_delivery_destroy(struct ls_delivery *delivery) {
  if (delivery == NULL) return;
  ls_held_close(&delivery->held);
  free(delivery->places);
  free(delivery->leaving);
  free(delivery);
}

static void prepare_writing(const struct ls_delivery *delivery) {
  if (delivery->setup.prepare != NULL) delivery->setup.prepare(delivery->setup.context);
}

static enum ls_status give(struct ls_delivery *delivery, enum ls_writer_stream stream,
                           const struct ls_output *output, struct ls_error *err) {
  struct ls_writer *writer = delivery->setup.writer;
  if (output->data != NULL) return ls_writer_add(writer, stream, output->data, output->length, err);
  if (output->file < 0) return LS_OK;
  const struct ls_writer_part whole = {.file = output->file, .length = output->length};
  return ls_writer_add_part(writer, stream, &whole, err);
}

/* Where those that have left are at least half of the list, the others move to its beginning. */
static enum ls_status note_leaving(struct ls_delivery *delivery, uint64_t unit,
                                   struct ls_error *err) {
  if (delivery->leaving_first > 0 && 2 * delivery->leaving_first >= delivery->leaving_count) {
    delivery->leaving_count -= delivery->leaving_first;
    memmove(delivery->leaving, delivery->leaving + delivery->leaving_first,
            delivery->leaving_count * sizeof *delivery->leaving);
    delivery->leaving_first = 0;
  }
  if (ls_array_reserve((void **)&delivery->leaving, &delivery->leaving_capacity,
                       delivery->leaving_count + 1, sizeof *delivery->leaving) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for outputs");
  delivery->leaving[delivery->leaving_count++] =
      (struct leaving){unit, ls_writer_given(delivery->setup.writer)};
  return LS_OK;
}

static enum ls_status write_now(struct ls_delivery *delivery, uint64_t unit,
                                const struct ls_output *output,
                                const struct ls_output *error_output, struct ls_error *err) {
  if (output->length + error_output->length == 0) return LS_OK;
  prepare_writing(delivery);
  enum ls_status status = give(delivery, LS_WRITER_OUTPUT, output, err);
  if (status == LS_OK) status = give(delivery, LS_WRITER_ERROR, error_output, err);
  return status == LS_OK ? note_leaving(delivery, unit, err) : status;
}

/* Units before the frontier need no place: half of the room is given to others at a time. */
static void move_places(struct ls_delivery *delivery) {
  uint64_t gone = delivery->frontier - delivery->base;
  if (gone < PLACES_LEAST || gone < delivery->places_count / 2) return;
  size_t left = gone < delivery->places_count ? delivery->places_count - (size_t)gone : 0;
  memmove(delivery->places, delivery->places + (delivery->places_count - left),
          left * sizeof *delivery->places);
  memset(delivery->places + left, 0, (delivery->places_count - left) * sizeof *delivery->places);
  delivery->base = delivery->frontier;
}

/* The place of a unit whose turn has not come. */
static enum ls_status find_place(struct ls_delivery *delivery, uint64_t unit, uint64_t **place,
                                 struct ls_error *err) {
  assert(unit >= delivery->frontier);
  move_places(delivery);
  uint64_t index = unit - delivery->base;
  if (index >= delivery->places_count) {
    uint64_t count = index < PLACES_LEAST ? PLACES_LEAST : 2 * index;
    uint64_t *places = count > SIZE_MAX / sizeof *places
                           ? NULL
                           : realloc(delivery->places, (size_t)count * sizeof *places);
    if (places == NULL)
      return ls_fail(err, LS_ENOMEM, "--keep-order: out of memory for %llu tasks",
                     (unsigned long long)count);
    memset(places + delivery->places_count, 0,
           ((size_t)count - delivery->places_count) * sizeof *places);
    delivery->places = places;
    delivery->places_count = (size_t)count;
  }
  *place = &delivery->places[index];
  return LS_OK;
}

/* Writes the outputs of a unit to the spool; `*place` says where. */
static enum ls_status hold(struct ls_delivery *delivery, const struct ls_output *output,
                           const struct ls_output *error_output, uint64_t *place,
                           struct ls_error *err) {
  if (output->length + error_output->length == 0) {
    *place = PLACE_NOTHING_HELD;
    return LS_OK;
  }
  const struct ls_output *const outputs[2] = {output, error_output};
  uint64_t offset = 0;
  enum ls_status status = ls_held_put(&delivery->held, outputs, &offset, err);
  if (status == LS_OK) *place = PLACE_FIRST + offset;
  return status;
}

/* Writes what is held of the unit whose place has this index. */
static enum ls_status write_held(struct ls_delivery *delivery, size_t index, struct ls_error *err) {
  prepare_writing(delivery);
  enum ls_status status = ls_held_give(&delivery->held, delivery->places[index] - PLACE_FIRST,
                                       delivery->setup.writer, err);
  if (status == LS_OK) status = note_leaving(delivery, delivery->base + index, err);
  if (status == LS_OK) delivery->places[index] = PLACE_NOTHING_HELD;
  return status;
}

/* Writes everything whose turn has come. */
static enum ls_status advance(struct ls_delivery *delivery, struct ls_error *err) {
  for (;;) {
    uint64_t index = delivery->frontier - delivery->base;
    if (index >= delivery->places_count || delivery->places[index] == PLACE_NONE) return LS_OK;
    if (delivery->places[index] == PLACE_SHOWN) {
      enum ls_status status = note_leaving(delivery, delivery->frontier, err);
      if (status != LS_OK) return status;
    }
    if (delivery->places[index] >= PLACE_FIRST) {
      enum ls_status status = write_held(delivery, (size_t)index, err);
      if (status != LS_OK) return status;
    }
    delivery->frontier++;
  }
}

enum ls_status ls_delivery_add(struct ls_delivery *delivery, uint64_t unit,
                               const struct ls_output *output, const struct ls_output *error_output,
                               struct ls_error *err) {
  uint64_t *place = NULL;
  if (!delivery->setup.keeps_order) return write_now(delivery, unit, output, error_output, err);
  if (unit < delivery->frontier) return LS_OK;
  enum ls_status status = find_place(delivery, unit, &place, err);
  if (status != LS_OK || *place != PLACE_NONE) return status;
  if (unit == delivery->frontier) {
    status = write_now(delivery, unit, output, error_output, err);
    if (status == LS_OK) *place = PLACE_NOTHING_HELD;
  } else {
    status = hold(delivery, output, error_output, place, err);
  }
  return status == LS_OK ? advance(delivery, err) : status;
}

enum ls_status ls_delivery_end(struct ls_delivery *delivery, uint64_t unit, struct ls_error *err) {
  uint64_t *place = NULL;
  if (!delivery->setup.keeps_order) return note_leaving(delivery, unit, err);
  if (unit < delivery->frontier) return LS_OK;
  enum ls_status status = find_place(delivery, unit, &place, err);
  if (status != LS_OK) return status;
  if (*place == PLACE_NONE) *place = PLACE_SHOWN;
  return unit == delivery->frontier ? advance(delivery, err) : LS_OK;
}

enum ls_status ls_delivery_skip(struct ls_delivery *delivery, struct ls_range units,
                                struct ls_error *err) {
  uint64_t end = units.first + units.count;
  if (!delivery->setup.keeps_order) return LS_OK;
  for (uint64_t unit = units.first; unit < end; unit++) {
    uint64_t *place = NULL;
    if (unit < delivery->frontier) continue;
    enum ls_status status = find_place(delivery, unit, &place, err);
    if (status != LS_OK) return status;
    if (*place == PLACE_NONE) *place = PLACE_NOTHING_HELD;
    if (unit == delivery->frontier) status = advance(delivery, err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}

enum ls_status ls_delivery_show(struct ls_delivery *delivery, enum ls_writer_stream stream,
                                const struct ls_output *output, struct ls_error *err) {
  prepare_writing(delivery);
  return give(delivery, stream, output, err);
}

bool ls_delivery_keeps_order(const struct ls_delivery *delivery) {
  return delivery->setup.keeps_order;
}

uint64_t ls_delivery_frontier(const struct ls_delivery *delivery) {
  return delivery->frontier;
}

/* With keep-order they leave in the order of their numbers, and a unit between two of them had no
 * output: one range holds all. */
struct ls_range ls_delivery_take_left(struct ls_delivery *delivery) {
  uint64_t left = ls_writer_left(delivery->setup.writer);
  struct ls_range units = {0};
  while (delivery->leaving_first < delivery->leaving_count &&
         delivery->leaving[delivery->leaving_first].end <= left) {
    uint64_t unit = delivery->leaving[delivery->leaving_first].unit;
    bool continues =
        delivery->setup.keeps_order ? unit >= units.first : unit == units.first + units.count;
    if (units.count == 0)
      units = (struct ls_range){unit, 1};
    else if (continues)
      units.count = unit - units.first + 1;
    else
      break;
    delivery->leaving_first++;
  }
  return units;
}

enum ls_status ls_delivery_flush(struct ls_delivery *delivery, struct ls_error *err) {
  size_t i = (size_t)(delivery->frontier - delivery->base);
  for (; i < delivery->places_count && delivery->held.count > 0; i++) {
    if (delivery->places[i] < PLACE_FIRST) continue;
    enum ls_status status = write_held(delivery, i, err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}
