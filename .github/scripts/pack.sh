#!/usr/bin/env bash
# Packs what a lane proposes: the files below bench-results/ and README.md that changed in the checkout, and two texts. Prints the
# archive's digest, as $GITHUB_OUTPUT takes it. What is not there yet is made by results.sh and history.sh.
#
#   .github/scripts/pack.sh ARCHIVE TEXTS     TEXTS: a folder with body.md and history.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

archive=${1:?an archive to write} texts=${2:?a folder of texts}
tar --create --file "$archive" --directory "$texts" body.md history.md
git ls-files -z --modified --others --exclude-standard -- bench-results README.md |
    tar --append --file "$archive" --null --verbatim-files-from --files-from -
echo "sha256=$(sha256sum "$archive" | cut -d' ' -f1)"
