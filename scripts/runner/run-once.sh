#!/usr/bin/env bash
# One job on the measuring machine: a runner that is freshly unpacked and registered, takes one job, and is thrown away.
# bench-runner.service calls the three parts in this order, again and again:
#
#   run-once.sh prepare    as root: tunes the machine, lays out a fresh runner, gets a registration token from GitHub
#   run-once.sh run        as the runner's user: registers, waits for one job, runs it
#   run-once.sh clean      as root: puts the settings back and removes the runner; also after a failure
#
# Its settings come from the file `config` next to it, through the unit: BENCH_REPOSITORY (OWNER/NAME), BENCH_LABELS
# (default: bench), BENCH_RUNNER (the unpacked runner, default /opt/actions-runner), BENCH_USER (default bench-runner),
# BENCH_TOKEN (default /etc/bench-runner/token: a file that holds a token with the right to administrate this
# repository, or a program that prints one). STATE_DIRECTORY and RUNTIME_DIRECTORY are set by systemd.
#
# Exit status: 0 done, 2 it could not be done, 7 the runner is too old for GitHub.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

die() {
    echo "error: $1" >&2
    exit 2
}

case "${1:-}" in
prepare | run | clean) ;;
--help | -h)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
*) die "say what to do: run-once.sh prepare, run, clean or --help" ;;
esac

runner=${STATE_DIRECTORY:?is set by systemd}/runner
registration=${RUNTIME_DIRECTORY:?is set by systemd}/registration
user=${BENCH_USER:-bench-runner}
hook=$here/job-started.sh

# Prints the registration token. The token that permits this goes through a pipe: arguments are seen by every process.
registration_token() {
    local secret=${BENCH_TOKEN:-/etc/bench-runner/token} token answer
    if [ -x "$secret" ]; then token=$("$secret"); else token=$(cat -- "$secret"); fi
    [ -n "$token" ] || die "$secret has no token"
    answer=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
        curl --config - --silent --show-error --fail --max-time 60 --retry 3 --request POST \
            --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
            "${GITHUB_API_URL:-https://api.github.com}/repos/$BENCH_REPOSITORY/actions/runners/registration-token") ||
        die "GitHub gives no registration token for $BENCH_REPOSITORY; may the token in $secret administrate it?"
    answer=$(sed -n 's/.*"token": *"\([A-Za-z0-9_-]*\)".*/\1/p' <<<"$answer")
    [ -n "$answer" ] || die "GitHub's answer holds no registration token"
    echo "$answer"
}

# A copy of the runner for each job: what a job leaves in it or in its home (.env, .gitconfig, tools) is gone with it.
empty() {
    find "$STATE_DIRECTORY" -mindepth 1 -delete
}

prepare() {
    local template=${BENCH_RUNNER:-/opt/actions-runner} token
    [ -n "${BENCH_REPOSITORY:-}" ] || die "BENCH_REPOSITORY=OWNER/NAME is missing in $here/config"
    # The runner runs the steps of a job whose hook is missing, if they say so; so without it there is no runner.
    [ -r "$hook" ] || die "$hook is missing, and without it every pull request could use this machine"
    [ -x "$template/run.sh" ] || die "there is no runner in $template; README.md says how it gets there"
    [ ! -e "$template/.runner" ] || die "the runner in $template is registered; it has to be as it was unpacked"
    "$here/tune.sh" apply
    empty
    cp -a --reflink=auto -- "$template" "$runner"
    chown -R -- "$user:" "$runner"
    token=$(registration_token)
    (umask 077 && echo "$token" >"$registration")
    chown -- "$user:" "$registration"
}

run() {
    local token
    token=$(cat -- "$registration")
    rm -- "$registration" # it can register more runners for an hour; the job must not find it
    cd "$runner"
    ./config.sh --unattended --ephemeral --replace --name "$(uname -n)" --labels "${BENCH_LABELS:-bench}" \
        --url "https://github.com/$BENCH_REPOSITORY" --token "$token" --work _work
    export ACTIONS_RUNNER_HOOK_JOB_STARTED=$hook
    # A stop of the service reaches the runner, and a runner that GitHub no longer takes says so by status 7.
    export RUNNER_MANUALLY_TRAP_SIG=1 ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE=1
    exec ./run.sh
}

clean() {
    empty
    "$here/tune.sh" restore
}

"$1"
