#include "config.h"

#include "sandbox/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define CAPS_END 64 /* the kernel says EINVAL for what it does not know */

static const unsigned setup_caps[] = {CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_SETPCAP};

static int set_caps(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	for (unsigned i = 0; i < 2; i++)
		data[i] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(effective >> 32 * i),
			.permitted = (uint32_t)(permitted >> 32 * i),
			.inheritable = (uint32_t)(inheritable >> 32 * i)};
	return (int)syscall(SYS_capset, &header, data);
}

int caps_keep_over_exec(struct err *err)
{
	uint64_t keep = 0;
	for (size_t i = 0; i < ARRAY_LEN(setup_caps); i++)
		keep |= 1ull << setup_caps[i];
	if (set_caps(keep, keep, keep) != 0)
		return err_set_errno(err, "keeping capabilities");
	for (size_t i = 0; i < ARRAY_LEN(setup_caps); i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, setup_caps[i], 0, 0) != 0)
			return err_set_errno(err, "keeping capability %u", setup_caps[i]);
	return 0;
}

void caps_drop_bounding(void)
{
	for (unsigned cap = 0; cap < CAPS_END; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			break;
}

int caps_drop(struct err *err)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return err_set_errno(err, "clearing the ambient capabilities");
	if (set_caps(0, 0, 0) != 0)
		return err_set_errno(err, "dropping the capabilities");
	return 0;
}

/* The ambient set is part of the permitted one: it needs no question of its own. */
int caps_none_held(struct err *err)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	if (syscall(SYS_capget, &header, data) != 0)
		return err_set_errno(err, "reading the capabilities");
	for (unsigned i = 0; i < 2; i++)
		if (data[i].effective | data[i].permitted | data[i].inheritable)
			return err_set(err, ERR_REFUSED, "capabilities are left");
	return 0;
}

int caps_none(struct err *err)
{
	if (caps_none_held(err))
		return -1;
	for (unsigned cap = 0; cap < CAPS_END; cap++) {
		int held = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
		if (held < 0)
			break;
		if (held)
			return err_set(
				err, ERR_REFUSED, "capability %u is left in the bounding set", cap);
	}
	return 0;
}
