import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';

/** What can be written in a cell. */
const ways: readonly (readonly [string, string])[] = [
  ['250000', 'exactly'],
  ['CA, NV', 'one of these'],
  ['200k to 500k', 'a range, both ends included'],
  ['>=500k', 'at least; also >, <, <='],
  ['2026-01-01 - 2026-03-31', 'a range of dates'],
  ['not NY, NJ', 'anything but these'],
  ['"not rated"', 'exactly this text'],
  ['*', 'any'],
];

/** Keys of the grid. */
const keys: readonly (readonly [string, string])[] = [
  ['F2', 'edit; typing replaces'],
  ['Enter, Tab', 'save and move'],
  ['Shift + arrows', 'select cells'],
  ['Ctrl D', 'fill down'],
  ['Ctrl Enter', 'new row below'],
  ['Ctrl C, Ctrl V', 'copy and paste, also with a spreadsheet'],
  ['Alt ↑, Alt ↓', 'move the row'],
  ['Alt Delete', 'delete the rows'],
  ['Ctrl Z, Ctrl Y', 'undo, redo'],
];

const rowButtons = [
  rowButton('insert', 'plus', 'Row above'),
  rowButton('up', 'arrowUp', 'Move up'),
  rowButton('down', 'arrowDown', 'Move down'),
  rowButton('delete', 'trash', 'Delete row'),
  rowButton('undo', 'undo', 'Undo'),
  rowButton('redo', 'redo', 'Redo'),
];

/** Renders the line above the grid: the cell, what was typed and how it is read. Only a script makes use of it. */
export function cellLine(): Markup {
  return html`<div class="cell-line" data-needs-script>
<span class="cell-place" id="cell-place"></span>
<label class="hidden" for="cell-text">Cell</label>
<input class="input" id="cell-text" autocomplete="off" spellcheck="false">
<span class="cell-reading small cut" id="cell-reading"></span>
<span class="row end">
${rowButtons}
${help('Ways to write it', ways)}${help('Keys', keys)}</span>
</div>`;
}

function rowButton(command: string, name: Parameters<typeof icon>[0], text: string): Markup {
  return html`<button type="button" class="button quiet square" data-command="${command}" title="${text}">${icon(
    name,
  )}<span class="hidden">${text}</span></button>`;
}

function help(title: string, lines: readonly (readonly [string, string])[]): Markup {
  const shown = lines.map(([text, meaning]) => html`<dt>${text}</dt><dd>${meaning}</dd>`);
  return html`<details class="menu"><summary class="button quiet">${title}${icon('chevronDown', 12)}</summary><div
 class="menu-entries right cell-help"><dl>${shown}</dl></div></details>`;
}
