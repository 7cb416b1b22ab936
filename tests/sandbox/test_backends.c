#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "box.h"
#include "launch_users.h"

#define HOME "/home/tester"

static const struct backend *const isolating[] = {
	&backend_landlock, &backend_bubblewrap, &backend_firejail};

/* Each backend that isolates and is there; a machine without a wrapper tests the native one. */
static bool is_there(const struct backend *backend)
{
	if (backend->id == BACKEND_FIREJAIL)
		return access("/usr/bin/firejail", X_OK) == 0;
	return backend->id != BACKEND_BUBBLEWRAP || access("/usr/bin/bwrap", X_OK) == 0;
}

/* Begins a box of the next one, until there is none: `for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box))`. */
static bool next_box(struct box *box, size_t *at, const char *home)
{
	/* a home below the scratch directory lies where firejail makes nothing private */
	while (*at < ARRAY_LEN(isolating) &&
		(!is_there(isolating[*at]) ||
			(home[0] != '/' && isolating[*at]->id == BACKEND_FIREJAIL)))
		++*at;
	if (*at == ARRAY_LEN(isolating))
		return false;
	box_begin(box, isolating[(*at)++], home);
	return true;
}

struct work {
	const char *command, *output;
};

static void run_works(const struct work *works, size_t count, const char *home, const char *ws)
{
	struct box box;
	for (size_t b = 0; next_box(&box, &b, home); box_end(&box)) {
		box_workspace(&box, ws);
		for (size_t i = 0; i < count; i++)
			box_expect(&box, NULL, works[i].command, works[i].output);
	}
}

static void everyday_work_works(void **state)
{
	static const struct work works[] = {
		{"echo x >/dev/null && head -c1 /dev/urandom >/dev/null && : >/dev/shm/h && echo "
		 "fine",
			"fine\n"},
		{"head -c2 /dev/zero | wc -c; echo x > /dev/full; echo a > /dev/stdout",
			"2\nsh: 1: echo: echo: I/O error\na\n"},
		{"f=$(mktemp) && echo t > $f && cat $f; cat <<E\nhere\nE", "t\nhere\n"},
		{"sleep 0 & wait; bash -c 'cat <(echo sub)'", "sub\n"},
		{"umask; ulimit -c; id -u >/dev/null && pwd >/dev/null; hostname",
			"0022\n0\nsandbox\n"},
		{"printf 'int main(void){return 0;}' > a.c; printf 'a: a.c\\n\\tgcc -o a a.c\\n' > "
		 "Makefile; make -s && ./a && echo built",
			"built\n"},
		{"python3 -c 'import multiprocessing as m\nwith m.Pool(2) as p: "
		 "print(sum(p.map(abs, [1, -2])))'",
			"3\n"},
		{"node -e 'console.log(require(\"os\").cpus().length > 0)'", "true\n"},
		{"perl -e 'use POSIX; print 1+1, \"\\n\"'; ls /dev/fd/ | wc -l", "2\n4\n"},
		{"getent passwd root | cut -d: -f1; date +%Z >/dev/null && echo date",
			"root\ndate\n"},
		{"python3 -c 'import socket,threading\ns=socket.create_server((\"127.0.0.1\",0))\n"
		 "c=socket.create_connection(s.getsockname())\nprint(\"loopback\")'",
			"loopback\n"},
		{"mkdir d && rmdir d && mv a.c b.c && ln b.c c.c && rm b.c c.c && echo moved",
			"moved\n"},
	};
	(void)state;
	run_works(works, ARRAY_LEN(works), HOME, "ws");
}

static void git_works_and_its_hooks_are_held(void **state)
{
	static const struct work works[] = {
		{"git init -q . 2>/dev/null; echo a > a; git add a && git -c user.name=x -c "
		 "user.email=x@y commit -qm one && git log --oneline | wc -l",
			"1\n"},
		/* from here on the repository was there when the card was drawn */
		{"touch .git/hooks/pre-commit 2>&1 | sed 's/.*: //'", "Read-only file system\n"},
		{"echo x >> .git/config; git config a.b c; echo $?",
			"sh: 1: cannot create .git/config: Read-only file system\n"
			"error: could not write config file .git/config: Device or resource "
			"busy\n4\n"},
		{"mv .git .g2 2>&1 | sed 's/.*: //'; test -d .git && echo stays",
			"Device or resource busy\nstays\n"},
		{"rm -rf .git/hooks 2>/dev/null; mv .git/config .git/c2 2>/dev/null; test -f "
		 ".git/config "
		 "-a -d .git/hooks && echo stay",
			"stay\n"},
		{"echo x 2>/dev/null > .git/config.worktree; cat .git/config.worktree", ""},
		{"git checkout -q -b next && echo b >> a && git stash -q && git stash pop -q && "
		 "git -c "
		 "user.name=x -c user.email=x@y commit -qam two && git gc -q && git status --short "
		 "&& "
		 "git log --oneline | wc -l",
			"2\n"},
	};
	(void)state;
	run_works(works, ARRAY_LEN(works), HOME, "ws");
}

static void a_linked_worktree_is_read_and_not_written(void **state)
{
	(void)state;
	struct box box;
	for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box)) {
		box_workspace(&box, "w");
		box_expect(&box, NULL,
			"git init -q main 2>/dev/null; cd main; echo a > a; git add a; git -c "
			"user.name=x "
			"-c user.email=x@y commit -qm one; git worktree add -q ../wt && echo "
			"linked",
			"linked\n");
		box_workspace(&box, "w/wt");
		assert_int_equal(box.x.base.writable.count, 1);
		box_expect(&box, NULL,
			"git log --format=%s; echo b > b; git status --short; git add b 2>&1 | sed "
			"'s/.*: //'",
			"one\n?? b\nRead-only file system\n");
	}
}

static void what_lies_outside_is_not_there(void **state)
{
	static const struct work works[] = {
		{"touch ../outside/x 2>/dev/null || echo refused; ls ..", "refused\nws\n"},
		{"cat /etc/shadow 2>&1 | sed 's/.*: //'; ls /home 2>/dev/null; ls /root "
		 "2>/dev/null; true",
			"No such file or directory\ntester\n"},
		{"ls /proc | grep -c '^[0-9]' | sed 's/[1-9]/few/'; cat /proc/1/environ "
		 "2>/dev/null || echo "
		 "closed",
			"few\nclosed\n"},
		{"for f in / /usr /etc /var /home /proc/sys/kernel/core_pattern; do test -w $f && "
		 "echo "
		 "$f; done; chmod 666 /dev/null 2>/dev/null || echo kept",
			"kept\n"},
		{"chmod 4755 . 2>/dev/null || echo no setuid; ls -A /run /var/tmp /dev/shm | grep "
		 "-v : | tr -d '\\n'",
			"no setuid\n"},
	};
	/* closed or emptied where the others show nothing at all */
	static const char *const in_firejail[ARRAY_LEN(works)] = {
		[1] = "No such file or directory\n", [4] = "no setuid\nfirejail"};
	(void)state;
	struct box box;
	for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box)) {
		free(scratch_make_dir(box.s, "outside"));
		box_workspace(&box, "ws");
		bool otherwise = box.backend->id == BACKEND_FIREJAIL;
		for (size_t i = 0; i < ARRAY_LEN(works); i++)
			box_expect(&box, NULL, works[i].command,
				otherwise && in_firejail[i] ? in_firejail[i] : works[i].output);
	}
}

static void only_the_known_names_reach_a_command(void **state)
{
	static const struct backend *const all[] = {
		&backend_landlock, &backend_bubblewrap, &backend_firejail, &backend_none};
	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(all); b++) {
		struct box box;
		if (!is_there(all[b]))
			continue;
		box_begin(&box, all[b], HOME);
		box_workspace(&box, "ws");
		box_expect(&box, NULL,
			"tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort | tr '\\n' ' '",
			"HOME PATH TERM ");
		box_expect(&box, NULL,
			"umask; ulimit -n; readlink /proc/self/fd/0; ls /proc/self/fd | wc -l",
			"0022\n256\n/dev/null\n4\n");
		box_end(&box);
	}
}

static void home_is_empty_but_for_private_caches(void **state)
{
	static const char command[] = "ls -A ~; touch ~/x 2>/dev/null || echo closed; touch "
				      "~/.cache/x ~/.npm/y && ls ~/.cache ~/.npm | grep -v :";
	static const char *const homes[] = {HOME, "absent/home"}; /* below the private /tmp */
	struct box box;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(homes); i++)
		for (size_t b = 0; next_box(&box, &b, homes[i]); box_end(&box)) {
			/* there a user's home is below /tmp, which is private and writable as a whole */
			bool open = box.backend->id == BACKEND_FIREJAIL && geteuid() != 0;
			box_workspace(&box, "ws");
			box_expect(&box, NULL, command,
				open ? ".cache\n.npm\nx\n\ny\n" : ".cache\n.npm\nclosed\nx\n\ny\n");
		}
}

static void a_workspace_below_home_and_its_missing_directory_work(void **state)
{
	(void)state;
	struct box box;
	for (size_t b = 0; next_box(&box, &b, "u"); box_end(&box)) {
		free(scratch_write(box.s, "u/secret", "s"));
		free(scratch_make_dir(box.s, "u/.cache/mine"));
		strv_take(&box.x.config.readonly_paths, scratch_make_dir(box.s, "u/tools"));
		box_workspace(&box, "u/work");
		box_expect(&box, NULL,
			"ls -A ~; touch ../x 2>/dev/null || echo closed; ls ~/.cache",
			".cache\n.npm\ntools\nwork\nclosed\n");
		box_expect(&box, "new/deep", "echo ${PWD#\"$HOME\"/}; echo 1 > f && cat f",
			"work/new/deep\n1\n");
		assert_true(scratch_exists(box.s, "u/work/new/deep/f"));
	}
}

static void a_read_only_place_inside_a_writable_one_holds(void **state)
{
	(void)state;
	struct box box;
	for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box)) {
		strv_take(&box.x.config.readonly_paths, scratch_make_dir(box.s, "ws/a/vendor"));
		strv_take(&box.x.config.writable_paths, scratch_write(box.s, "file", "1"));
		box_workspace(&box, "ws");
		box_expect(&box, NULL,
			"touch a/vendor/x 2>/dev/null || echo held; mv a b 2>/dev/null || echo "
			"kept; "
			"echo 2 > ../file; cat ../file",
			"held\nkept\n2\n");
	}
}

static void a_granted_network_shows_the_resolver(void **state)
{
	(void)state;
	struct box box;
	for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box)) {
		box_workspace(&box, "ws");
		box_expect(&box, NULL, "test -e /etc/resolv.conf || echo hidden", "hidden\n");
		box.x.request.network = true;
		bool has = access("/etc/resolv.conf", R_OK) == 0;
		box_expect(&box, NULL,
			"test -r /etc/resolv.conf && echo shown; python3 -c 'import socket\n"
			"try: socket.socket(40, 1)\nexcept PermissionError: print(\"no vsock\")'",
			has ? "shown\nno vsock\n" : "no vsock\n");
	}
}

static void what_a_machine_refuses_is_covered_by_what_it_has(void **state)
{
	static const struct {
		const struct backend *backend;
		bool no_landlock;
		unsigned refused;
		const char *command, *output;
	} cases[] = {
		{&backend_landlock, false, 1u << PLAN_NS_NET,
			"python3 -c 'import socket\ns = socket.socketpair()\n"
			"try: socket.socket()\nexcept PermissionError: print(\"no sockets\")'",
			"no sockets\n"},
		{&backend_landlock, false, 1u << PLAN_NS_UTS, "echo runs", "runs\n"},
		{&backend_bubblewrap, true, 0,
			"for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /etc /usr /; "
			"do test -w $f && "
			"echo $f; done; touch x && echo runs",
			"runs\n"},
		{&backend_firejail, true, 1u << PLAN_NS_USER,
			"for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /etc /usr / "
			"/run /var; do test -w $f && echo $f; done; touch x && echo runs",
			"runs\n"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct box box;
		if (!is_there(cases[i].backend))
			continue;
		box_begin(&box, cases[i].backend, HOME);
		box.host.refused_namespaces = cases[i].refused;
		if (cases[i].no_landlock)
			box.host.landlock_abi = 0;
		box_workspace(&box, "ws");
		box_expect(&box, NULL, cases[i].command, cases[i].output);
		box_end(&box);
	}
}

static void swap_for_a_link(struct box *box)
{
	MEM_AUTO char *ws = scratch_path(box->s, "ws");
	MEM_AUTO char *away = scratch_path(box->s, "away");
	assert_int_equal(rename(ws, away), 0);
	assert_int_equal(symlink("/etc", ws), 0);
}

static void a_directory_swapped_after_the_card_does_not_start(void **state)
{
	static void (*const swaps[])(struct box *) = {box_swap_workspace, swap_for_a_link};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(swaps); i++) {
		struct box box;
		for (size_t b = 0; next_box(&box, &b, HOME); box_end(&box)) {
			box_workspace(&box, "ws");
			box_expect_failure(&box, swaps[i], STAGE_PLACES);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_known_names_reach_a_command),
		cmocka_unit_test(everyday_work_works),
		cmocka_unit_test(git_works_and_its_hooks_are_held),
		cmocka_unit_test(a_linked_worktree_is_read_and_not_written),
		cmocka_unit_test(what_lies_outside_is_not_there),
		cmocka_unit_test(home_is_empty_but_for_private_caches),
		cmocka_unit_test(a_workspace_below_home_and_its_missing_directory_work),
		cmocka_unit_test(a_read_only_place_inside_a_writable_one_holds),
		cmocka_unit_test(a_granted_network_shows_the_resolver),
		cmocka_unit_test(what_a_machine_refuses_is_covered_by_what_it_has),
		cmocka_unit_test(a_directory_swapped_after_the_card_does_not_start),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}
