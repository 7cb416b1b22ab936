#include "config.h"

#include "sandbox/net_close.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

#define TABLE "exequatur"
#define CHAIN "output"
#define DISCARD_PORT 9

struct prefix {
	int family; /* AF_INET, AF_INET6 */
	unsigned bytes, bits;
	unsigned char address[16];
};

static int parse(const char *text, struct prefix *ret, struct err *err)
{
	MEM_AUTO char *address = mem_strdup(text);
	char *slash = strchr(address, '/');
	if (slash)
		*slash = '\0';
	*ret = (struct prefix){.family = strchr(text, ':') ? AF_INET6 : AF_INET};
	ret->bytes = ret->family == AF_INET6 ? 16 : 4;
	ret->bits = slash ? (unsigned)strtoul(slash + 1, NULL, 10) : ret->bytes * 8;
	if (inet_pton(ret->family, address, ret->address) != 1 || ret->bits > ret->bytes * 8)
		return err_set(err, ERR_INVALID, "%s is no network address", text);
	return 0;
}

/* --- nftables, as the kernel takes it ------------------------------------------------------ */

/* Messages in one buffer; the offset of the one that is being written. */
struct batch {
	struct str bytes;
	size_t message;
	unsigned count; /* messages that are answered */
};

static void pad(struct str *s)
{
	while (s->len % NLMSG_ALIGNTO)
		str_add_char(s, '\0');
}

static void begin(struct batch *b, unsigned type, unsigned flags, unsigned char family, uint16_t id)
{
	const struct nlmsghdr header = {
		.nlmsg_type = (uint16_t)type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)};
	const struct nfgenmsg more = {
		.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(id)};
	b->message = b->bytes.len;
	str_add_bytes(&b->bytes, &header, sizeof(header));
	str_add_bytes(&b->bytes, &more, sizeof(more));
	b->count += (flags & NLM_F_ACK) != 0;
}

static void end(struct batch *b)
{
	uint32_t len = (uint32_t)(b->bytes.len - b->message);
	memcpy(b->bytes.data + b->message, &len, sizeof(len));
}

static void add(struct batch *b, unsigned type, const void *data, size_t len)
{
	const struct nlattr attr = {
		.nla_type = (uint16_t)type, .nla_len = (uint16_t)(sizeof(attr) + len)};
	str_add_bytes(&b->bytes, &attr, sizeof(attr));
	str_add_bytes(&b->bytes, data, len);
	pad(&b->bytes);
}

static void add_text(struct batch *b, unsigned type, const char *text)
{
	add(b, type, text, strlen(text) + 1);
}

static void add_number(struct batch *b, unsigned type, uint32_t value)
{
	value = htonl(value);
	add(b, type, &value, sizeof(value));
}

static size_t open_nest(struct batch *b, unsigned type)
{
	size_t at = b->bytes.len;
	add(b, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static void close_nest(struct batch *b, size_t at)
{
	uint16_t len = (uint16_t)(b->bytes.len - at);
	memcpy(b->bytes.data + at, &len, sizeof(len));
}

static void add_data(struct batch *b, unsigned type, const void *bytes, size_t len)
{
	size_t at = open_nest(b, type);
	add(b, NFTA_DATA_VALUE, bytes, len);
	close_nest(b, at);
}

/* An expression of a rule: its data is written until close_expression(). */
struct expression {
	size_t element, data;
};

static struct expression open_expression(struct batch *b, const char *name)
{
	struct expression e = {.element = open_nest(b, NFTA_LIST_ELEM)};
	add_text(b, NFTA_EXPR_NAME, name);
	e.data = open_nest(b, NFTA_EXPR_DATA);
	return e;
}

static void close_expression(struct batch *b, struct expression e)
{
	close_nest(b, e.data);
	close_nest(b, e.element);
}

/* Neighbours of IPv6 find each other by such messages. They carry nothing: a command has no raw socket to write them. */
static void pass_neighbours(struct batch *b, const struct prefix *p)
{
	static const unsigned char icmpv6[] = {IPPROTO_ICMPV6};
	if (p->family != AF_INET6)
		return;
	struct expression e = open_expression(b, "meta");
	add_number(b, NFTA_META_DREG, NFT_REG_1);
	add_number(b, NFTA_META_KEY, NFT_META_L4PROTO);
	close_expression(b, e);
	e = open_expression(b, "cmp");
	add_number(b, NFTA_CMP_SREG, NFT_REG_1);
	add_number(b, NFTA_CMP_OP, NFT_CMP_NEQ);
	add_data(b, NFTA_CMP_DATA, icmpv6, sizeof(icmpv6));
	close_expression(b, e);
}

static void load_destination(struct batch *b, const struct prefix *p)
{
	struct expression e = open_expression(b, "payload");
	add_number(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	add_number(b, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	add_number(b, NFTA_PAYLOAD_OFFSET, p->family == AF_INET6 ? 24 : 16);
	add_number(b, NFTA_PAYLOAD_LEN, p->bytes);
	close_expression(b, e);
}

static void mask_of(const struct prefix *p, unsigned char ret[16])
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned left = p->bits > i * 8 ? p->bits - i * 8 : 0;
		ret[i] = (unsigned char)(left >= 8 ? 0xffu : (0xff00u >> left) & 0xffu);
	}
}

static void compare(struct batch *b, const struct prefix *p)
{
	static const unsigned char nothing[16];
	unsigned char mask[16], wanted[16];
	mask_of(p, mask);
	for (unsigned i = 0; i < 16; i++)
		wanted[i] = p->address[i] & mask[i];
	struct expression e = open_expression(b, "bitwise");
	add_number(b, NFTA_BITWISE_SREG, NFT_REG_1);
	add_number(b, NFTA_BITWISE_DREG, NFT_REG_1);
	add_number(b, NFTA_BITWISE_LEN, p->bytes);
	add_data(b, NFTA_BITWISE_MASK, mask, p->bytes);
	add_data(b, NFTA_BITWISE_XOR, nothing, p->bytes);
	close_expression(b, e);
	e = open_expression(b, "cmp");
	add_number(b, NFTA_CMP_SREG, NFT_REG_1);
	add_number(b, NFTA_CMP_OP, NFT_CMP_EQ);
	add_data(b, NFTA_CMP_DATA, wanted, p->bytes);
	close_expression(b, e);
}

static void reject(struct batch *b, const struct prefix *p)
{
	/* host unreachable: code 1 of ICMP, 3 of ICMPv6 */
	const unsigned char code = p->family == AF_INET6 ? 3 : 1;
	struct expression e = open_expression(b, "reject");
	add_number(b, NFTA_REJECT_TYPE, NFT_REJECT_ICMP_UNREACH);
	add(b, NFTA_REJECT_ICMP_CODE, &code, sizeof(code));
	close_expression(b, e);
}

static unsigned type_of(unsigned message)
{
	return NFNL_SUBSYS_NFTABLES << 8 | message;
}

static unsigned char family_of(const struct prefix *p)
{
	return p->family == AF_INET6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
}

/* What is refused is answered in any case, what is done only behind the last: more answers than the socket holds are lost. */
static void add_rule(struct batch *b, const struct prefix *p, bool last)
{
	begin(b, type_of(NFT_MSG_NEWRULE),
		NLM_F_CREATE | NLM_F_APPEND | (last ? (unsigned)NLM_F_ACK : 0), family_of(p), 0);
	add_text(b, NFTA_RULE_TABLE, TABLE);
	add_text(b, NFTA_RULE_CHAIN, CHAIN);
	size_t expressions = open_nest(b, NFTA_RULE_EXPRESSIONS);
	pass_neighbours(b, p);
	load_destination(b, p);
	compare(b, p);
	reject(b, p);
	close_nest(b, expressions);
	end(b);
}

static void add_chain(struct batch *b, unsigned char family)
{
	begin(b, type_of(NFT_MSG_NEWTABLE), NLM_F_CREATE, family, 0);
	add_text(b, NFTA_TABLE_NAME, TABLE);
	end(b);
	begin(b, type_of(NFT_MSG_NEWCHAIN), NLM_F_CREATE, family, 0);
	add_text(b, NFTA_CHAIN_TABLE, TABLE);
	add_text(b, NFTA_CHAIN_NAME, CHAIN);
	size_t hook = open_nest(b, NFTA_CHAIN_HOOK);
	add_number(b, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
	add_number(b, NFTA_HOOK_PRIORITY, 0);
	close_nest(b, hook);
	add_text(b, NFTA_CHAIN_TYPE, "filter");
	end(b);
}

static int build(struct batch *b, const struct strv *prefixes, struct err *err)
{
	bool has_chain[2] = {false, false};
	begin(b, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	end(b);
	for (size_t i = 0; i < prefixes->count; i++) {
		struct prefix p;
		if (parse(prefixes->items[i], &p, err))
			return -1;
		bool *chain = &has_chain[p.family == AF_INET6];
		if (!*chain)
			add_chain(b, family_of(&p));
		*chain = true;
		add_rule(b, &p, i + 1 == prefixes->count);
	}
	begin(b, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	end(b);
	return 0;
}

/* How many answers say yes; -1 and errno for a no. */
static int take_answers(char *bytes, size_t len)
{
	int count = 0;
	unsigned left = (unsigned)len;
	for (struct nlmsghdr *header = (void *)bytes; NLMSG_OK(header, left);
		header = NLMSG_NEXT(header, left)) {
		const struct nlmsgerr *answer = NLMSG_DATA(header);
		if (header->nlmsg_type != NLMSG_ERROR)
			continue;
		if (answer->error != 0) {
			errno = -answer->error;
			return -1;
		}
		count++;
	}
	return count;
}

static int send_batch(const struct batch *b, struct err *err)
{
	char bytes[16384] __attribute__((aligned(8)));
	FD_AUTO int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (fd < 0 || send(fd, b->bytes.data, b->bytes.len, 0) != (ssize_t)b->bytes.len)
		return err_set_errno(err, "asking nftables");
	for (unsigned answered = 0; answered < b->count;) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		int count = n > 0 ? take_answers(bytes, (size_t)n) : -1;
		if (count < 0)
			return err_set_errno(err, "closing addresses by nftables");
		answered += (unsigned)count;
	}
	return 0;
}

int net_close(const struct strv *prefixes, struct err *err)
{
	struct batch b = {.bytes = STR_INIT};
	int result = prefixes->count > NET_CLOSE_MAX
			     ? err_set(err, ERR_LIMIT, "more than %d addresses", NET_CLOSE_MAX)
			     : build(&b, prefixes, err);
	if (result == 0)
		result = send_batch(&b, err);
	str_release(&b.bytes);
	return result;
}

/* --- the proof ------------------------------------------------------------------------------ */

static bool takes_a_packet(const struct sockaddr *address, socklen_t len)
{
	FD_AUTO int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd >= 0 && sendto(fd, "", 1, MSG_NOSIGNAL, address, len) == 1;
}

static bool takes4(const struct prefix *p, bool last)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)};
	memcpy(&address.sin_addr, p->address, sizeof(address.sin_addr));
	if (last && p->bits < 32)
		address.sin_addr.s_addr |= htonl(((1u << (32 - p->bits)) - 1) & ~1u);
	return takes_a_packet((const struct sockaddr *)&address, sizeof(address));
}

/* A link-local address is one of an interface. */
static bool takes6(const struct prefix *p)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(DISCARD_PORT)};
	struct if_nameindex *all = if_nameindex();
	bool takes = false;
	memcpy(&address.sin6_addr, p->address, sizeof(address.sin6_addr));
	if (p->bits < 128)
		address.sin6_addr.s6_addr[15] |= 1;
	for (const struct if_nameindex *at = all; at && at->if_index && !takes; at++) {
		address.sin6_scope_id = at->if_index;
		takes = takes_a_packet((const struct sockaddr *)&address, sizeof(address));
	}
	if_freenameindex(all);
	return takes;
}

int net_verify_closed(const struct strv *prefixes, struct err *err)
{
	for (size_t i = 0; i < prefixes->count; i++) {
		struct prefix p;
		if (parse(prefixes->items[i], &p, err))
			return -1;
		if (p.family == AF_INET6 ? takes6(&p) : takes4(&p, false) || takes4(&p, true))
			return err_set(err, ERR_REFUSED, "%s can be reached", prefixes->items[i]);
	}
	return 0;
}
