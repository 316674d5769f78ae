/* platform_json.h: a platform as JSON (docs/model.md, "Files").
 *
 * Every field is checked, unknown ones are refused; what is written reads back as an equal
 * platform.
 */
#ifndef LS_FORMATS_PLATFORM_JSON_H
#define LS_FORMATS_PLATFORM_JSON_H

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"
#include "model/platform.h"

LS_C_BEGIN

/* Reads the JSON form; the caller closes the result. Unknown fields are
 * errors. */
LS_CHECKED enum ls_status ls_platform_read(struct ls_platform *platform, struct ls_text text,
                                           struct ls_error *err);
/* Writes the JSON form (numbers as %.17g), so that reading it again gives an equal platform. */
void ls_platform_write(const struct ls_platform *platform, struct ls_bytes *out);

LS_C_END

#endif
