#!/usr/bin/env bash
# Unpacks what `bench build` handed over, if it is still what was built, and finds the one record of a lane. Prints where
# `bench` and the record are, as $GITHUB_OUTPUT takes it.
#
#   .github/scripts/take.sh ARCHIVE SHA256 INTO RECORDS LANE
set -euo pipefail

archive=${1:?an archive} sha256=${2:?its digest} into=${3:?a folder to unpack to} records=${4:?a folder of records} lane=${5:?a lane}
echo "$sha256  $archive" | sha256sum --check >&2
mkdir -p "$into"
tar --extract --file "$archive" --directory "$into"

mapfile -t found < <(find "$records" -type f -name '*.json')
if [ ${#found[@]} -ne 1 ]; then
    echo "error: $records: ${#found[@]} records where one was expected" >&2
    exit 1
fi
# The artifact comes from the measuring machine, which is not necessarily ours: what it says of itself is checked.
if [ "$(jq --raw-output .lane "${found[0]}")" != "$lane" ]; then
    echo "error: ${found[0]}: its lane is not $lane" >&2
    exit 1
fi
echo "bench=$into/handover/bench"
echo "record=${found[0]}"
