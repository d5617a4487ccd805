import { graphql, RelayEnvironmentProvider, useLazyLoadQuery, useSubscription } from "react-relay";
import { useMemo } from "react";
import { createPortico } from "./portico/environment";

const environment = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
});

function Home() {
  const data: any = useLazyLoadQuery(graphql`
    query HomeQuery {
      positions { id symbol quantity quote { id price changePercentage } }
      orders(first: 20) @connection(key: "Home_orders") {
        edges { node { id symbol side state } }
      }
    }
  `, {});
  const symbols = data.positions?.map((position: { symbol: string }) => position.symbol) ?? [];
  useSubscription(useMemo(() => ({
    subscription: graphql`
      subscription HomePricesSubscription($symbols: [String!]!) {
        quotes(symbols: $symbols) { id price changePercentage }
      }
    `,
    variables: { symbols },
  }), [symbols.join()]));
  return (
    <ul>
      {data.positions?.map((position: any) => (
        <li key={position.id}>{position.symbol} × {position.quantity}: {position.quote?.price ?? "–"}</li>
      ))}
    </ul>
  );
}

export const App = () => <RelayEnvironmentProvider environment={environment}><Home /></RelayEnvironmentProvider>;
