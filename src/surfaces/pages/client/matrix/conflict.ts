import type { Grid } from '../../../../lib/decision-tables/grid.ts';
import { inColumnsOf, mergeGrids } from '../../../../lib/decision-tables/merge-grids.ts';
import { fetchPage } from '../morph.ts';
import { MATRIX_DATA_ID, type MatrixData } from '../../shared/matrix-cell.ts';
import type { DraftSaver } from './draft-saver.ts';

/**
 * Shows that somebody else changed the draft, and lets the user repeat their own changes on it or drop them. Nothing is
 * lost until they decide.
 */
export async function resolveConflict(
  grid: HTMLElement,
  { saver, mine }: { readonly saver: DraftSaver; readonly mine: Grid },
): Promise<void> {
  const fetched = await fetchPage(location.pathname);
  if ('error' in fetched || document.getElementById('conflict')) return;
  const theirs = JSON.parse(
    fetched.document.getElementById(MATRIX_DATA_ID)?.textContent ?? 'null',
  ) as MatrixData | null;
  if (!theirs) return;
  const isReshaped = namesOf(theirs.grid) !== namesOf(mine);
  const merged = mergeGrids(inColumnsOf(theirs.grid, saver.saved), inColumnsOf(theirs.grid, mine), theirs.grid);
  const notes = [
    ...(isReshaped ? ['They also changed its columns.'] : []),
    ...(merged.overwritten > 0 ? [`${merged.overwritten} cells were changed by both; yours would count.`] : []),
    ...(merged.lost > 0 ? [`${merged.lost} of your rows were deleted by them.`] : []),
  ];
  const words = document.createElement('p');
  words.textContent = ['Somebody else changed this draft. Your last changes are not saved yet.', ...notes].join(' ');
  const text = document.createElement('div');
  text.className = 'banner-text';
  text.append(words);
  const actions = document.createElement('div');
  actions.className = 'row end';
  const note = document.createElement('div');
  note.className = 'banner warn';
  note.id = 'conflict';
  note.setAttribute('role', 'alert');
  const choose = (label: string, edits: MatrixConflictEdits): HTMLButtonElement => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button';
    button.textContent = label;
    button.addEventListener('click', () => {
      note.remove();
      // Other columns need another page; it sends the edits.
      if (isReshaped) {
        saver.reload(theirs.version, edits);
        return;
      }
      document.dispatchEvent(new CustomEvent('matrix-reset', { detail: { ...theirs, edits } }));
    });
    return button;
  };
  actions.append(choose('Add mine to theirs', merged.edits), choose('Drop mine', []));
  note.append(text, actions);
  grid.before(note);
  actions.querySelector('button')?.focus();
}

type MatrixConflictEdits = ReturnType<typeof mergeGrids>['edits'];

/** Returns the names of the columns as one text. */
const namesOf = ({ columns }: Grid): string => columns.map(({ kind, name }) => `${kind} ${name}`).join('\n');
