#include "tui/explorer/copy.h"

#include "core/base/file.h"
#include "core/base/file_out.h"
#include "core/base/home.h"
#include "core/base/memory.h"
#include "core/output/report/report.h"
#include "tui/update/update_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts ---- */

/* "while.16{3}  16.00 GiB (17179869184 bytes)  a1 +0 B  f32[…]  residual stack  …" */
static void write_buffer(const struct program *p, buf_id b, FILE *out)
{
    char text[64], bytes[24];
    fprintf(out, "%s  %s (%llu bytes)", p->name_of[b], bytes_text(p->size[b], bytes), (unsigned long long)p->size[b]);
    if (p->alloc[b] < p->module->assignment.allocs.n)
        fprintf(out, "  allocation %lld +%llu", (long long)assignment_alloc(&p->module->assignment, p->alloc[b])->index,
                (unsigned long long)p->offset[b]);
    if (p->shape[b])
        fprintf(out, "  %s", p->shape[b]);
    if (p->role[b] < ROLE_COUNT)
        fprintf(out, "  %s", role_name((enum role)p->role[b]));
    fprintf(out, "  born→dies %s", life_text(p, b, 1, text, sizeof text));
    if (p->file[b])
        fprintf(out, "  %s:%u", p->file[b], (unsigned)p->line[b]);
    if (p->op_name[b])
        fprintf(out, "  %s", p->op_name[b]);
    fputc('\n', out);
}

static void write_report(const struct program *p, const struct app *s, FILE *out)
{
    struct report_options o = {.top = 20, .limit = s->limit, .has_limit = s->limit > 0};
    struct report r;
    report_make(&r, p, &o);
    report_text(&r, out);
    report_free(&r);
}

/* Names come from files: what is pasted must not steer a terminal.  C1 controls are two bytes of UTF-8. */
static void make_safe(char *text, size_t len)
{
    for (size_t k = 0; k < len; k++) {
        unsigned char c = (unsigned char)text[k], after = k + 1 < len ? (unsigned char)text[k + 1] : 0;
        if ((c < ' ' && c != '\n') || c == 127)
            text[k] = '?';
        if (c == 0xc2 && after >= 0x80 && after < 0xa0)
            text[k] = text[k + 1] = '?';
    }
}

const char *copy_text(const struct program *p, struct memo *memo, const struct app *s, struct arena *a, size_t *len)
{
    struct app here = *s;
    char *text;
    FILE *out = memory_stream(&text, len);
    buf_id b = s->copy == COPY_BUFFER ? choose_held(p, memo, &here) : BUF_NONE;
    if (b != BUF_NONE)
        write_buffer(p, b, out);
    else if (s->copy == COPY_REPORT)
        write_report(p, s, out);
    memory_stream_end(out, &text);
    char *kept = arena_text(a, text, *len);
    make_safe(kept, *len);
    free(text);
    return kept;
}

/* ---- The clipboard ---- */

const char *copy_sequence(const char *text, size_t len, struct arena *a)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!len || len > COPY_MOST)
        return "";
    char *out = arena_array(a, (len + 2) / 3 * 4 + 16, 1), *at = stpcpy(out, "\033]52;c;");
    for (size_t i = 0; i < len; i += 3) {
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (i + k < len ? (unsigned char)text[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            *at++ = i + k > len ? '=' : digits[three >> (18 - 6 * k) & 63];
    }
    strcpy(at, "\a");
    return out;
}

/* ---- The file ---- */

const char *copy_file(struct arena *a)
{
    char path[4096];
    return home_path(path, sizeof path, "XDG_STATE_HOME", ".local/state", "copied.txt") ? arena_text(a, path, strlen(path)) : NULL;
}

bool copy_save(const char *file, const char *text, size_t len, struct diag *d)
{
    struct arena a = {0};
    struct file_out out;
    char *folder = arena_text(&a, file, strlen(file));
    *strrchr(folder, '/') = '\0';
    bool made = file_make_folders(folder);
    arena_free(&a);
    if (!made)
        return diag_file(d, file, "%s", strerror(errno));
    if (!file_out_open(&out, file, d))
        return false;
    bool whole = fwrite(text, 1, len, out.to) == len;
    return file_out_close(&out, whole, d) && whole;
}
