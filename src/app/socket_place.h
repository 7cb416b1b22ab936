/* Where the socket of the console lies, and whether that is a safe place. */
#ifndef APP_SOCKET_PLACE_H
#define APP_SOCKET_PLACE_H

#include <sys/un.h>

#include "base/err.h"

/* The socket that is meant: asked (an option; NULL: none), else $XDG_RUNTIME_DIR/exequatur/console.sock. Absolute; the caller
   frees. ERR_UNAVAILABLE with the way out where there is no such directory. */
int socket_place(const char *asked, char **envp, char **ret, struct err *err);
/* The directory it lies in, for a console: the default one is made, 0700. ERR_REFUSED with a sentence where somebody else could
   put another socket there, or reach ours. */
int socket_place_open(const char *path, char **envp, int *ret_dir_fd, struct err *err);
/* An address of any length of path, below the directory that is open here. -1: the name is too long. */
int socket_place_address(int dir_fd, const char *path, struct sockaddr_un *ret, struct err *err);

#endif
