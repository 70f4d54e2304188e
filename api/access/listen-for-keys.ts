// Listens for changes of API keys. A database trigger notifies of every change, regardless of its source.
import { Client } from "pg";

const CHANNEL = "gateway_api_key";
const RETRY_MS = 1_000;

export class KeyListener {
  /** Whether the listener is connected and receives notifications. */
  hears = false;
  /** The number of possible changes so far. */
  changes = 0;
  #onChange: () => void = () => undefined;
  #client: Client | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly onProblem: (error: Error) => void = () => undefined,
  ) {
    this.#connect();
  }

  onChange(forget: () => void): void {
    this.#onChange = forget;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #changed(): void {
    this.changes++;
    this.#onChange();
  }

  #connect(): void {
    const client = new Client({
      connectionString: this.databaseUrl,
      application_name: "key-listener",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    this.#client = client;
    const broken = (error: Error) => {
      if (this.#client !== client || this.#stopped) return;
      this.#client = undefined;
      this.hears = false;
      this.#changed();
      this.onProblem(error);
      client.end().catch(() => undefined);
      this.#retry = setTimeout(() => this.#connect(), RETRY_MS);
    };
    client.on("error", broken);
    client.on("end", () => broken(new Error("The connection was closed.")));
    client.on("notification", () => this.#changed());
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => {
        // Changes may have been missed while the listener was not connected.
        this.#changed();
        this.hears = true;
      })
      .catch(broken);
  }
}
