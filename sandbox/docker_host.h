/* What is known of docker on this machine: its client, its engine, and what the configuration wants of them. */
#ifndef SANDBOX_DOCKER_HOST_H
#define SANDBOX_DOCKER_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"
#include "base/json.h"
#include "core/cause.h"
#include "core/config.h"
#include "sandbox/host_wrapper.h"

/* Which limits the engine can hold. */
struct docker_facts {
	bool memory, cpu;
};

/* What was asked before it was needed. */
struct docker_asked {
	char *target; /* NULL: nothing */
	int fd;
};
#define DOCKER_ASKED 3

struct docker_host {
	struct wrapper client; /* the docker command, which makes containers */
	char *socket;          /* of the engine; NULL: none that may be used */
	char socket_why[240];  /* why none */
	enum cause socket_cause;
	enum cause cause; /* of the last refusal of the functions below */
	char *image, *network;
	uint64_t memory_bytes;
	double cpus;
	struct strv args; /* the operator's, without what each call gets anyway */
	char *launcher_path;
	uint64_t launcher_dev, launcher_ino;
	char *empty_file; /* of ours, beside the record; made when it is needed; NULL: none */
	char *record;     /* the session's file, whose lock says that we live; NULL: none */
	bool tidied;
	struct strv
		closed; /* addresses of this machine, and link-local ones, for a granted network */
	char network_lost[160]; /* "": not */
	struct docker_asked asked[DOCKER_ASKED];
	int64_t asked_ms;
	struct docker_facts facts;
	int64_t facts_ms; /* when the engine was asked, clock_mono_ms(); 0: never */
};

/* envp: DOCKER_HOST and PATH. writable: a client or a socket below these is not trusted. Asks no engine. */
struct docker_host *docker_host_new(char *const *envp, const struct strv *writable,
	const struct config *config, const char *launcher_path, uint64_t launcher_dev,
	uint64_t launcher_ino);
void docker_host_free(struct docker_host *d);

/* Asks what a call will need to know; the answers are waited for by the functions below. */
void docker_ask_ahead(struct docker_host *d);
/* Each asks the engine; ERR_UNAVAILABLE with a sentence of its own for a client or an engine that is absent, hung, forbidden,
   remote or another one. */
int docker_engine_facts(struct docker_host *d, struct docker_facts *ret, struct err *err);
#define DOCKER_ID_BYTES 80 /* "sha256:" and 64 digits */
/* The id of the configured image; refuses one that is not there, has a VOLUME or is for another machine. */
int docker_engine_image(struct docker_host *d, char ret[DOCKER_ID_BYTES], struct err *err);
/* docker_network.c: the configured network may be given to a call: it is one of the operator's own. Fills d->closed. */
int docker_engine_network(struct docker_host *d, struct err *err);
/* A launch found that addresses cannot be closed there: no call gets that network any more. */
void docker_note_network_lost(struct docker_host *d, const char *why);
/* GET /KIND/NAME END. *ret is NULL when the engine said no, in *ret_status. */
int docker_ask(struct docker_host *d, const char *kind, const char *name, const char *end,
	int *ret_status, struct json **ret, struct err *err);
int docker_said_no(struct docker_host *d, const char *what, int status, struct err *err);

/* docker_tidy.c */
/* Appends the labels by which a container is known as ours: "exequatur.uid=0" ... */
void docker_labels(const struct docker_host *d, struct strv *ret);
/* Once: removes what dead consoles of this user left, never what belongs to a live one. */
void docker_tidy(struct docker_host *d);
/* Of a supervisor that was killed before it could. Waits for the engine, a few seconds at most. */
void docker_remove(const struct docker_host *d, const char *container);

#endif
