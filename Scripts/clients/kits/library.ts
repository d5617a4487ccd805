/** A client library with its kit, as the cases use it. */
export interface Library {
  name: string;
  /** The only cases that apply; all if undefined. */
  runs?: string[];
  /** The cases that do not apply, with the reason. */
  lacks?: Record<string, string>;
  open(page: Page): App;
}

/** What an application gives to a kit. */
export interface Page {
  url: string;
  token: () => string | null;
  onSessionEnd: () => void;
  /** The ids of trusted documents by the names of the operations; undefined if documents are sent. */
  ids?: Record<string, string>;
}

export interface Answer {
  data: any;
  /** The messages of the errors. */
  errors: string[];
}

export interface App {
  query(text: string, variables?: Record<string, unknown>): Promise<Answer>;
  /** Reads a list and its next page into the list of the cache, and returns the list. */
  pages?(text: string, variables: (end: string | null) => Record<string, unknown>): Promise<Answer[]>;
  /** Returns a function that unsubscribes. */
  subscribe(text: string, onEvent: (answer: Answer) => void, onEnd: (error?: unknown) => void): () => void;
  close(): void;
}
