/** The scripts of the console: `client/{name}.ts` each. Every page has `shell`; the others are named by their pages. */
export const scriptEntries = [
  'shell',
  'list',
  'task',
  'work',
  'matrix',
  'layout',
  'case',
  'imports',
  'search',
  'upload',
  'trial',
  'viewer',
  'configure',
  'messages',
  'ledger',
] as const;

/** The name of a script or style sheet, without the hash of its content. */
export type AssetName = (typeof scriptEntries)[number] | 'console.css';
