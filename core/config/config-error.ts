/** What is wrong with the configuration, one line a variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
