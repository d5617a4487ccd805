// Goals as rings, with a large one for all goals: `raven-overview`. Changes: `raven-add-goal`,
// `raven-edit-goal`, `raven-delete-goal`.

import { drawn, element, showMessage } from "/example/elements.js";
import { money } from "/example/format.js";

const editGoal = "/operations/raven/raven-edit-goal.graphql";
const deleteGoal = "/operations/raven/raven-delete-goal.graphql";
const addGoal = "/operations/raven/raven-add-goal.graphql";

export async function showGoals(client, { symbols }, first, reload) {
  let open;
  const show = (data) => {
    const { goalsProgress: total, goals } = data;
    document.getElementById("goals-total").replaceChildren(...(goals?.length && total ? [
      ring(total.progress, 120, 11),
      element("p", "", [
        element("b", "", money(total.achieved, total.currency)), element("span", "", `of ${money(total.target, total.currency)}`),
      ]),
    ] : []));
    document.getElementById("goals").replaceChildren(...(goals ?? []).map((one) => goal(one, open)));
    if (!goals?.length) {
      document.getElementById("goals").append(element("li", "empty", "No goal yet. What are you saving for?"));
    }
  };
  open = prepareDialog(client, symbols, async () => show(await reload()));
  show(first);
  return { show };
}

function goal(one, open) {
  const { title, achieved, target, currency, progress, dueOn } = one;
  const button = element("button", "", "Edit");
  button.type = "button";
  button.setAttribute("aria-label", `Edit the goal ${title}`);
  button.addEventListener("click", () => open(one));
  const due = dueOn ? ` by ${new Date(dueOn).toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" })}` : "";
  const made = element("li", "", [
    ring(progress, 44, 5),
    element("span", "", [
      element("b", "", title), element("small", "", `${money(achieved, currency)} of ${money(target, currency)}${due}`),
    ]),
    button,
  ]);
  made.dataset.goal = title;
  return made;
}

/** A ring with the progress of a goal; empty if the progress is unknown. */
function ring(progress, size, width) {
  const radius = (size - width) / 2;
  const circumference = 2 * Math.PI * radius;
  const part = Math.max(0, Math.min(1, progress ?? 0));
  const circle = { cx: size / 2, cy: size / 2, r: radius, "stroke-width": width };
  const label = progress == null ? "–" : `${Math.round(progress * 100)} %`;
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

function prepareDialog(client, symbols, show) {
  const dialog = document.getElementById("goal-dialog");
  const form = document.getElementById("goal-form");
  const failure = document.getElementById("goal-failure");
  form.elements.symbol.append(...symbols.map((symbol) => new Option(symbol)));
  let edited = null;
  const open = (one) => {
    edited = one;
    form.reset();
    showMessage(failure, "");
    dialog.querySelector("h2").textContent = one ? "Edit the goal" : "A new goal";
    form.querySelector("[value=create]").textContent = one ? "Save" : "Create";
    form.querySelector("[value=delete]").hidden = !one;
    // The holdings of an existing goal stay unchanged.
    for (const name of ["symbol", "percent"]) form.elements[name].disabled = Boolean(one);
    if (one) for (const name of ["title", "target", "dueOn"]) form.elements[name].value = one[name] ?? "";
    dialog.showModal();
  };
  document.getElementById("new-goal").addEventListener("click", () => open(null));
  form.addEventListener("submit", async (event) => {
    const action = event.submitter?.value;
    if (action !== "create" && action !== "delete") return;
    // The form stays open until the goal is created.
    event.preventDefault();
    const { title, target, dueOn, symbol, percent } = Object.fromEntries(new FormData(form));
    try {
      if (action === "delete") await client.run(deleteGoal, { id: edited.id });
      else if (edited) await client.run(editGoal, { id: edited.id, input: { title, target, dueOn: dueOn || null } });
      else await client.run(addGoal, {
        input: {
          title, target, currency: "USD", dueOn: dueOn || null, allocations: [{ symbol, share: { percent } }],
        },
      });
      dialog.close();
      await show();
    } catch (error) {
      showMessage(failure, error.message);
    }
  });
  return open;
}
