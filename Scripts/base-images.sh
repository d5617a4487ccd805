#!/usr/bin/env bash
# Pins the base images in Docker/base-images to the digests that their tags have now. Needs skopeo, or docker with buildx,
# and access to the registry of the images. Commit the difference.
#
#   Scripts/base-images.sh             updates the file
#   Scripts/base-images.sh --check     fails if an image has no digest, or its tag has another one now
set -euo pipefail
cd "$(dirname "$0")/.."
file=Docker/base-images

# The digest of the manifest of all architectures, which is the hash of its bytes.
digest() {
    if command -v skopeo >/dev/null; then
        local manifest
        manifest=$(mktemp)
        skopeo inspect --raw "docker://$1" >"$manifest" || { rm -f "$manifest"; return 1; }
        sha256sum <"$manifest" | sed -E 's/ .*//; s/^/sha256:/'
        rm -f "$manifest"
    elif docker buildx version >/dev/null 2>&1; then
        docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'
    else
        echo "base-images.sh needs skopeo (Debian: apt-get install skopeo), or docker with buildx" >&2
        return 1
    fi
}

pinned=$(grep '^#' "$file")
while IFS='=' read -r name image; do
    tag=${image%%@*}
    current=$(digest "$tag") || { echo "base-images.sh: $tag could not be read; $file is unchanged" >&2; exit 1; }
    [[ $current =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "base-images.sh: $tag: '$current' is no digest" >&2; exit 1; }
    pinned+=$'\n'"$name=$tag@$current"
done < <(grep -v '^#' "$file")

if [[ ${1:-} == --check ]]; then
    diff "$file" <(echo "$pinned") >&2 || { echo "$file is not current: run Scripts/base-images.sh" >&2; exit 1; }
else
    echo "$pinned" >"$file"
fi
