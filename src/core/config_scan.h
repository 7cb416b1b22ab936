/* The grammar of the reader: one statement at a time becomes lines in its queue. */
#ifndef CORE_CONFIG_SCAN_H
#define CORE_CONFIG_SCAN_H

#include "core/config_reader.h"

/* Reads one blank line, comment, header or KEY = VALUE. A fault marks the reader as failed. */
void config_scan_statement(struct config_reader *reader);
/* Reads a string in its quotes (config_string.c). Appends its bytes to *out. 0, or -1 with the reader failed. */
int config_scan_string(struct config_reader *reader, struct str *out);
/* Puts a value's line, or its pieces, into the queue: `type` is the letter of config_reader.h. */
void config_queue_value(struct config_reader *reader, const char *key, char type, const char *bytes,
	size_t len, unsigned line);
void config_queue_header(struct config_reader *reader, const char *section, unsigned line);

#endif
