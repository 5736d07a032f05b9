/** A start that cannot succeed until somebody changes the command line or the configuration: retrying does not help. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
