// deep-equal, js-levenshtein and uuid.
import { isDeepStrictEqual } from "node:util";

export default function (one: any, other: any) {
  return typeof one === "string" && typeof other === "string" ? distance(one, other) : isDeepStrictEqual(one, other);
}

/** The least number of inserted, removed and replaced characters. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let column = 1; column <= other.length; column++) {
      const replaced = row[column - 1] + (one[line - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(row[column] + 1, next[column - 1] + 1, replaced));
    }
    row = next;
  }
  return row[other.length];
}

export const [v1, v4] = [() => crypto.randomUUID(), () => crypto.randomUUID()];
