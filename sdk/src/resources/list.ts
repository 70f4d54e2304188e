// A list of API resources. Awaiting it returns the first page; iterating over it yields the items of all pages.
import type { RequestOptions } from "../http/options.ts";

/** A page of a list, as returned by the API. */
export type Page<Item> = { object: "list"; data: Item[]; has_more: boolean; url: string };

export type PageQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
};

const MOST_A_PAGE = 100;

/** A list of API resources. No request is sent until the list is awaited or iterated. */
export class List<Item extends { id: string }> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #fetch: (query: PageQuery, options?: RequestOptions) => Promise<Page<Item>>;
  readonly #query: PageQuery;
  readonly #options: RequestOptions | undefined;

  constructor(
    fetch: (query: PageQuery, options?: RequestOptions) => Promise<Page<Item>>,
    query: PageQuery = {},
    options?: RequestOptions,
  ) {
    this.#fetch = fetch;
    this.#query = query;
    this.#options = options;
  }

  /** Resolves to the first page. */
  // biome-ignore lint/suspicious/noThenProperty: a list is awaited like a promise.
  then<Result = Page<Item>, Failed = never>(
    onPage?: ((page: Page<Item>) => Result | PromiseLike<Result>) | null,
    onError?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.#fetch(this.#query, this.#options).then(onPage, onError);
  }

  catch<Failed = never>(
    onError?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Page<Item> | Failed> {
    return this.then(undefined, onError);
  }

  /** Yields all pages in sequence, toward older items, or toward newer items if `ending_before` is given. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const isBackward = this.#query.ending_before !== undefined;
    let query: PageQuery = { limit: MOST_A_PAGE, ...this.#query };
    for (;;) {
      const page = await this.#fetch(query, this.#options);
      yield page;
      const next = page.data.at(isBackward ? 0 : -1);
      if (!page.has_more || !next) return;
      query = { ...query, [isBackward ? "ending_before" : "starting_after"]: next.id };
    }
  }

  /** Yields every item: newest first, or oldest first if `ending_before` is given. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const isBackward = this.#query.ending_before !== undefined;
    for await (const { data } of this.pages()) yield* isBackward ? [...data].reverse() : data;
  }
}
