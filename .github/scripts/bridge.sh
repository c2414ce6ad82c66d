#!/usr/bin/env bash
# Which lanes are to be measured on the runner before, too? Where a lane's runner is another one than that of its published runs, both
# are measured for two weeks, so that `bench history` can join the series by what both saw. What was published tells all of it, and
# nothing has to be remembered: the first run on the new runner begins the two weeks of its profile, both ends counted. Prints
# `bridges=`, as $GITHUB_OUTPUT takes it, and says on stderr why.
#
#   LANES BUILDERS    `lanes` and `builders` of lanes.sh
#   PROFILE           weekly
#   NOW               2026-11-30T00:24:00Z      empty: the time now
#
#   .github/scripts/bridge.sh [REMOTE]          the remote that has gh-pages
set -euo pipefail

remote=${1:-origin} lanes=${LANES:?of lanes.sh} builders=${BUILDERS:?of lanes.sh} profile=${PROFILE:?a profile}
now=$(date --utc --date "${NOW:-now}" +%Y-%m-%dT%H:%M:%SZ)

status=0
git ls-remote --exit-code "$remote" refs/heads/gh-pages >/dev/null || status=$?
case $status in
0) git fetch --quiet --no-tags --depth=1 --filter=blob:none "$remote" refs/heads/gh-pages ;;
2) # the remote answered: nothing is published
    echo 'bridges=[]'
    exit
    ;;
*) exit "$status" ;;
esac

# The whole runs of this month and of the two before, of all series of a lane. Their ids begin with the month.
month=${now:0:7}
months="${month/-/}|$(date --utc --date "$month-15 -1 month" +%Y%m)|$(date --utc --date "$month-15 -2 months" +%Y%m)"
runs() { # LANE
    local path
    git ls-tree --name-only FETCH_HEAD "runs/$1/" | while IFS= read -r path; do
        [[ ! $path =~ /($months)[0-9]{2}T ]] || git show "FETCH_HEAD:$path" | gunzip
    done | jq --compact-output 'select(.harness.whole != false)
        | { profile, started_at, runner: .environment.runner, runner_image: .environment.runner_image }'
}

bridges='[]'
# A partial run is in no series, and probes make none.
mapfile -t of_series < <(jq --raw-output 'to_entries[] | select(.key != "probes" and (.value.folder | endswith("/partial") | not)).key' <<<"$lanes")
for lane in "${of_series[@]}"; do
    # A label chooses a machine. One that was published is what the run was asked for (`bench publish --expect-runner`); that of a hosted
    # lane must be one of GitHub's images all the same. Runs older than the labels name the image, and of that they had the label.
    answer=$(runs "$lane" | jq --compact-output --slurp --arg lane "$lane" --arg profile "$profile" --arg now "$now" \
        --argjson lanes "$lanes" --argjson builders "$builders" '
        def seconds: .[:19] + "Z" | fromdateiso8601;
        def hour: 3600;
        def labels:
            if (.runner // []) != [] then .runner
            else (.runner_image // "" | [scan("^ubuntu([0-9]{2})\\b")[0]][0]) as $release
                | if $release == null then []
                  else ["ubuntu-\($release).04" + (if $lane == "hosted-arm64" then "-arm" else "" end)] end
            end;
        def is_known:
            all(.[]; type == "string" and test("\\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\\z")) and length <= 20
            and ($lane == "self-hosted" or (length == 1 and (.[0] | test("\\Aubuntu-[0-9]{2}\\.[0-9]{2}(-arm)?\\z"))));
        ($now | seconds) as $now | $lanes[$lane] as $machine | $machine.runner as $runner
        | [.[] | { profile, at: (.started_at | seconds), labels: labels } | select(.labels != [] and .at <= $now)]
        | sort_by(.at) as $all
        | [$all[] | select(.profile == $profile)] as $own
        | ([$own[] | select(.labels != $runner)] | last) as $old
        | ([$own[] | select(.labels == $runner)] | first) as $begun
        | [$all[] | select(.labels == $runner)] as $new
        | if $old == null or $old.at < $now - 31 * 24 * hour then { why: "its runner is that of its runs" }
          elif $begun != null and $now > $begun.at + (14 * 24 + 12) * hour then { why: "it was measured on both for two weeks" }
          elif ($old.labels | is_known | not) then { why: "the runner before has no label that may be asked for" }
          elif ([$new[] | select(.at < $now - 20 * hour) | .at / (24 * hour) | floor] | unique | length) >= 2
               and all($all[]; .labels != $old.labels or .at < $new[0].at - 12 * hour)
          then { why: "the runner before did not answer on two days: it is gone" }
          else { why: "\($old.labels | join(", ")) is measured beside \($runner | join(", "))",
                 bridge: { lane: $lane, architecture: $machine.architecture, runner: $old.labels,
                           builder: (if $lane == "self-hosted" then $builders[$machine.architecture] else $old.labels[0] end) } } end')
    echo "$lane, profile $profile: $(jq --raw-output .why <<<"$answer")" >&2
    bridges=$(jq --compact-output --argjson answer "$answer" '. + [$answer.bridge // empty]' <<<"$bridges")
done
echo "bridges=$bridges"
