/* Names of a dump, escaped so that each form can hold them.  All go through text_safe(): no control
 * bytes, no invalid UTF-8, nothing that turns or hides text.  Very long ones are cut. */
#ifndef CORE_OUTPUT_WORDS_ESCAPE_H
#define CORE_OUTPUT_WORDS_ESCAPE_H

#include <stdio.h>

/* Text and attribute values of XML and HTML. */
void put_xml(const char *text, FILE *out);
/* A string of JSON or JavaScript in its quotes, also inside <script>: "<", ">" and "&" are \u00NN. */
void put_string(const char *text, FILE *out);
/* A field of CSV (RFC 4180), quoted where it must be; "" for NULL.  What a spreadsheet would take for a
 * formula (it begins with =, +, -, @, a tab or a return) gets a ' before it. */
void put_field(const char *text, FILE *out);

#endif
