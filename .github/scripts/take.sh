#!/usr/bin/env bash
# Takes what other jobs of this run handed over: the program `bench`, and the one record of a lane, or of the probes. The artifact of
# a record comes from the measuring machine, and its name goes into $GITHUB_OUTPUT and into summaries, so it is one that a run can have.
# What it says of itself is checked by `bench publish`. Prints where both are.
#
#   .github/scripts/take.sh PROGRAM RECORDS
set -euo pipefail

program=${1:?a program} records=${2:?a folder}
chmod 700 "$program" # an artifact forgets that
mapfile -t -d '' found < <(find "$records" -type f -print0)
if [ ${#found[@]} -ne 1 ] || [[ ! ${found[0]#"$records/"} =~ ^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{1,16}\.json$ ]]; then
    echo "error: $records: not one record with a name such as 20261121T110000Z-2a.json" >&2
    exit 1
fi
echo "bench=$program"
echo "record=${found[0]}"
