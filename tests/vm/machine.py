"""A machine with Debian's kernel: QEMU without KVM, an initramfs made here, the host's /usr, the source tree and the build
directory read-only by 9p. What it says on its port of results is read line by line; it ends with the test that started it."""

import contextlib
import ctypes
import glob
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import time

KERNEL_DIR = "/var/cache/exequatur-kernel"  # ./bootstrap deps makes it
MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "virtio_blk", "crc32c_generic", "ext4", "overlay", "bridge", "veth", "tun",
           "vmw_vsock_virtio_transport"]
BUSYBOX = ["sh", "mount", "insmod", "cp", "mkdir", "switch_root"]
# Leaner than on a machine that somebody works on: what a fault of the kernel would be found by is not what is tested here.
COMMAND_LINE = ("console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check random.trust_cpu=on "
                "init_on_alloc=0 cgroup_disable=rdma,misc,hugetlb")
CPU = "max,-erms,-fsrm"  # what copies with these, an emulation does byte by byte
NICE = -5  # of root: what is emulated gets the share that it would have as it is
MEMORY_MB = 1536
DISK_MB = 4096
PR_SET_PDEATHSIG = 1
DIRECTORIES = {"usr": 0o755, "source": 0o755, "build": 0o755, "etc": 0o755, "dev": 0o755, "proc": 0o555, "sys": 0o555,
               "run": 0o755, "tmp": 0o1777, "var": 0o755, "var/tmp": 0o1777, "var/log": 0o755, "root": 0o700, "home": 0o755,
               "boot": 0o755, "mnt": 0o755, "opt": 0o755}
# What the programs of /usr are led to by links or look at. None of it is secret.
ETC = ["alternatives", "ld.so.cache", "login.defs", "nsswitch.conf", "localtime", "firejail", "ssl/certs/ca-certificates.crt", "protocols",
       "services", "host.conf", "apparmor", "apparmor.d", "java-17-openjdk"]
FILES = {"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
         "etc/group": "root:x:0:\nnogroup:x:65534:\n",
         "etc/shadow": "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n",
         "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
         "etc/hostname": "machine\n"}


class Archive:
    """A cpio archive as the kernel unpacks it (Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self):
        self.parts = []
        self.names = set()

    def add(self, name, mode, data=b""):
        """One entry, owned by root; the directories above it come first."""
        above = os.path.dirname(name)
        if above and above not in self.names:
            self.add(above, stat.S_IFDIR | 0o755)
        if name in self.names:
            return
        self.names.add(name)
        path = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self.parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]

    def directory(self, name, mode=0o755):
        """An empty directory."""
        self.add(name, stat.S_IFDIR | mode)

    def text(self, name, text, mode=0o644):
        """A file with this text."""
        self.add(name, stat.S_IFREG | mode, text.encode())

    def link(self, name, target):
        """A symbolic link."""
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def copy(self, path, name):
        """A file, a link or a whole directory of this machine, as far as it may be read."""
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            self.link(name, os.readlink(path))
        elif stat.S_ISDIR(mode):
            self.directory(name, stat.S_IMODE(mode))
            for entry in sorted(os.listdir(path)):
                self.copy(os.path.join(path, entry), os.path.join(name, entry))
        elif stat.S_ISREG(mode) and os.access(path, os.R_OK):
            with open(path, "rb") as file:
                self.add(name, mode, file.read())

    def write(self, path):
        """Puts the archive into a file."""
        self.add("TRAILER!!!", 0)
        with open(path, "wb") as file:
            file.writelines(self.parts)


def modules_in_order(names):
    """The paths of kernel modules, each after those that it needs."""
    found = {os.path.basename(path)[:-3].replace("-", "_"): path
             for path in glob.glob(f"{KERNEL_DIR}/lib/modules/*/kernel/**/*.ko", recursive=True)}
    ordered = []

    def add(name):
        path = found.get(name.replace("-", "_"))
        if path is None or path in ordered:
            return
        with open(path, "rb") as file:
            needs = re.search(rb"(?:^|\0)depends=([^\0]*)\0", file.read())
        for other in needs.group(1).decode().split(",") if needs else []:
            add(other)
        ordered.append(path)

    for name in names:
        add(name)
    return ordered


def make_initramfs(path, files):
    """Writes it; files: name and text of what the machine finds in its root besides."""
    archive = Archive()
    for name in ("dev", "root", "lower", "upper"):
        archive.directory(name)
    archive.copy("/bin/busybox", "bin/busybox")
    for name in BUSYBOX:
        archive.link(f"bin/{name}", "busybox")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "init.sh"), encoding="ascii") as file:
        archive.text("init", file.read(), 0o755)
    modules = modules_in_order(MODULES)
    archive.text("modules/order", "".join(f"{os.path.basename(module)}\n" for module in modules))
    for module in modules:
        archive.copy(module, f"modules/{os.path.basename(module)}")
    for name, mode in DIRECTORIES.items():
        archive.directory(f"skeleton/{name}", mode)
    for name, text in {**FILES, **files}.items():
        archive.text(f"skeleton/{name}", text, 0o640 if name == "etc/shadow" else 0o644)
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink(f"/{name}"):
            archive.link(f"skeleton/{name}", os.readlink(f"/{name}"))
    for name in ETC:
        if os.path.lexists(f"/etc/{name}"):
            archive.copy(f"/etc/{name}", f"skeleton/etc/{name}")
    archive.write(path)


def make_disk(path):
    """An empty file system, for what is a file on a disk and no memory; the host's disk gives what is used of it."""
    with open(path, "wb") as file:
        file.truncate(DISK_MB << 20)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", path], check=True,
                   env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"})


def die_with_parent():
    """In the child: whatever ends the test ends the machine."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    with contextlib.suppress(OSError):
        os.nice(NICE)


def kernel():
    """The path of the kernel, or None."""
    found = sorted(glob.glob(f"{KERNEL_DIR}/boot/vmlinuz-*"))
    return found[-1] if found else None


class Machine:
    """A running machine; a directory of its own holds the initramfs and what it said on its console."""

    def __init__(self, directory, source, build, files):
        self.console = os.path.join(directory, "console")
        initramfs = os.path.join(directory, "initramfs")
        disk = os.path.join(directory, "disk")
        make_initramfs(initramfs, files)
        make_disk(disk)
        argv = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-M", "pc",
                "-accel", "tcg,thread=multi,tb-size=512", "-cpu", CPU, "-smp", "2", "-m", str(MEMORY_MB),
                "-kernel", kernel(), "-initrd", initramfs, "-append", COMMAND_LINE,
                "-serial", f"file:{self.console}", "-device", "virtio-serial-pci", "-chardev", "file,id=results,path=/dev/stdout",
                "-device", "virtserialport,chardev=results,name=results",
                "-drive", f"if=virtio,format=raw,cache=unsafe,discard=unmap,file={disk}"]
        for tag, path in (("usr", "/usr"), ("source", source), ("build", build)):
            argv += ["-fsdev", f"local,id={tag},path={path},security_model=none,readonly=on,multidevs=remap",
                     "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        self.errors = os.path.join(directory, "errors")
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                            preexec_fn=die_with_parent)

    def lines(self, silence_s, total_s):
        """What it says, line by line, until it ends, says nothing for so long or takes longer in all."""
        end_at = time.monotonic() + total_s
        buffer = b""
        while True:
            wait_s = min(silence_s, end_at - time.monotonic())
            ready, _, _ = select.select([self.process.stdout], [], [], max(wait_s, 0))
            if not ready:
                yield "silent" if wait_s == silence_s else "late"
                return
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return
            buffer += more
            *whole, buffer = buffer.split(b"\n")
            for line in whole:
                yield line.decode("utf-8", "replace")

    def said(self):
        """The ends of what it and QEMU said beside the results."""
        text = ""
        for path in (self.errors, self.console):
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()[-4000:]
        return text

    def close(self):
        """Ends it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def missing():
    """What the machine needs and is not here, or None."""
    if not shutil.which("qemu-system-x86_64"):
        return "qemu-system-x86_64"
    if not os.path.exists("/bin/busybox"):
        return "/bin/busybox"
    return None if kernel() else f"a kernel in {KERNEL_DIR}"
