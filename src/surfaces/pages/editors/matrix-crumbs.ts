import type { Crumb } from '../shell/top-bar.ts';
import type { MatrixDraft } from './matrix-draft.ts';

/** Returns the way to a page of a matrix. Without `text` it is that of the editor. */
export function matrixCrumbs({ name, address, plural }: MatrixDraft, text?: string): Crumb[] {
  const own = { text: name, href: address };
  const way = [{ text: 'Configure', href: '/configure' }, { text: plural, href: '/records/matrix' }, own];
  return text === undefined ? way : [...way, { text }];
}
