/** Configuration errors, one line per variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
