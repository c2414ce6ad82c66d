#!/usr/bin/env bash
# What a run of the weekly benchmark does: checks what was asked for, and prints lines `name=value`, as $GITHUB_OUTPUT
# takes them: `jobs` (of weekly-benchmark.yml, that are to run), `lanes`, what was asked for, and `started`, the time now: a record of
# this run is not older; and `builders`, the image that builds for each architecture. Of each lane: its machine; `folder` below bench-results/ and `branch`, which no other kind of run changes;
# `readme`, the block of README.md that shows it, or nothing. schedule.json says which kinds of runs a week has, with their days.
# Everything comes by the environment, and all of it may be empty:
#
#   LANES         hosted-x64,hosted-arm64,self-hosted,probes   empty: all that there are
#   SCHEDULE      23 0 * * 1                            which of the workflow's schedules began this; empty: a person did
#   PROFILE       weekly                                empty: that of the schedule, or weekly
#   APPS SCENARIOS ROUNDS                               empty: those of the profile
#   PUBLISH       true or false                         empty: true
#   RUNNER        ["self-hosted", "bench"]              labels of the self-hosted runner; empty: there is none
#   README_LANE   hosted-x64                            the lane that README.md shows
#   REF           refs/heads/main                       the branch that this runs on
#
#   LANES=hosted-x64 PROFILE=smoke PUBLISH=false .github/scripts/lanes.sh
set -euo pipefail

refuse() {
    echo "error: $*" >&2
    exit 1
}

# Is the first one of the others? (Not by a pipe into `grep -q`, which leaves as soon as it knows: that kills the writer.)
among() {
    local wanted=$1 each
    shift
    for each in "$@"; do
        [ "$each" != "$wanted" ] || return 0
    done
    return 1
}

# The images of the hosted lanes, which also build what runs there.
hosted_x64=ubuntu-24.04 hosted_arm64=ubuntu-24.04-arm

schedule=$(cat "$(dirname "${BASH_SOURCE[0]}")/schedule.json")
# A field of the entry that has this `cron` or `profile`; nothing where there is none.
of_schedule() { # KEY VALUE FIELD
    jq --raw-output --arg key "$1" --arg value "$2" --arg field "$3" '.[] | select(.[$key] == $value and ($key == "cron" or .runner == null))[$field] // empty' <<<"$schedule"
}
scheduled=weekly
if [ -n "${SCHEDULE:-}" ]; then
    scheduled=$(of_schedule cron "$SCHEDULE" profile)
    [ -n "$scheduled" ] || refuse "schedule '$SCHEDULE' is not in schedule.json: write it there, with its profile"
fi
# An entry with `lane` and `runner` measures that lane on another runner as well: the one before or the next one.
beside=$(of_schedule cron "${SCHEDULE:-}" lane) labels=$(of_schedule cron "${SCHEDULE:-}" runner)
lanes=${LANES:-$beside} profile=${PROFILE:-$scheduled} apps=${APPS:-} scenarios=${SCENARIOS:-} rounds=${ROUNDS:-}
publish=${PUBLISH:-true} runner=${RUNNER:-} readme_lane=${README_LANE:-hosted-x64} ref=${REF:-}
case $beside in
hosted-x64) hosted_x64=$(jq --raw-output '.[0]' <<<"$labels") ;;
hosted-arm64) hosted_arm64=$(jq --raw-output '.[0]' <<<"$labels") ;;
self-hosted) runner=$labels ;;
esac

names='^[a-z0-9][a-z0-9-]*(,[a-z0-9][a-z0-9-]*)*$'
[[ $profile =~ ^[a-z0-9][a-z0-9-]*$ ]] || refuse "profile '$profile' is no name; \`bench list\` shows the profiles"
[[ -z $apps || $apps =~ $names ]] || refuse "apps '$apps': write ids with commas between, as in axum,rocket"
[[ -z $scenarios || $scenarios =~ $names ]] || refuse "scenarios '$scenarios': write names with commas between, as in plaintext,hello"
[[ -z $rounds || $rounds =~ ^[1-9][0-9]{0,2}$ ]] || refuse "rounds '$rounds': write a number from 1 to 999"
[[ $publish = true || $publish = false ]] || refuse "publish '$publish': write true or false"

# There are as many lanes as there are machines: the self-hosted one exists where its labels are configured.
# `probes` is none, and is asked for like one.
known=(hosted-x64 hosted-arm64)
# What breaks is asked of the servers that are built for the profile: of those that work alone everything, of others the group of cases
# that schedule.json names, if any. A profile without a day of its own is one of servers that work alone.
probes=$(of_schedule profile "$profile" probes)
[ -n "$(of_schedule profile "$profile" cron)" ] || probes=all
[ -z "$probes" ] || known+=(probes)
if [ -n "$runner" ]; then
    jq --exit-status 'type == "array" and length > 0 and all(.[]; type == "string" and . != "")' <<<"$runner" >/dev/null ||
        refuse "variable BENCH_RUNNER '$runner': write a JSON array of labels, as in [\"self-hosted\", \"bench\"]"
    known+=(self-hosted)
else
    runner='[]'
fi
wanted=("${known[@]}")
[ -z "$lanes" ] || IFS=, read -r -a wanted <<<"$lanes"
for lane in "${wanted[@]}"; do
    [ "$lane" != self-hosted ] || [ "$runner" != '[]' ] ||
        refuse "lane self-hosted: there is no runner; .github/MAINTAINING.md says how to configure one (variable BENCH_RUNNER)"
    among "$lane" "${known[@]}" || refuse "there is no lane '$lane'; there are: ${known[*]}"
done

# What is published, or runs on a machine of our own, comes from the branch that was reviewed.
if [ "$ref" != refs/heads/main ]; then
    [ "$publish" = false ] || refuse "only main is published, and this is '$ref'; set publish to false to measure it"
    ! among self-hosted "${wanted[@]}" || refuse "only main runs on the self-hosted runner, and this is '$ref'"
fi

# Each kind of run has files and a pull request of its own, so that none replaces what another proposes: a weekly run those of its lane,
# others a folder in it. A run of some apps, scenarios or rounds is in no series, and README.md does not show it: a smoke test or
# three apps would pass for the result.
kind=$profile readme=$(of_schedule profile "$profile" readme) group=$probes
[ "$profile" != weekly ] || kind=
[ "$probes" != all ] || group=
of_probes=$group
[ -z "$beside" ] || kind=${kind:+$kind-}beside readme=
[ -z "$apps$scenarios$rounds" ] || kind=partial readme=
[ -z "$apps" ] || of_probes=partial

printf '%s\n' "${wanted[@]}" | jq --raw-input --null-input --raw-output --argjson runner "$runner" \
    --arg x64 "$hosted_x64" --arg arm64 "$hosted_arm64" --arg kind "$kind" --arg readme "$readme" --arg shown "$readme_lane" --arg of_probes "$of_probes" --arg group "$group" '
    def machine: {
        "hosted-x64":   { architecture: "x64",   runner: [$x64] },
        "hosted-arm64": { architecture: "arm64", runner: [$arm64] },
        "probes":       { architecture: "x64",   runner: [$x64] },
        "self-hosted":  { architecture: "x64",   runner: $runner }
    }[.];
    # A hyphen in the branch: git cannot have a/b beside a branch a.
    def files($kind): [., $kind | select(. != "")] | { folder: join("/"), branch: "bench-results/\(join("-"))" };
    [inputs] | unique
    | map({ key: ., value: (machine +
        if . == "probes" then files($of_probes) + { group: $group }
        else files($kind) + { readme: (if . == $shown then $readme else "" end) } end) })
    | from_entries
    | "lanes=\(tojson)\nbuilders=\({ $x64, $arm64 } | tojson)\njobs=\(keys + ["build-bench"] + ([.[].architecture] | unique | map("build-" + .)) | tojson)"'
printf '%s\n' "profile=$profile" "apps=$apps" "scenarios=$scenarios" "rounds=$rounds" "publish=$publish" \
    "started=$(date --utc +%Y-%m-%dT%H:%M:%SZ)"
