#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record_name.h"
#include "app/retain.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

/* Each of these calls can be made to fail, once: the order of operations must leave a record that is whole, or that the next run makes
   whole, wherever it breaks off. */
enum step { STEP_RENAME, STEP_UNLINK, STEP_FSYNC, STEP_FDATASYNC, STEP_COUNT };

#define TRIES 6

static struct {
	bool armed;
	enum step step;
	unsigned left; /* so many calls succeed before */
	bool dead;     /* as if the process were gone: nothing succeeds behind it */
} fault;

static bool fails(enum step step)
{
	if (!fault.armed)
		return false;
	if (fault.dead || (fault.step == step && fault.left-- == 0)) {
		fault.dead = true;
		errno = EIO;
		return true;
	}
	return false;
}

int __real_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new)
{
	return fails(STEP_RENAME) ? -1 : __real_renameat(old_dir, old, new_dir, new);
}

int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags)
{
	return fails(STEP_UNLINK) ? -1 : __real_unlinkat(dir, name, flags);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	return fails(STEP_FSYNC) ? -1 : __real_fsync(fd);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
	return fails(STEP_FDATASYNC) ? -1 : __real_fdatasync(fd);
}

static int run(const struct record *r, const struct retain_rules *rules, struct str *words,
	struct strv *finished)
{
	struct retain_report report;
	struct err err = ERR_INIT;
	int status = retain_run(r->dir, rules, clock_wall_ms(), &report, &err);

	str_clear(words);
	str_add(words, str_c(&report.words));
	if (finished != NULL)
		strv_copy(finished, &report.how);
	retain_report_release(&report);
	return status;
}

static bool is_there(const struct record *r, const char *name)
{
	MEM_AUTO char *path = record_path(r, name);

	return access(path, F_OK) == 0;
}

static bool is_packed(const struct record *r, const char *name)
{
	MEM_AUTO char *packed = mem_printf("%s.zst", name);

	return is_there(r, packed);
}

static void closed_files_are_compressed_and_prove_the_same(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *a = record_session(r, 40);
	MEM_AUTO char *b = record_session(r, 3);
	struct audit *audit = record_start(r);
	MEM_AUTO char *live = mem_printf("%s.jsonl", audit_session(audit));
	const struct retain_rules rules = {.compress = true};
	STR_AUTO struct str words = STR_INIT, report = STR_INIT;

	mode_t old = umask(0277);

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(run(r, &rules, &words, NULL), 0);
		assert_string_equal(str_c(&words), "");
		assert_true(is_packed(r, a) && is_packed(r, b) && !is_packed(r, live));
		assert_false(is_there(r, a) || is_there(r, b));
	}
	umask(old);
	record_end(audit);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, a));
	assert_non_null(strstr(report.data, "3 files"));
	MEM_AUTO char *packed = mem_printf("%s.zst", a);
	MEM_AUTO char *path = record_path(r, packed);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(record_verify(r, packed, &report), VERIFY_WHOLE);
	assert_int_equal(record_verify(r, a, &report), VERIFY_WHOLE);
}

static void a_byte_changed_in_a_compressed_file_is_found(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *a = record_session(r, 5);
	MEM_AUTO char *packed = mem_printf("%s.zst", a);
	const struct retain_rules rules = {.compress = true};
	STR_AUTO struct str words = STR_INIT, report = STR_INIT, bytes = STR_INIT;

	assert_int_equal(run(r, &rules, &words, NULL), 0);
	record_read(r, packed, &bytes);
	bytes.data[bytes.len / 2] = (char)(bytes.data[bytes.len / 2] ^ 1);
	record_write(r, packed, bytes.data, bytes.len);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	assert_non_null(strstr(report.data, a));
}

static void the_oldest_go_and_leave_a_tombstone(void **state)
{
	const struct record *r = *state;
	char *names[4];
	const struct retain_rules dry = {.keep = 2, .dry_run = true}, rules = {.keep = 2};
	STR_AUTO struct str words = STR_INIT, report = STR_INIT;

	for (unsigned i = 0; i < 4; i++)
		names[i] = record_session(r, i + 1);
	assert_int_equal(run(r, &dry, &words, NULL), 0);
	assert_non_null(strstr(words.data, "would be pruned: more than 2 files"));
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, "4 files"));
	assert_int_equal(run(r, &rules, &words, NULL), 0);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, ": pruned at "));
	assert_non_null(strstr(report.data, "2 files"));
	unsigned left = 0;

	for (unsigned i = 0; i < 4; i++)
		left += is_there(r, names[i]);
	assert_int_equal(left, 2);
	assert_int_equal(run(r, &rules, &words, NULL), 0);
	assert_string_equal(str_c(&words), "");
	for (unsigned i = 0; i < 4; i++)
		free(names[i]);
}

static void each_rule_prunes_for_its_own_reason(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *a = record_session(r, 3);
	MEM_AUTO char *path = record_path(r, a);
	const struct retain_rules old = {.older_than_ms = 24 * 3600 * 1000},
				  large = {.most_bytes = 100};
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	STR_AUTO struct str words = STR_INIT, report = STR_INIT;

	assert_int_equal(run(r, &old, &words, NULL), 0);
	assert_true(is_there(r, a));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(run(r, &old, &words, NULL), 0);
	assert_false(is_there(r, a));
	assert_non_null(strstr(words.data, "older than 1 days"));
	MEM_AUTO char *b = record_session(r, 3);

	assert_int_equal(run(r, &large, &words, NULL), 0);
	assert_false(is_there(r, b));
	assert_non_null(strstr(words.data, "more than 100 bytes"));
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, "3 calls"));
}

/* Open, in use, or altered: pruning would take what is needed, or the trace of who altered it. */
static void what_must_stay_stays(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *used = record_session(r, 1);
	MEM_AUTO char *altered = record_session(r, 2);
	MEM_AUTO char *path = record_path(r, used);
	struct audit *audit = record_start(r);
	MEM_AUTO char *live = mem_printf("%s.jsonl", audit_session(audit));
	const struct retain_rules rules = {.most_bytes = 1, .keep = 1, .older_than_ms = 1};
	STR_AUTO struct str words = STR_INIT, text = STR_INIT, chain = STR_INIT, after = STR_INIT;
	FD_AUTO int fd = -1;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	record_read(r, altered, &text);
	text.data[text.len - 20] ^= 1;
	record_write(r, altered, text.data, text.len);
	record_read(r, "CHAIN", &chain);
	assert_int_equal(run(r, &rules, &words, NULL), 0);
	assert_true(is_there(r, used) && is_there(r, altered) && is_there(r, live));
	assert_non_null(strstr(words.data, "somebody uses it"));
	assert_non_null(strstr(words.data, "it is not what CHAIN says of it"));
	record_read(r, "CHAIN", &after);
	assert_string_equal(chain.data, after.data);
	record_end(audit);
}

static void nothing_is_removed_where_chain_was_altered(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *a = record_session(r, 1);
	MEM_AUTO char *b = record_session(r, 1);
	const struct retain_rules rules = {.keep = 1};
	STR_AUTO struct str words = STR_INIT, chain = STR_INIT;

	record_read(r, "CHAIN", &chain);
	chain.data[100] ^= 1;
	record_write(r, "CHAIN", chain.data, chain.len);
	assert_int_equal(run(r, &rules, &words, NULL), -1);
	assert_true(is_there(r, a) && is_there(r, b));
}

static void a_tombstone_that_was_changed_is_found(void **state)
{
	const struct record *r = *state;
	const struct retain_rules rules = {.keep = 1};
	static const char *const members[] = {
		"\"calls\":", "\"why\":\"", "\"wall\":\"", "\"events\":"};
	STR_AUTO struct str words = STR_INIT, chain = STR_INIT, report = STR_INIT;

	free(record_session(r, 1));
	free(record_session(r, 1));
	assert_int_equal(run(r, &rules, &words, NULL), 0);
	free(record_session(r, 1));
	record_read(r, "CHAIN", &chain);
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		char *at = strstr(strstr(chain.data, "\"chain\":\"pruned\""), members[i]) +
			   strlen(members[i]);
		char kept = *at;

		*at = kept == '7' ? '8' : '7';
		record_write(r, "CHAIN", chain.data, chain.len);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
		*at = kept;
	}
	record_write(r, "CHAIN", chain.data, chain.len);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

/* The run breaks off at a call as if the process had died there. */
static void run_until(
	const struct record *r, const struct retain_rules *rules, enum step step, unsigned calls)
{
	STR_AUTO struct str words = STR_INIT;

	fault.armed = true;
	fault.dead = false;
	fault.step = step;
	fault.left = calls;
	run(r, rules, &words, NULL);
	fault.armed = false;
}

static void a_compression_that_breaks_off_is_finished_or_undone(void **state)
{
	const struct record *r = *state;
	const struct retain_rules rules = {.compress = true}, none = {0};
	unsigned finished_count = 0, undone = 0;

	for (unsigned i = 0; i < STEP_COUNT * TRIES; i++) {
		MEM_AUTO char *name = record_session(r, 2);
		STR_AUTO struct str words = STR_INIT, report = STR_INIT;
		STRV_AUTO struct strv how = STRV_INIT;

		run_until(r, &rules, (enum step)(i / TRIES), i % TRIES);
		if (record_verify(r, NULL, &report) != VERIFY_WHOLE)
			fail_msg("try %u: %s", i, report.data);
		assert_true(is_there(r, name) || is_packed(r, name));
		assert_int_equal(run(r, &none, &words, &how), 0);
		assert_false(is_there(r, name) && is_packed(r, name));
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
		finished_count += strv_has(&how, "compression finished");
		undone += strv_has(&how, "compression undone");
	}
	assert_true(finished_count > 0 && undone > 0);
}

static void a_removal_that_breaks_off_is_finished(void **state)
{
	const struct record *r = *state;

	for (enum step step = 0; step < STEP_COUNT; step++) {
		for (unsigned left = 0; left < TRIES; left++) {
			MEM_AUTO char *old = record_session(r, 2);
			MEM_AUTO char *path = record_path(r, old);
			const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
			const struct retain_rules rules = {.older_than_ms = 1000 * 3600};
			STR_AUTO struct str words = STR_INIT, report = STR_INIT;
			STRV_AUTO struct strv finished = STRV_INIT;

			assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
			run_until(r, &rules, step, left);
			if (record_verify(r, NULL, &report) != VERIFY_WHOLE)
				fail_msg("step %u, %u: %s", step, left, report.data);
			assert_int_equal(run(r, &rules, &words, &finished), 0);
			assert_false(is_there(r, old));
			assert_false(is_there(r, ".prune.part"));
			assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
		}
	}
}

/* Memory stays bounded whatever a forged file says it holds: a line longer than any that is written ends the reading. */
static void a_forged_file_that_unpacks_to_gigabytes_is_altered(void **state)
{
	/* One frame of 4 GiB of zeros, in 128 KiB blocks of one repeated byte. */
	static const unsigned char head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0xff};
	static const unsigned char block[] = {0x02, 0x00, 0x10, 'a'};
	const struct record *r = *state;
	MEM_AUTO char *a = record_session(r, 1);
	MEM_AUTO char *packed = mem_printf("%s.zst", a);
	MEM_AUTO char *path = record_path(r, a);
	STR_AUTO struct str bytes = STR_INIT, report = STR_INIT;

	str_add_bytes(&bytes, (const char *)head, sizeof(head));
	for (unsigned i = 0; i < 32640; i++)
		str_add_bytes(&bytes, (const char *)block, sizeof(block));
	record_write(r, packed, bytes.data, bytes.len);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	assert_non_null(strstr(report.data, a));
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(closed_files_are_compressed_and_prove_the_same),
		WITH_RECORD(a_byte_changed_in_a_compressed_file_is_found),
		WITH_RECORD(the_oldest_go_and_leave_a_tombstone),
		WITH_RECORD(each_rule_prunes_for_its_own_reason),
		WITH_RECORD(what_must_stay_stays),
		WITH_RECORD(nothing_is_removed_where_chain_was_altered),
		WITH_RECORD(a_tombstone_that_was_changed_is_found),
		WITH_RECORD(a_compression_that_breaks_off_is_finished_or_undone),
		WITH_RECORD(a_removal_that_breaks_off_is_finished),
		WITH_RECORD(a_forged_file_that_unpacks_to_gigabytes_is_altered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
