import { gql, Provider, useQuery, useSubscription } from "urql";
import { createPortico } from "./portico/client";

const client = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
});

const HOME = gql`
  query UrqlHome {
    positions { id symbol quantity quote { id price changePercentage } }
  }
`;

const PRICES = gql`
  subscription UrqlPrices($symbols: [String!]!) {
    quotes(symbols: $symbols) { id price changePercentage }
  }
`;

function Home() {
  const [{ data, error }] = useQuery({ query: HOME });
  const symbols = data?.positions?.map((position: { symbol: string }) => position.symbol) ?? [];
  useSubscription({ query: PRICES, variables: { symbols }, pause: symbols.length === 0 });
  return (
    <ul>
      {error && <li role="alert">{error.message}</li>}
      {data?.positions?.map((position: any) => (
        <li key={position.id}>{position.symbol} × {position.quantity}: {position.quote?.price ?? "–"}</li>
      ))}
    </ul>
  );
}

export const App = () => <Provider value={client}><Home /></Provider>;
