/* Runs plans through the real supervisor and launcher. */
#ifndef TESTS_LAUNCH_H
#define TESTS_LAUNCH_H

#include <stdbool.h>

#include "base/str.h"
#include "sandbox/plan.h"
#include "sandbox/spawn.h"

/* Ten times what anything here may take. */
#define WATCHDOG_MS 30000

enum way {
	NATIVE,
	PREPARED, /* native; its launcher was there before the plan */
	WRAPPED,
	WAITING, /* wrapped; the wrapper was there before the plan */
	BARE
};

struct launch {
	struct helpers helpers;
	struct child child;
	struct plan plan;
	unsigned prepare; /* CLONE_NEW* of a launcher that is started before the plan; 0: none */
	bool waits;       /* waiting_fd is a wrapper that is started before the plan */
	struct str
		base; /* then: the plan whose mounts are made before; empty: as many of the plan's own as can be */
	int wrapper_fd, waiting_fd, network_fd, stdin_fd;
	int alive_fd; /* see launch_watch_alive */
	struct str output;
	bool output_ended;
	union message_buffer last;
	struct message usage; /* the last word about it; kind 0: none came */
	char work[64];        /* a work directory of the test's user, writable inside */
};

/* Once a process: copies of the programs where every user reaches them. */
int launch_prepare(void);
void launch_clean_up(void);

#define LAUNCH_HOME "/home/tester"
/* What a console would ask for on this way, into an otherwise complete plan. */
void launch_plan(struct launch *l, enum way way);
/* A plan for the command. */
void launch_init(struct launch *l, enum way way, const char *command);
/* Has this program, which takes the options of bwrap, started before the plan. */
void launch_wait_with(struct launch *l, const char *program);
/* The same for a Python program without double quotes, in place of the shell. */
void launch_python(struct launch *l, enum way way, const char *program);
void launch_release(struct launch *l);

/* The first mounts of the plan, as the bytes of a plan. Appends. */
void launch_base(const struct plan *plan, size_t count, struct str *out);
/* Starts and sends the plan. */
void launch_start(struct launch *l);
/* The next message; fails the test at the watchdog. Reads output meanwhile. What is told each second is kept apart. */
const struct message *launch_next(struct launch *l);
/* The next message must be this one. */
const struct message *launch_expect(struct launch *l, enum message_kind kind);
void launch_tell(struct launch *l, enum message_kind kind, uint64_t value);
/* start, READY, go, STARTED. */
void launch_until_started(struct launch *l);
/* The whole path; returns the MSG_ENDED. Output is complete. */
const struct message *launch_run(struct launch *l);
/* The same of a command that meets this limit. */
const struct message *launch_run_until_limit(struct launch *l, enum limit_hit hit);
/* Until the output holds this text. */
void launch_until_output(struct launch *l, const char *text);
/* Until the output's last writer is gone. */
void launch_until_silence(struct launch *l);
/* Reaps the supervisor; its wait status. */
int launch_reap(struct launch *l);

/* Gives the command a pipe as standard input; what inherits it (as descriptor 3, see HELD) is then seen by
   launch_nobody_alive, whatever it did to its session, parent and output. Before launch_start. */
void launch_watch_alive(struct launch *l);
#define HELD "exec 3<&0; "
bool launch_nobody_alive(const struct launch *l);
/* Waits until it is true; fails the test at the watchdog. */
void launch_until_nobody_alive(const struct launch *l);

/* For a case that cannot be tried here. */
bool can_run(enum way way);

#endif
