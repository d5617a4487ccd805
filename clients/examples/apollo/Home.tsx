import { gql, type TypedDocumentNode } from "@apollo/client";
import { ApolloProvider, useMutation, useQuery, useSubscription } from "@apollo/client/react";
import { createPortico } from "./portico/client";
import type { Decimal } from "./portico/scalars";

const client = createPortico({
  url: "http://127.0.0.1:8080/graphql",
  token: () => sessionStorage.getItem("token"),
  application: { name: "example" },
});

// graphql-codegen writes such types for all operations. Every field that can fail can be null, and so can an item of a list.
type Price = { id: string; price: Decimal | null; changePercentage: Decimal | null; stale: boolean };
type Home = {
  account: { id: string; equity: Decimal | null; currency: string } | null;
  positions: ({ id: string; symbol: string; quantity: Decimal; quote: Price | null } | null)[] | null;
  goals: { id: string; title: string }[] | null;
};

const HOME: TypedDocumentNode<Home> = gql`
  query ApolloHome {
    account { id equity currency dayChangePercentage }
    positions { id symbol quantity quote { ...Price } }
    goals { id title progressPercentage }
  }
  fragment Price on Quote { id price changePercentage stale }
`;

const PRICES: TypedDocumentNode<{ quotes: Price | null }, { symbols: string[] }> = gql`
  subscription ApolloPrices($symbols: [String!]!) {
    quotes(symbols: $symbols) { id price changePercentage stale }
  }
`;

const DELETE_GOAL: TypedDocumentNode<{ deleteGoal: { deletedId: string } | null }, { id: string }> = gql`
  mutation ApolloDeleteGoal($id: ID!) {
    deleteGoal(id: $id) { deletedId }
  }
`;

function present<Item>(items: readonly (Item | null | undefined)[] | null | undefined): Item[] {
  return (items ?? []).filter((item) => item != null) as Item[];
}

function Home() {
  const { data, error } = useQuery(HOME, { pollInterval: 5_000 });
  const positions = present(data?.positions);
  const symbols = positions.flatMap((position) => position.symbol ?? []);
  // An event updates the rows whose quote has its id. The id contains the source: if the price of a row is from another one, the
  // repeated query updates the row.
  useSubscription(PRICES, { variables: { symbols }, skip: symbols.length === 0 });
  const [deleteGoal] = useMutation(DELETE_GOAL, {
    update(cache, { data }) {
      const id = data?.deleteGoal?.deletedId;
      if (id) cache.evict({ id: cache.identify({ __typename: "Goal", id }) });
    },
  });
  return (
    <main>
      {error && <p role="alert">{error.message}</p>}
      <h1>{data?.account?.equity} {data?.account?.currency}</h1>
      <ul>
        {positions.map((position) => (
          <li key={position.id}>
            {position.symbol} × {position.quantity}: {position.quote?.price ?? "–"}{position.quote?.stale && " (old value)"}
          </li>
        ))}
      </ul>
      {present(data?.goals).map((goal) => (
        <button key={goal.id} onClick={() => deleteGoal({ variables: { id: goal.id! } })}>Delete {goal.title}</button>
      ))}
    </main>
  );
}

export const App = () => <ApolloProvider client={client}><Home /></ApolloProvider>;
