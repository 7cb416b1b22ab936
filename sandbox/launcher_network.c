#include "config.h"

#include "sandbox/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/fd.h"
#include "sandbox/net_rules.h"

int launcher_ask_for_network(struct launcher *l, struct err *err)
{
	const struct message message = {.kind = MSG_NETWORK};
	if (!l->plan.pasta.count)
		return 0;
	FD_AUTO int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(err, "opening our network namespace");
	if (message_send_fds(LAUNCHER_FD_STATUS, &message, &fd, 1) != 1)
		launcher_end_everything();
	return 0;
}

int launcher_wait_for_network(struct launcher *l, struct err *err)
{
	static union message_buffer incoming;
	struct pollfd status = {.fd = LAUNCHER_FD_STATUS, .events = POLLIN};
	int got = 0;
	if (!l->plan.pasta.count)
		return 0;
	while (got == 0) {
		poll(&status, 1, -1);
		got = message_receive(LAUNCHER_FD_STATUS, &incoming, NULL);
	}
	if (got < 0)
		launcher_end_everything();
	if (incoming.message.kind != MSG_NETWORK)
		return err_set(err, ERR_INVALID, "no word about the network came");
	net_rules_refuse(incoming.network.addresses, incoming.message.check_count);
	return 0;
}
