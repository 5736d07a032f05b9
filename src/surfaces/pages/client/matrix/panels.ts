import { fetchPage, morphElement } from '../morph.ts';

/** The parts of the editor that depend on the checks. */
const PARTS = ['version-name', 'change-counts', 'publishing', 'problems'];

/** Shows the checks, counts and the button that publishes as they are after a save. */
export async function refreshPanels(path: string): Promise<void> {
  const fetched = await fetchPage(`${path.replace(/\/$/, '')}/checks`);
  if ('error' in fetched) return;
  for (const id of PARTS) morphElement(fetched.document, id);
}
