// Written by `portico client-kit`. Run the command again to update it; do not edit it.

import { cacheExchange, type KeyingConfig, type ResolverConfig } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import type { Exchange } from "@urql/core";

/** Objects without an id belong to the object that contains them. */
export const keys: KeyingConfig = {
  ActivityConnection: () => null,
  ActivityEdge: () => null,
  Allocation: () => null,
  ArticleConnection: () => null,
  ArticleEdge: () => null,
  BidAskBar: () => null,
  BidAskColumns: () => null,
  Candle: () => null,
  CandleColumns: () => null,
  Capabilities: () => null,
  ConnectProviderPayload: () => null,
  ConnectionRequest: () => null,
  ConvertedPosition: () => null,
  DeletePayload: () => null,
  EquityHistory: () => null,
  EquityPoint: () => null,
  ExchangeRate: () => null,
  ExpectedRejection: () => null,
  Failure: () => null,
  FundamentalsPart: () => null,
  GoalAllocation: () => null,
  GoalPayload: () => null,
  Listing: () => null,
  OrderConnection: () => null,
  OrderCosts: () => null,
  OrderEdge: () => null,
  OrderMarginImpact: () => null,
  OrderPayload: () => null,
  OrderPreview: () => null,
  OrderRejection: () => null,
  PageInfo: () => null,
  PortfolioPart: () => null,
  RateLimit: () => null,
  SearchResult: () => null,
  SessionPayload: () => null,
  SignInRequest: () => null,
  WatchlistPayload: () => null,
};

/** Lists that are read in pages: a further page is added to the list. */
export const resolvers: ResolverConfig = {
  Account: { activities: relayPagination(), orders: relayPagination() },
  Instrument: { news: relayPagination() },
  Query: { activities: relayPagination(), news: relayPagination(), orders: relayPagination() },
};

export function createCache(): Exchange {
  return cacheExchange({ keys, resolvers });
}
