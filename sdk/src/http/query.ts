// Serializes filters in the API's format: `created[gte]=…`, `metadata[orderId]=…`, `expand[]=…`.

export function writeQuery(query: object): string {
  const parameters = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) add(`${name}[]`, item);
    } else if (typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner);
    } else {
      parameters.append(name, String(value));
    }
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Builds a path with escaped ids. @throws TypeError for an empty id, which would address another resource */
export function path(texts: TemplateStringsArray, ...ids: string[]): string {
  return texts.reduce((left, right, at) => {
    const id = ids[at - 1];
    if (typeof id !== "string" || id === "")
      throw new TypeError("An id is required: a string that is not empty.");
    return `${left}${encodeURIComponent(id)}${right}`;
  });
}
