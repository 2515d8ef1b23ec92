/* Constants' elements: every type as it was written, whatever its layout; and payloads that are cut off, too
 * long or of another shape are refused in one line. */
#include "core/load/proto/detail.h"
#include "core/load/proto/hlo_proto.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/op_proto.h"

#include <unistd.h>

struct literal {
    const char *name, *shape, *its_shape; /* of the instruction; of the literal, NULL: the same */
    unsigned field;                       /* of LiteralProto */
    const char *payload;                  /* as bytes when `bytes`; else integers */
    size_t bytes;
    const char *wrong;                    /* NULL: it is read */
    unsigned char want[8];
    size_t n_want;
};
static const struct literal all[] = {
    {"floats", "f32 2", NULL, 8, "\x00\x00\x80\x3f\x00\x00\x00\x40", 8, NULL, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, 8},
    {"integers, one by one", "s32 2", NULL, 4, "5 -1", 0, NULL, {5, 0, 0, 0, 255, 255, 255, 255}, 8},
    {"bytes", "u8 3", NULL, 3, "\x01\x02\xff", 3, NULL, {1, 2, 255}, 3},
    {"truths", "pred 3", NULL, 2, "1 0 1", 0, NULL, {1, 0, 1}, 3},
    {"half bytes in whole ones", "s4 3", NULL, 21, "\x01\x0f\x08", 3, NULL, {1, 255, 248}, 3},
    {"half bytes, two to a byte", "s4 3", NULL, 21, "\xf1\x08", 2, NULL, {1, 255, 248}, 3},
    {"bytes of another layout", "u8 2 3 | 0 1", "u8 2 3", 3, "\x00\x01\x02\x03\x04\x05", 6, NULL, {0, 3, 1, 4, 2, 5}, 6},
    {"no elements", "f32 0", NULL, 8, "", 0, NULL, {0}, 0},
    {"floats cut off", "f32 2", NULL, 8, "\x00\x00\x80\x3f", 4, "has 1 elements, its shape 2", {0}, 0},
    {"a float cut off", "f32 2", NULL, 8, "\x00\x00\x80\x3f\x00\x00", 6, "has 1 elements, its shape 2", {0}, 0},
    {"floats left out", "f32 2", NULL, 8, NULL, 0, "has 0 elements, its shape 2", {0}, 0},
    {"floats too many", "f32 1", NULL, 8, "\x00\x00\x80\x3f\x00\x00\x00\x40", 8, "elements, its shape 1", {0}, 0},
    {"integers too many", "s32 1", NULL, 4, "5 -1", 0, "has more than 1 elements, its shape 1", {0}, 0},
    {"integers too few", "s64 3", NULL, 5, "5 6", 0, "has 2 elements, its shape 3", {0}, 0},
    {"half bytes too few", "u4 5", NULL, 22, "\x01\x02", 2, "has 2 elements, its shape 5", {0}, 0},
    {"a shape of another rank", "u8 2 2", "u8 4", 3, "\x01\x02\x03\x04", 4, "has another shape than its instruction", {0}, 0},
    {"a layout that names no dimension", "u8 2 2", "u8 2 2 | 0 7", 3, "\x01\x02\x03\x04", 4, "", {0}, 0},
    {"complex numbers of 16 bytes", "c128 1", NULL, 18, "\x01", 1, "of type c128 is not read", {0}, 0},
};

static void write_file(const struct literal *l, const char *path)
{
    struct pb b = {0};
    size_t module = pb_open(&b, 1);
    pb_text(&b, 1, "test");
    pb_int(&b, 6, 1);
    size_t comp = pb_open(&b, 3), inst;
    pb_text(&b, 1, "entry");
    inst = pb_open(&b, 2);
    pb_text(&b, 1, "c");
    pb_text(&b, 2, "constant");
    put_shape(&b, 3, l->shape);
    pb_int(&b, 35, 7);
    size_t literal = pb_open(&b, 8);
    put_shape(&b, 1, l->its_shape ? l->its_shape : l->shape);
    char text[32];
    snprintf(text, sizeof text, "%d: %s", (int)l->field, l->payload ? l->payload : "");
    if (l->bytes)
        pb_bytes(&b, l->field, l->payload, l->bytes);
    else if (l->payload)
        put_fields(&b, text);
    pb_close(&b, literal);
    pb_close(&b, inst);
    pb_int(&b, 5, 1);
    pb_int(&b, 6, 7);
    pb_close(&b, comp);
    pb_close(&b, module);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b.at, 1, b.n, f) != b.n)
        abort();
    fclose(f);
    free(b.at);
}

static void is_read_or_refused(void **state)
{
    const struct literal *l = *state;
    char path[] = "/tmp/tidemark-literal-XXXXXX";
    struct arena arena = {0};
    struct hlo h;
    struct file file;
    struct details details = {0};
    struct assignment as = {.arena = &arena};
    struct diag d = {0};
    bool has_assignment;
    unsigned char out[64] = {0};
    close(mkstemp(path));
    write_file(l, path);
    hlo_init(&h, &arena, path);
    bool opened = file_read(&arena, &file, path, &d) && hlo_proto_read(&h, &as, &has_assignment, &file, &d) &&
                  details_open(&details, &h, &d);
    remove(path);
    bool ok = opened && literal_read(&details, 0, out, &d);
    if (opened)
        details_close(&details);
    arena_free(&arena);
    if (ok != !l->wrong)
        print_error("%s\n", d.what);
    assert_true(opened);
    assert_int_equal(ok, !l->wrong);
    if (ok) {
        assert_memory_equal(out, l->want, l->n_want);
        return;
    }
    assert_non_null(strstr(d.what, l->wrong));
    assert_null(strchr(d.what, '\n'));
}

int main(void)
{
    enum { N = sizeof all / sizeof *all };
    struct CMUnitTest tests[N];
    for (size_t k = 0; k < N; k++)
        tests[k] = (struct CMUnitTest){.name = all[k].name, .test_func = is_read_or_refused, .initial_state = (void *)(uintptr_t)&all[k]};
    return _cmocka_run_group_tests("literal", tests, N, NULL, NULL);
}
