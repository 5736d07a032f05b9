/** Tables of the installation: its migrations and its secret key. */
export const tables = ['migration', 'secretkeycheck', 'secretkeyholder', 'secretkeyrotation'] as const;
