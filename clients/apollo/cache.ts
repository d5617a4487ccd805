// Written by `portico client-kit`. Run the command again to update it; do not edit it.

import { InMemoryCache, type TypePolicies } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";

/** The types of each interface, so that fragments on interfaces match. */
export const possibleTypes: Record<string, string[]> = {
  Live: ["Account", "Chart", "EquityHistory", "ExchangeRate", "Fundamentals", "FundamentalsPart", "GoalsProgress", "Order", "OrderPreview", "Portfolio", "Position", "Quote"],
  Node: ["Account", "Activity", "Article", "Chart", "Connection", "Fundamentals", "Goal", "GoalsProgress", "Instrument", "MarketClock", "Order", "Portfolio", "Position", "ProviderStatus", "Quote", "Session", "Viewer", "Watchlist", "WatchlistItem"],
};

export const typePolicies: TypePolicies = {
  // Lists that are read in pages: a further page is added to the list.
  Account: { fields: { activities: relayStylePagination(["kinds", "symbol", "from", "to"]), orders: relayStylePagination(["open", "symbols", "states", "side", "from", "to"]) } },
  Instrument: { fields: { news: relayStylePagination([]) } },
  Query: { fields: { activities: relayStylePagination(["accountIds", "kinds", "symbol", "from", "to"]), news: relayStylePagination(["symbols", "provider", "providerName"]), orders: relayStylePagination(["open", "accountId", "symbols", "states", "side", "from", "to"]) } },
  // Objects without an id belong to the object that contains them.
  ActivityConnection: { keyFields: false },
  ActivityEdge: { keyFields: false },
  Allocation: { keyFields: false },
  ArticleConnection: { keyFields: false },
  ArticleEdge: { keyFields: false },
  BidAskBar: { keyFields: false },
  BidAskColumns: { keyFields: false },
  Candle: { keyFields: false },
  CandleColumns: { keyFields: false },
  Capabilities: { keyFields: false },
  ConnectProviderPayload: { keyFields: false },
  ConnectionRequest: { keyFields: false },
  ConvertedPosition: { keyFields: false },
  DeletePayload: { keyFields: false },
  EquityHistory: { keyFields: false },
  EquityPoint: { keyFields: false },
  ExchangeRate: { keyFields: false },
  ExpectedRejection: { keyFields: false },
  Failure: { keyFields: false },
  FundamentalsPart: { keyFields: false },
  GoalAllocation: { keyFields: false },
  GoalPayload: { keyFields: false },
  Listing: { keyFields: false },
  OrderConnection: { keyFields: false },
  OrderCosts: { keyFields: false },
  OrderEdge: { keyFields: false },
  OrderMarginImpact: { keyFields: false },
  OrderPayload: { keyFields: false },
  OrderPreview: { keyFields: false },
  OrderRejection: { keyFields: false },
  PageInfo: { keyFields: false },
  PortfolioPart: { keyFields: false },
  RateLimit: { keyFields: false },
  SearchResult: { keyFields: false },
  SessionPayload: { keyFields: false },
  SignInRequest: { keyFields: false },
  WatchlistPayload: { keyFields: false },
};

export function createCache(): InMemoryCache {
  return new InMemoryCache({ possibleTypes, typePolicies });
}
