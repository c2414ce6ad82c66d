#!/usr/bin/env bash
# Text of the issue that a scheduled run of the fuzzer opens when it fails, with each input that it found.
#
#   .github/scripts/fuzzed.sh https://github.com/owner/name/actions/runs/1 FOLDER     FOLDER: report.txt and found/TARGET/…
set -euo pipefail

run=${1:?the address of the run} folder=${2:?a folder with report.txt and found/}
# An issue holds 65,536 characters. An input is bytes of any kind, so it is shown in Base64, which needs no escape.
most_lines=100 most_inputs=10 largest=3000

report=
[ ! -s "$folder/report.txt" ] || report=$(head -n "$most_lines" "$folder/report.txt" | tr -d '`' | tr -c '[:print:]\n' ' ' | cut -c1-300)
cat <<TEXT
[The weekly run of the fuzzer]($run) failed:

\`\`\`\`text
${report:-It said nothing; the run has all of it.}
\`\`\`\`
TEXT
inputs=()
[ ! -d "$folder/found" ] || mapfile -d '' -t inputs < <(find "$folder/found" -mindepth 2 -maxdepth 2 -type f -print0 | sort --zero-terminated)
shown=0
for input in "${inputs[@]}"; do
    target=$(basename "$(dirname "$input")") name=$(basename "$input")
    # Names are our own, made of the target and a hash; another one is not shown.
    [[ $target/$name =~ ^[a-z_]+/[a-z-]+-[0-9a-f]{40}$ ]] || continue
    shown=$((shown + 1))
    [ "$shown" -le "$most_inputs" ] || break
    size=$(stat --format=%s "$input")
    if [ "$size" -gt "$largest" ]; then
        printf '\n%s, %s bytes: in the artifact of that run.\n' "\`$target/$name\`" "$size"
        continue
    fi
    cat <<TEXT

\`$target/$name\`, $size bytes:

\`\`\`\`sh
base64 -d <<<'$(base64 --wrap=0 "$input")' >scripts/harness/fuzz/corpus/$target/$name
\`\`\`\`
TEXT
done
cat <<TEXT

With the input in the corpus, \`cargo test --package fuzz\` fails as the fuzzer did. Mend what it shows, and commit both. This issue
closes itself when a scheduled run finds nothing.
TEXT
