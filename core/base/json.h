/* What every JSON document here is made of.  Each function makes an item that is the caller's, who adds it to
 * another one or deletes it. */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* In full: cJSON keeps numbers as doubles, which are not exact from 2^53 on. */
cJSON *json_number(uint64_t n);
cJSON *json_number_or_null(bool known, uint64_t n);
/* b - a */
cJSON *json_difference(uint64_t a, uint64_t b);
/* Names of a dump made safe: what is no UTF-8, or harms a terminal, becomes \xNN.  NULL: null. */
cJSON *json_text(const char *text);

#endif
