#!/usr/bin/env bash
# Makes in the checkout what the pull request of the probes changes, the summary in bench-results/FOLDER, and writes OUT/body.md. The
# document stays on gh-pages. Prints `title`, as $GITHUB_OUTPUT takes it. There are three kinds: all cases of servers that work alone;
# all cases of servers with a database (`probes/database`); and some apps or cases, on request (`probes/partial`).
#
#   .github/scripts/probed.sh DOCUMENT PAGES OUT FOLDER URL     FOLDER: as in `bench ci lanes`; URL/BRANCH/PATH is the address of a file
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

document=${1:?a document} pages=${2:?a checkout of gh-pages} out=${3:?a folder} folder=bench-results/${4:?a folder} url=${5:?an address}
bench=${BENCH:-./scripts/bench} kind=
[[ $4 != */* ]] || kind=${4#*/}
id=$(basename "$document" .json) # take.sh has looked at the name
published=$pages/runs/probes/$id.json.gz
[ -f "$published" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
}
mkdir -p "$folder"
# One of another kind than was planned, because something was left out, replaces no summary.
its_kind=$(jq --raw-output 'if .origin.whole then "" elif all(.cases[]; .group == "database") then "database" else "partial" end' "$document")
if [[ $its_kind != "$kind" ]]; then
    news='It covers some apps or cases only, and neither summary nor history includes it.'
else
    "$bench" report "$published" --results "$pages/runs" --out "$folder" >&2
    news="Every case is in the [summary]($url/bench-results/${4//\//-}/$folder/summary.md)."
    if [ -z "$kind" ]; then
        changed=$("$bench" history --probes --results "$pages/runs" --format news)
        news+=$'\n\n'${changed:-No case began or ceased to fail.}
    fi
fi
{
    echo "What \`bench probe\` found in [$id]($url/gh-pages/runs/probes/$id.json.gz), SHA-256 \`$(sha256sum <"$published" | cut -d' ' -f1)\`."
    printf '\n%s\n' "$news"
} >"$out/body.md"
echo "title=What breaks (${4}) ${id:0:4}-${id:4:2}-${id:6:2}"
