#!/usr/bin/env bash
# Makes in the checkout what the pull request of the probes changes: the documents of gh-pages that are newer than those of
# bench-results/probes (also those of weeks whose pull request was not merged) and the summary of the newest, and writes TEXTS/body.md. Prints
# `id=`, as $GITHUB_OUTPUT takes it.
#
#   .github/scripts/probed.sh DOCUMENT PAGES TEXTS BASE_URL     BASE_URL: address of bench-results/probes on the branch
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

document=${1:?a document} pages=${2:?a checkout of gh-pages} texts=${3:?a folder to make} url=${4:?an address}
bench=${BENCH:-./scripts/bench} folder=bench-results/probes
id=$(basename "$document" .json) # take.sh has looked at the name
published=$pages/data/probes
[ -f "$published/$id.json" ] || {
    echo "error: $id is not on gh-pages; publish it first" >&2
    exit 1
}
mkdir -p "$folder" "$texts"
documents() { # FOLDER, without those of the future
    find "$1" -maxdepth 1 -type f -name '[0-9]*.json' -printf '%f\n' | LC_ALL=C sort |
        LC_ALL=C awk -v now="$(date --utc --date '1 minute' +%Y%m%dT%H%M%SZ)" '$0 <= now "~"'
}
newest=$(documents "$folder" | tail -1)
while IFS= read -r file; do
    [[ -n $newest && ! $file > $newest ]] || cp "$published/$file" "$folder/$file"
done < <(documents "$published")
cp "$document" "$folder/$id.json"
news='It is of some apps or cases only, and neither summary nor history are of it.'
if [ "$(jq .origin.whole "$document")" = true ]; then
    "$bench" report "$folder/$id.json" --results bench-results --out "$folder" >&2
    news=$("$bench" history --probes --results "$pages/data" --format news)
    news=${news:-No case began or ceased to fail.}
fi
{
    echo "What \`bench probe\` found in [$id]($url/$id.json); every case is in the [summary]($url/summary.md)."
    printf '\n%s\n' "$news"
} >"$texts/body.md"
: >"$texts/history.md" # pack.sh brings it, and no issue is kept of probes
echo "id=$id"
