#!/bin/bash
# Tries the packages on a bare Debian 12 in a folder (debootstrap's minbase: no Python, no curl, none of our
# libraries): the archive unpacked there as it is, then the Debian packages, for which apt finds what they need.
# Takes the mirror from apt's own configuration if that has bookworm. Needs root, and a network for apt.
# Usage: chroot.sh FOLDER-OF-PACKAGES [--all]
# --all boots that Debian too (systemd-nspawn) and tries the user service, commonplace-mpi, python3-commonplace and libcommonplace-dev.
set -euo pipefail
packages=$(readlink -f "$1")
all=${2:-}
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
base=$source/build/chroot/bookworm.tar
[ "$(id -u)" -eq 0 ] || { echo "This needs root, for debootstrap and chroot." >&2; exit 1; }
root=$(mktemp -d /var/tmp/commonplace_chroot.XXXXXX)
trap 'rm -rf "$root"' EXIT

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

bare() { # a root as debootstrap makes it, with photographs and what tries the program
  rm -rf "$root"
  if [ ! -e "$base" ]; then
    say "Making a bare Debian 12"
    mkdir -p "$(dirname "$base")"
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 2>/dev/null |
      sort -u | head -n 1)
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$base.log" 2>&1 ||
      { tail -n 20 "$base.log" >&2; exit 1; }
    tar -C "$root" -cf "$base.partial" .
    mv "$base.partial" "$base"
  else
    mkdir -p "$root"
    tar -C "$root" -xf "$base"
  fi
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  apt-config dump | grep -iE '^Acquire::[a-z]+::(proxy|timeout)' >"$root/etc/apt/apt.conf.d/90host" || true
  mkdir "$root/home/me"
  "$source/examples/sample.py" "$root/home/me" >/dev/null
  chmod -R a+rwX "$root/home/me"
  cp "$source/README.md" "$here/try.sh" "$root/srv/"
}

# Nothing stays mounted and no process outlives it.
within() { unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" chroot "$@"; }
as_root() { within "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
as_user() { within --userspec=65534:65534 "$root" env -i PATH=/opt/commonplace/bin:/usr/bin:/bin HOME=/home/me "$@"; }
install() { # packages, or patterns of files below the root
  as_root sh -c "apt-get install -q -y --no-install-recommends $*" >"$root/apt.log" 2>&1 ||
    { tail -n 20 "$root/apt.log" >&2; exit 1; }
}
count() { as_root dpkg-query -W | wc -l; }

bare
say "The archive, on $(count) packages"
mkdir "$root/opt/commonplace"
tar -C "$root/opt/commonplace" --strip-components=1 -xf "$packages"/commonplace-*.tar.gz
as_user bash /srv/try.sh /srv/README.md

bare
before=$(count)
say "commonplace.deb"
cp "$packages"/*.deb "$root/srv/"
as_root apt-get update -q >/dev/null
install '/srv/commonplace_*.deb'
echo "apt brought $(($(count) - before)) packages: $before before"
as_user bash /srv/try.sh /srv/README.md
if [ "$all" = --all ]; then
  say "commonplace.service, of a user, on that Debian booted"
  install systemd systemd-sysv dbus-user-session libpam-systemd
  cp "$here/service.sh" "$root/srv/"
  cat >"$root/etc/systemd/system/try.service" <<'UNIT'
[Service]
ExecStart=/bin/bash /srv/service.sh
StandardOutput=file:/srv/said
StandardError=inherit
ExecStopPost=/bin/systemctl poweroff
UNIT
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/"
  timeout 300 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit --private-network \
    --machine=commonplace-try >"$root/boot.log" 2>&1 </dev/null || true
  cat "$root/srv/said"
  grep -q '^The service works' "$root/srv/said" || { tail -n 20 "$root/boot.log" >&2; exit 1; }
  say "commonplace-mpi.deb"
  install '/srv/commonplace-mpi_*.deb' openmpi-bin
  as_root sh -c 'commonplace init /tmp/library && commonplace add /tmp/library photos /home/me/Pictures &&
    mpirun --allow-run-as-root --oversubscribe -n 2 commonplace-mpi features /tmp/library photos --image gist'
  say "python3-commonplace.deb"
  install '/srv/python3-commonplace_*.deb'
  as_root python3 -c 'import commonplace as cp
lib = cp.Library("/tmp/from_python", create=True)
lib.add("bookmarks", "/home/me/bookmarks.html")
lib.learn("suggest", "bookmarks")
print(lib.suggest("how to mend a chain"))
print(cp.SharedSubspace(n_components=2).fit_transform([[1, 1, 0], [2, 2, 0], [0, 0, 3]]).shape)'
  say "libcommonplace-dev.deb"
  install '/srv/libcommonplace-dev_*.deb' g++ cmake make
  cp -r "$source/examples/embed" "$root/srv/embed"
  as_root sh -c 'cmake -S /srv/embed -B /tmp/embed && cmake --build /tmp/embed &&
    /tmp/embed/embed /srv/embed/notes.jsonl /tmp/embedded'
fi
as_root sh -c "dpkg --purge \$(dpkg-query -W -f '\${Package} ' '*commonplace*')" >/dev/null
left=$(find "$root/usr" "$root/etc" -iname '*commonplace*')
[ -z "$left" ] || { echo "FAILED: after purging there is still $left" >&2; exit 1; }
say "All of it works"
