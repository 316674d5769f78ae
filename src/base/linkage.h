/* linkage.h: lets C++ programs call what the public headers declare.
 *
 * A public header puts its declarations between LS_C_BEGIN and LS_C_END; to C they are nothing.
 */
#ifndef LS_BASE_LINKAGE_H
#define LS_BASE_LINKAGE_H

#ifdef __cplusplus
#define LS_C_BEGIN extern "C" {
#define LS_C_END   }
#else
#define LS_C_BEGIN
#define LS_C_END
#endif

#endif
