#!/usr/bin/env bash
# Makes in the checkout what the pull request of a lane proposes: all that gh-pages has and main has not. That is, of the newest whole run of
# each profile, bench-results/LANE (of another than weekly: LANE/PROFILE) with figures, summary and chart; the summaries of what breaks; and
# README's block, where there is a run of all that it shows. Records stay on gh-pages. Writes the pull request's text to BODY, and prints
# its `title`, as $GITHUB_OUTPUT takes it: an empty one where there is nothing to propose.
#
#   .github/scripts/results.sh LANE PAGES BODY URL     PAGES: a checkout of gh-pages; URL/BRANCH/PATH is the address of a file
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lane=${1:?a lane} pages=${2:?a checkout of gh-pages} body=${3:?a file} url=${4:?an address}
bench=${BENCH:-./scripts/bench} branch=$url/bench-results/$lane
declare -A newest=() probes=()
leads='' day=''
: >"$body"

# The newest files of a folder, the oldest first, each after what jq says of it; without those that are in no series.
newest_of() { # FOLDER JQ
    local file kind
    [ -d "$pages/runs/$1" ] || return 0
    find "$pages/runs/$1" -name '2*.json.gz' | sort | tail -30 | while read -r file; do
        kind=$(zcat "$file" | jq --raw-output "$2")
        [ -z "$kind" ] || printf '%s\t%s\n' "$kind" "$file"
    done
}
runs=$(newest_of "$lane" 'if .harness.whole == false then "" else .profile end')
documents=$(newest_of probes 'if (.harness // .origin).whole then "all" elif all(.cases[]; .group == "database") then "database" else "" end')
while IFS=$'\t' read -r profile run; do [ -z "$profile" ] || newest[$profile]=$run; done <<<"$runs"
while IFS=$'\t' read -r kind document; do [ -z "$kind" ] || probes[$kind]=$document; done <<<"$documents"

report() { # RUN, and what `bench report` takes
    local run=$1
    shift
    "$bench" report "$run" --results "$pages/runs" --published "$url/gh-pages/runs" "$@"
}
mapfile -t profiles < <(printf '%s\n' "${!newest[@]}" | sort | sed '/^weekly$/d')
for profile in ${newest[weekly]:+weekly} "${profiles[@]}"; do
    [ -n "$profile" ] || continue
    run=${newest[$profile]} folder=bench-results/$lane id=$(basename "${newest[$profile]}" .json.gz)
    [ "$profile" = weekly ] || folder+=/$profile
    [ ! -e "$folder/figures.json" ] || [ "$(jq --raw-output '.run.runs[0].id' "$folder/figures.json")" != "$id" ] || continue
    mkdir -p "$folder"
    report "$run" --format figures >"$folder/figures.json"
    report "$run" --out "$folder" >&2
    said=$(report "$run" --format pull-request --base-url "$branch/$folder")
    printf '# %s, %s\n\n%s\n\n' "$profile" "${id:0:4}-${id:4:2}-${id:6:2}" "$said" >>"$body"
    "$bench" history --lane "$lane" --results "$pages/runs" --profile "$profile" --format news >>"$body"
    leads+=$profile$'\t'$(sed --quiet '1{s/^\*\*\([^*]*\)\.\*\*.*/\1/p}' <<<"$said")$'\n'
    [[ ${id:0:8} < $day ]] || day=${id:0:8}
done
for kind in all database; do
    [ -n "${probes[$kind]:-}" ] || continue
    folder=bench-results/probes name=probes id=$(basename "${probes[$kind]}" .json.gz) changed=
    [ "$kind" = all ] || folder+=/$kind name+=" of $kind"
    [ "$kind" != all ] || changed=$("$bench" history --probes --results "$pages/runs" --format news)
    [ -n "$leads$changed" ] || continue # another day is no news
    mkdir -p "$folder"
    "$bench" report "${probes[$kind]}" --results "$pages/runs" --out "$folder" >&2
    if [ -z "$changed" ] || [ -z "$(git status --porcelain -- "$folder/summary.md")" ]; then continue; fi
    printf '# What breaks: %s\n\n%s\n\n%s\n\n' "$name" "$changed" \
        "[Summary]($branch/$folder/summary.md), [document]($url/gh-pages/runs/probes/$id.json.gz)." >>"$body"
    leads+=$name$'\tcases begin or cease to fail\n'
    [[ ${id:0:8} < $day ]] || day=${id:0:8}
done
# Not before there is all of it: README would lose columns and sentences.
if [ -n "$leads" ] && [ -n "${newest[weekly]:-}" ] && [ -n "${newest[database]:-}" ] && [ -n "${probes[all]:-}" ]; then
    report "${newest[weekly]}" --out "bench-results/$lane" --readme README.md --database "${newest[database]}" >&2
fi
title=$(awk -F '\t' 'NF { if (!($2 in of)) order[++kinds] = $2; of[$2] = of[$2] (of[$2] ? ", " : "") $1 }
    END { for (n = 1; n <= kinds; n++) printf "%s%s (%s)", (n == 1 ? "" : "; "), order[n], of[order[n]] }' <<<"$leads")
[ ${#title} -le 200 ] || title=${title:0:199}…
echo "title=${title:+$lane ${day:0:4}-${day:4:2}-${day:6:2}: $title}"
