#!/usr/bin/env bash
# Takes what other jobs of this run handed over: the program `bench`, if it is still what bench.yml built, and the one record of a
# lane, or the one document of `probes`, which has none. Prints where they are, as $GITHUB_OUTPUT takes it. Without RECORDS and LANE:
# the program alone.
#
#   .github/scripts/take.sh PROGRAM SHA256 INTO [RECORDS LANE]     INTO: a folder for the program
set -euo pipefail

program=${1:?a program} sha256=${2:?its digest} into=${3:?a folder} records=${4:-} lane=${5:-}

# An artifact forgets that a file may be executed. The copy is what is checked and run.
mkdir -p "$into"
install --mode=600 "$program" "$into/bench"
digest=$(sha256sum "$into/bench" | cut -d' ' -f1)
if [ "$digest" != "$sha256" ]; then
    rm "$into/bench"
    echo "error: $program: it is not what was built: its digest is $digest and not $sha256; find out who replaced it" >&2
    exit 1
fi
chmod 700 "$into/bench"
echo "bench=$into/bench"
[ -n "$records" ] || exit 0

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
if [ "$(jq --raw-output '.lane // "probes"' "$record")" != "$lane" ]; then
    echo "error: $record: its lane is not $lane" >&2
    exit 1
fi
echo "record=$record"
