import { fetchQuery, graphql, RelayEnvironmentProvider, useLazyLoadQuery, useSubscription } from "react-relay";
import { useEffect, useMemo } from "react";
import { createPortico } from "./portico/environment";
import type { Decimal } from "./portico/scalars";

const environment = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
});

// relay-compiler writes such types for all operations. Every field that can fail can be null, and so can an item of a list.
type Price = { id: string; price: Decimal | null; changePercentage: Decimal | null; stale: boolean };
type Home = {
  positions: ({ id: string; symbol: string; quantity: Decimal; quote: Price | null } | null)[] | null;
};

const HOME = graphql`
  query HomeQuery {
    positions { id symbol quantity quote { id price changePercentage stale } }
    orders(first: 20) @connection(key: "Home_orders") {
      edges { node { id symbol side state } }
    }
  }
`;

function Home() {
  const data = useLazyLoadQuery(HOME, {}) as Home;
  const positions = (data.positions ?? []).filter((position) => position !== null);
  const symbols = positions.map((position) => position.symbol);
  // An event updates the rows whose quote has its id. The id contains the source: if the price of a row is from another one, the
  // repeated query updates the row.
  useSubscription(useMemo(() => ({
    subscription: graphql`
      subscription HomePricesSubscription($symbols: [String!]!) {
        quotes(symbols: $symbols) { id price changePercentage stale }
      }
    `,
    variables: { symbols },
  }), [symbols.join()]));
  useEffect(() => {
    // After an attempt that fails, the next one follows.
    const read = () => fetchQuery(environment, HOME, {}).subscribe({ error: () => {} });
    const timer = setInterval(read, 5_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <ul>
      {positions.map(({ id, symbol, quantity, quote }) => (
        <li key={id}>{symbol} × {quantity}: {quote?.price ?? "–"}{quote?.stale && " (old value)"}</li>
      ))}
    </ul>
  );
}

export const App = () => <RelayEnvironmentProvider environment={environment}><Home /></RelayEnvironmentProvider>;
