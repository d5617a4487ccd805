// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 71afee8c07a7c8c8e4141f88de41e32390a5089410b952d7d069061f428bfc5f

declare const scalar: unique symbol;

/** A calendar date: `"2026-11-20"`. */
export type Date = string & { readonly [scalar]: "Date" };

/** An instant, RFC 3339 in UTC with three decimals of the second, or six if the microseconds are not zero: `"2026-11-20T14:30:00.000Z"`. Arguments may have any number of decimals and an offset. */
export type DateTime = string & { readonly [scalar]: "DateTime" };

/** A decimal number, as a string: `"1234.5600"`. A figure that a provider sends keeps all its digits. A figure that Portico calculates, also by conversion to another currency, is rounded once, half to even: a percentage to four decimals, an amount to two decimals more than the smallest unit of its currency has, a price to the decimals of its inputs. A price of the past that Portico adjusts for splits or dividends has up to eight decimals, because it can be a small part of its input. */
export type Decimal = string & { readonly [scalar]: "Decimal" };

/** A decimal number as a JSON number, with the digits of the provider: `1234.56`. Used only in chart columns, which a front end draws and does not add up. */
export type Number = number & { readonly [scalar]: "Number" };

/** The name of a broker or market-data service, such as `"alpaca"`, `"saxo"`, `"alpha-vantage"`, `"yahoo"`, `"polygon"`, or that of a provider in the provider file of the server. `Query.providers` lists all; another name is BAD_USER_INPUT. */
export type ProviderName = string & { readonly [scalar]: "ProviderName" };

/** An instant in whole seconds since 1970-01-01, as a JSON number of up to 64 bits. Used only in chart columns. */
export type UnixTime = number & { readonly [scalar]: "UnixTime" };
