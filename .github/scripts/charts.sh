#!/usr/bin/env bash
# Writes what github-action-benchmark reads, DIR/throughput.json and DIR/latency.json, and prints for each whether there is
# one, as $GITHUB_OUTPUT takes it: in a run without a single trusted figure of a metric there is nothing to draw. A chart is one
# series: a run of another profile than weekly, or a partial one, is not in it.
#
#   .github/scripts/charts.sh RECORD DIR
set -euo pipefail

record=${1:?a record} folder=${2:?a folder}
series=$(jq --raw-output 'if .harness.whole == false then "" else .profile end' "$record")
if [ "$series" != weekly ]; then
    printf '%s=false\n' throughput latency
    exit
fi
mkdir -p "$folder"
for metric in throughput latency; do
    status=0
    "${BENCH:-./scripts/bench}" export "$record" --format github-action-benchmark --metric "$metric" \
        --results bench-results --out "$folder/$metric.json" >&2 || status=$?
    case $status in
    0) echo "$metric=true" ;;
    1) echo "$metric=false" ;; # it has said which figures it left out, and why
    *) exit "$status" ;;
    esac
done
