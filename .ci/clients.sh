#!/usr/bin/env bash
# Real clients against Burin, in every dialect: the official TypeScript SDK
# and the inspector's command line.
#
#   .ci/clients.sh [BINARY]
#
# Without a binary, one is built. Wants Go, Node.js with npm, and for the first
# run the network: the clients are installed into the user's cache folder.
# Each check is a line; the last line is "N passed, M failed".
set -euo pipefail

sdk=@modelcontextprotocol/sdk@1.32.2
inspector=@modelcontextprotocol/inspector@2.12.0
node24=24.22.3 # the inspector wants Node.js 22.19 or newer

die() {
  echo "clients: $*" >&2
  exit 2
}

for program in node npm; do
  command -v "$program" >/dev/null || die "$program was not found; install Node.js 20 or newer with npm"
done

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/burin/clients
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# install FOLDER PACKAGE... puts packages into a folder of the cache, once. The
# folder gets its name when it is complete.
install() {
  local folder=$cache/$1
  shift
  if [ ! -d "$folder" ]; then
    echo "installing $*" >&2
    mkdir -p "$cache"
    local part
    part=$(mktemp -d "$cache/part-XXXXXX")
    (cd "$part" && npm install --prefix "$part" --no-audit --no-fund --ignore-scripts --loglevel=error "$@" >&2) || {
      rm -rf "$part"
      die "npm could not install $*"
    }
    if [ -d "$folder" ]; then # another run was quicker
      rm -rf "$part"
    else
      mv "$part" "$folder"
    fi
  fi
}

install "sdk-${sdk##*@}" "$sdk"
install "inspector-${inspector##*@}" "$inspector"

node=$(command -v node)
if ! "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)'; then
  platform=$("$node" -p 'process.platform + "-" + process.arch')
  case $platform in
    linux-x64 | linux-arm64) ;;
    *) die "the inspector wants Node.js 22.19 or newer; this is $("$node" --version)" ;;
  esac
  install "node-$platform-$node24" "node-$platform@$node24"
  node=$cache/node-$platform-$node24/node_modules/node-$platform/bin/node
fi

burin=${1:-}
if [ -z "$burin" ]; then
  burin=$work/burin
  (cd "$repo" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$burin" ./cmd/burin)
fi
burin=$(cd "$(dirname "$burin")" && pwd)/$(basename "$burin")
[ -x "$burin" ] || die "$burin is not a program"

"$node" "$repo/.ci/clients.mjs" --burin "$burin" --node "$node" \
  --sdk "$cache/sdk-${sdk##*@}" --inspector "$cache/inspector-${inspector##*@}"
