/* How this machine reaches other ones, as far as pasta has to know it. */
#ifndef SANDBOX_WAY_OUT_H
#define SANDBOX_WAY_OUT_H

#include <stdbool.h>

struct way_out {
	int tun_errno; /* of opening /dev/net/tun; 0: it works */
	bool v4, v6;   /* there is a default route through a gateway */
	/* Where no resolver of the machine's can be reached from inside, by its addresses: what /etc/resolv.conf says there
	   instead, and the address in it at which pasta then answers for the first one. NULL: the machine's own file. */
	char *resolv_conf;
	const char *resolver; /* NULL too when one of several can be reached */
};

/* ret is filled by the call. */
void way_out_look(struct way_out *ret);
void way_out_release(struct way_out *way);

/* The part of way_out_look() that is about a resolv.conf(5) with this text, on a machine with these own addresses; v4 and v6
   are filled already. */
struct host_addresses;
void way_out_resolver(const char *text, const struct host_addresses *own, struct way_out *way);

#endif
