#!/usr/bin/env bash
# Makes in the checkout what the pull request of a lane and kind of run changes: the records of this kind that gh-pages has and
# bench-results/FOLDER does not have yet (also those of weeks whose pull request was not merged), summary and charts of RECORD, and, if
# BLOCK is named, that block of README.md. Prints lines `name=value`, as $GITHUB_OUTPUT takes them: `profile` is empty for a partial
# run, which is in no series, so that its text tells no history.
#
#   .github/scripts/results.sh RECORD PAGES FOLDER [BLOCK]     FOLDER and BLOCK: `folder` and `readme` of lanes.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

record=${1:?a record} pages=${2:?a checkout of gh-pages} folder=bench-results/${3:?a folder} block=${4:-}
kind=
[[ $3 != */* ]] || kind=${3#*/}
lane=$(jq --raw-output --exit-status .lane "$record")
id=$(jq --raw-output --exit-status .id "$record")
profile=$(jq --raw-output --exit-status .profile "$record")
series='if .harness.whole == false then "" else .profile end'
[[ $lane =~ ^[a-z0-9-]+$ && $id =~ ^[0-9A-Za-z-]+$ && $profile =~ ^[0-9A-Za-z_-]+$ ]] || {
    echo "error: $record: lane '$lane', id '$id' or profile '$profile' is no name" >&2
    exit 1
}
[ "$lane" = "${3%%/*}" ] || {
    echo "error: $record: it is of $lane, and $folder is not" >&2
    exit 1
}
published=$pages/runs/$lane
# A record of the future, which somebody pushed or a wrong clock made, would be the newest for ever: it is left where it is.
now=$(date --utc --date '1 minute' +%Y%m%dT%H%M%SZ)
ids() { # FOLDER ENDING
    find "$1" -maxdepth 1 -type f -name "[0-9]*$2" -printf '%f\n' | sed "s/$2\$//" | LC_ALL=C sort | LC_ALL=C awk -v now="$now" '$0 <= now "~"'
}
[ -f "$published/$id.json.gz" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
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
"${BENCH:-./scripts/bench}" report "$folder/$id.json" --results bench-results "${shown[@]}" >&2
echo "previous=$previous"
echo "profile=$(jq --raw-output "$series" "$record")"
echo "record=$folder/$id.json"
echo "id=$id"
