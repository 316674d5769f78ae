#include "protocol/block.h"

#include <assert.h>
#include <string.h>

#include "protocol/wire.h"

void ls_block_encode(const struct ls_block *block, struct ls_bytes *out) {
  bool is_inline = block->path[0] == '\0';
  assert(!is_inline || block->data != NULL || block->length == 0);
  ls_wire_put_array(out, LS_BLOCK_FIELDS);
  ls_wire_put_whole(out, (uint8_t)block->form);
  ls_wire_put_whole(out, block->is_whole ? 1 : 0);
  ls_wire_put_blob(out, block->name, strlen(block->name));
  ls_wire_put_blob(out, block->header, block->header_length);
  ls_wire_put_blob(out, block->path, strlen(block->path));
  ls_wire_put_whole(out, block->offset);
  ls_wire_put_whole(out, block->length);
  ls_wire_put_whole(out, block->source.bytes);
  ls_wire_put_whole(out, block->source.modified_ns);
  ls_wire_put_whole(out, block->source.inode);
  ls_wire_put_blob(out, block->data, is_inline ? (size_t)block->length : 0);
}

static void read_name(struct ls_reader *reader, const char *field, struct ls_bytes *words) {
  struct ls_blob name = ls_reader_blob(reader, field);
  if (name.length > 0 && memchr(name.data, 0, name.length) != NULL)
    ls_reader_refuse(reader, field, "no zero byte in it");
  if (name.length > 0) ls_bytes_append(words, name.data, name.length);
  ls_bytes_append_char(words, '\0');
}

void ls_block_read(struct ls_reader *reader, struct ls_bytes *words, struct ls_block *block) {
  *block = (struct ls_block){
      .form = (enum ls_block_form)ls_reader_whole(reader, "form", 0, LS_BLOCK_FORMS - 1)};
  block->is_whole = ls_reader_whole(reader, "is_whole", 0, 1) == 1;
  size_t name = words->length;
  read_name(reader, "name", words);
  bool has_name = words->length > name + 1;
  if (has_name != (block->form != LS_BLOCK_INPUT))
    ls_reader_refuse(reader, "name", "a name for a file or a named pipe, and none else");
  struct ls_blob header = ls_reader_blob(reader, "header");
  block->header = header.data;
  block->header_length = header.length;
  size_t path = words->length;
  read_name(reader, "path", words);
  bool has_path = words->length > path + 1;
  block->offset = ls_reader_whole(reader, "offset", 0, INT64_MAX);
  block->length = ls_reader_whole(reader, "length", 0, (uint64_t)INT64_MAX - block->offset);
  block->source.bytes = ls_reader_whole(reader, "bytes", 0, INT64_MAX);
  block->source.modified_ns = ls_reader_whole(reader, "modified", 0, UINT64_MAX);
  block->source.inode = ls_reader_whole(reader, "inode", 0, UINT64_MAX);
  struct ls_blob data = ls_reader_blob(reader, "data");
  if (has_path ? data.length > 0 : data.length != block->length)
    ls_reader_refuse(reader, "data", "as many bytes as the block has, or a path");
  block->data = has_path || data.length == 0 ? NULL : data.data;
}
