/* A record directory of its own below TMPDIR, and sessions written into it. */
#ifndef TESTS_TEST_AUDIT_FIXTURE_H
#define TESTS_TEST_AUDIT_FIXTURE_H

#include "app/audit.h"
#include "app/verify.h"
#include "base/str.h"

struct record {
	char *base; /* the mkdtemp directory; removed with all in it */
	char *dir;  /* base/audit */
};

int record_setup(void **state);
int record_teardown(void **state);

struct audit *record_open(
	const struct record *r, struct digest *ret_chain, struct found_list *ret_found);
/* Like record_open, for tests that expect nothing found. */
struct audit *record_start(const struct record *r);
void record_emit(struct audit *audit, enum event_type type, uint64_t seq, const char *fields);
/* session_start, a call from received to answered for each of `calls`, no session_end. */
void record_calls(struct audit *audit, unsigned calls);
void record_end(struct audit *audit);
/* A whole session; its file name. Caller frees. */
char *record_session(const struct record *r, unsigned calls);
/* The descriptors of a writer go away as at its SIGKILL: no end line. */
void record_crash(struct audit *audit);

char *record_path(const struct record *r, const char *name);
void record_read(const struct record *r, const char *name, struct str *out);
void record_write(const struct record *r, const char *name, const char *bytes, size_t len);
int record_verify(const struct record *r, const char *name, struct str *out);

#endif
