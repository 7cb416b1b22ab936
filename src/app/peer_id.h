/* Who is at the other end of a Unix stream socket, by the kernel's word alone. */
#ifndef APP_PEER_ID_H
#define APP_PEER_ID_H

#include <stdbool.h>
#include <stdint.h>

/* As it was when it connected. -1, "": not known. */
struct peer_id {
	int64_t uid, pid;
	int64_t start; /* clock ticks after the boot: names the process even when its pid is used again */
	char program
		[72]; /* foreign: a process names itself. As text_name() says it: "stdin), pid 1" is quoted */
};

void peer_id_of(int fd, struct peer_id *ret);
/* One process. Never true for two of which the start is not known. */
bool peer_id_same(const struct peer_id *a, const struct peer_id *b);

#endif
