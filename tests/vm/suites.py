"""What runs in the machine: scripts, with the points whose names an expression is found in. The suites of a phase run side by
side, below settings of the kernel; those by hand only when their name is asked for."""

from collections import namedtuple

Suite = namedtuple("Suite", "name script points by_hand", defaults=(False,))

# Of the limits, each kind once for each way of holding it: the group is the same in every backend, what is counted is not.
LIMITS = "|".join([
    r"whole tree: one process .*(landlock|firejail), user ordinary",
    r"whole tree: daemons .*landlock, user ordinary",
    r"whole tree: (files of memory|shared memory).*none, user root",
    r"private tmpfs.*landlock, user ordinary",
    r"only the command ends.*bubblewrap, user root",
    r"eight forks.*landlock, user ordinary",
    r"never more than ten.*(landlock|bubblewrap|firejail), user ordinary",
    r"works with ten processes: a pipeline.*landlock, user ordinary",
    r"CPU share.*landlock, user ordinary",
    r"recorded each second.*bubblewrap, user ordinary",
    r"short command.*none, user root",
    r"no fork can ask.*landlock, user ordinary",
    r"keeper of each.*, user ordinary",
    r"ends with 137.*firejail, user root",
    r"fork bomb.*(landlock|none), user ordinary",
])

PHASES = [
    ({}, [
        Suite("limits", "tests/e2e/test_tree_limits.py", LIMITS),
        Suite("groups", "tests/vm/test_groups.py", "."),
        Suite("landlock", "tests/e2e/test_attack_probe.py", "backend landlock"),
        Suite("bubblewrap", "tests/e2e/test_attack_probe.py", "backend bubblewrap, user ordinary"),
        Suite("firejail", "tests/e2e/test_attack_probe.py", "backend firejail, user ordinary"),
        Suite("outside", "tests/e2e/test_attack_probe.py", "(nothing holds|told apart).*ordinary"),
        Suite("network", "tests/e2e/test_attack_network.py", "every other attack.*landlock, user ordinary"),
        Suite("git", "tests/e2e/test_attack_git.py", "(that are there|absent hooks).*landlock, user ordinary"),
        Suite("kernel", "tests/vm/test_kernel.py", "machine is|AppArmor"),
        # An engine has 10 s for each step, which an emulated one on a busy machine may need: it is not for every check.
        Suite("docker", "tests/e2e/test_attack_probe.py", "backend docker", by_hand=True),
    ]),
    ({"kernel.unprivileged_userns_clone": "0"}, [
        Suite("without namespaces", "tests/e2e/test_flat.py", "(every attack|named as open|accept_partial).*user ordinary"),
        Suite("userns_clone", "tests/vm/test_kernel.py", "^kernel"),
    ]),
    ({"kernel.unprivileged_userns_clone": "1", "user.max_user_namespaces": "0"}, [
        Suite("max_user", "tests/vm/test_kernel.py", "^user.*user root"),
        Suite("max_user of a user", "tests/vm/test_kernel.py", "^user.*user ordinary"),
    ]),
    ({"user.max_user_namespaces": "10000"}, [
        Suite("clock", "tests/vm/test_kernel.py", "wall clock"),
    ]),
]
