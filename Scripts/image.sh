#!/usr/bin/env bash
# Builds the image with docker, podman or buildah: the first that is here and works. What follows the name is handed
# to the builder as it is.
#
#   Scripts/image.sh [NAME] [--build-arg KEY=VALUE …]
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-portico}
shift || true

# A docker client without its daemon builds nothing, so each is asked, not only looked for.
if docker info >/dev/null 2>&1; then
    build=(docker build)
elif podman info >/dev/null 2>&1; then
    build=(podman build --format docker)
elif buildah info >/dev/null 2>&1; then
    build=(buildah bud --format docker)
else
    cat >&2 <<'EOF'
make image: no image builder works here.
  docker: install it, and start its daemon (`docker info` must answer)
  podman or buildah: no daemon is needed, e.g. `apt-get install buildah`;
    inside a container, set STORAGE_DRIVER=vfs and BUILDAH_ISOLATION=chroot
EOF
    exit 1
fi

# The health check is a part of docker's image format only, hence --format docker above.
revision=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
version=$(git describe --tags 2>/dev/null || echo dev)
echo "Building the image '$name' with ${build[0]}" >&2
exec "${build[@]}" --file Docker/Dockerfile --tag "$name" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" "$@" .
