# shellcheck shell=sh
# For scripts that try things in a bare Debian root; sourced by them.

# root_open ROOT PACKAGE...: an empty folder, or one that was filled before, becomes a root with
# these packages.  Until the script ends it has what programs look for.
root_open() {
    root=$1
    shift
    [ -e "$root/etc/debian_version" ] ||
        debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
    mkdir -p "$root/proc" "$root/dev/shm" "$root/dev/pts"
    trap 'umount -q "$root/dev/pts" "$root/dev/shm" "$root/proc"' EXIT
    root_mount proc proc
    root_mount tmpfs dev/shm # for Criterion, which runs as an unprivileged user there
    root_mount devpts dev/pts
    # The image that a root is made from leaves manuals out.
    rm -f "$root/etc/dpkg/dpkg.cfg.d/docker"
    chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update -q &&
        apt-get install -qy --no-install-recommends "$@"' sh "$@" >/dev/null
}

root_mount() { mountpoint -q "$root/$2" || mount -t "$1" "$1" "$root/$2"; }

# root_tarball TOP: put only the tarball that `meson dist` makes of the last commit into /try.
root_tarball() {
    work=$(mktemp -d)
    git -C "$1" clone -q . "$work/tree"
    (cd "$work/tree" && meson setup ../dist >/dev/null && meson dist -C ../dist --no-tests)
    rm -rf "$root/try" && mkdir "$root/try"
    cp "$work"/dist/meson-dist/*.tar.xz "$root/try"
    rm -rf "$work"
}
