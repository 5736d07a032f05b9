/** Modes of what a storage creates: other accounts of the machine neither read documents nor list their names. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
