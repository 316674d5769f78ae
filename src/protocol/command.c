#include "protocol/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "protocol/wire.h"

enum { INPUT_FIELDS = 4, FILE_LISTS = 3 };

/* Words are binaries, not strings: names of files need not be UTF-8. */
static void pack_word(struct ls_bytes *out, const char *word) {
  size_t length = strlen(word);
  ls_wire_put_blob(out, word, length);
}

static void pack_staging(struct ls_bytes *out, const struct ls_staging *staging) {
  assert(staging->outputs_count <= LS_STAGED_OUTPUTS_MAX);
  ls_wire_put_array(out, FILE_LISTS);
  ls_wire_put_array(out, INPUT_FIELDS * staging->inputs_count);
  for (size_t i = 0; i < staging->inputs_count; i++) {
    const struct ls_staged_input *input = &staging->inputs[i];
    pack_word(out, input->name);
    ls_wire_put_blob(out, input->content, LS_CONTENT_BYTES);
    ls_wire_put_whole(out, input->bytes);
    ls_wire_put_whole(out, input->is_executable ? 1 : 0);
  }
  ls_wire_put_array(out, staging->outputs_count);
  for (size_t i = 0; i < staging->outputs_count; i++) pack_word(out, staging->outputs[i]);
  ls_wire_put_whole(out, staging->returns_failed ? 1 : 0);
}

void ls_command_encode(const char *const *argv, size_t argv_count,
                       const struct ls_command_goods *goods, struct ls_bytes *out) {
  assert(argv_count >= 1);
  const struct ls_staging *staging = goods != NULL ? goods->staging : NULL;
  const struct ls_block *block = goods != NULL ? goods->block : NULL;
  ls_wire_put_array(out, argv_count + (staging != NULL) + (size_t)(block != NULL));
  for (size_t i = 0; i < argv_count; i++) pack_word(out, argv[i]);
  if (staging != NULL) pack_staging(out, staging);
  if (block != NULL) ls_block_encode(block, out);
}

/* Appends a word and a zero byte. */
static void read_word(struct ls_reader *reader, const char *field, struct ls_bytes *words) {
  struct ls_blob word = ls_reader_blob(reader, field);
  if (word.length > 0 && memchr(word.data, 0, word.length) != NULL) {
    ls_reader_refuse(reader, field, "no zero byte in it");
  }
  ls_bytes_append(words, word.data, word.length);
  ls_bytes_append_char(words, '\0');
}

static void read_input(struct ls_reader *reader, struct ls_command *command,
                       struct ls_staged_input *input) {
  read_word(reader, "name", &command->words);
  struct ls_blob content = ls_reader_blob(reader, "content");
  if (content.length != LS_CONTENT_BYTES) ls_reader_refuse(reader, "content", "32 bytes");
  *input = (struct ls_staged_input){.bytes = ls_reader_whole(reader, "bytes", 0, INT64_MAX)};
  input->is_executable = ls_reader_whole(reader, "mode", 0, 1) == 1;
  if (ls_reader_is_well(reader)) memcpy(input->content, content.data, LS_CONTENT_BYTES);
}

/* Their names, which stand behind those of the inputs. */
static enum ls_status read_outputs(struct ls_reader *reader, struct ls_command *command,
                                   struct ls_error *err) {
  size_t count = ls_reader_array(reader, "outputs", LS_STAGED_OUTPUTS_MAX);
  if (ls_array_reserve((void **)&command->outputs, &command->outputs_capacity, count,
                       sizeof *command->outputs) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu outputs of a command", count);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    read_word(reader, "name", &command->words);
  command->staging.outputs = command->outputs;
  command->staging.outputs_count = count;
  command->staging.returns_failed = ls_reader_whole(reader, "returns_failed", 0, 1) == 1;
  return LS_OK;
}

/* LS_ENOMEM only; the reader keeps what is wrong. The array holds no more items than there are
 * bytes, so the memory follows what was sent. */
static enum ls_status read_staging(struct ls_reader *reader, struct ls_command *command,
                                   struct ls_error *err) {
  size_t fields = ls_reader_array(reader, "inputs", SIZE_MAX), count = fields / INPUT_FIELDS;
  if (fields % INPUT_FIELDS != 0)
    ls_reader_refuse(reader, "inputs", "name, content, bytes and mode of each");
  if (ls_array_reserve((void **)&command->inputs, &command->inputs_capacity, count,
                       sizeof *command->inputs) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu inputs of a command", count);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    read_input(reader, command, &command->inputs[i]);
  command->staging = (struct ls_staging){.inputs = command->inputs, .inputs_count = count};
  command->is_staged = true;
  return read_outputs(reader, command, err);
}

/* An array of files, or the block: their lengths tell them apart. */
static enum ls_status read_goods(struct ls_reader *reader, struct ls_command *command,
                                 struct ls_error *err) {
  size_t items = ls_reader_array(reader, "files", LS_BLOCK_FIELDS);
  if (items == LS_BLOCK_FIELDS && !command->has_block) {
    ls_block_read(reader, &command->words, &command->block);
    command->has_block = true;
  } else if (items == FILE_LISTS && !command->is_staged && !command->has_block) {
    return read_staging(reader, command, err);
  } else {
    ls_reader_refuse(reader, "files", "inputs, outputs and a mark, or a block");
  }
  return LS_OK;
}

/* Reads all words, a zero byte behind each, then the files, then the block; the number of words. */
static enum ls_status read_command(struct ls_reader *reader, struct ls_command *command,
                                   size_t *words, struct ls_error *err) {
  size_t items = ls_reader_array(reader, "words", SIZE_MAX);
  for (*words = 0; *words < items && ls_reader_is_well(reader); ++*words) {
    if (*words + 2 >= items && ls_reader_is_at_array(reader)) break;
    read_word(reader, "word", &command->words);
  }
  if (*words == 0) ls_reader_refuse(reader, "words", "at least one word");
  enum ls_status status = LS_OK;
  for (size_t i = *words; i < items && status == LS_OK; i++)
    status = read_goods(reader, command, err);
  return status;
}

/* The pointers, now that the text stands still. */
static void point_at_words(struct ls_command *command, size_t count) {
  char *word = command->words.data;
  for (size_t i = 0; i < count; i++) {
    command->argv[i] = word;
    word += strlen(word) + 1;
  }
  command->argv[count] = NULL;
  command->argv_count = count;
  for (size_t i = 0; i < command->staging.inputs_count; i++) {
    command->inputs[i].name = word;
    word += strlen(word) + 1;
  }
  for (size_t i = 0; i < command->staging.outputs_count; i++) {
    command->outputs[i] = word;
    word += strlen(word) + 1;
  }
  if (!command->has_block) return;
  command->block.name = word;
  command->block.path = word + strlen(word) + 1;
}

enum ls_status ls_command_decode(struct ls_command *command, const void *input, size_t length,
                                 size_t *offset, struct ls_error *err) {
  assert(*offset <= length);
  command->argv_count = 0;
  command->staging = (struct ls_staging){0};
  command->is_staged = command->has_block = false;
  command->block = (struct ls_block){0};
  ls_bytes_clear(&command->words);
  struct ls_reader reader;
  ls_reader_init(&reader, input != NULL ? (const char *)input + *offset : NULL, length - *offset);
  size_t count = 0;
  enum ls_status status = read_command(&reader, command, &count, err);
  if (status == LS_OK && !ls_reader_is_well(&reader)) {
    status =
        ls_fail(err, LS_ECORRUPT, "command at byte %zu of the input: %s", *offset, reader.problem);
  }
  /* All the words are there, so the memory for their pointers follows what was sent. */
  if (status == LS_OK &&
      (command->words.failed || ls_array_reserve((void **)&command->argv, &command->argv_capacity,
                                                 count + 1, sizeof *command->argv) != LS_OK)) {
    status = ls_fail(err, LS_ENOMEM, "no memory for a command of %zu words", count);
  }
  if (status != LS_OK) {
    command->staging = (struct ls_staging){0};
    command->has_block = false;
    return status;
  }
  point_at_words(command, count);
  *offset = length - ls_reader_left(&reader);
  return LS_OK;
}

void ls_command_close(struct ls_command *command) {
  free(command->argv);
  free(command->inputs);
  free(command->outputs);
  ls_bytes_close(&command->words);
  *command = (struct ls_command){0};
}
