import { callOperation } from '../call.ts';

/** Part of the height of a word's box that its letters have. */
const LETTERS = 0.82;

/**
 * Puts the words of a page over its image, unseen, so that they can be selected, copied and read by screen readers.
 * Does nothing where this has been done.
 */
export async function addWords(id: string, sheet: HTMLElement): Promise<void> {
  if (sheet.dataset['words'] !== undefined) return;
  sheet.dataset['words'] = 'loading';
  const { status, data } = await callOperation('attachment/pagetext', {
    ID: Number(id),
    PageNumber: Number(sheet.dataset['page']),
  });
  if (status !== 200) {
    delete sheet.dataset['words'];
    return;
  }
  const { Body: body = '', Boxes: boxes = '' } = data as { Body?: string; Boxes?: string };
  const layer = document.createElement('div');
  layer.className = 'words';
  const starts = boxes
    .split(';')
    .filter((box) => box !== '')
    .map((box) => box.split(',').map(Number));
  for (const [at, [start = 0, left = 0, top = 0, right = 0, bottom = 0]] of starts.entries()) {
    const word = document.createElement('span');
    word.textContent = body.slice(start, starts[at + 1]?.[0] ?? body.length);
    Object.assign(word.style, {
      left: `${left / 10}%`,
      top: `${top / 10}%`,
      width: `${(right - left) / 10}%`,
      height: `${(bottom - top) / 10}%`,
      fontSize: `${((bottom - top) / 10) * LETTERS}cqh`,
    });
    layer.append(word);
  }
  sheet.querySelector('.turn')?.append(layer);
  sheet.dataset['words'] = String(starts.length);
}
