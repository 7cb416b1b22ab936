#include "config.h"

#include "tests/unit/test_audit_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

int record_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct record *r = mem_alloc(sizeof(*r));

	r->base = mem_printf("%s/exequatur-audit-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(r->base) == NULL)
		return -1;
	r->dir = path_join(r->base, "audit");
	*state = r;
	return mkdir(r->dir, 0700);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int record_teardown(void **state)
{
	struct record *r = *state;
	int status = nftw(r->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(r->base);
	free(r->dir);
	free(r);
	return status;
}

struct audit *record_open(
	const struct record *r, struct digest *ret_chain, struct found_list *ret_found)
{
	struct audit *audit = NULL;
	struct err err = ERR_INIT;

	if (audit_open(r->dir, clock_wall_ms(), &audit, ret_chain, ret_found, &err) != 0)
		fail_msg("audit_open: %s", err.text);
	char hex[DIGEST_HEX_BYTES];

	digest_hex(ret_chain, hex);
	MEM_AUTO char *fields =
		mem_printf("{\"session\":\"%s\",\"chain\":\"%s\"}", audit_session(audit), hex);

	record_emit(audit, EVENT_SESSION_START, 0, fields);
	return audit;
}

struct audit *record_start(const struct record *r)
{
	struct digest chain;
	struct found_list found;
	struct audit *audit = record_open(r, &chain, &found);

	assert_int_equal(found.count, 0);
	found_list_release(&found);
	return audit;
}

void record_emit(struct audit *audit, enum event_type type, uint64_t seq, const char *fields)
{
	struct event event = {.type = type, .seq = seq, .wall_ms = 1796045281123};
	struct err err = ERR_INIT;

	assert_int_equal(json_parse(fields, strlen(fields), 8, &event.fields, &err), 0);
	if (audit_append(audit, &event, &err) != 0)
		fail_msg("audit_append: %s", err.text);
	assert_true(event.number > 0);
	event_release(&event);
}

void record_calls(struct audit *audit, unsigned calls)
{
	for (unsigned seq = 1; seq <= calls; seq++) {
		record_emit(
			audit, EVENT_RECEIVED, seq, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
		record_emit(audit, EVENT_REFUSED, seq,
			"{\"reason\":\"denied_by_policy\",\"sentence\":\"no\"}");
		record_emit(audit, EVENT_ANSWERED, seq, "{\"delivered\":true}");
	}
}

void record_end(struct audit *audit)
{
	struct err err = ERR_INIT;

	record_emit(audit, EVENT_SESSION_END, 0, "{\"why\":\"quit\"}");
	if (audit_close(audit, &err) != 0)
		fail_msg("audit_close: %s", err.text);
}

char *record_session(const struct record *r, unsigned calls)
{
	struct audit *audit = record_start(r);
	char *name = mem_printf("%s.jsonl", audit_session(audit));

	record_calls(audit, calls);
	record_end(audit);
	return name;
}

void record_crash(struct audit *audit)
{
	struct err err = ERR_INIT;

	/* Without session_end audit_close() only gives up its descriptors. */
	assert_int_equal(audit_close(audit, &err), 0);
}

char *record_path(const struct record *r, const char *name)
{
	return path_join(r->dir, name);
}

void record_read(const struct record *r, const char *name, struct str *out)
{
	MEM_AUTO char *path = record_path(r, name);
	struct err err = ERR_INIT;

	str_clear(out);
	if (fd_read_file(path, 64u << 20, out, &err) != 0)
		fail_msg("%s", err.text);
}

void record_write(const struct record *r, const char *name, const char *bytes, size_t len)
{
	MEM_AUTO char *path = record_path(r, name);
	FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct err err = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, bytes, len, &err), 0);
	/* Not O_TRUNC: some file systems write such a file to the disk at once, which takes its
	   time. */
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
}

int record_verify(const struct record *r, const char *name, struct str *out)
{
	MEM_AUTO char *path = name == NULL ? mem_strdup(r->dir) : record_path(r, name);
	struct err err = ERR_INIT;

	str_clear(out);
	int status = verify_path(path, out, &err);

	if (status < 0)
		fail_msg("verify_path: %s", err.text);
	return status;
}
