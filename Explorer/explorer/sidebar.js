// The list of samples beside the editors.

/**
 * Shows groups of samples.
 *
 * @param show Called with the selected sample.
 * @returns `add(groups)` for later groups, and `choose(sample)`.
 */
export function showSamples(groups, show) {
  const list = document.getElementById("samples");
  const filter = document.getElementById("sample-filter");
  const buttons = new Map();

  const choose = async (sample) => {
    for (const [other, button] of buttons) {
      if (other === sample) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    buttons.get(sample).scrollIntoView({ block: "nearest" });
    await show(sample);
  };

  const add = (groups) => {
    for (const group of groups) {
      const section = document.createElement("section");
      section.className = group.kind;
      section.append(Object.assign(document.createElement("h2"), { textContent: group.title }));
      for (const sample of group.samples) {
        const button = Object.assign(document.createElement("button"), {
          type: "button", textContent: sample.name, title: sample.about ?? "",
        });
        button.dataset.sample = sample.id;
        button.addEventListener("click", () => choose(sample));
        buttons.set(sample, button);
        section.append(button);
      }
      list.append(section);
    }
    narrow();
  };

  const narrow = () => {
    const text = filter.value.trim().toLowerCase();
    for (const [sample, button] of buttons) button.hidden = !`${sample.id} ${sample.name}`.toLowerCase().includes(text);
    for (const section of list.children) section.hidden = !section.querySelector("button:not([hidden])");
  };

  filter.addEventListener("input", narrow);
  add(groups);
  return { add, choose };
}
