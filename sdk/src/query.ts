// Writes filters as the API reads them: `created[gte]=…`, `metadata[orderId]=…`, `expand[]=…`.

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

/** A path with its ids escaped. @throws TypeError for an empty id, which would name another resource */
export function path(texts: TemplateStringsArray, ...ids: string[]): string {
  return texts.reduce((left, right, at) => {
    const id = ids[at - 1];
    if (typeof id !== "string" || id === "")
      throw new TypeError("An id is required: a string that is not empty.");
    return `${left}${encodeURIComponent(id)}${right}`;
  });
}
