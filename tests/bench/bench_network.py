"""What a granted network costs at the start of a command, and how fast it then is, in network namespaces of the bench's own."""

import os
import statistics

import exq
import exq_net
from bench_measure import alone, timed, together, verdict

ROUNDS = 60
# pasta by itself, with as little to do, and as the user that it insists on.
PASTA = [*(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []), "pasta", "--foreground",
         "--quiet", "--config-net", "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none", "--", "true"]


def network():
    """`exequatur run --network true` beside the same without, against pasta alone on `true`."""
    exq_net.enter()
    ws = exq.Workspace(backend="landlock", sections={"security.sandbox.bubblewrap": {"allow_network": True}})
    done = ws.exequatur("run", "--network", "cat /proc/net/dev", **exq_net.without_rights())
    assert b"eth0" in done.stdout, done
    plain, granted, bare = [], [], []
    alone()
    for _ in range(ROUNDS):
        plain.append(timed([ws.program(), "run", "true"], ws))
        granted.append(timed([ws.program(), "run", "--network", "true"], ws))
        bare.append(timed(PASTA, ws))
    together()
    without, with_it, pasta = (statistics.median(times) * 1000 for times in (plain, granted, bare))
    print(f"run true {without:.2f} ms, with the network {with_it:.2f} ms, pasta alone {pasta:.2f} ms")
    return verdict("what a granted network adds, against pasta alone", (with_it - without) / pasta, 0.7, True)


BENCHES = {"network": network}
