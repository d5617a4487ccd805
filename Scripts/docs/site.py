"""Hooks of MkDocs: links to files outside of docs/ become links to the repository; diagrams are drawn without another host.

On the repository hosting site such links work as they are. The site has only the pages, so the hook puts the address in
REPOSITORY_URL before the path. If it is not set, the links begin with the root of the site.
"""

import os
import posixpath
import re

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

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


# What Scripts/site.sh has fetched, and its place in the site.
MERMAID = ".build/mermaid-11.16.0/artoo_mermaid/assets/mermaid.min.js"
SCRIPT = "assets/mermaid-11.16.0.min.js"


def on_files(files, config):
    files.append(File.generated(config, SCRIPT, abs_src_path=os.path.abspath(MERMAID)))
    return files


def with_name_of_search(output):
    """The theme's search has a role and no name."""
    return output.replace('class="md-search" data-md-component="search" role="dialog"',
                          'class="md-search" data-md-component="search" role="dialog" aria-label="Search"')


def on_post_template(output_content, template_name, config):
    """The page of an address that does not exist is a template."""
    return with_name_of_search(output_content)


def on_post_page(output, page, config):
    """Adds the library of the diagrams, which the theme otherwise loads from unpkg.com; pages without a diagram need none."""
    output = with_name_of_search(output)
    # The empty corner of a table is no heading.
    output = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", output)
    if 'class="mermaid"' not in output:
        return output
    script = f'<script src="{get_relative_url(SCRIPT, page.url)}"></script>\n'
    return output.replace("</head>", f"{script}</head>", 1)
