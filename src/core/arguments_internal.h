/* The tables behind arguments.h. */
#ifndef CORE_ARGUMENTS_INTERNAL_H
#define CORE_ARGUMENTS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

enum argument_fate {
	ARGUMENT_REFUSED,
	ARGUMENT_KEPT, /* it only restricts, or changes nothing that matters */
	ARGUMENT_OURS, /* each call has it, or something stricter */
};

struct argument_rule {
	const char *name; /* without dashes */
	enum argument_fate fate;
	const char *why;  /* what it would open; said for each value that is not among `only` */
	const char *only; /* the values for which the fate holds, apart by a blank; NULL: any */
	bool is_flag;     /* needs no value, and never takes the next word for one */
	char letter;      /* docker: the short form; 0: none */
};

extern const struct argument_rule firejail_rules[];
extern const size_t firejail_rule_count;
extern const struct argument_rule docker_rules[];
extern const size_t docker_rule_count;

#endif
