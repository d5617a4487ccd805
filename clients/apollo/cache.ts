// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 227f8003a792be13f12a6873f703853c655487d29bd5ded39c78bba2c2fa27e3

import { InMemoryCache, type FieldPolicy, type Reference, type TypePolicies } from "@apollo/client";

/** The types of each interface, so that fragments on interfaces match. */
export const possibleTypes: Record<string, string[]> = {
  Contract: ["FutureContract", "OptionContract"],
  Live: ["Account", "Chart", "DividendConnection", "EquityHistory", "ExchangeRate", "Fundamentals", "FundamentalsPart", "GoalsProgress", "MarketDepth", "Order", "OrderPreview", "Performance", "Portfolio", "PortfolioHistory", "Position", "Quote", "SplitConnection"],
  Node: ["Account", "Activity", "Alert", "AlertFiring", "Article", "Chart", "Connection", "Fundamentals", "Goal", "GoalsProgress", "Instrument", "MarketClock", "Order", "Portfolio", "Position", "ProviderStatus", "Quote", "Session", "Viewer", "Watchlist", "WatchlistItem", "Webhook"],
};

export const typePolicies: TypePolicies = {
  // Lists that are read in pages: a further page is added to the list.
  Account: { fields: { activities: pages(["kinds", "symbol", "from", "to"]), closedPositions: pages(["symbols"]), orders: pages(["open", "symbols", "states", "side", "from", "to"]) } },
  Alert: { fields: { firings: pages([]) } },
  Instrument: { fields: { dividends: pages(["from", "to", "provider"]), news: pages([]), splits: pages(["from", "to", "provider"]) } },
  Portfolio: { fields: { holdings: pages([]) } },
  Query: { fields: { activities: pages(["accountIds", "kinds", "symbol", "from", "to"]), alertFirings: pages([]), alerts: pages([]), news: pages(["symbols", "provider"]), orders: pages(["open", "accountId", "symbols", "states", "side", "from", "to"]) } },
  // Objects without an id belong to the object that contains them.
  AcceptDisclaimersPayload: { keyFields: false },
  ActivityConnection: { keyFields: false },
  ActivityEdge: { keyFields: false },
  AlertConnection: { keyFields: false },
  AlertEdge: { keyFields: false },
  AlertFiringConnection: { keyFields: false },
  AlertFiringEdge: { keyFields: false },
  AlertPayload: { keyFields: false },
  Allocation: { keyFields: false },
  AmountFigure: { keyFields: false },
  ArticleConnection: { keyFields: false },
  ArticleEdge: { keyFields: false },
  BenchmarkComparison: { keyFields: false },
  BidAskBar: { keyFields: false },
  BidAskColumns: { keyFields: false },
  Candle: { keyFields: false },
  CandleColumns: { keyFields: false },
  Capabilities: { keyFields: false },
  ClosedPosition: { keyFields: false },
  ClosedPositionConnection: { keyFields: false },
  ClosedPositionEdge: { keyFields: false },
  ConnectProviderPayload: { keyFields: false },
  ConnectionRequest: { keyFields: false },
  ConvertedAmount: { keyFields: false },
  ConvertedPosition: { keyFields: false },
  CostBasis: { keyFields: false },
  DeletePayload: { keyFields: false },
  Dividend: { keyFields: false },
  DividendConnection: { keyFields: false },
  DividendEdge: { keyFields: false },
  EquityHistory: { keyFields: false },
  EquityPoint: { keyFields: false },
  ExchangeRate: { keyFields: false },
  ExpectedRejection: { keyFields: false },
  Failure: { keyFields: false },
  FundamentalsPart: { keyFields: false },
  FutureContract: { keyFields: false },
  Gain: { keyFields: false },
  GoalAllocation: { keyFields: false },
  GoalPayload: { keyFields: false },
  Greeks: { keyFields: false },
  Holding: { keyFields: false },
  HoldingConnection: { keyFields: false },
  HoldingEdge: { keyFields: false },
  HoldingProfit: { keyFields: false },
  Income: { keyFields: false },
  InstrumentIdentity: { keyFields: false },
  Listing: { keyFields: false },
  MarketDepth: { keyFields: false },
  MarketDepthLevel: { keyFields: false },
  MissingCost: { keyFields: false },
  MoneyWeightedReturn: { keyFields: false },
  OptionContract: { keyFields: false },
  OptionQuote: { keyFields: false },
  OrderConnection: { keyFields: false },
  OrderCosts: { keyFields: false },
  OrderEdge: { keyFields: false },
  OrderMarginImpact: { keyFields: false },
  OrderPayload: { keyFields: false },
  OrderPreview: { keyFields: false },
  OrderRejection: { keyFields: false },
  PageInfo: { keyFields: false },
  Performance: { keyFields: false },
  PerformancePoint: { keyFields: false },
  PortfolioHistory: { keyFields: false },
  PortfolioPart: { keyFields: false },
  PortfolioPoint: { keyFields: false },
  PriceFormat: { keyFields: false },
  RateLimit: { keyFields: false },
  RegisterWebhookPayload: { keyFields: false },
  SearchResult: { keyFields: false },
  SessionPayload: { keyFields: false },
  SignInRequest: { keyFields: false },
  Split: { keyFields: false },
  SplitConnection: { keyFields: false },
  SplitEdge: { keyFields: false },
  TaxLot: { keyFields: false },
  TestWebhookPayload: { keyFields: false },
  TimeWeightedReturn: { keyFields: false },
  Undetermined: { keyFields: false },
  WatchlistPayload: { keyFields: false },
};

/** A list that was read in pages, with any of the fields of a connection. */
interface Pages {
  edges?: readonly Edge[] | null;
  nodes?: readonly (Reference | null)[] | null;
  pageInfo?: { endCursor?: string | null } | null;
  /** The number of items up to the end of each page, by the cursor of its last item. */
  ends?: Readonly<Record<string, number>>;
}

type Edge = { node?: Reference | null; cursor?: string } | null;

/**
 * Adds a further page to the list. A list that failed is null, as in the response, and a further page that failed leaves
 * the list as it is.
 *
 * @param keyArgs The arguments that select a list; the others select a page of it.
 */
function pages(keyArgs: string[]): FieldPolicy<Pages | null> {
  return {
    keyArgs,
    merge(existing, incoming, { args }) {
      const after: string | undefined = args?.after ?? undefined;
      if (!incoming) return after === undefined ? null : (existing ?? null);
      // The items before the page; all if the cursor is unknown.
      const start = after === undefined || !existing ? 0 : (existing.ends?.[after] ?? Infinity);
      const join = <Item>(old: readonly Item[] | null | undefined, page: readonly Item[] | null | undefined) =>
        page ? [...(old ?? []).slice(0, start), ...page] : start === 0 ? page : old;
      const edges = join(existing?.edges, incoming.edges);
      const nodes = join(existing?.nodes, incoming.nodes);
      const ends = start === 0 ? {} : { ...existing?.ends };
      const end = incoming.pageInfo?.endCursor;
      if (end) ends[end] = (edges ?? nodes ?? []).length;
      return {
        ...existing,
        ...incoming,
        ...(edges === undefined ? {} : { edges }),
        ...(nodes === undefined ? {} : { nodes }),
        ends,
      };
    },
    // Objects that were evicted from the cache are not in the list.
    read(existing, { canRead, readField }) {
      if (!existing) return existing;
      return {
        ...existing,
        ...(existing.edges && { edges: existing.edges.filter((edge) => !edge || canRead(readField("node", edge))) }),
        ...(existing.nodes && { nodes: existing.nodes.filter((node) => !node || canRead(node)) }),
      };
    },
  };
}

export function createCache(): InMemoryCache {
  return new InMemoryCache({ possibleTypes, typePolicies });
}
