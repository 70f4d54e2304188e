/** The configuration is invalid. The message says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
