#!/usr/bin/env bash
# Checks the wording of pages, comments and messages, after the checker itself. Usage: check.sh PACKAGES, the folder
# where ./x installed package.json. Exit status 3, with the reason, if node or the packages are missing.
set -euo pipefail
packages=$1
here=$(dirname "${BASH_SOURCE[0]}")

skip() {
  printf 'The wording is not checked: %s\n' "$*"
  exit 3
}

command -v node >/dev/null || skip "node is not installed; install node 20.18 or later with npm."
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 18) ? 0 : 1)' ||
  skip "node $(node --version) is too old; install node 20.18 or later."
cmp -s "$here/package-lock.json" "$packages/installed.json" ||
  skip "the packages in $packages are missing or outdated; ./x test installs them with npm."
FOLDPROOF_PROSE_PACKAGES=$packages node --test --test-reporter=dot "$here/lint_test.mjs"
node "$here/lint.mjs" "$packages"
