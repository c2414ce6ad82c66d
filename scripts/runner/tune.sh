#!/usr/bin/env bash
# Sets a machine up for measuring, and puts it back: the items of tuning.txt, which says why for each.
#
#   tune.sh check      prints every item as found and as wanted; changes nothing and needs no root
#   tune.sh list       the same for programs, one item a line: name|ok, differs or absent|found|wanted|why
#   tune.sh apply      sets what differs and remembers what it was; a second apply keeps what the first remembered
#   tune.sh restore    puts back what apply remembered
#
# Exit status: 0 done, 1 something differs (check), 2 it could not be done. What the machine does not show is said and
# left out. Nothing here outlives a reboot, neither the settings nor /run, where the old values are remembered.
# TUNE_ROOT=DIR works on DIR/sys, DIR/proc and DIR/run instead of the machine's own, and then needs no root.
set -euo pipefail
shopt -s nullglob
root=${TUNE_ROOT:-}
folder=$root/run/bench-tune
state=$folder/before
# First line of the state file: a file of another shape is refused.
readonly mark='bench tune 1'

die() {
    echo "error: $1" >&2
    exit 2
}

# Prints the value of a file, its words one space apart; fails where the machine does not show it. The files of a cpu
# that is offline are there and cannot be read.
shown() {
    local text words
    [ -f "$1" ] && text=$(cat -- "$1" 2>/dev/null) && read -ra words <<<"$text" && [ ${#words[@]} -gt 0 ] &&
        echo "${words[*]}"
}

# Whether a value is good as it is: `fits VALUE ACCEPTED`.
fits() {
    local value=$1 accepted=$2 one
    if [[ $accepted =~ ^'>='([0-9]+)$ ]]; then
        local least=${BASH_REMATCH[1]}
        if [[ $value =~ ^([0-9]{1,9})' '([0-9]{1,9})$ ]]; then
            ((10#${BASH_REMATCH[2]} - 10#${BASH_REMATCH[1]} + 1 >= least))
        else
            [[ $value =~ ^[0-9]{1,18}$ ]] && ((10#$value >= least))
        fi
        return
    fi
    for one in $accepted; do
        [ "$one" != "$value" ] || return 0
    done
    return 1
}

# Calls `$1 NAME WANTED ACCEPTED WHY` for each item, in the order of the table; its files are in the array `files`.
files=()
each_item() {
    local name pattern wanted accepted why
    while IFS='|' read -r name pattern wanted accepted why; do
        # shellcheck disable=SC2206 # the pattern is there to be expanded
        files=("$root"$pattern)
        "$1" "$name" "$wanted" "$accepted" "$why"
    done < <(sed -E '/^(#|$)/d; s/ *\| */|/g' <<<"$table")
}

# What an item is set to, every value once, in `found`, and whether that is good in `state`: `judge ACCEPTED`.
judge() {
    local file value
    local -A seen=()
    found='' state=ok
    for file in "${files[@]}"; do
        value=$(shown "$file") || continue
        [ -z "${seen[$value]:-}" ] || continue # sixteen cpus with one governor are one finding
        seen[$value]=1
        found+=${found:+, }$value
        fits "$value" "$1" || state=differs
    done
    [ -n "$found" ] || state=absent
}

list_item() {
    judge "$3"
    echo "$1|$state|$found|$2|$4"
}

differing=0
check_item() {
    local name=$1 accepted=$3
    judge "$accepted"
    if [ $state = absent ]; then
        printf '%-8s %-29s not shown by this machine\n' absent "$name"
        return
    fi
    [ $state = ok ] || differing=$((differing + 1))
    accepted=${accepted/#>=/at least }
    [[ $accepted == at* ]] || accepted=${accepted// / or }
    printf '%-8s %-29s found %s, wanted %s\n' $state "$name" "$found" "$accepted"
}

# What apply remembered: file → value, and the files in their order.
declare -A before=()
remembered=()
recall() {
    [ -e "$state" ] || return 0
    local line file
    {
        if ! read -r line || [ "$line" != "$mark" ]; then
            die "$state is not a file of this script; look at it and remove it"
        fi
        while IFS=$'\t' read -r file line; do
            if ! [[ $file =~ ^(/sys|/proc/sys)/ && $file != *..* && -n $line ]]; then
                die "$state names '$file', which is no setting; look at it and remove it"
            fi
            before[$file]=$line
            remembered+=("$file")
        done
    } <"$state"
}

# Written whole and renamed: a state file that is there is complete.
remember() {
    local file new
    rm -f -- "$state".* # of a script that was killed while it wrote
    new=$(mktemp "$state.XXXXXX")
    {
        echo "$mark"
        for file in "${remembered[@]}"; do printf '%s\t%s\n' "$file" "${before[$file]}"; done
    } >"$new"
    mv -- "$new" "$state"
}

# Settings to be made: file → value. The file is written without TUNE_ROOT, as in the state file.
declare -A settings=()
order=()
plan_item() {
    local name=$1 wanted=$2 accepted=$3 file value any=
    for file in "${files[@]}"; do
        value=$(shown "$file") || continue
        any=1
        ! fits "$value" "$accepted" || continue
        file=${file#"$root"}
        settings[$file]=$wanted
        order+=("$file")
        [ -z "${before[$file]:-}" ] || continue # of an earlier apply: what is found now is not what was
        before[$file]=$value
        remembered+=("$file")
    done
    [ -n "$any" ] || echo "$name: not shown by this machine, left out"
}

failed=0
put() {
    local file=$1 value=$2 found
    # The kernel refuses a value by failing the write; its own words for why are of little use.
    if ! (echo "$value" >"$root$file") 2>/dev/null; then
        echo "error: $file: the kernel does not take '$value'" >&2
        failed=1
        return
    fi
    found=$(shown "$root$file") || found=nothing
    if [ "$found" != "$value" ]; then
        echo "error: $file: '$value' was written, '$found' is found" >&2
        failed=1
        return
    fi
    echo "$file: $value"
}

apply() {
    recall
    each_item plan_item
    # Before the first change, so that a crash in between leaves nothing that cannot be put back.
    if [ ${#order[@]} -eq 0 ]; then
        echo "nothing to set"
        return
    fi
    remember
    local file
    for file in "${order[@]}"; do put "$file" "${settings[$file]}"; done
    [ $failed = 0 ] || die "not everything could be set; tune.sh restore puts back what was"
}

restore() {
    if [ ! -e "$state" ]; then
        echo "nothing to put back"
        return
    fi
    recall
    local index file found
    for ((index = ${#remembered[@]} - 1; index >= 0; index--)); do
        file=${remembered[index]}
        if ! found=$(shown "$root$file"); then
            echo "$file: no longer shown by this machine, left out"
        elif [ "$found" != "${before[$file]}" ]; then
            put "$file" "${before[$file]}"
        fi
    done
    [ $failed = 0 ] || die "not everything could be put back; $state still has what it was"
    rm -- "$state"
}

# What changes the machine is done by root, by one at a time.
alone() {
    [ -n "$root" ] || [ "$(id -u)" = 0 ] || die "$1 changes settings of the kernel and needs root: sudo $0 $1"
    # For root alone: restore believes what it reads here.
    (umask 077 && mkdir -p -- "$folder") || die "cannot make $folder"
    exec 9>"$folder/lock"
    flock 9
}

# `bench` has both files in itself, and hands over the table.
table=${TUNING_TABLE:-$(cat "$(dirname "${BASH_SOURCE[0]}")/tuning.txt")} || die "tuning.txt is missing; it belongs next to tune.sh"
case "${1:-}" in
check)
    each_item check_item
    [ $differing = 0 ] || exit 1
    ;;
list) each_item list_item ;;
apply | restore)
    alone "$1"
    "$1"
    ;;
--help | -h)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    ;;
*)
    die "say what to do: tune.sh check, list, apply, restore or --help"
    ;;
esac
