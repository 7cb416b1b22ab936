#include "config.h"

#include "sandbox/way_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "sandbox/host_addresses.h"

#define ROUTES_MAX (1u << 20)
#define RESOLV_CONF_MAX (1u << 16)
/* Answers that pasta gives by itself. Of a network that stands for itself nowhere, and of one for documents. */
#define RESOLVER_V4 "192.0.0.53"
#define RESOLVER_V6 "2001:db8::53"
#define BLANKS " \t\r"

/* False: not there, or too long. */
static bool read_text(const char *path, size_t max, struct str *ret)
{
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && fd_read_all(fd, max, ret, NULL) == 0;
}

/* proc_pid_net(5), route: addresses as numbers of this machine. */
static bool is_default_v4(const char *line)
{
	unsigned to, gateway, flags, mask;
	return sscanf(line, "%*s %x %x %x %*s %*s %*s %x", &to, &gateway, &flags, &mask) == 4 &&
	       to == 0 && mask == 0 && gateway != 0;
}

/* The kernel's ipv6_route_native_ops: digits without colons. */
static bool is_default_v6(const char *line)
{
	static const char nowhere[] = "00000000000000000000000000000000";
	char to[33], gateway[33];
	unsigned bits;
	return sscanf(line, "%32s %x %*s %*s %32s", to, &bits, gateway) == 3 && bits == 0 &&
	       strcmp(to, nowhere) == 0 && strcmp(gateway, nowhere) != 0;
}

static bool any_line(const char *path, bool (*holds)(const char *))
{
	STR_AUTO struct str text = STR_INIT;
	if (!read_text(path, ROUTES_MAX, &text))
		return false;
	for (const char *line = str_c(&text); line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (holds(line))
			return true;
	}
	return false;
}

/* The address of a "nameserver" line; false: another line. */
static bool is_nameserver(const char *line, struct net_range *ret)
{
	static const char word[] = "nameserver";
	char address[64];
	size_t len = strlen(word);
	if (strncmp(line, word, len) != 0 || line[len] == '\0' || !strchr(BLANKS, line[len]))
		return false;
	const char *at = line + len + strspn(line + len, BLANKS);
	snprintf(address, sizeof(address), "%.*s", (int)strcspn(at, BLANKS), at);
	return net_range_parse(address, ret);
}

struct resolvers {
	struct str kept;       /* the text without those that cannot be reached */
	unsigned reached;      /* of those in it */
	bool lost_v4, lost_v6; /* one that cannot be reached is an IPv4 or IPv6 address */
};

static void sort_out(char *text, const struct host_addresses *own, struct resolvers *ret)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		struct net_range address;
		bool server = is_nameserver(line, &address);
		if (server && net_is_refused(&address, own->items, own->count)) {
			*(net_range_is_v4(&address) ? &ret->lost_v4 : &ret->lost_v6) = true;
			continue;
		}
		ret->reached += server;
		if (text || *line)
			str_printf(&ret->kept, "%s\n", line);
	}
}

void way_out_resolver(const char *text, const struct host_addresses *own, struct way_out *way)
{
	MEM_AUTO char *copy = mem_strdup(text);
	struct resolvers found = {.kept = STR_INIT};
	sort_out(copy, own, &found);
	if (found.reached == 0 && found.lost_v4 && way->v4)
		way->resolver = RESOLVER_V4;
	else if (found.reached == 0 && found.lost_v6 && way->v6)
		way->resolver = RESOLVER_V6;
	if (way->resolver)
		str_printf(&found.kept, "nameserver %s\n", way->resolver);
	if (found.lost_v4 || found.lost_v6)
		way->resolv_conf = mem_strdup(str_c(&found.kept));
	str_release(&found.kept);
}

static void look_at_resolver(struct way_out *way)
{
	STR_AUTO struct str text = STR_INIT;
	struct host_addresses *own = mem_alloc(sizeof(*own));
	if (read_text("/etc/resolv.conf", RESOLV_CONF_MAX, &text) &&
		host_addresses_read(own, NULL) == 0)
		way_out_resolver(str_c(&text), own, way);
	free(own);
}

void way_out_look(struct way_out *ret)
{
	way_out_release(ret);
	FD_AUTO int tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	ret->tun_errno = tun < 0 ? errno : 0;
	ret->v4 = any_line("/proc/net/route", is_default_v4);
	ret->v6 = any_line("/proc/net/ipv6_route", is_default_v6);
	look_at_resolver(ret);
}

void way_out_release(struct way_out *way)
{
	free(way->resolv_conf);
	*way = (struct way_out){0};
}
