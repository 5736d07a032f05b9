/** A start that cannot succeed until the command line or the configuration is changed: retrying does not help. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
