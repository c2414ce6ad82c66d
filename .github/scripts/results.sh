#!/usr/bin/env bash
# Makes in the checkout what the pull request of a lane and kind of run changes: the records of this kind that gh-pages has and
# bench-results/FOLDER does not have yet (also those of weeks whose pull request was not merged), summary and charts of RECORD, and, if
# BLOCK is named, that block of README.md. Writes OUT/body.md, the text of the pull request, and OUT/history.md, that of the lane's
# issue; prints `title`, and `alarm`, whether there is an issue, as $GITHUB_OUTPUT takes them.
#
#   .github/scripts/results.sh RECORD PAGES OUT FOLDER BASE_URL [BLOCK]     FOLDER and BLOCK: `folder` and `readme` of `bench ci lanes`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

record=${1:?a record} pages=${2:?a checkout of gh-pages} out=${3:?a folder} folder=bench-results/${4:?a folder} url=${5:?an address} block=${6:-}
bench=${BENCH:-./scripts/bench} kind=
[[ $4 != */* ]] || kind=${4#*/}
id=$(basename "$record" .json) # take.sh has looked at the name
lane=$(jq --raw-output --exit-status .lane "$record")
series='if .harness.whole == false then "" else .profile end'
profile=$(jq --raw-output "$series" "$record")
[ "$lane" = "${4%%/*}" ] || {
    echo "error: $record: it is of $lane, and $folder is not" >&2
    exit 1
}
published=$pages/runs/$lane
[ -f "$published/$id.json.gz" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
}
# A record of the future, which somebody pushed or a wrong clock made, would be the newest for ever: it is left where it is.
now=$(date --utc --date '1 minute' +%Y%m%dT%H%M%SZ)
ids() { # FOLDER ENDING
    find "$1" -maxdepth 1 -type f -name "[0-9]*$2" -printf '%f\n' | sed "s/$2\$//" | LC_ALL=C sort | LC_ALL=C awk -v now="$now" '$0 <= now "~"'
}
mkdir -p "$folder"

# Ids begin with the time of the run, so their order is that of time. Older ones that are not here were taken out.
newest=$(ids "$folder" .json | tail -1)
# Where two runners are measured side by side, what moved is asked of one of them.
labels='.environment.runner // [] | tojson'
runner=$(jq --raw-output "$labels" "$record")
previous='' previous_runner=''
while IFS= read -r other; do
    mapfile -t facts < <(gunzip --stdout "$published/$other.json.gz" | jq --raw-output "($series), ($labels)")
    of=${facts[0]} its_runner=${facts[1]}
    case $of in
    weekly) its_kind= ;;
    '') its_kind=partial ;;
    *) its_kind=$of ;;
    esac
    [[ $its_kind != "$kind" || (-n $newest && ! $other > $newest) ]] ||
        gunzip --stdout "$published/$other.json.gz" >"$folder/$other.json"
    # What a run is compared with is the whole one before it that asked the same.
    if [[ $other < $id && $of = "$profile" ]] && [[ $its_runner = "$runner" || $previous_runner != "$runner" ]]; then
        previous=$published/$other.json.gz previous_runner=$its_runner
    fi
done < <(ids "$published" .json.gz)
# A record that is late, behind one that is here already, is added all the same.
gunzip --stdout "$published/$id.json.gz" >"$folder/$id.json"

shown=(--out "$folder")
[ -z "$block" ] || shown=(--readme README.md)
report=("$bench" report "$folder/$id.json" --results bench-results)
history=("$bench" history --lane "$lane" --results "$pages/runs")
"${report[@]}" "${shown[@]}" >&2
"${report[@]}" --format pull-request ${previous:+--previous "$previous"} --base-url "$url" >"$out/body.md"
# A partial run is in no series.
[ -z "$profile" ] || "${history[@]}" --profile "$profile" --format news >>"$out/body.md"
# By all weekly runs of the lane, and not by the last two: `bench history` says how it judges.
status=0
"${history[@]}" --profile weekly --format alarm >"$out/history.md" || status=$?
case $status in
0) echo alarm=false ;;
1) echo alarm=true ;;
*) exit "$status" ;;
esac
echo "title=$4 ${id:0:4}-${id:4:2}-${id:6:2}: $(sed --quiet '1{s/\*\*//g;s/[;.].*//p}' "$out/body.md")"
