/* exequatur-launcher: runs inside the sandbox, as process 1 of its namespace where there is one. Confines itself, verifies,
   waits for the go byte, runs the command, reports how it ended. Descriptors: 3 the supervisor, 4 the plan. With the argument
   --stream, as the entry point of a container, all of that comes by the standard streams (channel.h). */
#include "config.h"

#include "sandbox/launcher.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/channel.h"
#include "sandbox/net_close.h"

static struct launcher l;

/* As the entry point of another container in the same network, with the one capability that this needs. */
static int close_addresses(char **addresses)
{
	struct strv list = STRV_INIT;
	struct err err = ERR_INIT;
	for (; *addresses; addresses++)
		strv_add(&list, *addresses);
	if (net_close(&list, &err) == 0 && net_verify_closed(&list, &err) == 0)
		return 0;
	return err.saved_errno > 0 && err.saved_errno < LAUNCHER_CLOSE_OPEN ? err.saved_errno
									    : LAUNCHER_CLOSE_OPEN;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	pid_t shell;
	if (argc > 2 && strcmp(argv[1], LAUNCHER_CLOSE) == 0)
		return close_addresses(argv + 2);
	l.streams = argc == 2 && strcmp(argv[1], "--stream") == 0;
	l.prepared = argc > 2 && strcmp(argv[1], LAUNCHER_PREPARED) == 0;
	if (l.prepared)
		l.namespaces = (unsigned)strtoul(argv[2], NULL, 10);
	if (launcher_set_up(&l, &err) == 0 && launcher_wait_for_go(&l, &err) == 0 &&
		launcher_start(&l, &shell, &err) == 0)
		launcher_keep(shell);
	struct message failed = {.kind = MSG_FAILED,
		.stage = l.stage,
		.value = l.lost,
		.error_number = err.saved_errno};
	message_say(&failed, err.text);
	channel_send(&failed);
	return 1;
}
