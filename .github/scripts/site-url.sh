#!/usr/bin/env bash
# Where GitHub Pages shows this repository. By its name and not by the event, which on a schedule names no repository.
#
#   GITHUB_REPOSITORY=owner/name .github/scripts/site-url.sh
set -euo pipefail

: "${GITHUB_REPOSITORY:?owner/name}"
host=${GITHUB_REPOSITORY%%/*}.github.io
host=${host,,}
name=${GITHUB_REPOSITORY#*/}
# The repository that has its owner's address as its name stands at the root.
[ "${name,,}" = "$host" ] && path='' || path=$name/
echo "https://$host/$path"
