"""A hook of MkDocs: links to files outside of docs/ become links to the repository.

On the repository hosting site such links work as they are. The site has only the pages, so the hook puts the address in
REPOSITORY_URL before the path. If it is not set, the links begin with the root of the site.
"""

import os
import posixpath
import re

REPOSITORY = os.environ.get("REPOSITORY_URL", "").rstrip("/")
LINK = re.compile(r"(!?\[[^\]]*\]\(|^\[[^\]]+\]:\s+)([^)\s#]+)(#[^)\s]*)?(\)?)", re.MULTILINE)


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(posixpath.join("docs", page.file.src_uri))

    def replaced(match):
        before, target, fragment, after = match[1], match[2], match[3] or "", match[4]
        if "://" in target or target.startswith(("#", "mailto:")):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            return match[0]
        if not os.path.exists(path):
            raise FileNotFoundError(f"{page.file.src_uri} links to {path}, which does not exist")
        kind = "tree" if os.path.isdir(path) else "blob"
        address = f"{REPOSITORY}/{kind}/main/{path}" if REPOSITORY else f"/{path}"
        return f"{before}{address}{fragment}{after}"

    return LINK.sub(replaced, markdown)
