#include "config.h"

#include "sandbox/frame_filter.h"

#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/mem.h"

#define UDP_SOURCE_MIN 32768 /* ip_local_port_range begins there in a new namespace */
#define ICMP6 58
#define NDP_FIRST 133 /* router solicitation */
#define NDP_LAST 136  /* neighbour advertisement */

/* Offsets in a frame. */
enum {
	AT_TYPE = 12,
	AT_V4 = 14, /* version, and 5: no options, so that what follows has its place */
	AT_V4_FRAGMENT = 20,
	AT_V4_PROTOCOL = 23,
	AT_V4_TO = 30,
	AT_V4_PORT = 34,
	AT_V6_PROTOCOL = 20,
	AT_V6_TO = 38,
	AT_V6_NEXT = 54,
};

#define WORD_BITS 32
#define FRAME_LEN_MAX 100 /* instructions that do not come of a range */

static void put(struct frame_filter *f, unsigned code, uint32_t k, unsigned yes, unsigned no)
{
	f->code[f->len++] = (struct sock_filter){
		.code = (uint16_t)code, .k = k, .jt = (uint8_t)yes, .jf = (uint8_t)no};
}

static void load(struct frame_filter *f, unsigned size, uint32_t at)
{
	put(f, BPF_LD | BPF_ABS | size, at, 0, 0);
}

/* Jumps count the instructions that are passed over. */
static void jump(struct frame_filter *f, unsigned test, uint32_t k, unsigned yes, unsigned no)
{
	put(f, BPF_JMP | BPF_K | test, k, yes, no);
}

static void drop(struct frame_filter *f)
{
	put(f, BPF_RET | BPF_K, 0, 0, 0);
}

static void pass(struct frame_filter *f)
{
	put(f, BPF_RET | BPF_K, UINT32_MAX, 0, 0);
}

/* The protocol is loaded. */
static void put_protocol(struct frame_filter *f, uint32_t port_at)
{
	jump(f, BPF_JEQ, IPPROTO_TCP, 5, 0);
	jump(f, BPF_JEQ, IPPROTO_UDP, 1, 0);
	drop(f);
	load(f, BPF_H, port_at);
	jump(f, BPF_JGE, UDP_SOURCE_MIN, 1, 0);
	drop(f);
}

static uint32_t word_of(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static uint32_t mask_of(unsigned bits)
{
	return bits == 0 ? 0 : UINT32_MAX << (WORD_BITS - bits);
}

/* Instructions of put_range. */
static unsigned range_len(unsigned bits)
{
	return bits / WORD_BITS * 2 + (bits % WORD_BITS ? 3 : 0) + 1;
}

/* Drops what goes to the range whose first `bits` are these, and goes on with all else. */
static void put_range(struct frame_filter *f, const uint8_t *bytes, unsigned bits)
{
	size_t end = f->len + range_len(bits);
	for (unsigned done = 0; done < bits; done += WORD_BITS) {
		unsigned now = bits - done < WORD_BITS ? bits - done : WORD_BITS;
		put(f, BPF_LD | BPF_MEM, done / WORD_BITS, 0, 0);
		if (now < WORD_BITS)
			put(f, BPF_ALU | BPF_AND | BPF_K, mask_of(now), 0, 0);
		jump(f, BPF_JEQ, word_of(bytes + done / 8) & mask_of(now), 0,
			(unsigned)(end - f->len - 1));
	}
	drop(f);
}

/* Into the memory of the program, where it is read again at less cost than in the frame. */
static void keep_address(struct frame_filter *f, uint32_t at, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		load(f, BPF_W, at + 4 * i);
		put(f, BPF_ST, i, 0, 0);
	}
}

static void put_ranges(
	struct frame_filter *f, bool v4, const struct net_range *own, size_t own_count)
{
	for (size_t i = 0; i < net_refused_count() + own_count; i++) {
		struct net_range range =
			i < net_refused_count() ? net_refused(i) : own[i - net_refused_count()];
		if (net_range_is_v4(&range) != v4)
			continue;
		if (v4)
			put_range(f, net_range_v4(&range), net_range_v4_bits(&range));
		else
			put_range(f, range.bytes, range.bits);
	}
	pass(f);
}

static void put_v4(struct frame_filter *f, const struct net_range *own, size_t count)
{
	load(f, BPF_B, AT_V4);
	jump(f, BPF_JEQ, 0x45, 1, 0);
	drop(f);
	load(f, BPF_H, AT_V4_FRAGMENT);
	jump(f, BPF_JSET, 0x3fff, 0, 1);
	drop(f);
	load(f, BPF_B, AT_V4_PROTOCOL);
	put_protocol(f, AT_V4_PORT);
	keep_address(f, AT_V4_TO, 1);
	put_ranges(f, true, own, count);
}

static void put_v6(struct frame_filter *f, const struct net_range *own, size_t count)
{
	load(f, BPF_B, AT_V6_PROTOCOL);
	jump(f, BPF_JEQ, ICMP6, 0, 5);
	load(f, BPF_B, AT_V6_NEXT);
	jump(f, BPF_JGE, NDP_FIRST, 0, 2);
	jump(f, BPF_JGT, NDP_LAST, 1, 0);
	pass(f);
	drop(f);
	put_protocol(f, AT_V6_NEXT);
	keep_address(f, AT_V6_TO, 4);
	put_ranges(f, false, own, count);
}

int frame_filter_build(
	const struct net_range *own, size_t count, struct frame_filter *ret, struct err *err)
{
	size_t ranges = net_refused_count() + count;
	if (ranges > (FRAME_FILTER_MAX - FRAME_LEN_MAX) / range_len(128))
		return err_set(err, ERR_LIMIT, "this machine has %zu addresses, too many to refuse",
			count);
	ret->len = 0;
	load(ret, BPF_H, AT_TYPE);
	jump(ret, BPF_JEQ, ETH_P_ARP, 0, 1);
	pass(ret);
	jump(ret, BPF_JEQ, ETH_P_IPV6, 0, 1);
	size_t to_v6 = ret->len;
	put(ret, BPF_JMP | BPF_JA, 0, 0, 0);
	jump(ret, BPF_JEQ, ETH_P_IP, 1, 0);
	drop(ret);
	put_v4(ret, own, count);
	ret->code[to_v6].k = (uint32_t)(ret->len - to_v6 - 1);
	put_v6(ret, own, count);
	return 0;
}

int frame_filter_attach(int tap_fd, const struct frame_filter *filter, struct err *err)
{
	struct sock_fprog program = {
		.len = (unsigned short)filter->len, .filter = (struct sock_filter *)filter->code};
	struct sock_fprog there = {0};
	if (ioctl(tap_fd, TUNATTACHFILTER, &program) != 0)
		return err_set_errno(err, "putting a filter on the tap device");
	if (ioctl(tap_fd, TUNGETFILTER, &there) != 0 || there.len != program.len)
		return err_set(err, ERR_SYSTEM, "the filter of the tap device is not there");
	return 0;
}
