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

# The artifact comes from the measuring machine, which is not necessarily ours. Its name goes into $GITHUB_OUTPUT and into summaries,
# so it is one that a run can have. What the record says of itself is checked by `bench publish`, before anything is published.
mapfile -t -d '' found < <(find "$records" -type f -name '*.json' -print0)
if [ ${#found[@]} -ne 1 ]; then
    echo "error: $records: ${#found[@]} records where one was expected" >&2
    exit 1
fi
record=${found[0]}
if [[ ! ${record#"$records/"} =~ ^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{1,16}\.json$ ]]; then
    echo "error: the name $(printf %q "${record#"$records/"}") is not that of a record, such as 20261121T110000Z-2a.json" >&2
    exit 1
fi
if [ "$(jq --raw-output .lane "$record")" != "$lane" ]; then
    echo "error: $record: its lane is not $lane" >&2
    exit 1
fi
echo "bench=$into/handover/bench"
echo "record=$record"
