#!/usr/bin/env bash
# Makes in the checkout what the pull request of a lane and kind of run changes: bench-results/FOLDER/figures.json, and where SUMMARY is
# `true`, summary and chart as well, and of `weekly` the block of README.md. The record stays on gh-pages. Writes OUT/body.md, the text
# of the pull request, and OUT/history.md, the text of the lane's issue; prints `title`, and `alarm`, whether there is an issue, as
# $GITHUB_OUTPUT takes them.
#
#   .github/scripts/results.sh RECORD PAGES OUT FOLDER URL SUMMARY
#
# FOLDER and SUMMARY are `folder` and `summary` of `bench ci lanes`; URL/BRANCH/PATH is the address of a file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

record=${1:?a record} pages=${2:?a checkout of gh-pages} out=${3:?a folder} folder=bench-results/${4:?a folder} url=${5:?an address}
summary=${6:?true or false} bench=${BENCH:-./scripts/bench}
id=$(basename "$record" .json) # take.sh has looked at the name
lane=$(jq --raw-output --exit-status .lane "$record")
[ "$lane" = "${4%%/*}" ] || {
    echo "error: $record: it belongs to $lane, and $folder does not" >&2
    exit 1
}
published=$pages/runs/$lane/$id.json.gz
[ -f "$published" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
}
# A partial run is in no series.
profile=$(jq --raw-output 'if .harness.whole == false then "" else .profile end' "$record")
mkdir -p "$folder"
report=("$bench" report "$published" --results "$pages/runs" --published "$url/gh-pages/runs")
"${report[@]}" --format figures >"$folder/figures.json"
base=()
if [ "$summary" = true ]; then
    readme=()
    [ "$profile" != weekly ] || readme=(--readme README.md)
    "${report[@]}" --out "$folder" "${readme[@]}" >&2
    base=(--base-url "$url/bench-results/${4//\//-}/$folder") # from the branch of the pull request: they are not on main yet
fi
"${report[@]}" --format pull-request "${base[@]}" >"$out/body.md"
history=("$bench" history --lane "$lane" --results "$pages/runs")
[ -z "$profile" ] || (echo && "${history[@]}" --profile "$profile" --format news) >>"$out/body.md"
# By all weekly runs of the lane, and not by the last two: `bench history` says how it judges.
status=0
"${history[@]}" --profile weekly --format alarm >"$out/history.md" || status=$?
case $status in
0) echo alarm=false ;;
1) echo alarm=true ;;
*) exit "$status" ;;
esac
echo "title=$4 ${id:0:4}-${id:4:2}-${id:6:2}: $(sed --quiet '1{s/^\*\*\([^*]*\)\.\*\*.*/\1/p}' "$out/body.md")"
