#!/usr/bin/env bash
# Which jobs compare a pull request, as lines `name=value` for $GITHUB_OUTPUT: `jobs`; `shards`, the machines of the matrix; and
# `machines`, the most that there may be: `--shard` takes the one of the other.
#
#   COMPARE=true DIVIDE=true .github/scripts/divide.sh BASE_SHA HEAD_SHA
#
# COMPARE says whether anything is to be compared; DIVIDE whether that may be work for several machines. One machine needs no merging.
set -euo pipefail

base=${1:?the commit to compare with} head=${2:?the head}
most=12
if [ "${COMPARE:?true or false}" != true ]; then
    printf '%s\n' 'jobs=[]' 'shards=[]' "machines=$most"
    exit 0
fi
count=1
if [ "${DIVIDE:?true or false}" = true ]; then
    count=$("${BENCH:-./scripts/bench}" compare --plan --shards "$most" --base "$base" --head "$head" --format json |
        jq '.shards | length')
fi
jq --null-input --raw-output --argjson count "$count" --argjson most "$most" '
    ([$count, 1] | max) as $count
    | "jobs=\(if $count > 1 then ["compare", "merge"] else ["compare"] end | tojson)",
      "shards=\([range(1; $count + 1)] | tojson)",
      "machines=\($most)"'
