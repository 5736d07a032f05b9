/** The scripts of the console: `client/{name}.ts` each. Every page has `shell`; the others are named by their pages. */
<<<<<<< HEAD
export const scriptEntries = ['shell', 'task', 'work', 'matrix'] as const;
=======
export const scriptEntries = ['shell', 'list', 'task', 'work'] as const;
>>>>>>> b805d783 (Add the list page with saved views, filters, preview and bulk changes)

/** The name of a script or style sheet, without the hash of its content. */
export type AssetName = (typeof scriptEntries)[number] | 'console.css';
