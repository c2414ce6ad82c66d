#!/usr/bin/env bash
# Takes what other jobs of this run handed over: the program `bench`, if it is still what bench.yml built, and the one record of a
# lane. Prints where they are, as $GITHUB_OUTPUT takes it. Without RECORDS and LANE: the program alone.
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

mapfile -t found < <(find "$records" -name '*.json')
if [ ${#found[@]} -ne 1 ]; then
    echo "error: $records: ${#found[@]} records where one was expected" >&2
    exit 1
fi
# The artifact comes from the measuring machine, which is not necessarily ours: what it says of itself is checked. Its name stands
# in summaries, and in the outputs of steps.
name=$(basename "${found[0]}")
if [[ ! $name =~ ^[0-9A-Za-z-]+\.json$ || ! -f ${found[0]} || -L ${found[0]} ]]; then
    printf 'error: %s: %q is not a file with the id of a run as its name\n' "$records" "$name" >&2
    exit 1
fi
if [ "$(jq --raw-output .lane "${found[0]}")" != "$lane" ]; then
    echo "error: ${found[0]}: its lane is not $lane" >&2
    exit 1
fi
echo "record=${found[0]}"
