/* Pages of text. */
#ifndef TESTS_PAGE_FITS_H
#define TESTS_PAGE_FITS_H

#include <stdbool.h>

/* Lines of at most 80 characters, none with blanks at its end. */
static inline bool page_fits(const char *text)
{
    int column = 0;
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xC0) != 0x80);
        if (column > 80 || (*c == '\n' && c > text && c[-1] == ' '))
            return false;
    }
    return true;
}

#endif
