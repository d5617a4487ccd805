// Formats numbers. Decimals are strings and are passed to the formatter unchanged, so that no digit is lost.

const formats = new Map();

/** An amount of a currency. */
export function money(amount, currency) {
  return amount == null ? "–" : format({ style: "currency", currency }).format(amount);
}

/** A price: of a currency pair with the decimals of the pair, otherwise as an amount of the currency. */
export function price(amount, currency, { assetClass, decimals } = {}) {
  if (amount == null || assetClass !== "FX" || decimals == null) return money(amount, currency ?? "USD");
  return format({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(amount);
}

/** The product of two decimals with all its digits, such as a price and a quantity. */
export function product(one, other) {
  const [first, second] = [one, other].map((text) => text.match(/^(-?\d+)(?:\.(\d+))?$/));
  if (!first || !second) return null;
  const decimals = (first[2] ?? "").length + (second[2] ?? "").length;
  const digits = BigInt(first[1] + (first[2] ?? "")) * BigInt(second[1] + (second[2] ?? ""));
  const text = `${digits < 0n ? -digits : digits}`.padStart(decimals + 1, "0");
  const whole = text.slice(0, text.length - decimals);
  return `${digits < 0n ? "-" : ""}${whole}${decimals ? `.${text.slice(-decimals)}` : ""}`;
}

/** An amount with its sign. */
export function signedMoney(amount, currency) {
  return amount == null ? "–" : format({ style: "currency", currency, signDisplay: "exceptZero" }).format(amount);
}

/** A quantity, or a price whose currency is not known, with all its decimals. */
export function quantity(text) {
  return text == null ? "–" : format({ maximumFractionDigits: 20 }).format(text);
}

/** A change of a quantity with its sign; empty if there is none. */
export function signedQuantity(text) {
  return text == null ? "" : format({ maximumFractionDigits: 20, signDisplay: "exceptZero" }).format(text);
}

/** A large number in short, as in 3.6T. */
export function compact(text) {
  return text == null ? "–" : format({ notation: "compact", maximumFractionDigits: 2 }).format(text);
}

/** A percentage with its sign. */
export function percent(number) {
  return number == null ? "" : `${format({ minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(number)} %`;
}

/** A time of day with seconds, in the time zone of the browser. */
export function clock(time) {
  return new Date(time).toLocaleTimeString("en-GB");
}

/** A provider as users know it: `alpha-vantage` is "Alpha Vantage". */
export function providerName(provider) {
  return words(provider).replaceAll("-", " ").replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
}

/** An account as users know it: the broker, and the number there. */
export function accountName({ provider, number } = {}) {
  return [providerName(provider), number].filter(Boolean).join(" ");
}

/** A day of a date such as 2026-11-20. */
export function day(date) {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
}

/** A date and a time of day, in the time zone of the browser. */
export function moment(time) {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** A name of an enum as words: `STOP_LIMIT` is "stop limit". */
export function words(name) {
  return name?.toLowerCase().replaceAll("_", " ") ?? "";
}

/** The name of the class for a positive, negative or zero change. */
export function direction(figure) {
  const number = Number(figure ?? 0);
  return number > 0 ? "up" : number < 0 ? "down" : "";
}

function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en-US", options));
  return formats.get(key);
}
