/** A start that cannot succeed until somebody changes how the program is called or set up: trying again does not help. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
