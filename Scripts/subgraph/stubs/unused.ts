// What the libraries import for pictures, snapshots and caches, which the check does not use.
export default {};
export const [attribute, digraph, toDot, format, plugins] = [{}, {}, {}, {}, {}];
export class InMemoryLRUCache {}
export const Headers = globalThis.Headers;
