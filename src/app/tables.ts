/** Tables of the installation: its migrations, its secret key, and where it is used. */
export const tables = ['installation', 'migration', 'secretkeycheck', 'secretkeyholder', 'secretkeyrotation'] as const;
