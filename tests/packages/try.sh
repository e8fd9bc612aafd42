#!/usr/bin/env bash
# tests/packages/try.sh FOLDER: tries the packages of FOLDER in a bare Debian 12, which has neither a compiler nor
# libraries beyond the base system. Needs debootstrap and root.
set -euo pipefail
packages=$(realpath "$1")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

die() { printf 'packages: %s\n' "$*" >&2; exit 1; }

# in_root WORD...: runs a command in the bare system.
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }

# expect STATUS TEXT WORD...: the command must exit so and print the text.
expect() {
  local wanted=$1 text=$2 status=0 output
  shift 2
  output=$(in_root "$@" 2>&1) || status=$?
  ((status == wanted)) || die "$*: status $status instead of $wanted: $output"
  [[ $output == *"$text"* ]] || die "$*: \"$text\" is missing: $output"
}

# audits PREFIX: a right and a wrong kernel in PTX, a source, for which nvcc is missing, and the documents.
audits() {
  local program=$1/bin/foldproof
  expect 0 "foldproof 0." "$program" --version
  expect 0 "1 clean" "$program" audit /kernels/right.ptx --cases 20
  expect 1 "error[out-of-bounds]" "$program" audit /kernels/wrong.ptx --cases 20
  expect 3 "nvcc was not found" "$program" audit /kernels/right.cu
  expect 0 "# Error bounds" head -1 "$1/share/doc/foldproof/docs/numerics.md"
}

((EUID == 0)) || die "root is required for debootstrap and chroot"
for package in "$packages"/*.deb "$packages"/*.tar.gz; do
  (($(stat -c %s "$package") < 15000000)) || die "$package is larger than 15 MB"
done
debootstrap --variant=minbase bookworm "$root" >"$packages/debootstrap.log" 2>&1 ||
  die "debootstrap failed; see $packages/debootstrap.log"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" || die "/proc cannot be mounted"
cp -r "$here/kernels" "$root/kernels"
cp "$packages"/*.deb "$packages"/*.tar.gz "$root/"

mkdir "$root/unpacked"
in_root sh -c 'tar -xzf /foldproof-*.tar.gz -C /unpacked --strip-components=1'
audits /unpacked
in_root sh -c 'dpkg -i /foldproof_*.deb' >/dev/null
audits /usr
expect 0 "A5" foldproof list
echo "packages: the archive and the Debian package work in a bare Debian 12"
