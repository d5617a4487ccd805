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
NO_MKDOCS_2_WARNING=1 "$tools/bin/python" -m mkdocs build --strict --quiet
echo "The site is in .build/site."
