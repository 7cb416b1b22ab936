#include "config.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/json.h"
#include "base/mem.h"
#include "sandbox/docker_host.h"
#include "sandbox/net_close.h"

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

/* This machine as the containers of a network see it. */
static void add_gateways(const struct json *network, struct strv *ret)
{
	const struct json *at = json_first(json_get(json_get(network, "IPAM"), "Config"));
	for (; at; at = json_next(at)) {
		const char *gateway = json_get_str(at, "Gateway");
		if (gateway && *gateway)
			strv_printf(ret, "%.*s", (int)strcspn(gateway, "/"), gateway);
	}
}

/* What is closed to everybody anyway, or another one in each namespace, is left out. */
static void add_address(const struct sockaddr *address, struct strv *ret)
{
	char text[INET6_ADDRSTRLEN];
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	if (address->sa_family == AF_INET) {
		uint32_t number = ntohl(v4->sin_addr.s_addr);
		if (number >> 24 == 127 || number >> 16 == 0xa9fe ||
			!inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)))
			return;
	} else if (address->sa_family == AF_INET6) {
		if (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) || IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr) ||
			!inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)))
			return;
	} else {
		return;
	}
	if (!strv_has(ret, text))
		strv_add(ret, text);
}

static int add_machine(struct strv *ret, struct err *err)
{
	struct ifaddrs *all;
	if (getifaddrs(&all) != 0)
		return err_set_errno(err, "asking for the addresses of this machine");
	for (const struct ifaddrs *at = all; at; at = at->ifa_next)
		if (at->ifa_addr)
			add_address(at->ifa_addr, ret);
	freeifaddrs(all);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In an order that is the same each time: a card waits with it. */
static int find_closed(struct docker_host *d, const struct json *network, struct err *err)
{
	static const char *const link_local[] = {"169.254.0.0/16", "fe80::/10"};
	struct strv *closed = &d->closed;
	strv_release(closed);
	add_gateways(network, closed);
	if (add_machine(closed, err))
		return -1;
	if (closed->count)
		qsort(closed->items, closed->count, sizeof(*closed->items), by_text);
	for (size_t i = 0; i < ARRAY_LEN(link_local); i++)
		strv_add(closed, link_local[i]);
	if (closed->count > NET_CLOSE_MAX)
		return err_set(err, ERR_UNAVAILABLE,
			"this machine has more than %d addresses, which would have to be closed to "
			"a command with the network",
			NET_CLOSE_MAX);
	return 0;
}

int docker_engine_network(struct docker_host *d, struct err *err)
{
	JSON_AUTO struct json *network = NULL;
	int status = 0;
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
