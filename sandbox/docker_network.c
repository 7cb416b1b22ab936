#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "sandbox/docker_host.h"
#include "sandbox/host_addresses.h"
#include "sandbox/net_close.h"
#include "sandbox/net_ranges.h"

static bool is_the_engines(const char *network)
{
	static const char *const names[] = {"host", "bridge", "default"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(network, names[i]) == 0)
			return true;
	return strchr(network, ':') != NULL; /* another container's, or a namespace by path */
}

static int check_name(const char *network, struct err *err)
{
	if (strcmp(network, "none") == 0)
		return err_set(err, ERR_UNAVAILABLE,
			"the network is granted and [security.sandbox.docker] network is \"none\": "
			"name one of your own (docker network create NAME)");
	if (is_the_engines(network))
		return err_set(err, ERR_UNAVAILABLE,
			"network %s is not a network of your own: docker network create NAME makes "
			"one",
			network);
	return 0;
}

/* The first and the last address of a network reach all that are in it, this machine too. */
static void add_broadcast(const char *subnet, struct strv *ret)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address;
	const char *slash = strchr(subnet, '/');
	MEM_AUTO char *first = mem_strndup(subnet, strcspn(subnet, "/"));
	unsigned long bits = slash ? strtoul(slash + 1, NULL, 10) : 32;
	if (bits < 1 || bits > 30 || inet_pton(AF_INET, first, &address) != 1)
		return;
	uint32_t hosts = (1u << (32 - bits)) - 1;
	for (uint32_t last = 0; last <= 1; last++) {
		uint32_t one = (ntohl(address.s_addr) & ~hosts) | (last ? hosts : 0);
		const struct in_addr numbered = {htonl(one)};
		strv_add(ret, inet_ntop(AF_INET, &numbered, text, sizeof(text)));
	}
}

/* This machine as the containers of a network see it. */
static void add_network(const struct json *network, struct strv *ret)
{
	const struct json *at = json_first(json_get(json_get(network, "IPAM"), "Config"));
	for (; at; at = json_next(at)) {
		const char *gateway = json_get_str(at, "Gateway");
		const char *subnet = json_get_str(at, "Subnet");
		if (gateway && *gateway)
			strv_printf(ret, "%.*s", (int)strcspn(gateway, "/"), gateway);
		if (subnet)
			add_broadcast(subnet, ret);
	}
}

/* What leads nowhere else, or to another one in each namespace: its own loopback is a command's to use. */
static bool is_own(const struct net_range *range)
{
	static const struct {
		uint8_t first;
		bool v4;
	} own[] = {{0, true}, {127, true}, {0, false}};
	bool v4 = net_range_is_v4(range);
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (own[i].v4 == v4 &&
			own[i].first == (v4 ? net_range_v4(range)[0] : range->bytes[0]))
			return v4 || range->bytes[1] == 0;
	return false;
}

static void add_range(const struct net_range *range, struct strv *ret)
{
	char address[INET6_ADDRSTRLEN];
	bool v4 = net_range_is_v4(range);
	unsigned bits = v4 ? net_range_v4_bits(range) : range->bits;
	const void *bytes = v4 ? net_range_v4(range) : range->bytes;
	inet_ntop(v4 ? AF_INET : AF_INET6, bytes, address, sizeof(address));
	MEM_AUTO char *text = bits == (v4 ? 32u : 128u) ? mem_strdup(address)
							: mem_printf("%s/%u", address, bits);
	if (!strv_has(ret, text))
		strv_add(ret, text);
}

static int add_machine(struct strv *ret, struct err *err)
{
	struct host_addresses own;
	if (host_addresses_read(&own, err))
		return -1;
	for (size_t i = 0; i < own.count; i++)
		add_range(&own.items[i], ret);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In an order that is the same each time: a card waits with it. */
static int find_closed(struct docker_host *d, const struct json *network, struct err *err)
{
	struct strv *closed = &d->closed;
	strv_release(closed);
	add_network(network, closed);
	if (add_machine(closed, err))
		return -1;
	if (closed->count)
		qsort(closed->items, closed->count, sizeof(*closed->items), by_text);
	for (size_t i = 0; i < net_refused_count(); i++) {
		struct net_range range = net_refused(i);
		if (!is_own(&range))
			add_range(&range, closed);
	}
	if (closed->count > NET_CLOSE_MAX)
		return err_set(err, ERR_UNAVAILABLE,
			"this machine has more than %d addresses, which would have to be closed to "
			"a command with the network",
			NET_CLOSE_MAX);
	return 0;
}

void docker_note_network_lost(struct docker_host *d, const char *why)
{
	text_fit(why, d->network_lost, sizeof(d->network_lost));
}

int docker_engine_network(struct docker_host *d, struct err *err)
{
	JSON_AUTO struct json *network = NULL;
	int status = 0;
	if (d->network_lost[0])
		return err_set(err, ERR_UNAVAILABLE, "%s", d->network_lost);
	if (check_name(d->network, err) ||
		docker_ask(d, "networks", d->network, "", &status, &network, err))
		return -1;
	if (status == 404)
		return err_set(err, ERR_UNAVAILABLE,
			"network %s is not on this engine: docker network create %s", d->network,
			d->network);
	if (network == NULL)
		return docker_said_no(d, "the network", status, err);
	const char *driver = json_get_str(network, "Driver");
	if (driver == NULL || strcmp(driver, "host") == 0)
		return err_set(
			err, ERR_UNAVAILABLE, "network %s is this machine's own", d->network);
	return find_closed(d, network, err);
}
