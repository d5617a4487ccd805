#!/usr/bin/env bash
# Builds the image with docker, podman or buildah: the first one that works, or the one in IMAGE_BUILDER. Arguments after
# the name of the image are passed on to the builder.
#
#   Scripts/image.sh [NAME] [--build-arg KEY=VALUE …]
set -euo pipefail
cd "$(dirname "$0")/.."

# A docker client without its daemon cannot build, so each builder must respond to `info`.
first_that_works() {
    local builder
    for builder in docker podman buildah; do
        if "$builder" info >/dev/null 2>&1; then
            echo "$builder"
            return
        fi
    done
}

name=${1:-portico}
shift || true
builder=${IMAGE_BUILDER:-$(first_that_works)}

# Only docker's image format includes the health check, hence --format docker.
case $builder in
    docker) build=(docker build) ;;
    podman) build=(podman build --format docker) ;;
    buildah) build=(buildah bud --format docker) ;;
    '')
        cat >&2 <<'EOF'
make image: no image builder works on this machine. Install one of these:
  docker    with its daemon running (`docker info` must succeed)
  podman    or
  buildah   which need no daemon, e.g. `apt-get install buildah`; inside a container or a sandbox, set
            STORAGE_DRIVER=vfs and BUILDAH_ISOLATION=chroot in the environment
EOF
        exit 1
        ;;
    *)
        echo "make image: IMAGE_BUILDER is '$builder'. Set it to docker, podman or buildah" >&2
        exit 1
        ;;
esac

# The address of the repository, if it is public: no path of this machine, and no name or password.
source=$(git remote get-url origin 2>/dev/null | sed -nE 's#^https://([^@/]*@)?#https://#; s#\.git$##; /^https:/p' || true)
bases=()
while IFS= read -r line; do bases+=(--build-arg "$line"); done < <(grep -v '^#' Docker/base-images)
[[ ${bases[*]} == *@sha256:*@sha256:* ]] || echo "Docker/base-images has no digests: run Scripts/base-images.sh" >&2
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
version=$(git describe --tags 2>/dev/null || echo dev)
echo "Building the image '$name' with $builder" >&2
exec "${build[@]}" --file Docker/Dockerfile --tag "$name" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --build-arg "SOURCE=$source" "${bases[@]}" "$@" .
