"""Files outside, the system, the home directory, and what root owns."""

import os
import socket
import stat

from attack_base import ATTACKS, T, attack, call, first_process, fresh, held_unless


def on_outside(name, inside="ENOENT", root="done", user="done"):
    """Registers an attack on a file of its own outside every list."""

    def register(function):
        path_name = f"target-{len(OUTSIDE_FILES)}"
        attack("files", name, inside, root, user)(lambda: function(os.path.join(T["outside_dir"], path_name)))
        OUTSIDE_FILES.append(path_name)
        return function

    return register


OUTSIDE_FILES = []  # the test makes these

on_outside("read outside")(lambda path: os.open(path, os.O_RDONLY))
on_outside("stat outside")(os.stat)
on_outside("path descriptor outside")(lambda path: os.open(path, os.O_PATH))
on_outside("list outside")(lambda path: os.listdir(os.path.dirname(path)))
on_outside("enter outside")(lambda path: os.chdir(os.path.dirname(path)))
on_outside("write outside")(lambda path: os.open(path, os.O_WRONLY))
on_outside("create outside")(lambda path: os.open(path + ".new", os.O_CREAT | os.O_WRONLY, 0o600))
on_outside("truncate outside")(lambda path: os.truncate(path, 1))
on_outside("chmod outside")(lambda path: os.chmod(path, 0o777))
on_outside("chown outside")(lambda path: os.chown(path, os.getuid(), os.getgid()))
on_outside("utimes outside")(lambda path: os.utime(path, (1, 1)))
on_outside("setxattr outside")(lambda path: os.setxattr(path, "user.probe", b"x"))
on_outside("unlink outside")(os.unlink)
on_outside("rename outside")(lambda path: os.rename(path, path + ".moved"))
on_outside("rename into the work directory")(lambda path: os.rename(path, os.path.join(T["work"], "taken")))
on_outside("link into the work directory")(lambda path: os.link(path, os.path.join(T["work"], "linked")))
on_outside("link out of the work directory")(lambda path: os.link(fresh("to-link"), path + ".link"))
on_outside("socket bound outside")(lambda path: socket.socket(socket.AF_UNIX).bind(path + ".sock"))
on_outside("inotify outside")(lambda path: call(254, call(294, 0), path.encode(), 2))


@on_outside("symlink out of the work directory")
def symlink_out(path):
    link = os.path.join(T["work"], "link-out")
    os.symlink(path, link)
    os.open(link, os.O_RDONLY)


@on_outside("symlinked directory out of the work directory")
def symlink_directory(path):
    link = os.path.join(T["work"], "link-dir")
    os.symlink(os.path.dirname(path), link)
    os.open(os.path.join(link, "through-link"), os.O_CREAT | os.O_WRONLY, 0o600)


@on_outside("dots out of the work directory")
def dots(path):
    here = os.open(T["work"], os.O_PATH)
    os.open(os.path.join("..", os.path.basename(T["outside_dir"]), os.path.basename(path)), os.O_RDONLY, dir_fd=here)


@on_outside("/proc/self/root out of the work directory")
def own_root(path):
    os.open(os.path.join("/proc/self/root", "..", "..") + path, os.O_RDONLY)


@on_outside("/proc/1/root out of the work directory", inside="ENOENT|EACCES|EPERM")
def first_root(path):
    os.open(f"/proc/{first_process()}/root{path}", os.O_RDONLY)


@on_outside("/proc/self/cwd out of the work directory")
def own_cwd(path):
    os.chdir(T["work"])
    os.open(f"/proc/self/cwd/../{os.path.basename(T['outside_dir'])}/{os.path.basename(path)}", os.O_RDONLY)


@on_outside("a moved work directory carries dots out", inside="E(BUSY|XDEV|ACCES|NOENT|ROFS|PERM)",
            user="EACCES|done")
def moved_root(path):
    os.chdir(T["work"])
    os.rename(T["work"], T["work"] + ".moved")
    os.rename(T["work"] + ".moved", T["work"])
    os.stat(path)


def register_places():
    """Files and directories of the system and of the home directory."""
    def opened(name, path, flags=os.O_RDONLY, **expected):
        attack("files", name, **expected)(lambda: os.open(path.format(**T), flags, 0o600))

    def unnamed(name, path, **expected):
        attack("files", name, **expected)(lambda: os.open(path.format(**T), os.O_TMPFILE | os.O_WRONLY, 0o600))

    opened("a key in ~/.ssh is read", "{home}/.ssh/id", inside="ENOENT")
    opened("a file of the home directory is read", "{home}/.profile", inside="ENOENT")
    opened("a file of the home directory is written", "{home}/.profile", os.O_WRONLY, inside="ENOENT")
    opened("a file is made in the home directory", "{home}/made", os.O_CREAT | os.O_WRONLY, inside="EROFS|EACCES")
    opened("/etc/shadow is read", "/etc/shadow", inside="ENOENT|EACCES", user="EACCES")
    opened("/etc/passwd is written", "/etc/passwd", os.O_WRONLY, inside="EROFS|EACCES", user="EACCES")
    opened("a program is written", "/usr/bin/env", os.O_WRONLY, inside="EROFS|EACCES|ETXTBSY", root="done|ETXTBSY", user="EACCES")
    opened("the record is read", "{state}", inside="ENOENT")
    opened("the configuration is written", "{config}/exequatur/config.toml", os.O_WRONLY, inside="ENOENT")
    opened("our program is written", "{program}", os.O_WRONLY, inside="ENOENT|EROFS|EACCES", root=None, user=None)
    opened("a file of the host's /tmp is seen", "{tmp_marker}", inside="ENOENT")
    opened("a file of the host's /var/tmp is seen", "{var_tmp_marker}", inside="ENOENT", root=None, user=None)
    opened("a file of the host's /run is seen", "{run_marker}", inside="ENOENT", root=None, user=None)
    opened("/root is listed", "/root", os.O_RDONLY | os.O_DIRECTORY, inside="ENOENT|EACCES", user="EACCES")
    opened("/sys is listed", "/sys/class", inside="ENOENT")
    opened("/boot is listed", "/boot", inside="ENOENT")
    opened("/proc/sysrq-trigger is written", "/proc/sysrq-trigger", os.O_WRONLY, inside="E(ACCES|ROFS|PERM|NOENT)", user="E.*",
           root=None)
    opened("the kernel's memory is opened", "/dev/mem", inside="ENOENT", root=None, user=None)
    opened("the kernel's log device is opened", "/dev/kmsg", os.O_WRONLY, inside="ENOENT", root=None, user=None)
    opened("/dev/vsock is opened", "/dev/vsock", inside="ENOENT", root=None, user=None)
    opened("/dev/kvm is opened", "/dev/kvm", inside="ENOENT", root=None, user=None)
    for path in ("/", "/usr", "/usr/local/bin", "/etc", "/var", "/root", "/home", "/srv", "/opt", "/dev"):
        unnamed(f"a file is made in {path}", path, inside="EROFS|EACCES|ENOENT|ENOTSUP", root=None, user="E.*")


register_places()


@attack("files", "a file below /proc/sys is opened for writing", "none of them")
def sysctl():
    opened = []
    for root, _dirs, names in os.walk("/proc/sys"):
        for name in names:
            try:
                os.close(os.open(os.path.join(root, name), os.O_WRONLY))
                opened.append(os.path.join(root, name))
            except OSError:
                pass
    held_unless(opened, "none of them")


ATTACKS["a file below /proc/sys is opened for writing"].outside["ordinary"] = None


# firejail puts an empty file in its place
@attack("files", "/proc/kcore is read", "E(PERM|ACCES|NOENT)|empty", root=None, user="E.*")
def kcore():
    held_unless(os.read(os.open("/proc/kcore", os.O_RDONLY), 1), "empty")


@attack("files", "modules and core pattern are set", "E(ACCES|ROFS|PERM)", user="EACCES")
def core_pattern():
    os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


# A root console's command owns what it is shown: without capabilities it could still change modes on the host.
def owned(name, function):
    """Registers a change of something that root owns, to the value that it has."""
    # a user's namespace does not know root: EINVAL
    attack("files", name, "E(ROFS|ACCES|PERM|INVAL)", user="E(PERM|ACCES)")(function)


owned("the mode of /dev/null is changed", lambda: os.chmod("/dev/null", 0o666))
owned("the mode of /dev/zero is changed", lambda: os.chmod("/dev/zero", 0o666))
owned("the owner of /dev/urandom is changed", lambda: os.chown("/dev/urandom", 0, 0))
owned("the mode of standard input is changed", lambda: os.fchmod(0, 0o666))
owned("the owner of standard input is changed", lambda: os.fchown(0, 0, 0))
owned("the mode of standard input is changed through /proc", lambda: os.chmod("/proc/self/fd/0", 0o666))
owned("the mode of a program is changed", lambda: os.chmod("/usr/bin/env", stat.S_IMODE(os.stat("/usr/bin/env").st_mode)))
owned("the owner of a program is changed", lambda: os.chown("/usr/bin/env", 0, 0))
owned("the mode of /etc/passwd is changed", lambda: os.chmod("/etc/passwd", 0o644))
owned("the mode of /usr is changed", lambda: os.chmod("/usr", 0o755))


@attack("files", "the host's /tmp takes a file", "private")
def host_tmp():
    # seen by the test, not here: it looks for the name afterwards
    for directory in ("/tmp", "/var/tmp", "/dev/shm"):
        os.close(os.open(os.path.join(directory, T["token"] + ".file"), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        if T["outside"]:
            os.unlink(os.path.join(directory, T["token"] + ".file"))
    held_unless(T["outside"], "private")
