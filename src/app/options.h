/* The options that console, run, plan, doctor and config share. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
	const char *config;    /* -c */
	const char *workspace; /* -C */
	const char *backend;   /* -b */
	bool headless;
	bool plain;         /* questions and answers as lines */
	bool listen;        /* -l */
	const char *socket; /* of -l; NULL: the usual one */
	bool network;
	int64_t timeout_s; /* --timeout; 0: not given */
	const char *dir;   /* --dir */
	bool json;         /* doctor --json */
	bool one_call;     /* `run`: its supervisor starts while all else is prepared */
	int first;         /* index of the first argument that is no option */
};

enum options_set {
	OPTIONS_COMMON = 1,
	OPTIONS_CONSOLE = 2,
	OPTIONS_CALL = 4,
	OPTIONS_DOCTOR = 8,
	OPTIONS_SOCKET = 16
};

/* 0; or an exit status after a message on standard error. Stops at the first argument that is no option. */
int options_parse(int argc, char **argv, unsigned sets, struct options *ret);

#endif
