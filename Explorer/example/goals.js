// Goals as rings, with a large one for all goals: `overview`. Changes: `create-goal`,
// `update-goal`, `delete-goal`.

import { drawn, element, refill, showMessage } from "/example/elements.js";
import { money } from "/example/format.js";

const editGoal = "/operations/goals/update-goal.graphql";
const deleteGoal = "/operations/goals/delete-goal.graphql";
const addGoal = "/operations/goals/create-goal.graphql";

export class Goals {
  #open;
  /** The symbols of what is held, from which a goal can be saved. */
  #symbols = [];

  /** @param reload Reads the screen again, after a change. */
  constructor(client, reload) {
    this.#open = prepareDialog(client, () => this.#symbols, reload);
  }

  show({ goalsProgress: total, goals, positions }) {
    this.#symbols = [...new Set((positions ?? []).filter((one) => one?.side === "LONG").map(({ symbol }) => symbol))];
    refill(document.getElementById("goals-total"), goals?.length && total ? [
      ring(total.progressPercentage, 120, 11),
      element("p", "", [
        element("b", "", money(total.achieved, total.currency)), element("span", "", `of ${money(total.target, total.currency)}`),
        element("small", "old", total.stale ? "with old values" : ""),
      ]),
    ] : []);
    refill(document.getElementById("goals"), goals?.length
      ? goals.map((one) => goal(one, this.#open)) : [element("li", "empty", "No goal yet. What are you saving for?")]);
  }
}

function goal(one, open) {
  const { title, achieved, target, currency, progressPercentage, dueOn } = one;
  const button = element("button", "", "Edit");
  button.type = "button";
  button.setAttribute("aria-label", `Edit the goal ${title}`);
  button.addEventListener("click", () => open(one));
  const due = dueOn ? ` by ${new Date(dueOn).toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" })}` : "";
  const made = element("li", "", [
    ring(progressPercentage, 44, 5),
    element("span", "", [
      element("b", "", title), element("small", "", `${money(achieved, currency)} of ${money(target, currency)}${due}`),
    ]),
    button,
  ]);
  made.dataset.goal = title;
  return made;
}

/** A ring with the progress of a goal in per cent; empty if it is unknown. */
function ring(percentage, size, width) {
  const radius = (size - width) / 2;
  const circumference = 2 * Math.PI * radius;
  const part = Math.max(0, Math.min(1, (percentage ?? 0) / 100));
  const circle = { cx: size / 2, cy: size / 2, r: radius, "stroke-width": width };
  const label = percentage == null ? "–" : `${Math.round(percentage)} %`;
  const text = drawn("text", { x: size / 2, y: size / 2, "font-size": size > 60 ? 22 : label.length > 4 ? 9 : 10.5 });
  text.append(label);
  return drawn("svg", { viewBox: `0 0 ${size} ${size}`, width: size, height: size, class: "ring", role: "img", "aria-label": label },
    drawn("circle", { ...circle, class: "track" }),
    drawn("circle", {
      ...circle, class: "part", "stroke-dasharray": `${circumference * part} ${circumference}`,
      transform: `rotate(-90 ${size / 2} ${size / 2})`,
    }),
    text);
}

function prepareDialog(client, symbols, reload) {
  const dialog = document.getElementById("goal-dialog");
  const form = document.getElementById("goal-form");
  const failure = document.getElementById("goal-failure");
  let edited = null;
  const open = (one) => {
    edited = one;
    form.elements.symbol.replaceChildren(...symbols().map((symbol) => new Option(symbol)));
    form.reset();
    showMessage(failure, "");
    dialog.querySelector("h2").textContent = one ? "Edit the goal" : "A new goal";
    form.querySelector("[value=create]").textContent = one ? "Save" : "Create";
    form.querySelector("[value=delete]").hidden = !one;
    // The holdings of an existing goal stay unchanged.
    for (const name of ["symbol", "percentage"]) form.elements[name].disabled = Boolean(one);
    if (one) for (const name of ["title", "target", "dueOn"]) form.elements[name].value = one[name] ?? "";
    dialog.showModal();
  };
  document.getElementById("new-goal").addEventListener("click", () => open(null));
  form.addEventListener("submit", async (event) => {
    const action = event.submitter?.value;
    if (action !== "create" && action !== "delete") return;
    // The form stays open until the goal is created.
    event.preventDefault();
    const { title, target, dueOn, symbol, percentage } = Object.fromEntries(new FormData(form));
    try {
      if (action === "delete") await client.run(deleteGoal, { id: edited.id });
      else if (edited) await client.run(editGoal, { id: edited.id, input: { title, target, dueOn: dueOn || null } });
      else await client.run(addGoal, {
        input: {
          title, target, currency: "USD", dueOn: dueOn || null, allocations: [{ symbol, share: { percentage } }],
        },
      });
      dialog.close();
      await reload();
    } catch (error) {
      showMessage(failure, error.message);
    }
  });
  return open;
}
