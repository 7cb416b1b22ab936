#include "config.h"

#include "core/arguments.h"

#include "argument_rows.h"

#include "base/mem.h"
#include "base/str.h"
#include "core/config.h"

#define REOPENS "opens again what the box closes"

static const struct row firejail_rows[] = {
	/* namespaces and networks of others */
	{{"--net=eth0"}, NETWORK},
	{{"--net=br0"}, NETWORK},
	{{"--net="}, NETWORK},
	{{"--net"}, NETWORK},
	{{"--netns=vpn"}, NETWORK},
	{{"--interface=eth1"}, NETWORK},
	{{"--ip=10.0.0.9"}, NETWORK},
	{{"--ip6=::9"}, NETWORK},
	{{"--iprange=10.0.0.1,10.0.0.9"}, NETWORK},
	{{"--defaultgw=10.0.0.1"}, NETWORK},
	{{"--mac=00:11:22:33:44:55"}, NETWORK},
	{{"--mtu=1492"}, NETWORK},
	{{"--netmask=255.0.0.0"}, NETWORK},
	{{"--veth-name=v"}, NETWORK},
	{{"--bandwidth=1"}, NETWORK},
	{{"--scan"}, NETWORK},
	{{"--netstats"}, NETWORK},
	{{"--nettrace"}, NETWORK},
	{{"--dnstrace"}, NETWORK},
	{{"--icmptrace"}, NETWORK},
	{{"--snitrace"}, NETWORK},
	{{"--join=4711"}, "enters another sandbox"},
	{{"--join-network=4711"}, "enters another sandbox"},
	{{"--join-filesystem=x"}, "enters another sandbox"},
	{{"--join-or-start=x"}, "enters another sandbox"},
	/* rights and debuggers */
	{{"--caps.keep=net_raw"}, "keeps capabilities"},
	{{"--allow-debuggers"}, "look into each other"},
	{{"--trace"}, "look into each other"},
	{{"--tracelog"}, "look into each other"},
	/* files */
	{{"--read-write=/etc"}, REOPENS},
	{{"--writable-etc"}, REOPENS},
	{{"--writable-var"}, REOPENS},
	{{"--writable-var-log"}, REOPENS},
	{{"--writable-run-user"}, REOPENS},
	{{"--allusers"}, REOPENS},
	{{"--noblacklist=/root"}, REOPENS},
	{{"--nowhitelist=/root"}, REOPENS},
	{{"--keep-fd=all"}, REOPENS},
	{{"--keep-fd=7"}, REOPENS},
	{{"--keep-dev-shm"}, REOPENS},
	{{"--keep-var-tmp"}, REOPENS},
	{{"--keep-config-pulse"}, REOPENS},
	{{"--whitelist=/home/mira/.ssh"}, HOST},
	{{"--bind=/,/mnt"}, HOST},
	{{"--private=/home/mira"}, HOST},
	{{"--private=true"}, HOST},
	{{"--private-home=.ssh"}, HOST},
	{{"--private-etc=shadow"}, HOST},
	{{"--private-opt=x"}, HOST},
	{{"--private-srv=x"}, HOST},
	{{"--private-cwd=/etc"}, HOST},
	{{"--hosts-file=/etc/shadow"}, HOST},
	{{"--chroot=/"}, "replaces the file system"},
	{{"--overlay"}, "replaces the file system"},
	{{"--overlay-named=x"}, "replaces the file system"},
	{{"--overlay-tmpfs"}, "replaces the file system"},
	{{"--overlay-clean"}, "replaces the file system"},
	{{"--appimage"}, "replaces the file system"},
	{{"--mkdir=~/x"}, "writes to files outside"},
	{{"--mkfile=~/x"}, "writes to files outside"},
	{{"--output=/root/x"}, "writes to files outside"},
	{{"--output-stderr=/root/x"}, "writes to files outside"},
	{{"--dbus-log=/root/x"}, "writes to files outside"},
	{{"--dbus-user.log"}, "writes to files outside"},
	{{"--dbus-system.log"}, "writes to files outside"},
	{{"--build=/root/x"}, "writes to files outside"},
	/* profiles */
	{{"--noprofile"}, "a profile can open anything"},
	{{"--profile=default"}, "a profile can open anything"},
	{{"--include=/tmp/x"}, "a profile can open anything"},
	{{"--ignore=net"}, "a profile can open anything"},
	/* environment, sockets, the rest */
	{{"--env=LD_PRELOAD=/tmp/x.so"}, "passes a variable"},
	{{"--dbus-user=filter"}, "services of this machine"},
	{{"--dbus-system=filter"}, "services of this machine"},
	{{"--dbus-user.talk=org.x"}, "services of this machine"},
	{{"--dbus-user.own=org.x"}, "services of this machine"},
	{{"--dbus-user.see=org.x"}, "services of this machine"},
	{{"--dbus-user.call=org.x=*"}, "services of this machine"},
	{{"--dbus-user.broadcast=org.x=*"}, "services of this machine"},
	{{"--dbus-system.talk=org.x"}, "services of this machine"},
	{{"--dbus-system.own=org.x"}, "services of this machine"},
	{{"--dbus-system.see=org.x"}, "services of this machine"},
	{{"--dbus-system.call=org.x=*"}, "services of this machine"},
	{{"--dbus-system.broadcast=org.x=*"}, "services of this machine"},
	{{"--x11=xorg"}, "talk to a display"},
	{{"--x11"}, "talk to a display"},
	{{"--xephyr-screen=640x480"}, "talk to a display"},
	{{"--shell=/bin/bash"}, "without another shell"},
	{{"--cgroup=/sys/fs/cgroup/x/tasks"}, "leave the box"},
	{{"--force"}, "leave the box"},
	{{"--timeout=00:00:01"}, "max_cpu_time_seconds"},
	{{"--list"}, "something else than run the command"},
	{{"--shutdown=4711"}, "something else than run the command"},
	{{"--get=1", "/etc/shadow"}, "something else than run the command"},
	{{"--version"}, "something else than run the command"},
	{{"--help"}, "something else than run the command"},
	{{"--audit"}, "something else than run the command"},
	{{"--cat=1"}, "something else than run the command"},
	{{"--ls=1"}, "something else than run the command"},
	{{"--put=1"}, "something else than run the command"},
	{{"--top"}, "something else than run the command"},
	{{"--tree"}, "something else than run the command"},
	{{"--ids-check"}, "something else than run the command"},
	{{"--ids-init"}, "something else than run the command"},
	{{"--apparmor.print=1"}, "something else than run the command"},
	{{"--caps.print=1"}, "something else than run the command"},
	{{"--cpu.print=1"}, "something else than run the command"},
	{{"--dns.print=1"}, "something else than run the command"},
	{{"--fs.print=1"}, "something else than run the command"},
	{{"--net.print=1"}, "something else than run the command"},
	{{"--netfilter6=/root/x"}, "something else than run the command"},
	{{"--netfilter.print=1"}, "something else than run the command"},
	{{"--netfilter6.print=1"}, "something else than run the command"},
	{{"--profile.print=1"}, "something else than run the command"},
	{{"--protocol.print=1"}, "something else than run the command"},
	{{"--seccomp.print=1"}, "something else than run the command"},
	/* no forms but the two that it has */
	{{"--new-in-a-later-version"}, UNKNOWN},
	{{"--ne=eth0"}, UNKNOWN},
	{{"--caps.dro=all"}, UNKNOWN},
	{{"-c"}, UNKNOWN},
	{{"-"}, UNKNOWN},
	{{"--"}, NO_OPTION},
	{{"bash"}, NO_OPTION},
	{{""}, NO_OPTION},
	{{"--net", "eth0"}, NETWORK},
	{{"--nosound", "eth0"}, NO_OPTION},
	{{" --net=none"}, NO_OPTION},
	{{"--nosound", "--no3d", "--join=1"}, "--join=1 is refused"},
	/* what only restricts */
	{{"--net=none", "--noroot", "--caps.drop=all"}, NULL},
	{{"--nosound", "--no3d", "--nodvd", "--notv"}, NULL},
	{{"--novideo", "--nou2f", "--noinput", "--machine-id"}, NULL},
	{{"--seccomp", "--seccomp.drop=mount", "--protocol=unix"}, NULL},
	{{"--blacklist=/opt", "--read-only=/srv", "--noexec=/tmp"}, NULL},
	{{"--rlimit-nofile=64", "--rlimit-as=1000000000", "--nice=5"}, NULL},
	{{"--private", "--private-tmp", "--private-dev", "--private-cache"}, NULL},
	{{"--dbus-user=none", "--dbus-system=none", "--x11=none"}, NULL},
	{{"--memory-deny-write-execute", "--restrict-namespaces", "--apparmor"}, NULL},
	{{"--shell=none", "--quiet", "--nonewprivs", "--ipc-namespace"}, NULL},
};

static void what_would_open_firejail_is_refused_with_its_reason(void **state)
{
	(void)state;
	check_rows(firejail_rows, ARRAY_LEN(firejail_rows), arguments_check_firejail);
}

static void each_refusal_of_firejail_has_a_row(void **state)
{
	(void)state;
	check_refusals_have_rows(
		firejail_rules, firejail_rule_count, firejail_rows, ARRAY_LEN(firejail_rows));
}

static void each_is_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"[security.sandbox]\nfirejail_args = [\"--nosound\",\n\"--join=1\"]\n",
			"c.toml:2: firejail_args: --join=1 is refused: it enters another sandbox "
			"in place of its own"},
		{"[security.sandbox]\n\ndocker_args = [\"--pid=host\"]\n",
			"c.toml:3: docker_args: --pid=host is refused: it shares a namespace with "
			"this machine or with another container"},
		{"[security.sandbox.docker]\nargs = [\"-v\", \"/:/h\"]\n",
			"c.toml:2: docker_args: -v is refused: it shows files of this machine; "
			"list them in readonly_paths or writable_paths, so that the card names "
			"them"},
		{"[autonomy.sandbox]\nfirejail_args = [\"--\\u001b[2J\"]\n", NULL},
		{"[security.sandbox]\nfirejail_args = [\"--\\u001b[2J\"]\n",
			"c.toml:2: firejail_args: --<ESC>[2J is refused: it is not known to leave "
			"the box closed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config c;
		struct err err = ERR_INIT;
		config_init(&c);
		int failed = config_parse(&c, cases[i].text, strlen(cases[i].text), "c.toml",
			"/etc", "/home/mira", &err);
		if (cases[i].sentence == NULL) {
			assert_int_equal(failed, -1); /* a section of another program */
		} else {
			assert_int_equal(failed, 0);
			assert_int_equal(config_check(&c, &err), -1);
			assert_string_equal(err.text, cases[i].sentence);
		}
		config_release(&c);
	}
}

static void assert_kept(const struct row *row, const char *wanted,
	void (*collect)(const struct strv *, struct strv *))
{
	struct strv args STRV_AUTO = STRV_INIT;
	struct strv kept STRV_AUTO = STRV_INIT;
	struct str shown STR_AUTO = STR_INIT;
	fill(&args, row);
	collect(&args, &kept);
	for (size_t i = 0; i < kept.count; i++)
		str_printf(&shown, "%s%s", i ? "|" : "", kept.items[i]);
	assert_string_equal(str_c(&shown), wanted);
}

static void what_each_call_has_anyway_is_left_out(void **state)
{
	static const struct row firejail[] = {
		{{"--net=none", "--noroot", "--nosound", "--no3d"}, "--noroot|--nosound|--no3d"},
		{{"--caps.drop=all", "--quiet", "--shell=none"}, ""},
		{{"--caps.drop=net_raw", "--blacklist=/opt"}, "--blacklist=/opt"},
	};
	static const struct row docker[] = {
		{{"--network=none", "--read-only"}, ""},
		{{"--network", "none", "--cpu-shares", "512"}, "--cpu-shares|512"},
		{{"-qc5", "--net", "none"}, "-qc5"},
		{{"--cap-drop", "ALL", "-h", "x"}, "-h|x"},
		{{"-q", "--security-opt", "no-new-privileges", "-hy"}, "-q|-hy"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(firejail); i++)
		assert_kept(&firejail[i], firejail[i].why, arguments_firejail);
	for (size_t i = 0; i < ARRAY_LEN(docker); i++)
		assert_kept(&docker[i], docker[i].why, arguments_docker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_would_open_firejail_is_refused_with_its_reason),
		cmocka_unit_test(each_refusal_of_firejail_has_a_row),
		cmocka_unit_test(each_is_refused_with_file_and_line),
		cmocka_unit_test(what_each_call_has_anyway_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
