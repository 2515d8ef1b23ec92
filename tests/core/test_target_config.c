/* The device a dump was made for. */
#include "core/load/text/target_config.h"
#include "tests/support/tables.h"

struct target_case {
    const char *name, *text, *want;
};

static void target_case(void **state)
{
    const struct target_case *c = *state;
    struct arena a = {0};
    struct file f = {"t", c->text, strlen(c->text)};
    struct target_config t;
    struct diag d;
    char got[512];
    if (target_config_read(&a, &t, &f, &d))
        snprintf(got, sizeof got, "%s %llu", t.device ? t.device : "?",
                 (unsigned long long)t.device_memory);
    else
        diag_text(&d, got, sizeof got);
    arena_free(&a);
    assert_string_equal(got, c->want);
}

#define NO_TARGET " (this is no GpuTargetConfigProto in text form)"

static const struct target_case targets[] = {
    {"as XLA writes it",
     "gpu_device_info {\n  core_count: 108\n  clock_rate_ghz: 1.41\n  device_memory_size: "
     "85100068864\n"
     "  cuda_compute_capability {\n    major: 8\n    feature_extension: NONE\n  }\n"
     "  name: \"NVIDIA A100-SXM4-80GB\"\n}\nplatform_name: \"CUDA\"\n"
     "device_description_str: \"another\"\n",
     "NVIDIA A100-SXM4-80GB 85100068864"},
    {"in one line, with comments, colons and other braces",
     "# a comment\ngpu_device_info: < name: 'H200', device_memory_size: 5; >", "H200 5"},
    {"the description stands in for the name",
     "gpu_device_info { device_memory_size: 7 }\ndevice_description_str: \"A100\"", "A100 7"},
    {"a name elsewhere is not the device's",
     "x { name: \"no\" device_memory_size: 9 }\ngpu_device_info { y { name: \"no\" } "
     "device_memory_size: 7 }",
     "? 7"},
    {"nothing in it", "", "tidemark: t: no gpu_device_info with name or device_memory_size in it"},
    {"a size that is no number", "gpu_device_info {\n  device_memory_size: 80GB\n}",
     "tidemark: t:2:23: expected a number of bytes" NO_TARGET},
    {"a message that ends too often", "}",
     "tidemark: t:1:1: expected a field, not the end of a message" NO_TARGET},
    {"a string without its end", "platform_name: \"CU\n",
     "tidemark: t:1:16: expected a string that ends on its line" NO_TARGET},
    {"no value", "platform_name\n", "tidemark: t:2:1: expected a value" NO_TARGET},
    {"no field", "= 3", "tidemark: t:1:1: expected the name of a field" NO_TARGET},
};

int main(void)
{
    static struct CMUnitTest tests[COUNT(targets)];
    size_t n = 0;
    ADD_TABLE(targets, target_case, name);
    return _cmocka_run_group_tests("target_config", tests, n, NULL, NULL);
}
