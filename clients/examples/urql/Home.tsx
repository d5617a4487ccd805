import { useEffect } from "react";
import { gql, Provider, useQuery, useSubscription } from "urql";
import { createPortico } from "./portico/client";
import type { Decimal } from "./portico/scalars";

const client = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
});

// graphql-codegen writes such types for all operations. Every field that can fail can be null, and so can an item of a list.
type Price = { id: string; price: Decimal | null; changePercentage: Decimal | null; stale: boolean };
type Home = {
  positions: ({ id: string; symbol: string; quantity: Decimal; quote: Price | null } | null)[] | null;
};

const HOME = gql<Home>`
  query UrqlHome {
    positions { id symbol quantity quote { id price changePercentage stale } }
  }
`;

const PRICES = gql<{ quotes: Price | null }, { symbols: string[] }>`
  subscription UrqlPrices($symbols: [String!]!) {
    quotes(symbols: $symbols) { id price changePercentage stale }
  }
`;

function Home() {
  const [{ data, error }, readHome] = useQuery({ query: HOME });
  const positions = (data?.positions ?? []).filter((position) => position !== null);
  const symbols = positions.map((position) => position.symbol);
  // An event updates the rows whose quote has its id. The id contains the source: if the price of a row is from another one, the
  // repeated query updates the row.
  useSubscription({ query: PRICES, variables: { symbols }, pause: symbols.length === 0 });
  useEffect(() => {
    const timer = setInterval(() => readHome({ requestPolicy: "network-only" }), 5_000);
    return () => clearInterval(timer);
  }, [readHome]);
  return (
    <ul>
      {error && <li role="alert">{error.message}</li>}
      {positions.map(({ id, symbol, quantity, quote }) => (
        <li key={id}>{symbol} × {quantity}: {quote?.price ?? "–"}{quote?.stale && " (old value)"}</li>
      ))}
    </ul>
  );
}

export const App = () => <Provider value={client}><Home /></Provider>;
