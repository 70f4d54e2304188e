// Finds the methods that a path supports, for the response to an unsupported method.

type Route = { method: string; path: string };

/**
 * Builds a pattern for a path such as `/v1/events/:eventId`, with or without a trailing slash. `*` matches one
 * or more path segments.
 */
const buildPattern = (path: string) =>
  new URLPattern({ pathname: `${path.replace(/\/$/, "").replace("*", ":rest+")}{/}?` });

/**
 * @returns a function that returns a path's methods in alphabetical order, or an empty array if the path does
 * not exist
 */
export function createMethodFinder(routes: readonly Route[]): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: buildPattern(path) }));
  return (path) => {
    const methods = new Set(
      patterns.filter(({ pattern }) => pattern.test({ pathname: path })).map(({ method }) => method),
    );
    // HEAD is served like GET.
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].sort();
  };
}
