#include "config.h"

#include "sandbox/pasta.h"

#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <sys/platform/x86.h>
#endif
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/backend.h"

/* What the C library has asked the processor at its own start: each question costs microseconds in a virtual machine. */
static bool has_avx2(void)
{
#ifdef __x86_64__
	return CPU_FEATURE_ACTIVE(AVX2);
#else
	return false;
#endif
}

void pasta_find(const char *search_path, const struct strv *writable, struct wrapper *ret)
{
	wrapper_find("pasta", search_path, writable, ret);
	if (ret->path == NULL || !has_avx2())
		return;
	MEM_AUTO char *faster = mem_printf("%s.avx2", ret->path);
	if (access(faster, F_OK) != 0)
		return;
	MEM_AUTO char *dir = path_dirname(faster);
	free(ret->path);
	fd_close(&ret->fd);
	wrapper_find(path_basename(faster), dir, writable, ret);
}

int pasta_offer(const struct host *host, struct err *err)
{
	const struct way_out *way = &host->way_out;
	if (host->pasta.path == NULL)
		return err_set(err, ERR_UNAVAILABLE, "pasta: %s", host->pasta.why);
	if (host->pasta_lost[0] != '\0')
		return err_set(err, ERR_UNAVAILABLE, "%s", host->pasta_lost);
	if (way->tun_errno)
		return err_set(err, ERR_UNAVAILABLE, "pasta needs /dev/net/tun: %s",
			strerror(way->tun_errno));
	if (!way->v4 && !way->v6)
		return err_set(err, ERR_UNAVAILABLE,
			"pasta needs a default route by a gateway, and this machine has none");
	return 0;
}

void pasta_note_lost(struct host *host, const char *why)
{
	text_fit(why, host->pasta_lost, sizeof(host->pasta_lost));
}

/* Nothing from outside leads in, nothing inside leads to the machine itself. It answers no DHCP: it configures the device.
   Descriptor 0 is the namespace, and into 1 goes a line when all is ready: these two stay open in every version. */
static const char *const options[] = {"--foreground", "--quiet", "--config-net", "--ns-ifname",
	PASTA_DEVICE, "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns",
	"none", "--no-map-gw", "--no-dhcp", "--no-dhcpv6", "--no-ra", "--no-netns-quit", "--pid",
	"/proc/self/fd/1", "--netns", "/proc/self/fd/0"};

void pasta_plan(const struct host *host, struct plan *plan)
{
	/* By its name it knows whether it is passt or pasta. */
	MEM_AUTO char *dir = path_dirname(host->pasta.path);
	strv_take(&plan->pasta, path_join(dir, "pasta"));
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		strv_add(&plan->pasta, options[i]);
	if (host->way_out.resolver) {
		strv_add(&plan->pasta, "--dns-forward");
		strv_add(&plan->pasta, host->way_out.resolver);
	}
}
