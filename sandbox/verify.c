#include "config.h"

#include "sandbox/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/namespaces.h"
#include "sandbox/seccomp.h"
#include "sandbox/net_close.h"
#include "sandbox/verify_files.h"
#include "sandbox/verify_flat.h"
#include "sandbox/verify_net.h"

/* Where it finds no process of the kernel it takes itself for a sandbox in a sandbox, and runs the command as it is. */
#define FAILS_OPEN "firejail isolated nothing, as it does inside a container: "

static int prove_own_namespace(const struct plan *plan, enum plan_ns ns, struct err *err)
{
	uint64_t inode;
	if (namespace_inode(ns, &inode, err))
		return -1;
	if (plan->host_ns[ns] == 0)
		return err_set(err, ERR_REFUSED, "the host's %s namespace is not known",
			namespace_words(ns));
	bool open = ns == PLAN_NS_MOUNT && plan_is_firejail(plan);
	if (inode == plan->host_ns[ns])
		return err_set(err, ERR_REFUSED, "%sthe %s namespace is the host's",
			open ? FAILS_OPEN : "", namespace_words(ns));
	return 0;
}

static int prove_pid(const struct plan *plan, struct err *err)
{
	if (prove_own_namespace(plan, PLAN_NS_PID, err))
		return -1;
	if (getpid() != 1 && !plan_is_firejail(plan))
		return err_set(
			err, ERR_REFUSED, "the launcher is process %d, not 1", (int)getpid());
	return verify_proc(plan, err);
}

static int prove_net(const struct plan *plan, struct err *err)
{
	if (prove_own_namespace(plan, PLAN_NS_NET, err))
		return -1;
	return verify_only_loopback(err);
}

static int prove_own_net(const struct plan *plan, struct err *err)
{
	return prove_own_namespace(plan, PLAN_NS_NET, err);
}

static int prove_pasta(const struct plan *plan, struct err *err)
{
	(void)plan;
	return verify_pasta(err);
}

static int prove_ipc(const struct plan *plan, struct err *err)
{
	return prove_own_namespace(plan, PLAN_NS_IPC, err);
}

static int prove_uts(const struct plan *plan, struct err *err)
{
	return prove_own_namespace(plan, PLAN_NS_UTS, err);
}

static int prove_user(const struct plan *plan, struct err *err)
{
	return prove_own_namespace(plan, PLAN_NS_USER, err);
}

static int prove_mount(const struct plan *plan, struct err *err)
{
	return prove_own_namespace(plan, PLAN_NS_MOUNT, err);
}

static int prove_caps(const struct plan *plan, struct err *err)
{
	(void)plan;
	return caps_none(err);
}

static int prove_nnp(const struct plan *plan, struct err *err)
{
	(void)plan;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return err_set(err, ERR_REFUSED, "no_new_privs is not set");
	return 0;
}

/* Programs take these for calls of a newer kernel. */
static int prove_absent(struct err *err)
{
	if (syscall(SYS_clone3, NULL, 0) >= 0 || errno != ENOSYS)
		return err_set(err, ERR_REFUSED, "clone3 is not absent");
	if (syscall(SECCOMP_FIRST_UNKNOWN_CALL, -1, NULL, 0, NULL, NULL, 0) >= 0 || errno != ENOSYS)
		return err_set(err, ERR_REFUSED, "calls of newer kernels are not absent");
	return 0;
}

/* Calls that the filter must answer; each would fail otherwise too, but with another error. */
static int prove_seccomp(const struct plan *plan, struct err *err)
{
	(void)plan;
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER)
		return err_set(err, ERR_REFUSED, "no system call filter is active");
	FD_AUTO int vsock = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (vsock >= 0 || errno != EPERM)
		return err_set(err, ERR_REFUSED, "a vsock socket is not refused");
	if (unshare(CLONE_NEWUSER) == 0 || errno != EPERM)
		return err_set(err, ERR_REFUSED, "a new user namespace is not refused");
	if (ioctl(-1, TIOCSTI, "") == 0 || errno != EPERM)
		return err_set(err, ERR_REFUSED, "typing into a terminal is not refused");
	if (fchmod(-1, S_ISUID | 0700) == 0 || errno != EPERM)
		return err_set(err, ERR_REFUSED, "a setuid file is not refused");
	return prove_absent(err);
}

static int prove_no_tty(const struct plan *plan, struct err *err)
{
	struct termios termios;
	(void)plan;
	FD_AUTO int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return err_set(err, ERR_REFUSED, "there is a controlling terminal");
	for (int i = 0; i <= 2; i++)
		if (tcgetattr(i, &termios) == 0)
			return err_set(err, ERR_REFUSED, "descriptor %d is a terminal", i);
	return 0;
}

static int prove_closed(const struct plan *plan, struct err *err)
{
	return net_verify_closed(&plan->closed, err);
}

typedef int prove(const struct plan *, struct err *);

static const struct {
	enum plan_proof bit;
	prove *run;
} proofs[] = {
	{PLAN_PROOF_USERNS, prove_user},
	{PLAN_PROOF_MOUNTNS, prove_mount},
	{PLAN_PROOF_PIDNS, prove_pid},
	{PLAN_PROOF_NETNS, prove_net},
	{PLAN_PROOF_OWN_NET, prove_own_net},
	{PLAN_PROOF_CLOSED, prove_closed},
	{PLAN_PROOF_PASTA, prove_pasta},
	{PLAN_PROOF_IPCNS, prove_ipc},
	{PLAN_PROOF_UTSNS, prove_uts},
	{PLAN_PROOF_CAPS, prove_caps},
	{PLAN_PROOF_NNP, prove_nnp},
	{PLAN_PROOF_SECCOMP, prove_seccomp},
	{PLAN_PROOF_LANDLOCK, verify_landlock},
	{PLAN_PROOF_FILES, verify_files},
	{PLAN_PROOF_FLAT, verify_flat},
	{PLAN_PROOF_NO_TTY, prove_no_tty},
};

int verify_all(const struct plan *plan, unsigned *ret_held, struct err *err)
{
	unsigned held = 0;
	for (size_t i = 0; i < ARRAY_LEN(proofs); i++) {
		if (!(plan->proofs & proofs[i].bit))
			continue;
		if (proofs[i].run(plan, err))
			return -1;
		held |= proofs[i].bit;
	}
	if (held != plan->proofs)
		return err_set(err, ERR_REFUSED, "a proof that is not known here");
	*ret_held = held;
	return 0;
}
