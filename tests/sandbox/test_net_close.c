#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/namespaces.h"
#include "sandbox/net_close.h"

/* What a child says by its exit status. */
enum { HELD = 0, NOT_HERE = 77 };

/* In a network namespace with a loopback; gives the exit status. */
static int apart(int (*run)(void))
{
	int status = 0;
	struct err err = ERR_INIT;
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0 ||
			namespace_loopback_up(&err) != 0)
			_exit(NOT_HERE);
		_exit(run());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	return WEXITSTATUS(status);
}

static int close_these(const char *const *prefixes, size_t count, struct err *err)
{
	struct strv list STRV_AUTO = STRV_INIT;
	for (size_t i = 0; i < count; i++)
		strv_add(&list, prefixes[i]);
	return net_close(&list, err);
}

static bool is_proved(const char *prefix)
{
	struct err err = ERR_INIT;
	struct strv list STRV_AUTO = STRV_INIT;
	strv_add(&list, prefix);
	return net_verify_closed(&list, &err) == 0;
}

/* The errno of a packet that names its interface, which passes by every route; 0: sent. */
static int sent_by_loopback(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	const struct in_pktinfo info = {.ipi_ifindex = (int)if_nametoindex("lo")};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(info))] = {0};
	struct iovec piece = {.iov_base = (char *)"x", .iov_len = 1};
	struct msghdr message = {.msg_name = &to,
		.msg_namelen = sizeof(to),
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = IPPROTO_IP;
	header->cmsg_type = IP_PKTINFO;
	header->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(header), &info, sizeof(info));
	inet_pton(AF_INET, address, &to.sin_addr);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int result = sendmsg(fd, &message, 0) == 1 ? 0 : errno;
	close(fd);
	return result;
}

static int expect_closed(void)
{
	static const char *const prefixes[] = {
		"127.0.0.8/30", "::1", "169.254.0.0/16", "fe80::/10"};
	static const char *const inside[] = {"127.0.0.8/30", "127.0.0.11", "::1"};
	static const char *const beside[] = {"127.0.0.7", "127.0.0.12", "127.0.0.4/29"};
	struct err err = ERR_INIT;
	if (is_proved("127.0.0.9") || is_proved("::1") || sent_by_loopback("127.0.0.9") != 0)
		return 1;
	if (close_these(prefixes, ARRAY_LEN(prefixes), &err))
		return err.saved_errno == EPROTONOSUPPORT ? NOT_HERE : 2;
	for (size_t i = 0; i < ARRAY_LEN(inside); i++)
		if (!is_proved(inside[i]))
			return 3;
	for (size_t i = 0; i < ARRAY_LEN(beside); i++)
		if (is_proved(beside[i]))
			return 4;
	return sent_by_loopback("127.0.0.9") == EPERM && sent_by_loopback("127.0.0.12") == 0 ? HELD
											     : 5;
}

static void an_address_is_closed_also_to_who_names_an_interface(void **state)
{
	(void)state;
	assert_int_equal(apart(expect_closed), HELD);
}

static int expect_many(void)
{
	struct err err = ERR_INIT;
	char texts[NET_CLOSE_MAX + 1][16];
	const char *prefixes[NET_CLOSE_MAX + 1];
	for (size_t i = 0; i <= NET_CLOSE_MAX; i++) {
		snprintf(texts[i], sizeof(texts[i]), "127.1.%zu.%zu", i / 200, i % 200);
		prefixes[i] = texts[i];
	}
	if (close_these(prefixes, NET_CLOSE_MAX + 1, &err) == 0 || err.code != ERR_LIMIT)
		return 1;
	err = (struct err)ERR_INIT;
	if (close_these(prefixes, NET_CLOSE_MAX, &err))
		return err.saved_errno == EPROTONOSUPPORT ? NOT_HERE : 2;
	return is_proved(prefixes[NET_CLOSE_MAX - 1]) && !is_proved(prefixes[NET_CLOSE_MAX]) ? HELD
											     : 3;
}

static void as_many_as_are_said_and_no_more(void **state)
{
	(void)state;
	assert_int_equal(apart(expect_many), HELD);
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "here", "300.1.1.1", "10.0.0.0/33", "fe80::/129", "10.0.0.0 /8", "::x"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = ERR_INIT;
		assert_int_equal(close_these(&bad[i], 1, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_false(is_proved(bad[i]));
	}
}

static int expect_refused(void)
{
	static const char *const prefix = "127.0.0.9";
	struct err err = ERR_INIT;
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return NOT_HERE;
	return close_these(&prefix, 1, &err) == -1 && err.saved_errno == EPERM ? HELD : 1;
}

static void without_the_capability_it_says_so(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(apart(expect_refused), HELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_closed_also_to_who_names_an_interface),
		cmocka_unit_test(as_many_as_are_said_and_no_more),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(without_the_capability_it_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
