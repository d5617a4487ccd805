// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: edb33ad2b66639f70a7acfed9f91d7ccf1becce070cf978cce8bc4023c05cc52

declare const scalar: unique symbol;

/** A calendar date: `"2026-11-20"`. */
export type Date = string & { readonly [scalar]: "Date" };

/** An instant, RFC 3339 in UTC: `"2026-11-20T14:30:00Z"`. */
export type DateTime = string & { readonly [scalar]: "DateTime" };

/** A decimal number of any precision, as a string: `"1234.5600"`. All digits are preserved. */
export type Decimal = string & { readonly [scalar]: "Decimal" };

/** A decimal number as a JSON number: `1234.56`. Used only in chart columns, which a front end draws and does not add up. */
export type Number = number & { readonly [scalar]: "Number" };

/** An instant in whole seconds since 1970-01-01, as a JSON number of up to 64 bits. Used only in chart columns. */
export type UnixTime = number & { readonly [scalar]: "UnixTime" };
