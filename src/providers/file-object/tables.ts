/** Tables of the provider that stores files in the database. */
export const tables = ['filecontent', 'filepiece', 'storedfile'] as const;
