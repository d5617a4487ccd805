// The theme adds these elements when the page is open: buttons in each block of code, as a landmark; code, tables and diagrams that scroll.
new MutationObserver(() => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "none");
  for (const block of document.querySelectorAll("pre > code:not([tabindex]), .md-typeset__scrollwrap:not([tabindex]), p:has(> img[src$='.svg']):not([tabindex])")) block.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ["tabindex"] });
