/* motif_master.c: what the master of a search does, in the order in which it is called. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "branch.h"
#include "brute_force.h"
#include "motif_finding.h"
#include "records.h"

enum ls_status motif_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct motif *motif = context;
  (void)err;
  ls_bytes_append(bytes, motif->sequences.letters,
                  motif->sequences.count * motif->sequences.length);
  return LS_OK;
}

/* ---- what is said ---- */

static void describe_planted(const struct motif *motif, struct ls_bytes *text) {
  const struct planted *planted = &motif->planted;
  struct best best = {0};
  uint64_t profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  profile_of(&motif->space, planted->starts, motif->space.sequences, profile);
  best_take(&best, profile_score(&motif->space, profile, favourites),
            space_pack(&motif->space, planted->starts, motif->space.sequences));
  ls_bytes_append_text(text, "planted    ");
  for (size_t i = 0; i < planted->length; i++) {
    ls_bytes_append_char(text, records_letter(planted->letters[i]));
  }
  ls_bytes_printf(text, ", %zu mutations: ", planted->mutations);
  answer_write_score(&motif->space, &best, text);
  ls_bytes_append_char(text, '\n');
}

static void describe_sequences(const struct motif *motif, struct ls_bytes *text) {
  const struct words *words = &motif->words;
  const struct sequences *sequences = &motif->sequences;
  size_t least = sequences->length;
  for (size_t i = 0; i < sequences->count; i++) {
    if (sequences->lengths[i] < least) least = sequences->lengths[i];
  }
  if (words->records == NULL) {
    ls_bytes_printf(text, "%zu sequences of %zu letters (%s, seed %" PRIu64 ")", sequences->count,
                    sequences->length, words->fasta != NULL ? words->fasta : "random", words->seed);
  } else if (least < sequences->length) {
    ls_bytes_printf(text, "%zu records of %zu to %zu letters (%s)", sequences->count, least,
                    sequences->length, words->records);
  } else {
    ls_bytes_printf(text, "%zu records of %zu letters (%s)", sequences->count, least,
                    words->records);
  }
}

void motif_describe(const struct motif *motif, struct ls_bytes *text) {
  const struct words *words = &motif->words;
  describe_sequences(motif, text);
  ls_bytes_printf(text, ", words of %zu: %" PRIu64 " start vectors", words->length,
                  motif->space.vectors);
  if (words->shares > 1) {
    ls_bytes_printf(text, ", share %" PRIu64 " of %" PRIu64, words->share, words->shares);
  }
  ls_bytes_append_char(text, '\n');
  if (words->has_plant && words->shares == 1) describe_planted(motif, text);
}

/* Letters of a record are counted from 1 on. */
static void show_origin(const struct origin *origin, uint64_t start, size_t length,
                        struct ls_bytes *text) {
  if (origin->record == NULL) return;
  uint64_t first = origin->offset + start + 1;
  ls_bytes_printf(text, "  %s, letters %" PRIu64 " to %" PRIu64, origin->record, first,
                  first + length - 1);
}

void motif_show(const struct motif *motif, const struct best *best, struct ls_bytes *text) {
  const struct space *space = &motif->space;
  uint64_t starts[SEQUENCES_MAX], profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  char consensus[MOTIF_LENGTH_MAX + 1] = {0};
  space_unpack(space, best->number, space->sequences, starts);
  profile_of(space, starts, space->sequences, profile);
  (void)profile_score(space, profile, favourites);
  favourites_spell(space, favourites, consensus);
  for (size_t i = 0; i < space->sequences; i++) {
    ls_bytes_printf(text, "%10" PRIu64 " ", starts[i]);
    for (size_t j = 0; j < space->length; j++) {
      ls_bytes_append_char(text, records_letter(sequences_at(&motif->sequences, i)[starts[i] + j]));
    }
    show_origin(&motif->sequences.origins[i], starts[i], space->length, text);
    ls_bytes_append_char(text, '\n');
  }
  ls_bytes_printf(text, "consensus  %s\n", consensus);
  answer_write(space, best, text);
  ls_bytes_append_char(text, '\n');
}

static void describe_levels(const struct levels *levels, struct ls_bytes *text) {
  ls_bytes_printf(text, "%10s %12s %14s %14s\n", "level", "prefixes", "children", "kept");
  for (size_t depth = 1; depth < levels->depth; depth++) {
    const struct level_count *count = &levels->counts[depth];
    ls_bytes_printf(text, "%10zu %12" PRIu64 " %14" PRIu64, depth + 1, count->prefixes,
                    count->prefixes * levels->space->positions[depth]);
    if (depth + 1 < levels->space->sequences) ls_bytes_printf(text, " %14" PRIu64, count->kept);
    ls_bytes_append_char(text, '\n');
  }
}

/* ---- the end ---- */

static enum ls_status search_serially(const struct motif *motif, struct best *best,
                                      struct ls_error *err) {
  uint64_t visited;
  if (motif->share.count == 0) return LS_OK;
  if (!motif->words.is_branching) return brute_force(&motif->space, motif->share, best, err);
  return branch_serially(&motif->space, motif->share, best, &visited, err);
}

static enum ls_status check(const struct motif *motif, const struct best *best,
                            struct ls_error *err) {
  struct best serial = {0};
  enum ls_status status = search_serially(motif, &serial, err);
  if (status != LS_OK) return status;
  if (serial.is_known == best->is_known && serial.score == best->score &&
      serial.number == best->number) {
    return LS_OK;
  }
  return ls_fail(err, LS_ECORRUPT,
                 "motif: vector %" PRIu64 " of score %" PRIu64
                 " is not what one process finds, which is %" PRIu64 " of score %" PRIu64,
                 best->number, best->score, serial.number, serial.score);
}

static enum ls_status say(const struct motif *motif, const struct best *best,
                          struct ls_error *err) {
  struct ls_bytes text = {0};
  motif_describe(motif, &text);
  if (motif->words.is_branching && !motif->words.is_serial) describe_levels(&motif->levels, &text);
  if (best->is_known) motif_show(motif, best, &text);
  if (!best->is_known) ls_bytes_append_text(&text, "no start vector is in this share\n");
  if (motif->words.is_checked) ls_bytes_append_text(&text, "as computed serially\n");
  if (motif->restored > 0)
    ls_bytes_printf(&text, "restored before iteration %u\n", motif->restored);
  enum ls_status status = LS_OK;
  if (text.failed) status = ls_fail(err, LS_ENOMEM, "motif: out of memory for the answer");
  if (status == LS_OK) (void)fputs(ls_bytes_text(&text), stdout);
  ls_bytes_close(&text);
  return status;
}

static enum ls_status conclude(const struct motif *motif, struct ls_error *err) {
  const struct best *best = motif->words.is_branching ? &motif->levels.best : &motif->best;
  enum ls_status status = motif->words.is_checked ? check(motif, best, err) : LS_OK;
  return status == LS_OK ? say(motif, best, err) : status;
}

static enum ls_status run_serially(const struct motif *motif, struct ls_error *err) {
  struct best best = {0};
  enum ls_status status = search_serially(motif, &best, err);
  return status == LS_OK ? say(motif, &best, err) : status;
}

/* ---- iterations ---- */

static enum ls_status count_prefixes(struct motif *motif, uint32_t iteration, uint64_t *units,
                                     struct ls_error *err) {
  struct levels *levels = &motif->levels;
  enum ls_status status = iteration == 0 ? levels_begin(levels, &motif->space, motif->share, err)
                                         : levels_next(levels, err);
  *units = levels->count;
  return status == LS_OK && *units == 0 ? conclude(motif, err) : status;
}

enum ls_status motif_units(void *context, uint32_t iteration, uint64_t *units,
                           struct ls_error *err) {
  struct motif *motif = context;
  *units = 0;
  if (motif->words.is_serial) return iteration == 0 ? run_serially(motif, err) : LS_OK;
  if (motif->words.is_branching) return count_prefixes(motif, iteration, units, err);
  *units = iteration == 0 ? motif->share.count : 0;
  return *units == 0 ? conclude(motif, err) : LS_OK;
}

enum ls_status motif_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                               struct ls_error *err) {
  const struct motif *motif = context;
  (void)iteration, (void)err;
  if (motif->words.is_branching) {
    ls_bytes_append(bytes, &motif->levels.best.score, sizeof motif->levels.best.score);
  }
  return LS_OK;
}

enum ls_status motif_pack(void *context, struct ls_range units, uint32_t slot,
                          struct ls_bytes *input, struct ls_error *err) {
  struct motif *motif = context;
  struct ls_range vectors = {motif->share.first + units.first, units.count};
  enum ls_status status = LS_OK;
  (void)slot;
  if (motif->words.is_branching) {
    ls_bytes_append(input, motif->levels.prefixes + units.first,
                    (size_t)units.count * sizeof *motif->levels.prefixes);
  } else if (motif->words.sends_rows) {
    if (motif->rows.bytes == NULL) {
      status = rows_open(&motif->rows, &motif->sequences, &motif->space, err);
    }
    if (status == LS_OK) rows_pack(&motif->rows, &motif->space, vectors, input);
  }
  return status;
}

enum ls_status motif_merge(void *context, const struct ls_unit_result *result,
                           struct ls_error *err) {
  struct motif *motif = context;
  struct ls_range units = result->units;
  const char *what = motif->words.is_branching ? "prefixes" : "start vectors";
  struct best best;
  if (result->outcome != LS_OUTCOME_DONE || result->output.data == NULL) {
    return ls_fail(err, LS_EIO, "motif: %s %" PRIu64 " to %" PRIu64 " have no answer", what,
                   units.first, units.first + units.count - 1);
  }
  if (motif->words.is_branching) return levels_merge(&motif->levels, result, err);
  if (result->output.length != ANSWER_BYTES ||
      !answer_take(result->output.data, result->output.length, motif->space.vectors, &best)) {
    return ls_fail(err, LS_ECORRUPT,
                   "motif: start vectors %" PRIu64 " to %" PRIu64
                   " have an answer that is not their own",
                   units.first, units.first + units.count - 1);
  }
  best_merge(&motif->best, &best);
  return LS_OK;
}

/* What the next iteration begins with. */
enum ls_status motif_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct motif *motif = context;
  (void)err;
  if (motif->words.is_branching) {
    levels_store(&motif->levels, bytes);
  } else {
    answer_append(&motif->best, bytes);
  }
  return LS_OK;
}

enum ls_status motif_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                             struct ls_error *err) {
  struct motif *motif = context;
  motif->restored = iteration;
  if (motif->words.is_branching) {
    return levels_restore(&motif->levels, &motif->space, bytes, err);
  }
  if (bytes->length == ANSWER_BYTES &&
      answer_take(bytes->data, bytes->length, motif->space.vectors, &motif->best)) {
    return LS_OK;
  }
  return ls_fail(err, LS_ECORRUPT, "motif: a checkpoint of %zu bytes, expected %d", bytes->length,
                 ANSWER_BYTES);
}
