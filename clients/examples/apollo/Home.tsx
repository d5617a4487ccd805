import { gql } from "@apollo/client";
import { ApolloProvider, useMutation, useQuery, useSubscription } from "@apollo/client/react";
import { createPortico } from "./portico/client";

const client = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
  application: { name: "example" },
});

const HOME = gql`
  query ApolloHome {
    account { id equity currency dayChangePercentage }
    positions { id symbol quantity quote { ...Price } }
    goals { id title progress }
  }
  fragment Price on Quote { id price changePercentage stale }
`;

const PRICES = gql`
  subscription ApolloPrices($symbols: [String!]!) {
    quotes(symbols: $symbols) { id price changePercentage stale }
  }
`;

const DELETE_GOAL = gql`
  mutation ApolloDeleteGoal($id: ID!) {
    deleteGoal(id: $id) { deletedId }
  }
`;

function Home() {
  const { data, error } = useQuery(HOME);
  const symbols = data?.positions?.map((position: { symbol: string }) => position.symbol) ?? [];
  // Each event has the id of a quote, so that the cache updates the rows below.
  useSubscription(PRICES, { variables: { symbols }, skip: symbols.length === 0 });
  const [deleteGoal] = useMutation(DELETE_GOAL, {
    update(cache, { data }) {
      cache.evict({ id: cache.identify({ __typename: "Goal", id: data.deleteGoal.deletedId }) });
    },
  });
  return (
    <main>
      {error && <p role="alert">{error.message}</p>}
      <h1>{data?.account?.equity} {data?.account?.currency}</h1>
      <ul>
        {data?.positions?.map((position: any) => (
          <li key={position.id}>{position.symbol} × {position.quantity}: {position.quote?.price ?? "–"}</li>
        ))}
      </ul>
      {data?.goals?.map((goal: any) => (
        <button key={goal.id} onClick={() => deleteGoal({ variables: { id: goal.id } })}>Delete {goal.title}</button>
      ))}
    </main>
  );
}

export const App = () => <ApolloProvider client={client}><Home /></ApolloProvider>;
