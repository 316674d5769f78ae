/* pack_text.h: a division as a table for people, and as JSON for machines.
 */
#ifndef LS_CLI_PACK_TEXT_H
#define LS_CLI_PACK_TEXT_H

#include "base/bytes.h"
#include "cli/pack/pack_division.h"

void ls_pack_text_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out);
void ls_pack_json_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out);

#endif
