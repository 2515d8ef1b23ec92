#include "core/base/file_out.h"

#include "core/base/file.h"
#include "tests/support/cmocka_all.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void holds(const char *path, const char *text)
{
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read(&a, &f, path, &d));
    assert_string_equal(f.text, text);
    arena_free(&a);
}

/* Nothing is left beside the files that should be there. */
static void folder_has(int wanted)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    assert_int_equal(n, wanted);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tidemark-out-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    file_remove_tree(folder);
    return 0;
}

static void written_whole(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    put(in_folder("a"), "old");
    assert_true(file_out_open(&o, in_folder("a"), &d));
    fputs("new", o.to);
    fflush(o.to);
    holds(in_folder("a"), "old"); /* until it is closed */
    assert_true(file_out_close(&o, true, &d));
    holds(in_folder("a"), "new");
    folder_has(1);
}

static void or_not_at_all(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    put(in_folder("a"), "old");
    assert_true(file_out_open(&o, in_folder("a"), &d));
    fputs("half", o.to);
    assert_true(file_out_close(&o, false, &d));
    holds(in_folder("a"), "old");
    folder_has(1);
}

static void folders_are_refused(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    assert_false(file_out_open(&o, folder, &d));
    assert_non_null(strstr(d.what, "is a directory"));
    assert_false(file_out_open(&o, in_folder("none/a"), &d));
    assert_non_null(strstr(d.what, "cannot write"));
    folder_has(0);
}

static void a_device_is_written_to(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    assert_true(file_out_open(&o, "/dev/null", &d));
    fputs("gone", o.to);
    assert_true(file_out_close(&o, true, &d));
    struct stat st;
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_true(file_out_open(&o, "/dev/full", &d));
    fputs("too much", o.to);
    assert_false(file_out_close(&o, true, &d));
    assert_non_null(strstr(d.what, "cannot write"));
}

static void a_dash_is_standard_output(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    assert_true(file_out_open(&o, "-", &d));
    assert_ptr_equal(o.to, stdout);
    assert_true(file_out_close(&o, true, &d));
    folder_has(0);
}

/* Where anybody may write, somebody may have laid links under the name of the file beside it. */
static void no_link_is_written_through(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    char part[100];
    put(in_folder("precious"), "kept");
    for (int k = 0; k < 3; k++) {
        snprintf(part, sizeof part, "a.%ld.%d.part", (long)getpid(), k);
        assert_int_equal(symlink("precious", in_folder(part)), 0);
    }
    assert_true(file_out_open(&o, in_folder("a"), &d));
    fputs("new", o.to);
    assert_true(file_out_close(&o, true, &d));
    holds(in_folder("a"), "new");
    holds(in_folder("precious"), "kept");
    folder_has(5);
}

static void what_only_its_owner_reads_stays_so(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    struct stat st;
    put(in_folder("a"), "secret");
    assert_int_equal(chmod(in_folder("a"), 0600), 0);
    assert_true(file_out_open(&o, in_folder("a"), &d));
    assert_true(file_out_close(&o, true, &d));
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_link_keeps_leading_where_it_leads(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    struct stat st;
    put(in_folder("target"), "old");
    assert_int_equal(symlink("target", in_folder("link")), 0);
    assert_true(file_out_open(&o, in_folder("link"), &d));
    fputs("new", o.to);
    assert_true(file_out_close(&o, true, &d));
    assert_true(lstat(in_folder("link"), &st) == 0 && S_ISLNK(st.st_mode));
    holds(in_folder("target"), "new");
    folder_has(2);
}

static void the_umask_holds(void **state)
{
    (void)state;
    struct file_out o;
    struct diag d;
    struct stat st;
    mode_t before = umask(027);
    assert_true(file_out_open(&o, in_folder("a"), &d));
    assert_true(file_out_close(&o, true, &d));
    umask(before);
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void a_program_that_is_killed_leaves_nothing(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct file_out o;
        struct diag d;
        if (!file_out_open(&o, in_folder("a"), &d))
            _exit(1);
        fputs("half", o.to);
        fflush(o.to);
        _exit(o.part ? 2 : 0); /* 2: this file system has no files without names */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    if (WEXITSTATUS(status) == 2)
        skip();
    folder_has(0);
}

static void two_at_once_leave_one_that_is_whole(void **state)
{
    (void)state;
    struct file_out a, b;
    struct diag d;
    assert_true(file_out_open(&a, in_folder("a"), &d));
    assert_true(file_out_open(&b, in_folder("a"), &d));
    fputs("first", a.to);
    fputs("second", b.to);
    assert_true(file_out_close(&b, true, &d));
    holds(in_folder("a"), "second");
    assert_true(file_out_close(&a, true, &d));
    holds(in_folder("a"), "first");
    folder_has(1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(written_whole),          IN_FOLDER(or_not_at_all),       IN_FOLDER(folders_are_refused),
        IN_FOLDER(a_device_is_written_to), IN_FOLDER(a_full_disk_is_said), IN_FOLDER(a_dash_is_standard_output),
        IN_FOLDER(no_link_is_written_through), IN_FOLDER(what_only_its_owner_reads_stays_so),
        IN_FOLDER(a_link_keeps_leading_where_it_leads), IN_FOLDER(the_umask_holds),
        IN_FOLDER(a_program_that_is_killed_leaves_nothing), IN_FOLDER(two_at_once_leave_one_that_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
