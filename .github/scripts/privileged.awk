# What a job that can write must not do. forbidden.sh calls this with one workflow, and with the names of scripts in `compiling`.
#
# A build script can leave a process behind, which replaces a program or waits for the token of a later step. So a job that can write
# compiles nothing, restores nothing that was compiled, and takes no program that was built where a framework was; one that holds a key
# runs no handed-over program at all. A job is what stands two spaces deep below `jobs:`, as in every file here.

function refuse(n, reason) {
    printf "%s:%d:%s    <- %s\n", FILENAME, first + n - 1, text[n], reason
}

function end_of_step() {
    if (builds && !has_bench) refuse(builds, "it builds bench next to a token that can write: set BENCH to take.sh's")
    builds = has_bench = 0
}

function end_of_job(   n, i, line, writes, key, steps) {
    for (n = 1; n <= lines; n++) {
        if (code[n] ~ /^ +(permissions:.*write|[a-z-]+: *["']?write)/) writes = 1
        if (code[n] ~ /private-key:|PRIVATE_KEY|create-github-app-token/) key = 1
        if (code[n] ~ /^    steps:/) steps = 1 # a job that calls a workflow has none
    }
    for (n = 1; n <= lines && steps && (writes || key); n++) {
        line = code[n]
        if (line ~ /^      - /) end_of_step()
        if (line ~ /(^|[ "'(;&|\/])(cargo|rustup|rustc|cc|make|npm|npx|pip|go)( |$)/ || line ~ /scripts\/(bench|test|audit)([^a-z.-]|$)/)
            refuse(n, "a job that can write compiles nothing: let another job do it, and take what it made")
        if (line ~ /^ +- \*/) refuse(n, "an alias in a job that can write: what it does is to be read there")
        if (line ~ /rust-cache@|actions\/cache|install-action@|setup-[a-z]+@/)
            refuse(n, "a job that can write restores and installs no programs")
        if (line ~ /handover/)
            refuse(n, "a job that can write takes nothing that was built next to a framework: take the program of the job `plan`")
        if (key && line ~ /(^| )BENCH:|take\.sh/)
            refuse(n, "no handed-over program runs where the key of the App is: hand over plain files")
        if (line ~ /^ +BENCH:/) has_bench = 1
        for (i in scripts) if (index(line, scripts[i])) builds = n
    }
    end_of_step()
    lines = 0
}

BEGIN { split(compiling, scripts, " ") }
/^permissions:/ && !/^permissions: \{\}$/ { printf "%s:%d:%s    <- a permission belongs to a job\n", FILENAME, FNR, $0 }
/^[^ #]/ { end_of_job(); inside = /^jobs:/ }
inside && /^  [A-Za-z_]/ { end_of_job() }
inside {
    if (!lines) first = FNR
    text[++lines] = code[lines] = $0
    sub(/(^|[ \t])#.*/, "", code[lines])
}
END { end_of_job() }
