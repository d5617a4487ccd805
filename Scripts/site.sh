#!/usr/bin/env bash
# Builds the site of the documentation from docs/ into .build/site, and fails if a link or a page is missing.
#
# REPOSITORY_URL is the address of the repository, for links from the site to its files.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools="${SITE_VENV:-.build/site-tools}"
mkdir -p .build
with_tools "$tools" Scripts/docs/requirements.txt
# The library of the diagrams, which the theme would load from another host. Its wheel is only a container: any Python takes it.
if [ ! -f .build/mermaid-11.16.0/artoo_mermaid/assets/mermaid.min.js ]; then
    "$tools/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.13 \
        --require-hashes --requirement Scripts/docs/mermaid.txt --dest .build/mermaid-11.16.0
    (cd .build/mermaid-11.16.0 && python3 -m zipfile --extract ./*.whl .)
fi
NO_MKDOCS_2_WARNING=1 "$tools/bin/python" -m mkdocs build --strict --quiet
echo "The site is in .build/site."
