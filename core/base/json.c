#include "core/base/json.h"
#include "core/base/diag.h"

#include <stdio.h>

cJSON *json_number(uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return cJSON_CreateRaw(text);
}

cJSON *json_number_or_null(bool known, uint64_t n)
{
    return known ? json_number(n) : cJSON_CreateNull();
}

cJSON *json_difference(uint64_t a, uint64_t b)
{
    char text[28];
    snprintf(text, sizeof text, "%s%llu", a > b ? "-" : "", (unsigned long long)(a > b ? a - b : b - a));
    return cJSON_CreateRaw(text);
}

cJSON *json_text(const char *text)
{
    char safe[2048]; /* op_names can be long */
    return text ? cJSON_CreateString(text_safe(text, safe, sizeof safe)) : cJSON_CreateNull();
}
