/* Where the value of a key came from; one for each row of config_keys. */
#ifndef CORE_CONFIG_ORIGIN_H
#define CORE_CONFIG_ORIGIN_H

struct config_origin {
	unsigned line;      /* of the file; 0: not from a file */
	const char *option; /* "option -b"; NULL: none. Not owned. */
};

#endif
