// Goals as rings, with a large one for all goals: `raven-goals`. Adding a goal: `raven-add-goal`.

import { drawn, element, showMessage } from "/example/elements.js";
import { money } from "/example/format.js";

const allGoals = "/operations/raven/raven-goals.graphql";
const addGoal = "/operations/raven/raven-add-goal.graphql";

export async function showGoals(client, { symbols }) {
  const show = async () => {
    const { data } = await client.run(allGoals, { currency: "USD" });
    const { goalsProgress: total, goals } = data;
    document.getElementById("goals-total").replaceChildren(...(goals?.length && total ? [
      ring(total.progress, 120, 11),
      element("p", "", [
        element("b", "", money(total.achieved, total.currency)), element("span", "", `of ${money(total.target, total.currency)}`),
      ]),
    ] : []));
    document.getElementById("goals").replaceChildren(...(goals ?? []).map(goal));
    if (!goals?.length) {
      document.getElementById("goals").append(element("li", "empty", "No goal yet. What are you saving for?"));
    }
  };
  prepareDialog(client, symbols, show);
  await show();
}

function goal({ title, achieved, target, currency, progress, dueOn }) {
  const due = dueOn ? ` by ${new Date(dueOn).toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" })}` : "";
  const made = element("li", "", [
    ring(progress, 44, 5),
    element("span", "", [
      element("b", "", title), element("small", "", `${money(achieved, currency)} of ${money(target, currency)}${due}`),
    ]),
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
  const text = drawn("text", { x: size / 2, y: size / 2, "font-size": size > 60 ? 22 : 10.5 });
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
  document.getElementById("new-goal").addEventListener("click", () => {
    form.reset();
    showMessage(failure, "");
    dialog.showModal();
  });
  form.addEventListener("submit", async (event) => {
    if (event.submitter?.value !== "create") return;
    // The form stays open until the goal is created.
    event.preventDefault();
    const { title, target, dueOn, symbol, percent } = Object.fromEntries(new FormData(form));
    try {
      await client.run(addGoal, {
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
}
