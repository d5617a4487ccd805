// What the screens that are read at each visit have in common.

/** A visit of a screen, from the navigation to it until the next navigation. */
export class Page {
  /** The element of the page; empty while no such screen is shown. */
  main = document.getElementById("page");
  isClosed = false;

  /**
   * Shows the empty screen.
   *
   * @param template The id of its template.
   */
  constructor(template, title) {
    this.main.replaceChildren(document.getElementById(template).content.cloneNode(true));
    this.main.hidden = false;
    document.title = `${title} – Portico example`;
    this.main.querySelector("h1").focus();
  }

  /** Responses that arrive later are ignored. */
  close() {
    this.isClosed = true;
    this.main.hidden = true;
    this.main.replaceChildren();
  }

  element(id) {
    return this.main.querySelector(`#${id}`);
  }
}
