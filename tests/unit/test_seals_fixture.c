#include "config.h"

#include "tests/unit/test_seals_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"

int seals_dir(const struct record *r)
{
	int fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

void seals_begin(const struct record *r, struct digest *ret_key)
{
	FD_AUTO int dir_fd = seals_dir(r);
	struct err err = ERR_INIT;

	if (seals_init(dir_fd, WALL, ret_key, &err) != 0)
		fail_msg("seals_init: %s", err.text);
}

void seals_point_add(const struct record *r, const struct seals_point *point, struct str *told)
{
	FD_AUTO int dir_fd = seals_dir(r);
	struct err err = ERR_INIT;

	if (seals_add(dir_fd, point, WALL, told, &err) != 0)
		fail_msg("seals_add: %s", err.text);
}

void seals_chain_add(const struct record *r)
{
	const struct seals_point nothing = {0};
	STR_AUTO struct str told = STR_INIT;

	seals_point_add(r, &nothing, &told);
	assert_int_equal(told.len, 0);
}

int seals_verify(const struct record *r, const struct digest *key, struct str *out)
{
	const struct verify_kept kept = {.key = key};
	struct err err = ERR_INIT;

	str_clear(out);
	int status = verify_path_kept(r->dir, &kept, out, &err);

	if (status < 0)
		fail_msg("verify: %s", err.text);
	return status;
}

void seals_expect(const struct record *r, const struct digest *key, int status, const char *words)
{
	STR_AUTO struct str report = STR_INIT;
	int got = seals_verify(r, key, &report);

	if (got != status || strstr(report.data, words) == NULL)
		fail_msg("%d, not %d with \"%s\": %s", got, status, words, report.data);
}

char *seals_session(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *name = mem_printf("%s.jsonl", audit_session(audit));
	struct audit_point durable;
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;

	record_calls(audit, 1);
	assert_int_equal(audit_sync(audit, &err), 0);
	audit_point(audit, &durable);
	const struct seals_point point = {
		.file = durable.file, .events = durable.events, .digest = durable.digest};

	assert_int_equal(point.events, 4);
	seals_point_add(r, &point, &told);
	record_emit(audit, EVENT_VIEW, 0, "{\"ui\":{}}");
	record_end(audit);
	seals_chain_add(r);
	return name;
}
