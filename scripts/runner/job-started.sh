#!/usr/bin/env bash
# Guard of the measuring machine: the runner calls it before each job, as ACTIONS_RUNNER_HOOK_JOB_STARTED. It lets
# through what main's benchmark.yml requests on its schedule or by hand, and ends everything else.
#
# Labels protect nothing: a pull request from a fork brings its own workflow file, and may write any label into it.
#
# Exit status 0 lets the job begin. 1 refuses it, but that alone does not stop the runner: steps with `if: always()`
# and the `pre:` step of every action run all the same (actions/runner#2811). So the worker, which waits for this hook
# and would run them, is killed; the runner then reports the job as failed.
#
# The repository is read from the file `config` next to this script, which the job cannot write. The GITHUB_ variables
# come from GitHub: the runner gives a hook nothing of what a workflow sets in `env:`.
set -euo pipefail

readonly branch=refs/heads/main
readonly workflow=.github/workflows/benchmark.yml

# Kills the worker of this runner, if one is above this script: by hand and in a test there is none.
end_the_worker() {
    local pid=$PPID name key value parent
    while [ "$pid" -gt 1 ]; do
        name=''
        parent=0
        while read -r key value; do
            case $key in
            Name:) name=$value ;;
            PPid:) parent=$value ;;
            esac
        done <"/proc/$pid/status"
        if [ "$name" = Runner.Worker ]; then
            sleep 3 # the worker sends the line above to the log of the job, and meanwhile runs nothing
            kill -KILL "$pid"
            return
        fi
        pid=$parent
    done
}

refuse() {
    echo "refused: $1"
    end_the_worker
    exit 1
}

# Whatever else fails here refuses as well.
trap 'refuse "the guard failed in line $LINENO"' ERR

config=$(dirname -- "${BASH_SOURCE[0]}")/config
repository=
if [ -r "$config" ]; then
    while IFS='=' read -r key value || [ -n "$key" ]; do
        [ "$key" != BENCH_REPOSITORY ] || repository=$value
    done <"$config"
fi
[[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] ||
    refuse "BENCH_REPOSITORY=OWNER/NAME is missing in $config"

for variable in GITHUB_EVENT_NAME GITHUB_REPOSITORY GITHUB_REF GITHUB_WORKFLOW_REF; do
    [ -n "${!variable:-}" ] || refuse "$variable is missing"
done

case $GITHUB_EVENT_NAME in
schedule | workflow_dispatch) ;;
*) refuse "the event is $GITHUB_EVENT_NAME; only schedule and workflow_dispatch may use this machine" ;;
esac
[ "$GITHUB_REPOSITORY" = "$repository" ] || refuse "the repository is $GITHUB_REPOSITORY; this machine serves $repository"
[ "$GITHUB_REF" = "$branch" ] || refuse "the ref is $GITHUB_REF; only $branch may use this machine"
# In a job of a reusable workflow this is the workflow that calls it.
[ "$GITHUB_WORKFLOW_REF" = "$repository/$workflow@$branch" ] ||
    refuse "the workflow is $GITHUB_WORKFLOW_REF; only $repository/$workflow@$branch may use this machine"

echo "accepted: $GITHUB_EVENT_NAME of $GITHUB_WORKFLOW_REF"
