// A backend for frontends with graphql-js, as a Node developer would write it for the operations of this benchmark: one
// process, keep-alive connections to the broker, values with Portico's lifetimes, joined reads, quotes of a request in one
// call, a limit of calls for each key and host, and the last value if the broker fails.
//
//   PORT=… BROKER_PORT=… USERS=users.json node backend.js      USERS: [{"token", "key", "secret"}, …]
//
// CONNECTIONS limits the connections to each host of the broker; by default there is no limit. With STREAM_PORT, it also has
// subscriptions: see backend-streams.js.
'use strict';
const fs = require('fs');
const http = require('http');
const { buildSchema, execute, GraphQLError, parse, validate } = require('graphql');

const LIFETIME = { own: 2000, quote: 1000, ifError: 3600_000 };
const CALLS_PER_MINUTE = 200;
const TIMEOUT = 10_000;
const MAXIMUM_BODY = 1 << 20;
const MAXIMUM_DOCUMENTS = 1000;

// --- The broker ---

class BrokerError extends GraphQLError {
  constructor(message, code) { super(message, { extensions: { code } }); }
}

class Host {
  constructor(port) {
    this.port = port;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: Number(process.env.CONNECTIONS) || Infinity });
  }

  get(path, headers) {
    return new Promise((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port: this.port, path, headers, agent: this.agent, timeout: TIMEOUT }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => { text += part; });
        response.on('end', () => resolve({ status: response.statusCode, text }));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.on('timeout', () => request.destroy(new Error('timeout')));
    });
  }
}

const trading = new Host(Number(process.env.BROKER_PORT));
const market = new Host(Number(process.env.BROKER_PORT) + 1);

class Quota {
  constructor() { this.end = 0; this.count = 0; }

  take() {
    const now = Date.now();
    if (now >= this.end) { this.end = now + 60_000; this.count = 0; }
    if (this.count >= CALLS_PER_MINUTE) throw new BrokerError('The calls of this minute are used up.', 'QUOTA_EXHAUSTED');
    this.count++;
  }
}

async function call(host, quota, path, user) {
  for (let attempt = 1; ; attempt++) {
    quota.take();
    let response;
    try {
      response = await host.get(path, user.headers);
    } catch {
      if (attempt < 2) continue;
      throw new BrokerError('The broker does not respond.', 'PROVIDER_UNAVAILABLE');
    }
    if (response.status === 200) return JSON.parse(response.text);
    if (response.status === 401 || response.status === 403) throw new BrokerError('The key is refused.', 'RECONNECT_REQUIRED');
    if (response.status === 429) throw new BrokerError('The broker refuses more calls.', 'QUOTA_EXHAUSTED');
    if (response.status < 500 || attempt > 1) throw new BrokerError(`The broker responded with ${response.status}.`, 'PROVIDER_UNAVAILABLE');
  }
}

// --- Values of a user ---

class CachedValue {
  constructor(lifetime, load) { Object.assign(this, { lifetime, load, value: undefined, freshUntil: 0, pending: null }); }

  get() {
    if (Date.now() < this.freshUntil) return this.value;
    this.pending ??= this.load().then((value) => {
      this.pending = null;
      this.value = value;
      this.freshUntil = Date.now() + this.lifetime;
      return value;
    }, (error) => {
      this.pending = null;
      if (this.value !== undefined && Date.now() < this.freshUntil + LIFETIME.ifError) return this.value;
      throw error;
    });
    return this.pending;
  }
}

// The quotes of one user: fresh ones at once, the others of one tick in one call.
class Quotes {
  constructor(user) { this.user = user; this.entries = new Map(); this.batch = null; }

  get(symbol) {
    let entry = this.entries.get(symbol);
    if (entry) {
      if (entry.pending) return entry.pending;
      if (Date.now() < entry.freshUntil) return entry.value;
    } else {
      this.entries.set(symbol, entry = { value: null, freshUntil: 0, pending: null });
    }
    return entry.pending = this.load(symbol).then((value) => {
      entry.pending = null;
      entry.value = value;
      entry.freshUntil = Date.now() + LIFETIME.quote;
      return value;
    }, (error) => {
      entry.pending = null;
      if (entry.value && Date.now() < entry.freshUntil + LIFETIME.ifError) return entry.value;
      throw error;
    });
  }

  load(symbol) {
    if (!this.batch) {
      const batch = this.batch = { symbols: [], result: null };
      batch.result = new Promise((resolve) => process.nextTick(resolve)).then(() => {
        this.batch = null;
        return this.user.snapshots(batch.symbols);
      });
    }
    this.batch.symbols.push(symbol);
    return this.batch.result.then((snapshots) => quote(symbol, snapshots[symbol]));
  }
}

function quote(symbol, snapshot) {
  if (!snapshot) throw new BrokerError(`There is no price of ${symbol}.`, 'NOT_FOUND');
  const price = snapshot.latestTrade?.p ?? null;
  const close = snapshot.prevDailyBar?.c ?? null;
  return {
    symbol,
    price: price === null ? null : String(price),
    changePercentage: price === null || !close ? null : ((price - close) / close * 100).toFixed(4),
  };
}

class User {
  constructor({ key, secret }) {
    this.key = { key, secret };
    this.headers = { accept: 'application/json', 'apca-api-key-id': key, 'apca-api-secret-key': secret };
    this.tradingQuota = new Quota();
    this.marketQuota = new Quota();
    this.account = new CachedValue(LIFETIME.own, async () => {
      const account = await call(trading, this.tradingQuota, '/v2/account', this);
      return { equity: account.equity, cash: account.cash, buyingPower: account.buying_power };
    });
    this.positions = new CachedValue(LIFETIME.own, async () => {
      const positions = await call(trading, this.tradingQuota, '/v2/positions', this);
      return positions.map((position) => ({
        symbol: position.symbol, quantity: position.qty, marketValue: position.market_value, unrealizedProfitLoss: position.unrealized_pl,
      }));
    });
    this.quotes = new Quotes(this);
  }

  snapshots(symbols) {
    return call(market, this.marketQuota, `/v2/stocks/snapshots?symbols=${symbols.join('%2C')}`, this);
  }
}

const users = new Map(JSON.parse(fs.readFileSync(process.env.USERS, 'utf8')).map((user) => [user.token, new User(user)]));

// --- GraphQL ---

const schema = buildSchema(`
  scalar Decimal
  type Query { account: Account positions: [Position] }
  type Subscription { positions: Position quotes(symbols: [String!]!): Quote }
  type Account { equity: Decimal cash: Decimal buyingPower: Decimal }
  type Position { symbol: String! quantity: Decimal! marketValue: Decimal unrealizedProfitLoss: Decimal quote: Quote }
  type Quote { symbol: String! price: Decimal changePercentage: Decimal }`);
const resolve = (type, field, resolver) => { schema.getType(type).getFields()[field].resolve = resolver; };
resolve('Query', 'account', (_, __, user) => user.account.get());
resolve('Query', 'positions', (_, __, user) => user.positions.get());
resolve('Position', 'quote', (position, _, user) => user.quotes.get(position.symbol));

const documents = new Map();
function prepared(query) {
  let known = documents.get(query);
  if (!known) {
    const document = parse(query, { maxTokens: 10_000 });
    known = { document, errors: validate(schema, document) };
    if (documents.size >= MAXIMUM_DOCUMENTS) documents.delete(documents.keys().next().value);
    documents.set(query, known);
  }
  return known;
}

// --- HTTP ---

function send(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function respond(request, response, body) {
  try {
    const token = request.headers.authorization;
    const user = token?.startsWith('Bearer ') && users.get(token.slice(7));
    if (!user) return send(response, 401, { errors: [{ message: 'The token is unknown.' }] });
    const { query, variables, operationName } = JSON.parse(body);
    const { document, errors } = prepared(query);
    if (errors.length) return send(response, 400, { errors });
    send(response, 200, await execute({ schema, document, contextValue: user, variableValues: variables, operationName }));
  } catch (error) {
    send(response, error instanceof SyntaxError || error instanceof GraphQLError ? 400 : 500, { errors: [{ message: 'The request failed.' }] });
  }
}

const server = http.createServer((request, response) => {
  if (request.url !== '/graphql' || request.method !== 'POST') return send(response, request.url === '/health/ready' ? 200 : 404, {});
  const parts = [];
  let size = 0;
  request.on('data', (part) => {
    size += part.length;
    if (size > MAXIMUM_BODY) return request.destroy();
    parts.push(part);
  });
  request.on('end', () => respond(request, response, Buffer.concat(parts).toString()));
});
if (process.env.STREAM_PORT) require('./backend-streams.js')(server, schema, users, quote);
server.listen(Number(process.env.PORT), '127.0.0.1', 4096);
process.on('SIGTERM', () => process.exit(0));
