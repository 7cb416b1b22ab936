#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/frame_filter.h"
#include "sandbox/host_addresses.h"
#include "sandbox/way_out.h"

/* Frames as a namespace would send them, through the very program that the kernel runs on them. */

#define FRAME_MAX 128
#define OWN_V4 "203.0.113.7"
#define OWN_V6 "2001:db8:77::7"

enum { ARP = 0x0806, VLAN = 0x8100, V4 = 0x0800, V6 = 0x86dd };
enum { ICMP = 1, TCP = 6, UDP = 17, FRAGMENT = 44, ICMP6 = 58, SCTP = 132 };

struct frame {
	unsigned char bytes[FRAME_MAX];
	size_t len;
};

static struct net_range address(const char *text)
{
	struct net_range range;
	assert_true(net_range_parse(text, &range));
	return range;
}

static void put16(unsigned char *at, unsigned value)
{
	at[0] = (unsigned char)(value >> 8);
	at[1] = (unsigned char)value;
}

/* port: where it comes from; of ICMP its type, in the upper byte. */
static struct frame frame_to(const char *to, unsigned protocol, unsigned port)
{
	struct net_range range = address(to);
	struct frame f = {.len = 0};
	bool v4 = net_range_is_v4(&range);
	size_t header = v4 ? 20 : 40;
	put16(f.bytes + 12, v4 ? V4 : V6);
	f.bytes[14] = v4 ? 0x45 : 0x60;
	f.bytes[v4 ? 23 : 20] = (unsigned char)protocol;
	if (v4)
		memcpy(f.bytes + 30, net_range_v4(&range), 4);
	else
		memcpy(f.bytes + 38, range.bytes, 16);
	put16(f.bytes + 14 + header, port);
	f.len = 14 + header + 20;
	return f;
}

static void filter_with_own(struct frame_filter *ret)
{
	const struct net_range own[] = {address(OWN_V4), address(OWN_V6)};
	assert_int_equal(frame_filter_build(own, ARRAY_LEN(own), ret, NULL), 0);
}

/* A datagram pair runs the filter on what comes, from its first byte on, as a tap device does. */
static bool passes(const struct frame_filter *filter, const struct frame *frame)
{
	const struct sock_fprog program = {
		.len = (unsigned short)filter->len, .filter = (struct sock_filter *)filter->code};
	unsigned char got[FRAME_MAX];
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(
		setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), 0);
	assert_int_equal(send(pair[0], frame->bytes, frame->len, 0), frame->len);
	ssize_t n = recv(pair[1], got, sizeof(got), MSG_DONTWAIT);
	bool passed = n >= 0;
	if (passed)
		assert_int_equal(n, frame->len);
	else
		assert_int_equal(errno, EAGAIN);
	close(pair[0]);
	close(pair[1]);
	return passed;
}

static const struct {
	const char *to;
	bool passes;
} ways[] = {
	{"198.51.100.1", true},
	{"10.0.0.1", true},
	{"192.168.1.1", true},
	{OWN_V4, false},
	{"203.0.113.6", true},
	{"127.0.0.1", false},
	{"127.255.255.255", false},
	{"126.255.255.255", true},
	{"128.0.0.1", true},
	{"0.0.0.0", false},
	{"0.1.2.3", false},
	{"1.0.0.0", true},
	{"169.254.169.254", false},
	{"169.254.0.0", false},
	{"169.253.255.255", true},
	{"169.255.0.0", true},
	{"224.0.0.251", false},
	{"239.255.255.250", false},
	{"223.255.255.255", true},
	{"255.255.255.255", false},
	{"100.100.100.200", false},
	{"100.100.100.201", true},
	{"168.63.129.16", false},
	{"192.0.0.192", false},
	{"192.0.0.53", true},
	{"2001:db8::1", true},
	{OWN_V6, false},
	{"2001:db8:77::8", true},
	{"::1", false},
	{"::", false},
	{"::127.0.0.1", false},
	{"fe80::1", false},
	{"febf::1", false},
	{"fec0::1", false},
	{"ff02::fb", false},
	{"ff0e::1", false},
	{"fd00::1", true},
	{"fd00:ec2::254", false},
	{"fd00:ec2::253", true},
	{"fd20:ce::254", false},
	{"64:ff9b::127.0.0.1", false},
	{"64:ff9b::169.254.169.254", false},
	{"64:ff9b::198.51.100.1", true},
};

static void frames_to_this_machine_and_its_links_are_dropped(void **state)
{
	struct frame_filter filter;
	(void)state;
	filter_with_own(&filter);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct frame tcp = frame_to(ways[i].to, TCP, 1024);
		struct frame udp = frame_to(ways[i].to, UDP, 40000);
		if (passes(&filter, &tcp) != ways[i].passes ||
			passes(&filter, &udp) != ways[i].passes)
			fail_msg("a frame to %s", ways[i].to);
	}
}

/* ::ffff:127.0.0.1 as an address of IPv6, which no socket sends to, but whoever writes frames could. */
static void a_mapped_address_is_dropped(void **state)
{
	struct frame_filter filter;
	struct frame frame = frame_to("2001:db8::1", TCP, 1024);
	struct net_range loopback = address("127.0.0.1");
	(void)state;
	filter_with_own(&filter);
	memcpy(frame.bytes + 38, loopback.bytes, sizeof(loopback.bytes));
	assert_false(passes(&filter, &frame));
}

static void what_no_socket_of_the_command_sends_is_dropped(void **state)
{
	static const struct {
		const char *to;
		unsigned protocol, port;
		bool passes;
	} rows[] = {
		{"198.51.100.1", ICMP, 8 << 8, false},
		{"198.51.100.1", SCTP, 40000, false},
		{"198.51.100.1", 41, 40000, false},
		{"2001:db8::1", SCTP, 40000, false},
		{"2001:db8::1", FRAGMENT, 40000, false},
		{"2001:db8::1", 0, 40000, false},
		{"2001:db8::1", ICMP6, 128 << 8, false},
		{"2001:db8::1", ICMP6, 132 << 8, false},
		{"2001:db8::1", ICMP6, 137 << 8, false},
		{"fe80::1", ICMP6, 135 << 8, true}, /* the way to the gateway */
		{"ff02::1:ff00:1", ICMP6, 135 << 8, true},
		{"ff02::2", ICMP6, 133 << 8, true},
		{"fe80::1", ICMP6, 136 << 8, true},
		{"198.51.100.1", UDP, 32768, true},
		{"198.51.100.1", UDP, 65535, true},
		{"198.51.100.1", UDP, 32767, false}, /* pasta would take it on the host */
		{"198.51.100.1", UDP, 5353, false},
		{"198.51.100.1", TCP, 80, true}, /* pasta binds none for TCP */
		{"2001:db8::1", UDP, 32768, true},
		{"2001:db8::1", UDP, 5353, false},
		{"2001:db8::1", TCP, 80, true},
	};
	struct frame_filter filter;
	(void)state;
	filter_with_own(&filter);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct frame frame = frame_to(rows[i].to, rows[i].protocol, rows[i].port);
		if (passes(&filter, &frame) != rows[i].passes)
			fail_msg("protocol %u from %u to %s", rows[i].protocol, rows[i].port,
				rows[i].to);
	}
}

static void headers_that_would_hide_an_address_are_dropped(void **state)
{
	static const struct {
		size_t at;
		unsigned value;
	} changes[] = {
		{12, VLAN}, /* the rest is moved */
		{12, 0x88a8},
		{12, 0x8847},
		{14, 0x4600}, /* options: the port is not where it is looked for */
		{14, 0x6500},
		{20, 0x2000}, /* a fragment has no port */
		{20, 0x0001},
	};
	struct frame_filter filter;
	struct frame good = frame_to("198.51.100.1", UDP, 40000);
	(void)state;
	filter_with_own(&filter);
	assert_true(passes(&filter, &good));
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct frame frame = good;
		put16(frame.bytes + changes[i].at, changes[i].value);
		if (passes(&filter, &frame))
			fail_msg("%x at %zu", changes[i].value, changes[i].at);
	}
	put16(good.bytes + 20, 0x4000); /* not to be fragmented: as TCP sends */
	assert_true(passes(&filter, &good));
	put16(good.bytes + 12, ARP);
	assert_true(passes(&filter, &good));
}

static void a_frame_that_is_cut_is_dropped(void **state)
{
	static const struct {
		const char *to;
		unsigned protocol;
		size_t needed;
	} rows[] = {{"198.51.100.1", TCP, 34}, {"198.51.100.1", UDP, 36}, {"2001:db8::1", TCP, 54},
		{"2001:db8::1", UDP, 56}, {"fe80::1", ICMP6, 55}};
	struct frame_filter filter;
	(void)state;
	filter_with_own(&filter);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct frame frame = frame_to(rows[i].to, rows[i].protocol, 135 << 8);
		for (size_t len = 1; len <= rows[i].needed; len++) {
			frame.len = len;
			if (passes(&filter, &frame) != (len == rows[i].needed))
				fail_msg("protocol %u to %s, %zu bytes", rows[i].protocol,
					rows[i].to, len);
		}
	}
}

static void as_many_addresses_as_are_read_fit(void **state)
{
	static struct net_range own[FRAME_FILTER_MAX];
	struct frame_filter filter;
	struct err err = ERR_INIT;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		own[i] = address("2001:db8:77::");
		own[i].bytes[14] = (uint8_t)(i >> 8);
		own[i].bytes[15] = (uint8_t)i;
	}
	assert_int_equal(frame_filter_build(own, HOST_ADDRESSES_MAX, &filter, &err), 0);
	struct frame last = frame_to("2001:db8:77::95", TCP, 1024);
	struct frame next = frame_to("2001:db8:77::96", TCP, 1024);
	assert_int_equal(HOST_ADDRESSES_MAX, 0x96);
	assert_false(passes(&filter, &last));
	assert_true(passes(&filter, &next));
	assert_int_equal(frame_filter_build(own, ARRAY_LEN(own), &filter, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void own_addresses_are_read_without_those_that_are_always_refused(void **state)
{
	static struct host_addresses own;
	struct err err = ERR_INIT;
	(void)state;
	if (host_addresses_read(&own, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < own.count; i++) {
		assert_true(own.items[i].bits > 0);
		assert_false(net_is_refused(&own.items[i], own.items, i));
	}
}

static void texts_that_are_no_address_are_none(void **state)
{
	static const char *const texts[] = {"", "%eth0", "1.2.3", "1.2.3.4.5", "localhost",
		"::1::", "12345678901234567890123456789012345678901234567890123456789012345"};
	struct net_range range;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(net_range_parse(texts[i], &range));
	assert_true(net_range_parse("fe80::1%eth0", &range));
	assert_int_equal(range.bits, 128);
	assert_true(net_range_parse("::ffff:192.0.2.1", &range));
	assert_true(net_range_is_v4(&range));
	assert_int_equal(net_range_v4_bits(&range), 32);
}

static void assert_text(const char *got, const char *wanted)
{
	assert_string_equal(got ? got : "(none)", wanted ? wanted : "(none)");
}

static void a_resolver_that_cannot_be_reached_from_inside_is_stood_in_for(void **state)
{
	static const struct {
		const char *text;
		bool v4, v6;
		const char *resolver, *inside; /* NULL: the machine's own file */
	} rows[] = {
		{"nameserver 192.0.2.53\n", true, true, NULL, NULL},
		{"", true, true, NULL, NULL},
		{"search example.org\n", true, true, NULL, NULL},
		{"nameserver 127.0.0.53\noptions edns0\nsearch example.org\n", true, false,
			"192.0.0.53", "options edns0\nsearch example.org\nnameserver 192.0.0.53\n"},
		{"nameserver 127.0.0.1", true, true, "192.0.0.53", "nameserver 192.0.0.53\n"},
		{"# ours\nnameserver\t" OWN_V4 " \n", true, true, "192.0.0.53",
			"# ours\nnameserver 192.0.0.53\n"},
		{"nameserver 169.254.169.254\n", true, true, "192.0.0.53",
			"nameserver 192.0.0.53\n"},
		{"nameserver ::1\n", true, true, "2001:db8::53", "nameserver 2001:db8::53\n"},
		{"nameserver fe80::1%eth0\nnameserver 127.0.0.1\n", true, true, "192.0.0.53",
			"nameserver 192.0.0.53\n"},
		{"nameserver fe80::1%eth0\nnameserver 127.0.0.1\n", false, true, "2001:db8::53",
			"nameserver 2001:db8::53\n"},
		{"nameserver 127.0.0.1\n", false, true, NULL, ""},
		{"nameserver 127.0.0.1\nnameserver 192.0.2.53\n", true, true, NULL,
			"nameserver 192.0.2.53\n"},
		{"nameservers 127.0.0.1\n#nameserver 127.0.0.1\n", true, true, NULL, NULL},
	};
	struct host_addresses own = {.items = {address(OWN_V4)}, .count = 1};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct way_out way = {.v4 = rows[i].v4, .v6 = rows[i].v6};
		way_out_resolver(rows[i].text, &own, &way);
		assert_text(way.resolver, rows[i].resolver);
		assert_text(way.resolv_conf, rows[i].inside);
		way_out_release(&way);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_to_this_machine_and_its_links_are_dropped),
		cmocka_unit_test(a_mapped_address_is_dropped),
		cmocka_unit_test(what_no_socket_of_the_command_sends_is_dropped),
		cmocka_unit_test(headers_that_would_hide_an_address_are_dropped),
		cmocka_unit_test(a_frame_that_is_cut_is_dropped),
		cmocka_unit_test(as_many_addresses_as_are_read_fit),
		cmocka_unit_test(own_addresses_are_read_without_those_that_are_always_refused),
		cmocka_unit_test(texts_that_are_no_address_are_none),
		cmocka_unit_test(a_resolver_that_cannot_be_reached_from_inside_is_stood_in_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
