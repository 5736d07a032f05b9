import { fetchPage, morphElement } from '../morph.ts';

/** The parts of the editor that depend on the checks. */
const PARTS = ['version-name', 'change-counts', 'publishing', 'problems', 'gaps'];

/** Shows the checks, counts and the button that publishes as they are after a save. */
export async function refreshPanels(path: string): Promise<void> {
  const fetched = await fetchPage(`${path.replace(/\/$/, '')}/checks`);
  if ('error' in fetched) return;
  for (const id of PARTS) morphElement(fetched.document, id);
}

/** Says what is saved and what is not. */
export function showStatus(text: string, tone: 'done' | 'waiting' | 'failed'): void {
  const status = document.getElementById('saved');
  if (!status) return;
  status.textContent = text;
  status.classList.toggle('late', tone === 'failed');
}
