// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: c8f0af3ab1fa872283dde235f6695f80b911a74675082b4b45af58c6b5424efe

import { cacheExchange, type KeyingConfig, type Resolver, type ResolverConfig } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import type { Exchange } from "@urql/core";
import { schema } from "./schema";

/** Objects without an id belong to the object that contains them. */
export const keys: KeyingConfig = {
  AcceptDisclaimersPayload: () => null,
  ActivityConnection: () => null,
  ActivityEdge: () => null,
  AlertConnection: () => null,
  AlertEdge: () => null,
  AlertFiringConnection: () => null,
  AlertFiringEdge: () => null,
  AlertPayload: () => null,
  Allocation: () => null,
  AmountFigure: () => null,
  ArticleConnection: () => null,
  ArticleEdge: () => null,
  BenchmarkComparison: () => null,
  BidAskBar: () => null,
  BidAskColumns: () => null,
  Candle: () => null,
  CandleColumns: () => null,
  Capabilities: () => null,
  ClosedPosition: () => null,
  ClosedPositionConnection: () => null,
  ClosedPositionEdge: () => null,
  ConnectProviderPayload: () => null,
  ConnectionRequest: () => null,
  ConvertedAmount: () => null,
  ConvertedPosition: () => null,
  CostBasis: () => null,
  DeletePayload: () => null,
  Dividend: () => null,
  DividendConnection: () => null,
  DividendEdge: () => null,
  EquityHistory: () => null,
  EquityPoint: () => null,
  ExchangeRate: () => null,
  ExpectedRejection: () => null,
  Failure: () => null,
  FundamentalsPart: () => null,
  FutureContract: () => null,
  Gain: () => null,
  GoalAllocation: () => null,
  GoalPayload: () => null,
  Greeks: () => null,
  Holding: () => null,
  HoldingConnection: () => null,
  HoldingEdge: () => null,
  HoldingProfit: () => null,
  Income: () => null,
  InstrumentIdentity: () => null,
  Listing: () => null,
  MarketDepth: () => null,
  MarketDepthLevel: () => null,
  MissingCost: () => null,
  MoneyWeightedReturn: () => null,
  OptionContract: () => null,
  OptionQuote: () => null,
  OrderConnection: () => null,
  OrderCosts: () => null,
  OrderEdge: () => null,
  OrderMarginImpact: () => null,
  OrderPayload: () => null,
  OrderPreview: () => null,
  OrderRejection: () => null,
  PageInfo: () => null,
  Performance: () => null,
  PerformancePoint: () => null,
  PortfolioHistory: () => null,
  PortfolioPart: () => null,
  PortfolioPoint: () => null,
  PriceFormat: () => null,
  RateLimit: () => null,
  RegisterWebhookPayload: () => null,
  SearchResult: () => null,
  SessionPayload: () => null,
  SignInRequest: () => null,
  Split: () => null,
  SplitConnection: () => null,
  SplitEdge: () => null,
  TaxLot: () => null,
  TestWebhookPayload: () => null,
  TimeWeightedReturn: () => null,
  Undetermined: () => null,
  WatchlistPayload: () => null,
};

/** Lists that are read in pages: a further page is added to the list. */
export const resolvers: ResolverConfig = {
  Account: { activities: pages(), closedPositions: pages(), orders: pages() },
  Alert: { firings: pages() },
  Instrument: { dividends: pages(), news: pages(), splits: pages() },
  Portfolio: { holdings: pages() },
  Query: { activities: pages(), alertFirings: pages(), alerts: pages(), news: pages(), orders: pages() },
};

/** Adds a further page to the list; one that failed leaves the list as it is. */
function pages(): Resolver {
  const resolve = relayPagination();
  return (parent, args, cache, info) =>
    resolve(parent, args, cache, info) ??
    (info.error && args.after != null ? resolve(parent, { ...args, after: undefined }, cache, info) : undefined);
}

export function createCache(): Exchange {
  return cacheExchange({ schema, keys, resolvers });
}
