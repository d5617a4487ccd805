// The subscriptions of backend.js, by graphql-ws on ws: positions are polled, quotes come from the broker's stream, on a
// connection for each user as long as the user has subscriptions.
//
// STREAM_PORT is the port of the broker's stream.
'use strict';
const { useServer } = require('graphql-ws/use/ws');
const { WebSocket, WebSocketServer } = require('ws');

const POLL_INTERVAL = 5000;
const LONGEST_PAUSE = 60_000;

// The latest value of each key, in the order in which the keys changed: a slow client does not get those in between.
class Changes {
  constructor(onEnd) { Object.assign(this, { onEnd, waiting: new Map(), wake: null, isOver: false }); }

  put(key, value) {
    this.waiting.set(key, value);
    this.wake?.();
  }

  async next() {
    while (!this.waiting.size && !this.isOver) await new Promise((resolve) => { this.wake = resolve; });
    this.wake = null;
    if (this.isOver) return { done: true, value: undefined };
    const [key, value] = this.waiting.entries().next().value;
    this.waiting.delete(key);
    return { done: false, value };
  }

  async return() {
    if (!this.isOver) {
      this.isOver = true;
      this.onEnd(this);
      this.wake?.();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() { return this; }
}

// --- Positions: polled once for all sessions of a user ---

class LivePositions {
  constructor(user) { Object.assign(this, { user, followers: new Set(), known: new Map(), timer: null }); }

  follow() {
    const follower = new Changes(() => {
      this.followers.delete(follower);
      if (!this.followers.size) {
        clearInterval(this.timer);
        this.timer = null;
        this.known.clear();
      }
    });
    this.followers.add(follower);
    for (const [symbol, { position }] of this.known) follower.put(symbol, { positions: position });
    if (!this.timer) {
      this.timer = setInterval(() => this.poll(), POLL_INTERVAL);
      this.poll();
    }
    return follower;
  }

  async poll() {
    let positions;
    try {
      positions = await this.user.positions.get();
    } catch (error) {
      for (const follower of this.followers) follower.put('error', { positions: error });
      return;
    }
    const gone = new Map(this.known);
    for (const position of positions) {
      gone.delete(position.symbol);
      const text = JSON.stringify(position);
      if (this.known.get(position.symbol)?.text === text) continue;
      this.known.set(position.symbol, { text, position });
      for (const follower of this.followers) follower.put(position.symbol, { positions: position });
    }
    for (const [symbol, { position }] of gone) {
      this.known.delete(symbol);
      for (const follower of this.followers) follower.put(symbol, { positions: { ...position, quantity: '0', marketValue: null } });
    }
  }
}

// --- Quotes: one connection to the broker's stream for each user with subscriptions ---

class LiveQuotes {
  constructor(user, toQuote) {
    Object.assign(this, { user, toQuote, followers: new Map(), counts: new Map(), snapshots: new Map(), socket: null, failures: 0 });
  }

  follow(symbols) {
    const follower = new Changes(() => this.unfollow(follower));
    this.followers.set(follower, new Set(symbols));
    const added = symbols.filter((symbol) => !this.counts.has(symbol));
    for (const symbol of symbols) this.counts.set(symbol, (this.counts.get(symbol) ?? 0) + 1);
    for (const symbol of symbols) if (this.snapshots.has(symbol)) follower.put(symbol, this.event(symbol));
    if (!this.socket) this.connect();
    else if (this.isReady) this.subscribe(added);
    return follower;
  }

  unfollow(follower) {
    const ended = [...this.followers.get(follower)].filter((symbol) => {
      this.counts.set(symbol, this.counts.get(symbol) - 1);
      return !this.counts.get(symbol);
    });
    this.followers.delete(follower);
    for (const symbol of ended) {
      this.counts.delete(symbol);
      this.snapshots.delete(symbol);
    }
    if (this.followers.size) {
      if (this.isReady && ended.length) this.send({ action: 'unsubscribe', trades: ended });
    } else {
      this.socket?.close();
    }
  }

  connect() {
    const socket = this.socket = new WebSocket(`ws://127.0.0.1:${process.env.STREAM_PORT}/v2/iex`, { perMessageDeflate: false });
    this.isReady = false;
    socket.on('message', (data) => {
      for (const message of JSON.parse(data)) this.receive(message);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.socket = null;
      if (!this.followers.size) return;
      const pause = Math.min(1000 * 2 ** this.failures++, LONGEST_PAUSE);
      setTimeout(() => { if (this.followers.size && !this.socket) this.connect(); }, pause * (0.5 + Math.random() / 2));
    });
  }

  send(message) { this.socket.send(JSON.stringify(message)); }

  subscribe(symbols) {
    if (!symbols.length) return;
    this.send({ action: 'subscribe', trades: symbols });
    this.read(symbols);
  }

  // The first quotes: the stream sends only changes.
  async read(symbols) {
    try {
      const snapshots = await this.user.snapshots(symbols);
      for (const symbol of symbols) {
        if (!this.counts.has(symbol)) continue;
        this.snapshots.set(symbol, snapshots[symbol]);
        this.publish(symbol);
      }
    } catch (error) {
      for (const follower of this.followers.keys()) follower.put('error', { quotes: error });
    }
  }

  receive(message) {
    switch (message.T) {
      case 'success':
        if (message.msg === 'connected') this.send({ action: 'auth', ...this.user.key });
        if (message.msg === 'authenticated') {
          this.isReady = true;
          this.failures = 0;
          this.subscribe([...this.counts.keys()]);
        }
        break;
      case 'error':
        this.socket.close();
        break;
      case 't': {
        const snapshot = this.snapshots.get(message.S);
        if (!snapshot) break;
        snapshot.latestTrade = message;
        this.publish(message.S);
      }
    }
  }

  event(symbol) {
    try {
      return { quotes: this.toQuote(symbol, this.snapshots.get(symbol)) };
    } catch (error) {
      return { quotes: error };
    }
  }

  publish(symbol) {
    const event = this.event(symbol);
    for (const [follower, symbols] of this.followers) if (symbols.has(symbol)) follower.put(symbol, event);
  }
}

/** Serves subscriptions on WebSockets of an HTTP server. `toQuote` converts a snapshot of the broker. */
module.exports = (server, schema, users, toQuote) => {
  for (const user of users.values()) {
    user.livePositions = new LivePositions(user);
    user.liveQuotes = new LiveQuotes(user, toQuote);
  }
  const fields = schema.getSubscriptionType().getFields();
  fields.positions.subscribe = (_, __, user) => user.livePositions.follow();
  fields.quotes.subscribe = (_, { symbols }, user) => user.liveQuotes.follow([...new Set(symbols)]);
  const userOf = (context) => users.get(String(context.connectionParams?.Authorization).replace('Bearer ', ''));
  useServer({
    schema,
    onConnect: (context) => userOf(context) !== undefined,
    context: userOf,
  }, new WebSocketServer({ server, path: '/graphql', maxPayload: 1 << 20 }));
};
