// Which methods there are at a path, for the answer to a method that there is not.

type Route = { method: string; path: string };

/** `/v1/events/:eventId`, and the same with a slash at its end; `*` is one part of a path or more. */
const buildPattern = (path: string) =>
  new URLPattern({ pathname: `${path.replace(/\/$/, "").replace("*", ":rest+")}{/}?` });

/** @returns the methods at a path in alphabetical order; none where there is nothing */
export function allowedMethods(routes: readonly Route[]): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: buildPattern(path) }));
  return (path) => {
    const methods = new Set(
      patterns.filter(({ pattern }) => pattern.test({ pathname: path })).map(({ method }) => method),
    );
    // A HEAD is answered as its GET.
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].sort();
  };
}
