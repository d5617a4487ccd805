/** A Portico with the sandbox, as a process that can be stopped and started again on the same port with the same data. */
export class Server {
  private process?: Deno.ChildProcess;
  private constructor(
    private readonly program: string,
    private readonly port: number,
    private readonly folder: string,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(program: string, settings: Record<string, string> = {}): Promise<Server> {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    listener.close();
    const server = new Server(program, port, await Deno.makeTempDir({ prefix: "portico-kits-" }), settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/graphql`;
  }

  async start(): Promise<void> {
    this.process = new Deno.Command(this.program, {
      args: ["serve", "--sandbox", "--port", `${this.port}`, "--data", this.folder, "--log-level", "error"],
      env: { PORTICO_PASSWORD_COST: "4", ...this.settings },
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    await until(async () => (await fetch(`http://127.0.0.1:${this.port}/health/ready`)).ok, "the server is ready");
  }

  /** SIGTERM is a restart by the operator; SIGKILL closes the connections without a message. */
  async restart(signal: Deno.Signal): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    this.process?.kill(signal);
    await this.process?.status;
    this.process = undefined;
  }

  async close(): Promise<void> {
    await this.stop("SIGKILL");
    await Deno.remove(this.folder, { recursive: true });
  }

  /** Sends an operation without a client library. */
  async send(query: string, token?: string): Promise<Record<string, any>> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
    return data;
  }

  async guest(): Promise<string> {
    return (await this.send("mutation { startGuestSession { token } }")).startGuestSession.token;
  }
}

/** Waits until a condition is true; fails after a minute. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const isTrue = await Promise.resolve().then(condition).catch(() => false);
    if (isTrue) return;
    if (Date.now() > end) throw new Error(`not within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
