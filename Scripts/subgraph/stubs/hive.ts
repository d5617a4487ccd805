// What Hive's composition uses of constant-case, debug, json5 and lodash.sortby.
export const constantCase = (text: string) => text.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();

const logger: any = Object.assign(() => {}, { enabled: false, extend: () => logger });

/** A logger without effect for a name; a list in the order of keys; and the parser of JSON. */
export default Object.assign(function (first: any, keys?: any): any {
  if (!Array.isArray(first)) return logger;
  const values = (item: any) => [keys].flat().map((key) => typeof key === "function" ? key(item) : item[key]);
  return [...first].sort((one, other) => {
    const [left, right] = [values(one), values(other)];
    const place = left.findIndex((value, index) => value !== right[index]);
    return place < 0 ? 0 : left[place] < right[place] ? -1 : 1;
  });
}, { parse: JSON.parse });
