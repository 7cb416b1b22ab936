#include "config.h"

#include "app/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/audit.h"
#include "app/language.h"
#include "app/loop.h"
#include "app/player_dump.h"
#include "app/player_screen.h"
#include "app/session.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "tui/film.h"

#define MAX_WAIT_MS 3000 /* of a wait in which nothing happens so much is played */

enum {
	OPTION_SPEED = 256,
	OPTION_MAX_WAIT,
	OPTION_FROM,
	OPTION_CALL,
	OPTION_FOLLOW,
	OPTION_ONCE,
	OPTION_DUMP,
	OPTION_PAUSED
};

struct replay_options {
	struct options common; /* -c */
	struct player_options play;
	uint64_t from, call;
	bool follow, dump;
};

static int usage(void)
{
	fputs("usage: exequatur replay [-c CONFIG] [--speed N] [--max-wait SECONDS] [--from EVENT] "
	      "[--call SEQ]\n"
	      "                        [--follow] [--once] [--paused] [--dump] SESSION|FILE\n",
		stderr);
	return EXIT_USAGE;
}

static int parse_number(const char *name, uint64_t *ret)
{
	char *end = NULL;

	errno = 0;
	unsigned long long value = strtoull(optarg, &end, 10);
	if (errno != 0 || optarg[0] < '0' || optarg[0] > '9' || *end != '\0' || value < 1) {
		log_warn("--%s takes a whole number, at least 1, not \"%s\"", name, optarg);
		return EXIT_USAGE;
	}
	*ret = value;
	return 0;
}

/* Powers of two: that is what < and > give. */
static int parse_speed(int *ret)
{
	static const char *const names[] = {
		"1/8", "1/4", "1/2", "1", "2", "4", "8", "16", "32", "64", "128"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(optarg, names[i]) == 0) {
			*ret = (int)i + FILM_SPEED_MIN;
			return 0;
		}
	}
	log_warn("--speed takes 1/8, 1/4, 1/2, 1, 2, 4, 8, 16, 32, 64 or 128, not \"%s\"", optarg);
	return EXIT_USAGE;
}

static int parse_wait(int64_t *ret)
{
	char *end = NULL;
	double value = strtod(optarg, &end);

	if (end == optarg || *end != '\0' || !(value >= 0 && value <= 1e6)) {
		log_warn("--max-wait takes seconds, 0 keeps all waits, not \"%s\"", optarg);
		return EXIT_USAGE;
	}
	*ret = (int64_t)(value * 1000);
	if (value > 0 && *ret == 0)
		*ret = 1;
	return 0;
}

static int apply(int opt, struct replay_options *ret)
{
	switch (opt) {
	case 'c':
		ret->common.config = optarg;
		return 0;
	case OPTION_SPEED:
		return parse_speed(&ret->play.speed);
	case OPTION_MAX_WAIT:
		return parse_wait(&ret->play.max_wait_ms);
	case OPTION_FROM:
		return parse_number("from", &ret->from);
	case OPTION_CALL:
		return parse_number("call", &ret->call);
	case OPTION_FOLLOW:
		ret->follow = true;
		return 0;
	case OPTION_ONCE:
		ret->play.once = true;
		return 0;
	case OPTION_PAUSED:
		ret->play.paused = true;
		return 0;
	case OPTION_DUMP:
		ret->dump = true;
		return 0;
	default:
		return usage();
	}
}

static int parse(int argc, char **argv, struct replay_options *ret)
{
	static const struct option table[] = {
		{"config", required_argument, NULL, 'c'},
		{"speed", required_argument, NULL, OPTION_SPEED},
		{"max-wait", required_argument, NULL, OPTION_MAX_WAIT},
		{"from", required_argument, NULL, OPTION_FROM},
		{"call", required_argument, NULL, OPTION_CALL},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"once", no_argument, NULL, OPTION_ONCE},
		{"paused", no_argument, NULL, OPTION_PAUSED},
		{"dump", no_argument, NULL, OPTION_DUMP},
		{NULL, 0, NULL, 0},
	};
	int opt, status = 0;

	*ret = (struct replay_options){.play.max_wait_ms = MAX_WAIT_MS};
	optind = 1;
	while (status == 0 && (opt = getopt_long(argc, argv, "c:", table, NULL)) != -1)
		status = apply(opt, ret);
	if (status == 0 && optind + 1 != argc)
		return usage();
	if (status == 0 && ret->from > 0 && ret->call > 0 && !ret->dump) {
		log_warn("--from and --call say two places to begin at");
		return EXIT_USAGE;
	}
	return status;
}

static int open_record(struct player *player, const struct config *config, const char *name,
	char **ret_path, struct err *err)
{
	MEM_AUTO char *dir = NULL;

	/* A path needs no directory of records. */
	if (audit_directory_path(
		    config->log_path, getenv("XDG_STATE_HOME"), getenv("HOME"), &dir, err) != 0)
		err_clear(err);
	if (player_file_find(name, dir, ret_path, err) != 0)
		return -1;
	return player_open(*ret_path, player, err);
}

static void begin_at(struct player *player, const struct replay_options *options)
{
	if (options->call > 0)
		player_seek_call(player, options->call);
	else if (options->from > 0)
		player_seek_event(player, options->from);
	else if (player->follows)
		player_seek_event(player, UINT64_MAX);
}

static int play(const struct replay_options *options, const struct config *config, const char *name)
{
	struct player player = {0};
	struct err err = ERR_INIT;
	MEM_AUTO char *path = NULL;
	int status;

	if (open_record(&player, config, name, &path, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	if (options->dump) {
		status =
			player_dump(&player, options->from, options->call, options->follow, stdout);
	} else {
		language_begin(strcmp(config->signs, "ascii") == 0 || text_locale_flags() != 0);
		player.follows = options->follow && player_file_is_open(player.file);
		begin_at(&player, options);
		status = player_screen(&player, path, config, &options->play);
	}
	player_close(&player);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_options options;
	struct config config;
	struct err err = ERR_INIT;
	int status = parse(argc, argv, &options);

	if (status != 0)
		return status;
	loop_prepare();
	setlocale(LC_ALL, "");
	if (session_load_config(&options.common, environ, &config, &err) == 0) {
		status = play(&options, &config, argv[optind]);
	} else {
		log_warn("%s", err.text);
		status = EXIT_USAGE;
	}
	config_release(&config);
	return status;
}
