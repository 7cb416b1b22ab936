#include "config.h"

#include "core/arguments.h"

#include "argument_rows.h"

#include "base/mem.h"

#define OURS "exequatur says how the container is called"

static const struct row docker_rows[] = {
	/* rights, devices, namespaces */
	{{"--privileged"}, "rights on this machine"},
	{{"--privileged=true"}, "rights on this machine"},
	{{"--cap-add=SYS_ADMIN"}, "rights on this machine"},
	{{"--cap-add", "ALL"}, "rights on this machine"},
	{{"--use-api-socket"}, "rights on this machine"},
	{{"--oom-kill-disable"}, "rights on this machine"},
	{{"--oom-score-adj=-1000"}, "rights on this machine"},
	{{"--device=/dev/sda"}, "a device of this machine"},
	{{"--device", "/dev/kvm"}, "a device of this machine"},
	{{"--device-cgroup-rule=a *:* rwm"}, "a device of this machine"},
	{{"--gpus=all"}, "a device of this machine"},
	{{"--pid=host"}, "shares a namespace"},
	{{"--pid", "container:x"}, "shares a namespace"},
	{{"--ipc=host"}, "shares a namespace"},
	{{"--uts=host"}, "shares a namespace"},
	{{"--userns=host"}, "shares a namespace"},
	{{"--cgroupns=host"}, "shares a namespace"},
	{{"--cgroup-parent=/"}, "shares a namespace"},
	/* profiles */
	{{"--security-opt=seccomp=unconfined"}, "new privileges"},
	{{"--security-opt", "apparmor=unconfined"}, "new privileges"},
	{{"--security-opt=apparmor:unconfined"}, "new privileges"},
	{{"--security-opt=label=disable"}, "new privileges"},
	{{"--security-opt=systempaths=unconfined"}, "new privileges"},
	{{"--security-opt=no-new-privileges:false"}, "new privileges"},
	{{"--security-opt"}, "new privileges"},
	/* network */
	{{"--network=host"}, NETWORK},
	{{"--network", "bridge"}, NETWORK},
	{{"--network", "container:x"}, NETWORK},
	{{"--net=host"}, NETWORK},
	{{"--network-alias=x"}, NETWORK},
	{{"--net-alias=x"}, NETWORK},
	{{"--link=x"}, NETWORK},
	{{"--link-local-ip=169.254.1.1"}, NETWORK},
	{{"--ip=10.0.0.9"}, NETWORK},
	{{"--ip6=::9"}, NETWORK},
	{{"--mac-address=00:11:22:33:44:55"}, NETWORK},
	{{"--publish=80:80"}, NETWORK},
	{{"-p", "80:80"}, NETWORK},
	{{"-p80:80"}, NETWORK},
	{{"-P"}, NETWORK},
	{{"--publish-all"}, NETWORK},
	{{"--expose=80"}, NETWORK},
	{{"--add-host=h:host-gateway"}, NETWORK},
	/* files */
	{{"-v", "/:/host"}, HOST},
	{{"-v/:/host"}, HOST},
	{{"-v=/:/host"}, HOST},
	{{"--volume=/var/run/docker.sock:/var/run/docker.sock"}, HOST},
	{{"--volume", "/root:/root"}, HOST},
	{{"--mount=type=bind,src=/,dst=/host"}, HOST},
	{{"--mount", "type=bind,src=/home,dst=/home"}, HOST},
	{{"--volumes-from=x"}, HOST},
	{{"--volumes-from", "x"}, HOST},
	{{"--volume-driver=x"}, HOST},
	{{"--tmpfs=/x:exec,suid"}, HOST},
	{{"--read-only=false"}, "root of the container is read-only"},
	{{"--read-only=0"}, "root of the container is read-only"},
	/* environment and users */
	{{"-e", "LD_PRELOAD=x"}, "passes variables"},
	{{"-eA=b"}, "passes variables"},
	{{"-e=A=b"}, "passes variables"},
	{{"--env=A"}, "passes variables"},
	{{"--env", "A"}, "passes variables"},
	{{"--env-file=/proc/1/environ"}, "passes variables"},
	{{"--env-file", "x"}, "passes variables"},
	{{"--user=0"}, "the user of the console"},
	{{"-u0"}, "the user of the console"},
	{{"-u", "root"}, "the user of the console"},
	{{"--group-add=docker"}, "the user of the console"},
	/* clusters of short options */
	{{"-it"}, OURS},
	{{"-qt"}, OURS},
	{{"-qv", "/:/host"}, HOST},
	{{"-qv/:/host"}, HOST},
	{{"-qqe", "A=b"}, "passes variables"},
	{{"-qZ"}, UNKNOWN},
	{{"-Z"}, UNKNOWN},
	{{"-="}, UNKNOWN},
	/* how it is run */
	{{"-d"}, OURS},
	{{"--detach"}, OURS},
	{{"-i"}, OURS},
	{{"--interactive"}, OURS},
	{{"--tty"}, OURS},
	{{"--attach=stdin"}, OURS},
	{{"-a", "stdin"}, OURS},
	{{"--name=x"}, OURS},
	{{"--cidfile=/root/x"}, OURS},
	{{"--entrypoint=/bin/sh"}, OURS},
	{{"--entrypoint", "/bin/sh"}, OURS},
	{{"--workdir=/"}, OURS},
	{{"-w", "/"}, OURS},
	{{"--init"}, OURS},
	{{"--label=x"}, OURS},
	{{"-l", "x"}, OURS},
	{{"--label-file=x"}, OURS},
	{{"--annotation=x=y"}, OURS},
	{{"--sig-proxy=false"}, OURS},
	{{"--detach-keys=x"}, OURS},
	{{"--restart=always"}, "must end with its call"},
	{{"--rm=false"}, "must end with its call"},
	{{"--log-driver=syslog"}, "goes to the console alone"},
	{{"--log-opt=x=y"}, "goes to the console alone"},
	{{"--pull=always"}, "pinned when the card is drawn"},
	{{"--disable-content-trust"}, "pinned when the card is drawn"},
	{{"--health-cmd=x"}, "commands that no card shows"},
	{{"--health-interval=1s"}, "commands that no card shows"},
	{{"--health-retries=1"}, "commands that no card shows"},
	{{"--health-start-interval=1s"}, "commands that no card shows"},
	{{"--health-start-period=1s"}, "commands that no card shows"},
	{{"--health-timeout=1s"}, "commands that no card shows"},
	/* limits */
	{{"--memory=8g"}, "a limit that the card shows"},
	{{"-m8g"}, "a limit that the card shows"},
	{{"-m", "8g"}, "a limit that the card shows"},
	{{"--memory-swap=-1"}, "a limit that the card shows"},
	{{"--memory-reservation=8g"}, "a limit that the card shows"},
	{{"--memory-swappiness=100"}, "a limit that the card shows"},
	{{"--kernel-memory=8g"}, "a limit that the card shows"},
	{{"--cpus=64"}, "a limit that the card shows"},
	{{"--cpu-count=64"}, "a limit that the card shows"},
	{{"--cpu-percent=100"}, "a limit that the card shows"},
	{{"--cpu-period=1000"}, "a limit that the card shows"},
	{{"--cpu-rt-period=1000"}, "a limit that the card shows"},
	{{"--cpu-rt-runtime=1000"}, "a limit that the card shows"},
	{{"--cpu-quota=-1"}, "a limit that the card shows"},
	{{"--pids-limit=-1"}, "a limit that the card shows"},
	{{"--shm-size=8g"}, "a limit that the card shows"},
	{{"--ulimit=nofile=1048576"}, "a limit that the card shows"},
	/* the engine */
	{{"--host=tcp://x"}, "another engine"},
	{{"--context=x"}, "another engine"},
	{{"--config=x"}, "another engine"},
	{{"--runtime=x"}, "another engine"},
	{{"--isolation=x"}, "another engine"},
	{{"--sysctl=net.ipv4.ip_forward=1"}, "another engine"},
	{{"-H", "tcp://x"}, UNKNOWN},
	{{"--debug"}, "another engine"},
	{{"--log-level=debug"}, "another engine"},
	{{"--tls"}, "another engine"},
	{{"--tlscacert=x"}, "another engine"},
	{{"--tlscert=x"}, "another engine"},
	{{"--tlskey=x"}, "another engine"},
	{{"--tlsverify=false"}, "another engine"},
	{{"--help"}, "something else than run the command"},
	{{"--version"}, "something else than run the command"},
	/* abbreviated, misspelt, and no options at all */
	{{"--priv"}, UNKNOWN},
	{{"--vol=/:/host"}, UNKNOWN},
	{{"--netw=host"}, UNKNOWN},
	{{"--new-in-a-later-version"}, UNKNOWN},
	{{"--"}, NO_OPTION},
	{{"-"}, NO_OPTION},
	{{"alpine"}, NO_OPTION},
	{{""}, NO_OPTION},
	{{"--read-only", "alpine"}, NO_OPTION},
	{{"--hostname", "--privileged"}, NULL}, /* docker takes it for the name as well */
	{{"--hostname", "x", "--privileged"}, "--privileged is refused"},
	/* what only restricts */
	{{"--network=none", "--read-only"}, NULL},
	{{"--network", "none", "--cap-drop", "ALL"}, NULL},
	{{"--cap-drop=ALL", "--security-opt=no-new-privileges"}, NULL},
	{{"--security-opt", "no-new-privileges:true", "--pull=never"}, NULL},
	{{"--cpuset-cpus=0", "--cpu-shares", "512", "-c256"}, NULL},
	{{"--device-read-bps=/dev/sda:1mb", "--blkio-weight=10"}, NULL},
	{{"--hostname=x", "--domainname=y", "-hz", "-q"}, NULL},
	{{"--rm", "--no-healthcheck", "--log-driver=none", "--read-only=true"}, NULL},
	{{"--stop-timeout=1", "--stop-signal", "TERM", "--dns=1.1.1.1"}, NULL},
};

static void what_would_open_docker_is_refused_with_its_reason(void **state)
{
	(void)state;
	check_rows(docker_rows, ARRAY_LEN(docker_rows), arguments_check_docker);
}

static void each_refusal_of_docker_has_a_row(void **state)
{
	(void)state;
	check_refusals_have_rows(
		docker_rules, docker_rule_count, docker_rows, ARRAY_LEN(docker_rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_would_open_docker_is_refused_with_its_reason),
		cmocka_unit_test(each_refusal_of_docker_has_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
