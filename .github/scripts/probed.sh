#!/usr/bin/env bash
# Makes in the checkout what the pull request of the probes changes: the documents of gh-pages that are newer than those of
# bench-results/FOLDER and of the same kind (also those of weeks whose pull request was not merged) and the summary of the newest, and
# writes OUT/body.md. Prints `title`, as $GITHUB_OUTPUT takes it. There are three kinds: all cases of servers that work alone; those of
# servers with a database (`probes/database`); and some apps or cases that somebody asked for (`probes/partial`), which have no summary.
#
#   .github/scripts/probed.sh DOCUMENT PAGES OUT FOLDER BASE_URL     FOLDER: that of `bench ci lanes`; BASE_URL: its address on the branch
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

document=${1:?a document} pages=${2:?a checkout of gh-pages} out=${3:?a folder} folder=bench-results/${4:?a folder} url=${5:?an address}
bench=${BENCH:-./scripts/bench} kind=
[[ $4 != */* ]] || kind=${4#*/}
id=$(basename "$document" .json) # take.sh has looked at the name
published=$pages/runs/probes
[ -f "$published/$id.json.gz" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
}
mkdir -p "$folder"
documents() { # FOLDER ENDING: ids, without those of the future
    find "$1" -maxdepth 1 -type f -name "[0-9]*$2" -printf '%f\n' | sed "s/$2\$//" | LC_ALL=C sort |
        LC_ALL=C awk -v now="$(date --utc --date '1 minute' +%Y%m%dT%H%M%SZ)" '$0 <= now "~"'
}
kind_of() { # of a document on stdin
    jq --raw-output 'if .origin.whole then "" elif all(.cases[]; .group == "database") then "database" else "partial" end'
}
newest=$(documents "$folder" .json | tail -1)
while IFS= read -r other; do
    [[ $(gunzip --stdout "$published/$other.json.gz" | kind_of) != "$kind" || (-n $newest && ! $other > $newest) ]] ||
        gunzip --stdout "$published/$other.json.gz" >"$folder/$other.json"
done < <(documents "$published" .json.gz)
cp "$document" "$folder/$id.json"
news='It is of some apps or cases only, and neither summary nor history are of it.'
# One of another kind than was planned, because something was left out, replaces no summary either.
if [[ $kind != partial && $(kind_of <"$document") = "$kind" ]]; then
    "$bench" report "$folder/$id.json" --results bench-results --out "$folder" >&2
    news="Every case is in the [summary]($url/summary.md)."
fi
if [[ -z $kind && $(jq .origin.whole "$document") = true ]]; then
    changed=$("$bench" history --probes --results "$pages/runs" --format news)
    news+=$'\n\n'${changed:-No case began or ceased to fail.}
fi
{
    echo "What \`bench probe\` found in [$id]($url/$id.json)."
    printf '\n%s\n' "$news"
} >"$out/body.md"
echo "title=What breaks (${4}) ${id:0:4}-${id:4:2}-${id:6:2}"
