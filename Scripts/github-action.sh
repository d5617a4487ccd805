#!/usr/bin/env bash
# The step of action.yml, with its inputs in the environment: checks operations and compares schemas with the commands of
# the container image. Both checks run, also if the first one fails.
#
# Exit status 0: no findings; 1: findings; 2: wrong inputs, or a command could not be run.
set -euo pipefail

refuse() {
    echo "::error title=Portico::$1"
    exit 2
}

image_name() {
    local name=$IMAGE
    if [[ -z $name ]]; then
        # A local action (uses: ./) has no repository.
        [[ -n $ACTION_REPOSITORY ]] || refuse "Set the input image: this action is not used by the name of its repository."
        name=ghcr.io/${ACTION_REPOSITORY,,}
    fi
    # The last part of a name with a tag or a digest has a colon; an earlier colon is that of a port.
    [[ ${name##*/} == *:* ]] || name+=:$IMAGE_VERSION
    echo "$name"
}

# Runs a command of the image, which may read the working directory and nothing else.
portico() {
    docker run --rm --interactive --network none --read-only --cap-drop ALL --security-opt no-new-privileges \
        --user "$(id -u):$(id -g)" --volume "$PWD:/workspace:ro" --workdir /workspace "$image" "$@"
}

check_operations() {
    local options=(--format github --fail-on "$FAIL_ON")
    [[ -z $SCHEMA ]] || options+=(--schema "$SCHEMA")
    portico operations check "${options[@]}" "$DOCUMENTS" </dev/null
}

# Prints the commit of a revision, and fetches it if a shallow clone does not have it.
commit() {
    [[ $1 != -* ]] || return 1
    git rev-parse --verify --quiet "$1^{commit}" && return
    git fetch --quiet --no-tags --depth 1 origin "$1" && git rev-parse --verify --quiet 'FETCH_HEAD^{commit}'
}

compare_schemas() {
    local options=(--format github) revision
    [[ $FAIL_ON == breaking ]] || options+=(--fail-on dangerous)
    if [[ -f $BASE ]]; then
        portico schema diff "${options[@]}" "$BASE" "$SCHEMA" </dev/null
        return
    fi
    revision=$(commit "${BASE:-$PULL_REQUEST_BASE}") || refuse "base: ${BASE:-$PULL_REQUEST_BASE} is not a file or a revision."
    if ! git cat-file -e "$revision:./$SCHEMA" 2>/dev/null; then
        [[ -z $BASE ]] || refuse "base: $BASE has no file $SCHEMA."
        echo "::notice title=Portico::The base has no file $SCHEMA, so no schemas were compared."
        return
    fi
    git show "$revision:./$SCHEMA" | portico schema diff "${options[@]}" - "$SCHEMA"
}

[[ -n $DOCUMENTS || -n $SCHEMA ]] || refuse "Set the input documents, schema or both."
[[ -z $DOCUMENTS || -d $DOCUMENTS ]] || refuse "documents: $DOCUMENTS is not a directory. Does the job check out the repository?"
[[ -z $SCHEMA || -f $SCHEMA ]] || refuse "schema: $SCHEMA is not a file. Does the job check out the repository?"
[[ -z $BASE || -n $SCHEMA ]] || refuse "base: set the input schema, too."
[[ $FAIL_ON == breaking || $FAIL_ON == dangerous || $FAIL_ON == deprecated ]] \
    || refuse "fail-on: $FAIL_ON is not breaking, dangerous or deprecated."
image=$(image_name) || { echo "$image"; exit 2; }

status=0
# run COMMAND: keeps the highest status. In a subshell, so that refuse ends only this check.
run() {
    local result
    # Not `("$@") || …`, which would ignore errors inside of the function.
    set +e
    (set -e; "$@")
    result=$?
    set -e
    # 125 and above: docker or the image could not be started.
    ((result <= 2)) || result=2
    ((result <= status)) || status=$result
}

[[ -z $DOCUMENTS ]] || run check_operations
[[ -z $SCHEMA || -z $BASE$PULL_REQUEST_BASE ]] || run compare_schemas
exit "$status"
