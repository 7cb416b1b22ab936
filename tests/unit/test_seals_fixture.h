/* Seals in the record of test_audit_fixture.h. Each fails the test when it cannot. */
#ifndef TESTS_TEST_SEALS_FIXTURE_H
#define TESTS_TEST_SEALS_FIXTURE_H

#include "app/seals.h"
#include "tests/unit/test_audit_fixture.h"

#define WALL 1796045281123

int seals_dir(const struct record *r); /* its directory; the caller closes */
void seals_begin(const struct record *r, struct digest *ret_key);
void seals_point_add(const struct record *r, const struct seals_point *point, struct str *told);
void seals_chain_add(const struct record *r);
/* The whole record; key may be NULL. The report replaces *out. */
int seals_verify(const struct record *r, const struct digest *key, struct str *out);
/* With this status, and these words in its report. */
void seals_expect(const struct record *r, const struct digest *key, int status, const char *words);
/* A session of one call and a view, sealed behind the call and at its end. Its file name; the caller frees. */
char *seals_session(const struct record *r);

#endif
