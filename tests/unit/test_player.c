#include "config.h"

#include "app/player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"

/* Every way to a place of a record, and records that are torn, forged, still written. */

#define GOLDEN TEST_DATA "/record-v1.jsonl"

static void open_golden(struct player *player)
{
	struct err err = ERR_INIT;

	if (player_open(GOLDEN, player, &err) != 0)
		fail_msg("%s", err.text);
}

static uint64_t count_lines(const char *path)
{
	STR_AUTO struct str text = STR_INIT;
	struct err err = ERR_INIT;
	uint64_t count = 0;

	assert_int_equal(0, fd_read_file(path, 64u << 20, &text, &err));
	for (size_t i = 0; i < text.len; i++)
		count += text.data[i] == '\n';
	return count;
}

static void go(struct player *player)
{
	while (!player_work(player, 0, 3))
		;
}

static void it_plays_to_the_end_in_the_time_of_the_session(void **state)
{
	struct player player;
	int64_t mono = 0;
	uint64_t before = 0;

	(void)state;
	open_golden(&player);
	player_seek_event(&player, 1);
	go(&player);
	assert_int_equal(1, player.event);
	for (;;) {
		int64_t at = player_clock_at_ms(&player.clock);

		player_run(&player, mono, 1000);
		assert_true(player.event >= before);
		before = player.event;
		/* No event of the future is on the screen, and none of the past is missing. */
		assert_true(player.last_ms <= player_clock_at_ms(&player.clock));
		assert_true(at <= player_clock_at_ms(&player.clock));
		if (player.at_end && !player.has_next)
			break;
		int64_t due = player_due(&player);
		assert_true(due > 0);
		mono += due;
	}
	assert_int_equal(count_lines(GOLDEN), player.event);
	assert_false(player.broken);
	assert_true(player.model.ended);
	/* One for one: at single speed the world's time is that of the session. */
	assert_in_range(mono, player.last_ms - 2, player.last_ms);
	player_close(&player);
}

/* The state of the model in a few numbers. */
static void fingerprint(const struct player *player, char ret[160])
{
	const struct model *m = &player->model;

	snprintf(ret, 160, "%llu %lld %zu %u %u %u %llu", (unsigned long long)player->event,
		(long long)m->now_at_ms, m->count, m->waiting, m->running, m->done,
		(unsigned long long)player->ui_event);
}

static void every_event_is_reached_from_everywhere(void **state)
{
	uint64_t count = count_lines(GOLDEN);
	char(*straight)[160] = mem_array(count + 1, sizeof(*straight));
	struct player player;
	uint64_t at = 7;

	(void)state;
	open_golden(&player);
	while (player_step(&player) == 1)
		fingerprint(&player, straight[player.event]);
	for (unsigned i = 0; i < 120; i++) {
		char have[160];

		at = (at * 31 + 17) % count + 1;
		player_seek_event(&player, at);
		go(&player);
		fingerprint(&player, have);
		assert_string_equal(straight[at], have);
		assert_int_equal(player.last_ms, player_clock_at_ms(&player.clock));
	}
	player_seek_event(&player, UINT64_MAX);
	go(&player);
	assert_int_equal(count, player.event);
	player_seek_event(&player, 0);
	go(&player);
	assert_int_equal(1, player.event);
	player_close(&player);
	free(straight);
}

static void a_time_and_a_call_are_reached(void **state)
{
	struct player player;
	struct err err = ERR_INIT;

	(void)state;
	open_golden(&player);
	player_seek_ms(&player, 10);
	go(&player);
	assert_true(player.last_ms <= 10);
	assert_int_equal(10, player_clock_at_ms(&player.clock));
	player_seek_ms(&player, 3);
	go(&player);
	assert_true(player.last_ms <= 3);
	player_seek_call(&player, 4);
	go(&player);
	assert_int_equal(4, player.seq);
	assert_int_equal(JOB_NEW, model_job(&player.model, 4)->state);
	assert_int_equal(0, player_seek_text(&player, "#2", &err));
	go(&player);
	assert_int_equal(2, player.seq);
	assert_int_equal(0, player_seek_text(&player, "20", &err));
	go(&player);
	assert_int_equal(20, player.event);
	player_close(&player);
}

static void what_is_no_place_is_said(void **state)
{
	static const char *const texts[] = {"x", "", "#", "#x", "25:00", "12:60", "12:00:60",
		"1:2:3:4", "-1", "99999999999999999999", "12:00 "};
	struct player player;

	(void)state;
	open_golden(&player);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err err = ERR_INIT;

		if (player_seek_text(&player, texts[i], &err) == 0)
			fail_msg("\"%s\" is a place", texts[i]);
		assert_false(player.seeking);
	}
	player_close(&player);
}

struct copy {
	char dir[64], path[128];
};

static void copy_open(struct copy *copy, const struct str *text, size_t len)
{
	const char *base = getenv("TMPDIR");

	snprintf(copy->dir, sizeof(copy->dir), "%s/exq-player-XXXXXX",
		base != NULL && strlen(base) < 40 ? base : "/tmp");
	assert_non_null(mkdtemp(copy->dir));
	snprintf(copy->path, sizeof(copy->path), "%s/20261130T153656Z-1-abcd.jsonl", copy->dir);
	FILE *file = fopen(copy->path, "w");
	assert_non_null(file);
	assert_int_equal(len, fwrite(text->data, 1, len, file));
	assert_int_equal(0, fclose(file));
}

static void copy_close(struct copy *copy)
{
	unlink(copy->path);
	rmdir(copy->dir);
}

static void read_golden(struct str *ret)
{
	struct err err = ERR_INIT;

	assert_int_equal(0, fd_read_file(GOLDEN, 64u << 20, ret, &err));
}

/* The event that cannot have happened is named with its line, and all before it is played. */
static void a_line_that_cannot_be_ends_the_film_with_its_number(void **state)
{
	static const struct {
		const char *find, *put, *says;
	} rows[] = {
		{"\"type\":\"started\"", "\"type\":\"expired\"", "it cannot have happened"},
		{"\"type\":\"decided\"", "\"typ\":\"decided\" ", "is not as one is written"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		STR_AUTO struct str text = STR_INIT;
		struct player player;
		struct copy copy;
		struct err err = ERR_INIT;
		unsigned line = 1;
		char wanted[32];

		read_golden(&text);
		char *at = strstr(text.data, rows[i].find);
		assert_non_null(at);
		memcpy(at, rows[i].put, strlen(rows[i].put));
		for (const char *c = text.data; c < at; c++)
			line += *c == '\n';
		copy_open(&copy, &text, text.len);
		assert_int_equal(0, player_open(copy.path, &player, &err));
		while (player_step(&player) == 1)
			;
		assert_true(player.broken);
		assert_int_equal(line - 1, player.event);
		snprintf(wanted, sizeof(wanted), ".jsonl:%u: ", line);
		if (strstr(player.err.text, wanted) == NULL ||
			strstr(player.err.text, rows[i].says) == NULL)
			fail_msg("line %u: %s", line, player.err.text);
		/* And it can be left again. */
		player_seek_event(&player, 2);
		go(&player);
		assert_int_equal(2, player.event);
		assert_false(player.broken);
		player_close(&player);
		copy_close(&copy);
	}
}

static void a_torn_line_is_not_played(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct player player;
	struct copy copy;
	struct err err = ERR_INIT;

	(void)state;
	read_golden(&text);
	copy_open(&copy, &text, text.len - 30);
	assert_int_equal(0, player_open(copy.path, &player, &err));
	while (player_step(&player) == 1)
		;
	assert_false(player.broken);
	assert_int_equal(count_lines(GOLDEN) - 1, player.event);
	assert_true(player_file_is_torn(player.file));
	player_close(&player);
	copy_close(&copy);
}

/* What is written while it is followed comes at once, whatever time lies between. */
static void a_session_that_is_written_is_followed(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct player player;
	struct copy copy;
	struct err err = ERR_INIT;
	size_t half = 0;

	(void)state;
	read_golden(&text);
	for (unsigned n = 0; n < 20; n++)
		half = (size_t)(strchr(text.data + half, '\n') - text.data) + 1;
	copy_open(&copy, &text, half);
	FILE *writer = fopen(copy.path, "a");
	assert_non_null(writer);
	assert_int_equal(0, flock(fileno(writer), LOCK_EX));
	assert_int_equal(0, player_open(copy.path, &player, &err));
	assert_true(player_file_is_open(player.file));
	player.follows = true;
	player_seek_event(&player, UINT64_MAX);
	go(&player);
	assert_int_equal(20, player.event);
	assert_false(player_run(&player, 100, 10));
	/* A line in two parts is none until it is whole. */
	const char *next = text.data + half;
	size_t len = (size_t)(strchr(next, '\n') - next) + 1;
	fwrite(next, 1, len - 10, writer);
	fflush(writer);
	assert_false(player_run(&player, 110, 10));
	assert_false(player_file_is_torn(player.file));
	fwrite(next + len - 10, 1, 10, writer);
	fflush(writer);
	assert_true(player_run(&player, 120, 10));
	assert_int_equal(21, player.event);
	fclose(writer);
	assert_false(player_file_is_open(player.file));
	player_close(&player);
	copy_close(&copy);
}

static void no_symlink_no_directory_and_no_pipe_is_opened(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct player player;
	struct copy copy;
	char other[160];

	(void)state;
	read_golden(&text);
	copy_open(&copy, &text, text.len);
	snprintf(other, sizeof(other), "%s/20261130T153656Z-2-abcd.jsonl", copy.dir);
	for (unsigned i = 0; i < 3; i++) {
		struct err err = ERR_INIT;

		assert_int_equal(0, i == 0   ? symlink(copy.path, other)
				    : i == 1 ? mkdir(other, 0700)
					     : mkfifo(other, 0600));
		assert_int_equal(-1, player_open(other, &player, &err));
		assert_non_null(strstr(err.text, "not a plain file"));
		assert_int_equal(0, remove(other));
	}
	copy_close(&copy);
}

static void a_session_is_found_by_its_name_where_that_is_unique(void **state)
{
	static const char *const good[] = {
		"20261130T153656Z-1-abcd", "1-abcd", "20261130T153656Z-1-abcd.jsonl"};
	static const char *const bad[] = {"abc", "2-abcd", "bcd", "no"};
	STR_AUTO struct str text = STR_INIT;
	struct copy copy;
	char other[160];
	char *path = NULL;
	struct err err = ERR_INIT;

	(void)state;
	read_golden(&text);
	copy_open(&copy, &text, 10);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_int_equal(0, player_file_find(good[i], copy.dir, &path, &err));
		assert_string_equal(copy.path, path);
		free(path);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(-1, player_file_find(bad[i], copy.dir, &path, &err));
	snprintf(other, sizeof(other), "%s/20261131T153656Z-1-abcd.jsonl", copy.dir);
	FILE *file = fopen(other, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(-1, player_file_find("1-abcd", copy.dir, &path, &err));
	assert_non_null(strstr(err.text, "several sessions"));
	unlink(other);
	copy_close(&copy);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_plays_to_the_end_in_the_time_of_the_session),
		cmocka_unit_test(every_event_is_reached_from_everywhere),
		cmocka_unit_test(a_time_and_a_call_are_reached),
		cmocka_unit_test(what_is_no_place_is_said),
		cmocka_unit_test(a_line_that_cannot_be_ends_the_film_with_its_number),
		cmocka_unit_test(a_torn_line_is_not_played),
		cmocka_unit_test(a_session_that_is_written_is_followed),
		cmocka_unit_test(no_symlink_no_directory_and_no_pipe_is_opened),
		cmocka_unit_test(a_session_is_found_by_its_name_where_that_is_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
